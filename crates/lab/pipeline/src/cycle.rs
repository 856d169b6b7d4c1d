//! The rounds of a run.
//!
//! While the learner learns from the games of one round, the games of the next are played, by
//! the network as it was before: the network lags behind by one round, always, and so the result
//! depends neither on which of the two is faster nor on the number of threads. In a diagram,
//! with `W3` for the weights after round 3:
//!
//! ```text
//! learner      learn round 3: W2 -> W3     learn round 4: W3 -> W4
//! self-play    play round 4 with W2        play round 5 with W3
//! ```
//!
//! With an update interval above one round (`target_network_update_rounds`) the self-play network
//! stays for that many rounds.
//!
//! Some threads learn, as many as let both end together by the time that both took before, and
//! then help to play what is left.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::index::sample;
use tavola_arena::{Duel, DuelError, DuelSettings, PairResult};
use tavola_data::{FileHeader, LabeledGame, LabeledGameOf, Samples, read_records, write_records};
use tavola_evaluator::{Evaluator, NetEvaluator};
use tavola_games::PlayableGame;
use tavola_net::Weights;
use tavola_play::{Contender, EvaluatorAgent, LuckEvaluator, TdTargets, ThreadsBeside, Workers};
use tavola_rules::Game;
use tavola_train::{LearnReport, Learner};

use crate::checkpoint::{CheckpointError, Totals};
use crate::config::{Config, Plan};
use crate::context::{RunContext, derived_seed};
use crate::error::RunError;
use crate::events::Event;
use crate::metrics::{EvaluationMetrics, Metrics, RoundMetrics, StatesMetrics};
use crate::report::Ending;
use crate::run_dir::RunDir;
use crate::run_state::RunState;
use crate::selfplay_pool::{Played, play_beside};
use crate::states::States;

/// A run between two rounds, with all that the next rounds need.
pub(crate) struct Cycle<'a, G: Game> {
    context: RunContext<'a, G>,
    /// Whom the network plays in evaluations, by name.
    opponents: Vec<Opponent<G>>,
    /// For variance reduction in these games.
    variance_reduction: Option<NetEvaluator<G>>,
    /// What the network evaluates beside these games.
    states: Option<&'a States<'a, G>>,
    state: RunState<'a>,
    /// Threads that learn a round while the others play the next.
    learner_threads: ThreadsBeside,
    /// The games of the earlier rounds in the window of the next, oldest first.
    earlier: Window<G>,
    /// Makes samples without asking for memory every round.
    samples: Samples,
}

/// An opponent in evaluations, with its name.
pub(crate) type Opponent<G> = (String, Box<dyn Contender<G>>);

/// The games of rounds that are learned from again, oldest round first.
pub(crate) type Window<G> = VecDeque<Vec<LabeledGameOf<G>>>;

/// Reads the games of the rounds that are in the window of the round after `round`.
pub(crate) fn earlier_games<G: Game>(
    dir: &RunDir,
    game: &G,
    plan: &Plan,
    round: u32,
) -> Result<Window<G>, CheckpointError> {
    let window = plan.config().replay.window;
    let rounds = (round + 2).saturating_sub(window).max(1)..=round;
    let read = |earlier| {
        let path = dir.records(earlier)?;
        let games: Vec<LabeledGameOf<G>> = read_records(&path, &game.id())?;
        let expected = plan.games_of(earlier);
        let found = games.iter().map(|game| game.record.index).find(|n| !expected.contains(n));
        match found {
            Some(found) => Err(CheckpointError::OtherGames { path, found, expected }),
            None => Ok(games),
        }
    };
    rounds.map(read).collect()
}

/// What the learner made of a round.
struct Learned {
    /// Games that the samples come from, their states, and pairs whose difference was learned.
    games: u64,
    positions: u64,
    pairs: u64,
    pair_rmse: Option<f64>,
    loss: f64,
    learning_rate: f64,
    lambda: f64,
    seconds: f64,
}

/// Whether the run was asked to stop.
enum Flow {
    GoOn,
    Stop,
}

impl<'a, G: PlayableGame> Cycle<'a, G> {
    /// Goes on from `state`, with the `earlier` games in the window of the next round.
    pub(crate) fn new(
        context: RunContext<'a, G>,
        opponents: Vec<Opponent<G>>,
        variance_reduction: Option<NetEvaluator<G>>,
        states: Option<&'a States<'a, G>>,
        state: RunState<'a>,
        earlier: Window<G>,
    ) -> Self {
        Self {
            samples: Samples::new(context.game.layout().len()),
            context,
            opponents,
            variance_reduction,
            states,
            state,
            learner_threads: ThreadsBeside::default(),
            earlier,
        }
    }

    /// What the run keeps of itself.
    pub(crate) const fn state(&mut self) -> &mut RunState<'a> {
        &mut self.state
    }

    /// Plays and learns all rounds that are left.
    pub(crate) fn run(&mut self) -> Result<Ending, RunError> {
        let rounds = self.context.plan.config().rounds;
        if let Flow::Stop = self.evaluate()? {
            return Ok(Ending::Stopped);
        }
        let mut ready = match self.state.progress.totals.round {
            round if round < rounds => self.play(round + 1, &self.state.progress.selfplay)?,
            _ => None,
        };
        while self.state.progress.totals.round < rounds {
            let Some(played) = ready else {
                return Ok(Ending::Stopped);
            };
            ready = self.next_round(played)?;
            self.state.save_if_due()?;
            let evaluated = self.evaluate();
            // An opponent that failed must not cost rounds that were learned.
            if !matches!(evaluated, Ok(Flow::GoOn)) {
                self.state.save_if_behind()?;
            }
            if let Flow::Stop = evaluated? {
                return Ok(Ending::Stopped);
            }
        }
        self.state.finish()
    }

    /// Learns from the games of the next round, and meanwhile plays those of the round after it:
    /// `None` when it is the last or the run was asked to stop.
    fn next_round(&mut self, played: Played<G>) -> Result<Option<Played<G>>, RunError> {
        let config = self.context.plan.config();
        let round = self.state.progress.totals.round + 1;
        // The weights from before this round play the games of the next, if an update is due.
        let is_due = round > 1 && (round - 1).is_multiple_of(config.target_network_update_rounds);
        let selfplay = match is_due {
            true => self.state.progress.learner.weights(Default::default()),
            false => self.state.progress.selfplay.clone(),
        };

        let mut samples = std::mem::replace(&mut self.samples, Samples::new(0));
        let games = (round < config.rounds).then_some(round + 1);
        let (learned, ready) = {
            let Self { context, state, earlier, learner_threads, .. } = &mut *self;
            let learner = &mut state.progress.learner;
            play_beside(context, learner_threads, games, &selfplay, || {
                learn(context, learner, round, earlier, &played, &mut samples)
            })
        };
        self.samples = samples;
        let learned = learned?;

        let Learned { games, positions, pairs, .. } = learned;
        let given = played.given() as u64;
        let source = &self.context.dataset;
        let seconds = if source.is_some() { learned.seconds } else { played.seconds };
        let per_second = |count: u64| count as f64 / seconds.max(1e-9);
        let seconds = self.state.seconds();
        let totals = &mut self.state.progress.totals;
        totals.round = round;
        totals.games += games;
        totals.positions += positions;
        let metrics = RoundMetrics {
            round,
            games: totals.games,
            positions: totals.positions,
            loss: learned.loss,
            learning_rate: learned.learning_rate,
            lambda: learned.lambda,
            games_per_second: per_second(games),
            positions_per_second: per_second(positions),
            given_targets: given,
            given_targets_per_second: per_second(given),
            pairs,
            pair_rmse: learned.pair_rmse,
            selfplay_seconds: played.seconds,
            learning_seconds: learned.seconds,
            seconds,
        };
        self.state.progress.selfplay = selfplay;
        self.keep(round, played.games)?;
        self.state.report(Metrics::Round(metrics.clone()))?;
        self.context.observer.observe(&Event::RoundFinished(metrics));
        // An error there must not cost the round that was learned.
        if ready.is_err() {
            self.state.save_if_behind()?;
        }
        ready
    }

    /// The games of a round, on all threads; `None` when the run was asked to stop.
    fn play(&self, round: u32, selfplay: &Weights) -> Result<Option<Played<G>>, RunError> {
        play_beside(&self.context, &mut ThreadsBeside::default(), Some(round), selfplay, || ()).1
    }

    /// Keeps the games of a round for as long as later rounds learn from them.
    fn keep(&mut self, round: u32, games: Vec<LabeledGameOf<G>>) -> Result<(), RunError> {
        let window = self.context.plan.config().replay.window as usize;
        if window > 1 {
            let path = self.context.dir.records(round)?;
            write_records(&path, &self.header(), &games)?;
            self.earlier.push_back(games);
            while self.earlier.len() >= window {
                self.earlier.pop_front();
            }
        }
        Ok(())
    }

    fn header(&self) -> FileHeader {
        FileHeader { game: self.context.game.id(), run_seed: self.context.plan.config().seed }
    }

    /// Plays the opponents where the plan says so, except those that were played already, and
    /// draws the learning curve.
    fn evaluate(&mut self) -> Result<Flow, RunError> {
        if self.context.cancel.load(Ordering::Relaxed) {
            return Ok(Flow::Stop);
        }
        let config = self.context.plan.config();
        let Totals { round, games, .. } = self.state.progress.totals;
        let settings = &config.evaluation;
        if round % settings.every_rounds != 0 && round != config.rounds {
            return Ok(Flow::GoOn);
        }
        let weights = self.state.weights();
        let network =
            NetEvaluator::new(&weights, self.context.game.clone()).map_err(RunError::Weights)?;
        self.state.keep_weights(&weights)?;
        for (name, opponent) in &self.opponents {
            if self.state.is_evaluated(name) {
                continue;
            }
            let began = Instant::now();
            let player = EvaluatorAgent::new(network.fork());
            let of = settings.games;
            let done = AtomicU64::new(0);
            let observe = |_: &PairResult| {
                let done = done.fetch_add(2, Ordering::Relaxed) + 2;
                let opponent = name.clone();
                self.context.observer.observe(&Event::EvaluationGamesPlayed {
                    round,
                    opponent,
                    done,
                    of,
                });
            };
            let duel_settings =
                DuelSettings { pairs: of / 2, seed: settings.seed, ..DuelSettings::default() };
            let workers = Workers { threads: self.context.threads, cancel: self.context.cancel };
            let mut duel = Duel::new(&self.context.game, &player, opponent.as_ref());
            duel.luck = self
                .variance_reduction
                .as_ref()
                .map(|evaluator| LuckEvaluator { evaluator, pruning: None });
            let result = match duel.play_all(&duel_settings, workers, &observe) {
                Ok(result) => result,
                Err(DuelError::Cancelled { .. }) => return Ok(Flow::Stop),
                Err(DuelError::Failed { reason, .. }) => {
                    return Err(self.opponent_failed(round, name, &reason));
                }
                Err(error) => return Err(RunError::Play(Box::new(error))),
            };
            let ppg = result.luck_adjusted.unwrap_or(result.points);
            let variance_reduction = settings.variance_reduction.as_ref();
            let metrics = EvaluationMetrics {
                round,
                games,
                opponent: name.clone(),
                evaluation_games: result.played(),
                seed: settings.seed,
                ppg: ppg.mean,
                standard_error: ppg.standard_error,
                interval: [ppg.low, ppg.high],
                seconds: began.elapsed().as_secs_f64(),
                variance_reduction: variance_reduction.map(|file| file.path.display().to_string()),
            };
            self.state.report(Metrics::Evaluation(metrics.clone()))?;
            self.context.observer.observe(&Event::EvaluationFinished(metrics));
        }
        if let Flow::Stop = self.evaluate_states(&weights)? {
            return Ok(Flow::Stop);
        }
        self.state.draw()?;
        Ok(Flow::GoOn)
    }

    /// The error of an evaluation whose opponent has failed.
    fn opponent_failed(&self, round: u32, name: &str, reason: &str) -> RunError {
        let (name, reason) = (name.to_owned(), reason.to_owned());
        RunError::OpponentFailed { round, name, reason }
    }

    /// Has the network evaluate the states, unless that is done.
    fn evaluate_states(&mut self, weights: &Weights) -> Result<Flow, RunError> {
        let Totals { round, games, .. } = self.state.progress.totals;
        let Some(states) = self.states else { return Ok(Flow::GoOn) };
        let is_done = |line: &Metrics| matches!(line, Metrics::States(s) if s.round == round);
        if self.state.history.iter().any(is_done) {
            return Ok(Flow::GoOn);
        }
        let began = Instant::now();
        let workers = Workers { threads: self.context.threads, cancel: self.context.cancel };
        let Some(plies) = states.grade(&self.context.game, weights, workers)? else {
            return Ok(Flow::Stop);
        };
        let metrics = StatesMetrics {
            round,
            games,
            file: states.settings().file.display().to_string(),
            plies,
            seconds: began.elapsed().as_secs_f64(),
        };
        self.state.report(Metrics::States(metrics.clone()))?;
        self.context.observer.observe(&Event::StatesEvaluated(Box::new(metrics)));
        Ok(Flow::GoOn)
    }
}

/// Learns a round: from its games and those of earlier rounds in the window, or from a dataset.
fn learn<G: Game>(
    context: &RunContext<'_, G>,
    learner: &mut Learner,
    round: u32,
    earlier: &VecDeque<Vec<LabeledGameOf<G>>>,
    played: &Played<G>,
    samples: &mut Samples,
) -> Result<Learned, RunError> {
    let config = context.plan.config();
    let began = Instant::now();
    let progress = config.progress(round);
    let learning_rate = config.learning_rate.at(progress);
    samples.clear();
    let (lambda, games, positions, pairs);
    if let Some(dataset) = &context.dataset {
        dataset.read(round, progress, samples)?;
        pairs = samples.siblings();
        positions = samples.len() - pairs;
        (lambda, games) = (dataset.lambda(round, progress), dataset.games(round));
    } else {
        lambda = append_games(context, round, earlier, &played.games, samples)?;
        games = played.games.len() as u64;
        (positions, pairs) = (played.positions(), played.comparisons());
    }
    let shuffle_seed = derived_seed(config.seed, "order of samples", round);
    let report = learner
        .learn(samples, learning_rate, shuffle_seed)
        .map_err(|error| RunError::Learn(Box::new(error)))?;
    let (positions, pairs) = (positions as u64, pairs as u64);
    let LearnReport { loss, pair_rmse, .. } = report;
    let seconds = began.elapsed().as_secs_f64();
    Ok(Learned { games, positions, pairs, pair_rmse, loss, learning_rate, lambda, seconds })
}

/// Appends the samples of the current games and of those in the window that are learned again;
/// gives their lambda.
fn append_games<G: Game>(
    context: &RunContext<'_, G>,
    round: u32,
    earlier: &VecDeque<Vec<LabeledGameOf<G>>>,
    current: &[LabeledGameOf<G>],
    samples: &mut Samples,
) -> Result<f64, RunError> {
    let config = context.plan.config();
    let (lambda, exploration) = config.targets.td(config.progress(round));
    let targets =
        TdTargets::new(lambda, exploration).map_err(|error| RunError::Learn(Box::new(error)))?;
    let again = learned_again(config, round, earlier.len()).into_iter();
    let rounds: Vec<_> = again.map(|i| earlier[i].as_slice()).chain([current]).collect();
    if rounds.iter().all(|games| games.is_empty()) {
        return Err(RunError::NoGames { round, turns: config.selfplay.max_turns.get() });
    }
    for LabeledGame { record, labels } in rounds.into_iter().flatten() {
        targets.append::<G>(record, labels, samples);
    }
    Ok(lambda)
}

/// Which of the `earlier` rounds in the window are learned from again in this round, oldest first.
fn learned_again(config: &Config, round: u32, earlier: usize) -> Vec<usize> {
    match config.replay.sample {
        Some(count) if (count as usize) < earlier => {
            let seed = derived_seed(config.seed, "rounds that are learned again", round);
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut sampled = sample(&mut rng, earlier, count as usize).into_vec();
            sampled.sort_unstable();
            sampled
        }
        _ => (0..earlier).collect(),
    }
}
