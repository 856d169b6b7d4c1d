//! A file of rolled-out states, from self-play to the last trial.

use std::collections::HashSet;
use std::time::Instant;

use tavola_engine::version;
use tavola_evaluator::PlayableGame;
use tavola_evaluator::rollout::RolloutSettings;
use tavola_games::{AnyGame, with_game};

use super::{
    DrawnStates, StateHeader, StateRater, StateReference, StateSampleSettings, rate_states,
};
use crate::grade::{Draw, GradingNetwork, Rated};
use crate::job::{Job, JobError};

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

impl Draw<'_> {
    /// Draws states of every band of the game, rolls them out and writes the file, see
    /// [`rate_states`].
    ///
    /// # Errors
    ///
    /// A file or the network can't be used, or the work is called off.
    pub fn states(
        &self,
        game: &AnyGame,
        settings: &StateSampleSettings,
        rating: &StateRating,
        job: &Job<'_>,
    ) -> Result<(StateHeader, Rated), JobError> {
        with_game!(game, |game| self.states_in(game, settings, rating, job))
    }

    fn states_in<G: PlayableGame>(
        &self,
        game: &G,
        settings: &StateSampleSettings,
        rating: &StateRating,
        job: &Job<'_>,
    ) -> Result<(StateHeader, Rated), JobError> {
        let (path, workers, progress) = (self.out, job.workers, job.progress);
        let mut excluded: HashSet<G::State> = HashSet::new();
        for path in self.exclude {
            let known = StateReference::read(game, path).map_err(JobError::input)?;
            excluded.extend(known.states.iter().map(|rated| rated.state));
        }
        let GradingNetwork { evaluator, pruning, identity } =
            GradingNetwork::new(game, self.network, rating.tables, job)?;
        progress.begin(settings.games, "games");
        let observer = || progress.one_done();
        let drawn = DrawnStates::draw(game, &*evaluator, settings, &excluded, workers, &observer)
            .map_err(JobError::stopped)?;
        let rater = StateRater {
            evaluator: &*evaluator,
            pruning: pruning.as_deref(),
            settings: rating.trials,
            threads: workers.threads,
        };
        let header = StateHeader::new(
            game,
            &drawn,
            (settings.seed, settings.games),
            self.purpose,
            self.command.clone(),
            (version(self.network.weights()), identity, rating.in_words.clone()),
        );
        progress.begin(drawn.states.len() as u64, "states");
        let started = Instant::now();
        rate_states(game, &header, &drawn, &rater, path, workers.cancel, &|more| {
            (0..more).for_each(|_| progress.one_done());
        })?;
        let time = started.elapsed();
        let reference = StateReference::read(game, path).map_err(JobError::work)?;
        let number = reference.states.len();
        let errors = reference.states.iter().map(|rated| rated.equity_se).collect();
        Ok((reference.header, Rated { number, plays: 0, errors, time }))
    }
}
