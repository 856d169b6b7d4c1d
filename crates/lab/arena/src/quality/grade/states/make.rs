//! A file of rolled-out states, from self-play to the last trial.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use tavola_evaluator::rollout::{Ended, Rollout, RolloutError, RolloutSettings, RolloutWatch};
use tavola_evaluator::{Evaluator, PlayableGame};
use tavola_files::Failure;
use tavola_games::{AnyGame, with_game};
use tavola_rules::Game;

use super::{DrawnStates, StateLine, StateReference, StateSampleSettings};
use crate::job::JobContext;
use crate::quality::grade::grader::{round, seed_of};
use crate::quality::grade::grading::grade_all;
use crate::quality::grade::header::{GraderInfo, Header};
use crate::quality::grade::network::grader_name;
use crate::quality::grade::report::read;
use crate::quality::grade::{Draw, GradingNetwork, Rated};

/// How drawn states are rolled out.
#[derive(Clone, Debug)]
pub struct StateRating {
    /// The trials.
    pub trials: RolloutSettings,
    /// The trials in words.
    pub in_words: String,
    /// Whether bear-off databases are asked.
    pub tables: bool,
}

/// Rolls states out.
pub struct StateRater<'a, G: Game> {
    /// Plays the trials and evaluates luck.
    pub evaluator: &'a dyn Evaluator<G>,
    /// Makes luck cheaper to evaluate.
    pub pruning: Option<&'a dyn Evaluator<G>>,
    /// The trials; the dice of each state follow from the seed and the state.
    pub settings: RolloutSettings,
    /// Threads.
    pub threads: NonZeroUsize,
}

impl<G: PlayableGame> StateRater<'_, G> {
    /// Rolls out all states, in their order, and writes the file with this header, as
    /// [`grade_decisions`](crate::quality::grade::grade_decisions) writes a reference.
    ///
    /// # Errors
    ///
    /// [`Failure`].
    pub fn rate_all(
        &self,
        game: &G,
        header: &Header,
        drawn: &DrawnStates<G>,
        path: &Path,
        cancel: &AtomicBool,
        observer: &dyn Fn(usize),
    ) -> Result<(), Failure> {
        let is_of = |line: &StateLine, state: &G::State| line.position == game.write_state(state);
        grade_all(header, &drawn.states, path, is_of, observer, |state| {
            let group = drawn.kind.reported(game, state);
            Ok(self.rate(game, *state, cancel)?.map(|line| StateLine { group, ..line }))
        })
    }

    /// What a state is worth; `None` if `cancel` was set before.
    fn rate(
        &self,
        game: &G,
        state: G::State,
        cancel: &AtomicBool,
    ) -> Result<Option<StateLine>, RolloutError> {
        let position = game.write_state(&state);
        let seed = seed_of(self.settings.seed, &position);
        let settings = RolloutSettings { seed, ..self.settings };
        let (evaluator, pruning, own) = (self.evaluator, self.pruning, game.clone());
        let mut rollout = Rollout::of_state(own, evaluator, pruning, "", settings, state)?
            .on_threads(self.threads);
        if rollout.run(&mut RolloutWatch { cancel, progress: &mut |_| {} }) == Ended::Canceled {
            return Ok(None);
        }
        let figures = rollout.figures(0);
        let (equity, probs) = (figures.equity(), figures.cumulative());
        Ok(Some(StateLine {
            position,
            phase: game.phase(&state),
            group: None,
            probs: probs.map(|chance| round(chance.mean)),
            probs_se: probs.map(|chance| round(chance.standard_error)),
            equity: round(equity.mean),
            equity_se: round(equity.standard_error),
        }))
    }
}

impl Draw<'_> {
    /// Draws states of every group of the game, rolls them out and writes the file, see
    /// [`StateRater::rate_all`].
    ///
    /// # Errors
    ///
    /// A file or the network can't be used, or the work is called off.
    pub fn states(
        &self,
        game: &AnyGame,
        settings: &StateSampleSettings,
        rating: &StateRating,
        job: &JobContext<'_>,
    ) -> Result<(Header, Rated), Failure> {
        let (path, workers, progress) = (self.out, job.workers, job.progress);
        with_game!(game, |game| {
            let mut excluded = HashSet::new();
            for path in self.exclude {
                let known = read(path, |file| StateReference::read(game, file))?;
                excluded.extend(known.states.iter().map(|rated| rated.state));
            }
            let GradingNetwork { evaluator, pruning, identity } =
                GradingNetwork::new(game, self.network, rating.tables, job)?;
            progress.begin(settings.games, "games");
            let observer = || progress.one_done();
            let drawn =
                DrawnStates::draw(game, &*evaluator, settings, &excluded, workers, &observer)
                    .map_err(Failure::stopped)?;
            if drawn.states.len() < 2 {
                let kind = settings.kind.name();
                return Err(Failure::input(format!(
                    "{} states of the kind {kind} in {} games of {}, expected two at least",
                    drawn.states.len(),
                    settings.games,
                    game.id()
                )));
            }
            let rater = StateRater {
                evaluator: &*evaluator,
                pruning: pruning.as_deref(),
                settings: rating.trials,
                threads: workers.threads,
            };
            let grader = GraderInfo {
                name: grader_name(self.network, None),
                settings: rating.in_words.clone(),
                rated: "states".to_owned(),
                margin: 0.0,
                identity: Some(identity),
            };
            let header = Header::new(game.id(), self.labels(), (settings.seed, settings.games));
            let mut header = header.graded_by(Some(grader));
            header.groups.clone_from(&drawn.groups);
            progress.begin(drawn.states.len() as u64, "states");
            let started = Instant::now();
            rater.rate_all(game, &header, &drawn, path, workers.cancel, &|more| {
                (0..more).for_each(|_| progress.one_done());
            })?;
            let time = started.elapsed();
            let reference = read(path, |file| StateReference::read(game, file))?;
            let number = reference.states.len();
            let errors = reference.states.iter().map(|rated| rated.equity_se).collect();
            Ok((reference.header, Rated { number, plays: 0, errors, time }))
        })
    }
}
