//! Runs of games for more than two players: the same directory, checkpoints, learner, metrics and
//! rounds as for two.
//!
//! What differs is what a round plays and learns: a network in all seats, a target with a share
//! for each, and evaluations in every seat among copies of an opponent. As in the
//! [cycle](crate::cycle) of games for two, the games of a round are played beside learning, by the
//! network of the round before.

mod selfplay;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use tavola_arena::seats::{SeatedPlayer, seats};
use tavola_data::Samples;
use tavola_games::many::{ManyEvaluator, ManyGame};
use tavola_net::{Weights, initial_weights_of};
use tavola_play::{ThreadsBeside, Workers};
use tavola_train::Learner;

use self::selfplay::{Chooser, PlayedGame};
use crate::checkpoint::{Progress, Totals};
use crate::config::Config;
use crate::context::derived_seed;
use crate::error::RunError;
use crate::events::Event;
use crate::manifest::{Manifest, now};
use crate::memory;
use crate::metrics::{EvaluationMetrics, Metrics, RoundMetrics};
use crate::report::{Ending, RunReport};
use crate::run::{Run, check_same, extend, resume, session};
use crate::run_dir::{Begin, RunDir};
use crate::run_state::RunState;

/// A run between two rounds.
struct Rounds<'a, G> {
    game: G,
    run: &'a Run<'a>,
    config: &'a Config,
    state: RunState<'a>,
    /// Threads that learn a round while the others play the next.
    learner_threads: ThreadsBeside,
    samples: Samples,
}

/// The games of a round.
struct Played {
    games: Vec<PlayedGame>,
    seconds: f64,
}

/// Runs a plan from the beginning, or from the last checkpoint, to its end.
pub(crate) fn run<G: ManyGame>(game: &G, run: &Run<'_>) -> Result<RunReport, RunError> {
    let &Run { plan, options, observer, .. } = run;
    let interface = game.interface();
    let gpu = plan.config().learner.device.open().map_err(RunError::Device)?;
    let (dir, mut manifest) = RunDir::open(&options.directory, options.begin)?;
    let plan = &manifest.as_ref().map_or(plan.clone(), |found| plan.resuming(&found.config));
    let config = plan.config();
    let begins = manifest.is_none() && !dir.is_begun()?;
    let progress = if begins {
        let network = config.network.clone().unwrap_or_default();
        let seed = derived_seed(config.seed, "initial weights", 0);
        let weights = initial_weights_of(&interface, network.encoder, network.hidden(), seed);
        let weights = weights.map_err(RunError::Weights)?;
        Progress::begin(&interface, config, weights, None)
            .map_err(|error| RunError::Learn(Box::new(error)))?
    } else {
        let inputs = BTreeMap::new();
        if let Some(manifest) = &manifest {
            check_same(&dir, manifest, config, &inputs)?;
        }
        let is_known = manifest.is_some();
        let (progress, ()) = resume(&dir, &interface, plan, is_known, observer, &|_| Ok(()))?;
        match &mut manifest {
            Some(manifest) if config.rounds > manifest.config.rounds => {
                extend(&dir, manifest, config, &inputs)?;
            }
            _ => {}
        }
        progress
    };
    debug_assert!(begins || options.begin == Begin::Resume, "a new directory holds no run");
    let memory = memory::estimate(config, None, &progress.selfplay.arch);
    memory::check(memory)?;
    dir.remove_after(progress.totals.round)?;
    let mut manifest =
        manifest.unwrap_or_else(|| Manifest::begin(dir.name(), config, BTreeMap::new()));
    manifest.sessions.push(session(options, progress.totals.round, gpu));
    let state = RunState::new(&dir, config, &manifest, observer, progress)?;
    let mut rounds = Rounds {
        game: game.clone(),
        run,
        config,
        samples: Samples::with_outputs(interface.layout.len(), interface.outputs),
        state,
        learner_threads: ThreadsBeside::default(),
    };
    rounds.state.start(begins, config.games_per_round, options.threads, memory)?;
    let ending = rounds.play_all()?;
    let opponents = config.evaluation.opponents.iter().flatten();
    let report = rounds.state.ended(ending, opponents.map(String::as_str));
    drop(rounds);
    if matches!(report.ending, Ending::Finished { .. }) && manifest.finished.is_none() {
        manifest.finished = Some(now());
        dir.write_manifest(&manifest)?;
    }
    Ok(report)
}

impl<G: ManyGame> Rounds<'_, G> {
    fn is_cancelled(&self) -> bool {
        self.run.cancel.load(Ordering::Relaxed)
    }

    /// Plays and learns all rounds that are left.
    fn play_all(&mut self) -> Result<Ending, RunError> {
        if !self.evaluate()? {
            return Ok(Ending::Stopped);
        }
        let first = self.state.progress.totals.round + 1;
        let selfplay = self.state.progress.selfplay.clone();
        let (_, mut ready) = self.play_beside(first, &selfplay, |_| Ok(()))?;
        while self.state.progress.totals.round < self.config.rounds {
            let Some(played) = ready else {
                self.state.save_if_behind()?;
                return Ok(Ending::Stopped);
            };
            ready = self.next_round(&played)?;
            self.state.save_if_due()?;
            let evaluated = self.evaluate();
            // An evaluation that failed must not cost rounds that were learned.
            if !matches!(evaluated, Ok(true)) {
                self.state.save_if_behind()?;
            }
            if !evaluated? {
                return Ok(Ending::Stopped);
            }
        }
        self.state.finish()
    }

    /// Learns from the games of a round, and meanwhile plays those of the round after it.
    fn next_round(&mut self, played: &Played) -> Result<Option<Played>, RunError> {
        let round = self.state.progress.totals.round + 1;
        let progress = self.config.progress(round);
        let learning_rate = self.config.learning_rate.at(progress);
        let (lambda, _) = self.config.targets.td(progress);
        if played.games.is_empty() {
            let turns = self.config.selfplay.max_turns.get();
            return Err(RunError::NoGames { round, turns });
        }
        let selfplay = match round {
            1 => self.state.progress.selfplay.clone(),
            _ => self.state.progress.learner.weights(Default::default()),
        };
        let mut samples = std::mem::replace(&mut self.samples, Samples::new(0));
        samples.clear();
        for game in &played.games {
            game.append::<G>(lambda as f32, &mut samples);
        }
        let seed = derived_seed(self.config.seed, "order of samples", round);
        let learn = |learner: &mut Learner| {
            let began = Instant::now();
            let report = learner.learn(&samples, learning_rate, seed);
            let report = report.map_err(|error| RunError::Learn(Box::new(error)))?;
            Ok((report.loss, began.elapsed().as_secs_f64()))
        };
        let ((loss, learning_seconds), ready) = self.play_beside(round + 1, &selfplay, learn)?;
        self.samples = samples;
        let positions: usize = played.games.iter().map(PlayedGame::decisions).sum();
        let seconds = self.state.seconds();
        let totals = &mut self.state.progress.totals;
        totals.round = round;
        totals.games += played.games.len() as u64;
        totals.positions += positions as u64;
        let per_second = |count: usize| count as f64 / played.seconds.max(1e-9);
        let metrics = RoundMetrics {
            round,
            games: totals.games,
            positions: totals.positions,
            loss,
            learning_rate,
            lambda,
            games_per_second: per_second(played.games.len()),
            positions_per_second: per_second(positions),
            given_targets: 0,
            given_targets_per_second: 0.0,
            pairs: 0,
            pair_rmse: None,
            selfplay_seconds: played.seconds,
            learning_seconds,
            seconds,
        };
        self.state.progress.selfplay = selfplay;
        self.state.report(Metrics::Round(metrics.clone()))?;
        self.run.observer.observe(&Event::RoundFinished(metrics));
        Ok(ready)
    }

    /// Plays the games of a round while some of the threads do `job` with the learner first and then
    /// help. `None` when there is no such round, or the run was asked to stop.
    fn play_beside<T: Send>(
        &mut self,
        round: u32,
        selfplay: &Weights,
        job: impl FnOnce(&mut Learner) -> Result<T, RunError> + Send,
    ) -> Result<(T, Option<Played>), RunError> {
        let learner = &mut self.state.progress.learner;
        if round > self.config.rounds {
            return Ok((job(learner)?, None));
        }
        let &Run { plan, options, observer, cancel, .. } = self.run;
        let evaluator = ManyEvaluator::new(selfplay, &self.game).map_err(RunError::Weights)?;
        let games = plan.games_of(round);
        let of = games.end - games.start;
        let done = AtomicU64::new(0);
        let (game, config) = (&self.game, self.config);
        let chooser = match config.rule_based_rounds {
            Some(rounds) if round <= rounds => Chooser::RuleBased,
            _ => Chooser::Network,
        };
        let play = |evaluator: &mut ManyEvaluator<G>, index| {
            let most = config.selfplay.max_turns.get();
            let number = (config.seed, index);
            let played = selfplay::play(game, evaluator, chooser, number, most);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            observer.observe(&Event::GamesPlayed { round, done, of });
            played
        };
        let began = Instant::now();
        let workers = Workers { threads: options.threads, cancel };
        let (job, played) = workers.run_beside(
            &mut self.learner_threads,
            games,
            || evaluator.clone(),
            play,
            || job(learner),
        );
        let (job, seconds) = (job?, began.elapsed().as_secs_f64());
        if (played.len() as u64) < of {
            return Ok((job, None));
        }
        Ok((job, Some(Played { games: played.into_iter().flatten().collect(), seconds })))
    }

    /// Plays the opponents where the plan says so; whether to go on.
    fn evaluate(&mut self) -> Result<bool, RunError> {
        if self.is_cancelled() {
            return Ok(false);
        }
        let Totals { round, games, .. } = self.state.progress.totals;
        let settings = &self.config.evaluation;
        if round % settings.every_rounds != 0 && round != self.config.rounds {
            return Ok(true);
        }
        let weights = self.state.weights();
        self.state.keep_weights(&weights)?;
        let network = ManyEvaluator::new(&weights, &self.game).map_err(RunError::Weights)?;
        for name in settings.opponents.iter().flatten() {
            if self.state.is_evaluated(name) {
                continue;
            }
            let began = Instant::now();
            let opponent = SeatedPlayer::new(name, &self.game);
            let opponent = opponent.map_err(|error| RunError::Play(Box::new(error)))?;
            let players = [SeatedPlayer::Network(network.clone()), opponent];
            let rounds = (settings.games / G::PLAYERS as u64).max(2);
            let (threads, cancel) = (self.run.options.threads, self.run.cancel);
            let report = seats(&self.game, &players, rounds, settings.seed, threads, cancel);
            let Some(report) = report else { return Ok(false) };
            let metrics = EvaluationMetrics {
                round,
                games,
                opponent: name.clone(),
                evaluation_games: report.rounds * G::PLAYERS as u64,
                seed: settings.seed,
                ppg: report.all.mean,
                standard_error: report.all.standard_error,
                interval: [report.all.low, report.all.high],
                seconds: began.elapsed().as_secs_f64(),
                variance_reduction: None,
            };
            self.state.report(Metrics::Evaluation(metrics.clone()))?;
            self.run.observer.observe(&Event::EvaluationFinished(metrics));
        }
        self.state.draw()?;
        Ok(true)
    }
}
