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

use std::path::PathBuf;
use std::time::Instant;

use tavola_arena::Estimate;
use tavola_data::Samples;
use tavola_files::Failure;
use tavola_net::{Interface, Weights};
use tavola_play::{ThreadsBeside, in_pool};
use tavola_train::{LearnReport, Learner};

use crate::checkpoint::Totals;
use crate::context::{RunContext, derived_seed};
use crate::error;
use crate::events::RunEvent;
use crate::metrics::{EvaluationMetrics, Metrics, RoundMetrics, StatesAtPly, StatesMetrics};
use crate::run_state::RunState;
use crate::selfplay_pool::{Played, PlayedRound};

/// What a round plays, learns from and measures, where games for two and for more differ.
///
/// Games for more than two have no dataset and no states to grade: a checked configuration
/// names none, so that those methods are not called for them.
pub(crate) trait Rounds: Sync {
    /// A self-play game with what is learned of it.
    type Game: Send + Sync;

    /// How many games of its dataset the first round learns from; `None` where it plays games.
    fn dataset_games(&self) -> Option<u64> {
        None
    }

    /// Reads the games of rounds up to this one that the next round learns from again.
    fn recall(&mut self, _: &RunContext<'_>, _round: u32) -> Result<(), Failure> {
        Ok(())
    }

    /// Plays the games of a round with the self-play network, while some of the threads do `job`
    /// first and then help. The games are `None` when the run was asked to stop.
    fn play_beside<T: Send>(
        &self,
        context: &RunContext<'_>,
        beside: &mut ThreadsBeside,
        round: u32,
        selfplay: &Weights,
        job: impl FnOnce() -> T + Send,
    ) -> (T, PlayedRound<Self::Game>);

    /// Appends the samples of a round.
    fn append(
        &self,
        context: &RunContext<'_>,
        round: u32,
        played: &[Self::Game],
        samples: &mut Samples,
    ) -> Result<Lesson, Failure>;

    /// Keeps the games of a round for as long as later rounds learn from them.
    fn keep(&mut self, _: &RunContext<'_>, _round: u32, _: Vec<Self::Game>) -> Result<(), Failure> {
        Ok(())
    }

    /// Plays the opponent of this number in the configuration.
    fn evaluate(
        &self,
        context: &RunContext<'_>,
        round: u32,
        opponent: (usize, &str),
        weights: &Weights,
    ) -> Result<DuelScore, Failure>;

    /// Has the network evaluate the states of the configuration.
    fn grade_states(&self, _: &RunContext<'_>, _: &Weights) -> Result<Vec<StatesAtPly>, Failure> {
        Ok(Vec::new())
    }
}

/// What a round learns from.
pub(crate) struct Lesson {
    /// Games that the samples come from, and their states.
    pub(crate) games: u64,
    pub(crate) positions: u64,
    /// States with a target of their own.
    pub(crate) given: u64,
    /// Pairs whose difference is learned.
    pub(crate) pairs: u64,
    /// The first sample of the games of this round: those before it were learned before. `None` if
    /// any may have been.
    pub(crate) new_from: Option<usize>,
    /// The lambda of the targets.
    pub(crate) lambda: f64,
}

/// What a network won against an opponent.
pub(crate) struct DuelScore {
    pub(crate) games: u64,
    /// Points per game.
    pub(crate) ppg: Estimate,
}

/// What the learner made of a round.
struct Learned {
    lesson: Lesson,
    report: LearnReport,
    held_out_loss: Option<f64>,
    learning_rate: f64,
    seconds: f64,
}

/// A run between two rounds.
pub(crate) struct Cycle<'a, R> {
    rounds: &'a mut R,
    /// What the run keeps of itself.
    pub(crate) state: RunState<'a>,
    /// Threads that learn a round while the others play the next.
    learner_threads: ThreadsBeside,
    /// Makes samples without asking for memory every round.
    samples: Samples,
}

impl<'a, R: Rounds> Cycle<'a, R> {
    /// Goes on from `state`.
    pub(crate) fn new(interface: &Interface, rounds: &'a mut R, state: RunState<'a>) -> Self {
        let samples = Samples::with_outputs(interface.layout.len(), interface.outputs);
        Self { rounds, state, learner_threads: ThreadsBeside::default(), samples }
    }

    /// Plays and learns all rounds that are left; the weights file of the result.
    pub(crate) fn run(&mut self) -> Result<PathBuf, Failure> {
        let context = self.state.context;
        let config = context.plan.config();
        self.evaluate()?;
        // Others than the new network may play its first games, or a dataset has them.
        let is_taught = config.target_network.is_some()
            || config.rule_based_rounds.is_some()
            || config.dataset.is_some();
        let is_random = config.start.is_none() && !is_taught;
        if self.state.progress.totals.round == 0 && is_random {
            context.observer.observe(&RunEvent::Doing(
                "a network with random weights plays long games: the first rounds take the longest"
                    .to_owned(),
            ));
        }
        let mut ready = match self.state.progress.totals.round {
            round if round < config.rounds && !self.state.is_done() => {
                let (selfplay, beside) =
                    (&self.state.progress.selfplay, &mut ThreadsBeside::default());
                self.rounds.play_beside(context, beside, round + 1, selfplay, || ()).1?
            }
            _ => None,
        };
        while !self.state.is_done() {
            ready = self.next_round(ready.ok_or_else(error::canceled)?)?;
            self.state.save_if_due()?;
            let evaluated = self.evaluate();
            // An opponent that failed must not cost rounds that were learned.
            if evaluated.is_err() {
                self.state.save_if_behind()?;
            }
            evaluated?;
        }
        self.state.finish()
    }

    /// Learns from the games of the next round, and meanwhile plays those of the round after it:
    /// `None` when it is the last or the run was asked to stop.
    fn next_round(&mut self, played: Played<R::Game>) -> PlayedRound<R::Game> {
        let Self { rounds, state, learner_threads, samples } = self;
        let context = state.context;
        let config = context.plan.config();
        let round = state.progress.totals.round + 1;
        // The weights from before this round play the games of the next, if an update is due.
        let is_due = round > 1 && (round - 1).is_multiple_of(config.target_network_update_rounds);
        let selfplay = match is_due {
            true => state.progress.learner.weights(Default::default()),
            false => state.progress.selfplay.clone(),
        };
        let learner = &mut state.progress.learner;
        let job = || learn(context, *rounds, learner, round, &played, samples);
        let (learned, ready) = match round < config.rounds {
            true => rounds.play_beside(context, learner_threads, round + 1, &selfplay, job),
            false => (in_pool(context.threads, job), Ok(None)),
        };
        let Learned { lesson, report, held_out_loss, learning_rate, seconds } = learned?;

        let per = if config.dataset.is_some() { seconds } else { played.seconds };
        let per_second = |count: u64| count as f64 / per.max(1e-9);
        let totals = &mut state.progress.totals;
        totals.round = round;
        totals.games += lesson.games;
        totals.positions += lesson.positions;
        let (games, positions) = (totals.games, totals.positions);
        let metrics = RoundMetrics {
            round,
            games,
            positions,
            loss: report.loss,
            held_out_loss,
            learning_rate,
            lambda: lesson.lambda,
            games_per_second: per_second(lesson.games),
            positions_per_second: per_second(lesson.positions),
            given_targets: lesson.given,
            given_targets_per_second: per_second(lesson.given),
            pairs: lesson.pairs,
            pair_rmse: report.pair_rmse,
            selfplay_seconds: played.seconds,
            learning_seconds: seconds,
            seconds: state.seconds(),
        };
        state.progress.selfplay = selfplay;
        rounds.keep(context, round, played.games)?;
        state.report(Metrics::Round(metrics.clone()))?;
        context.observer.observe(&RunEvent::RoundFinished(metrics));
        // An error there must not cost the round that was learned.
        if ready.is_err() {
            state.save_if_behind()?;
        }
        ready
    }

    /// Plays the opponents where the plan says so, except those that were played already, and
    /// draws the learning curve.
    fn evaluate(&mut self) -> Result<(), Failure> {
        let context = self.state.context;
        if context.is_canceled() {
            return Err(error::canceled());
        }
        let config = context.plan.config();
        let Totals { round, games, .. } = self.state.progress.totals;
        let settings = &config.evaluation;
        if round % settings.every_rounds != 0 && round != config.rounds {
            return Ok(());
        }
        let weights = self.state.weights();
        self.state.keep_weights(&weights)?;
        for (number, name) in settings.opponents.iter().flatten().enumerate() {
            if self.state.is_evaluated(name) {
                continue;
            }
            let began = Instant::now();
            let opponent = (number, name.as_str());
            let score = self.rounds.evaluate(context, round, opponent, &weights)?;
            let variance_reduction = settings.variance_reduction.as_ref();
            let metrics = EvaluationMetrics {
                round,
                games,
                opponent: name.clone(),
                evaluation_games: score.games,
                seed: settings.seed,
                ppg: score.ppg.mean,
                standard_error: score.ppg.standard_error,
                interval: [score.ppg.low, score.ppg.high],
                seconds: began.elapsed().as_secs_f64(),
                variance_reduction: variance_reduction.map(|file| file.path.display().to_string()),
            };
            self.state.report(Metrics::Evaluation(metrics.clone()))?;
            context.observer.observe(&RunEvent::EvaluationFinished(metrics));
        }
        self.evaluate_states(&weights)?;
        self.state.keep_best(&weights)?;
        self.state.draw()
    }

    /// Has the network evaluate the states, unless that is done.
    fn evaluate_states(&mut self, weights: &Weights) -> Result<(), Failure> {
        let Totals { round, games, .. } = self.state.progress.totals;
        let context = self.state.context;
        let Some(settings) = &context.plan.config().evaluation.states else { return Ok(()) };
        let is_done = |line: &Metrics| matches!(line, Metrics::States(s) if s.round == round);
        if self.state.history.iter().any(is_done) {
            return Ok(());
        }
        let file = settings.file.display();
        let doing = format!("round {round}: the network evaluates the states of {file}");
        context.observer.observe(&RunEvent::Doing(doing));
        let began = Instant::now();
        let plies = self.rounds.grade_states(context, weights)?;
        let file = settings.file.display().to_string();
        let seconds = began.elapsed().as_secs_f64();
        let metrics = StatesMetrics { round, games, file, plies, seconds };
        self.state.report(Metrics::States(metrics.clone()))?;
        context.observer.observe(&RunEvent::StatesEvaluated(Box::new(metrics)));
        Ok(())
    }
}

/// Learns a round.
fn learn<R: Rounds>(
    context: &RunContext<'_>,
    rounds: &R,
    learner: &mut Learner,
    round: u32,
    played: &Played<R::Game>,
    samples: &mut Samples,
) -> Result<Learned, Failure> {
    let config = context.plan.config();
    let began = Instant::now();
    let learning_rate = config.learning_rate.at(config.progress(round));
    samples.clear();
    let lesson = rounds.append(context, round, &played.games, samples)?;
    let seed = derived_seed(config.seed, "order of samples", round);
    let held_out_loss = lesson.new_from.and_then(|from| held_out_loss(learner, samples, from));
    let report = learner.learn(samples, learning_rate, seed).map_err(error::learn)?;
    let seconds = began.elapsed().as_secs_f64();
    Ok(Learned { lesson, report, held_out_loss, learning_rate, seconds })
}

/// The loss of about this many samples says enough.
const HELD_OUT_SAMPLES: usize = 2048;

/// The loss of samples from this one on, before they are learned. It decides nothing.
fn held_out_loss(learner: &Learner, samples: &Samples, from: usize) -> Option<f64> {
    let step = ((samples.len() - from) / HELD_OUT_SAMPLES).max(1);
    learner.loss(samples, (from..samples.len()).step_by(step))
}
