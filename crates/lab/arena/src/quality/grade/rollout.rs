//! Decisions of a file, rated by rollouts.

use std::path::Path;
use std::time::{Duration, Instant};

use tavola_engine::LoadedNetwork;
use tavola_files::Failure;
use tavola_games::with_game;
use tavola_rules::Game;

use super::network::grader_name;
use super::report::{game_of, read};
use super::{
    Decisions, GradingNetwork, Reference, RolloutGrader, RolloutGraderSettings, grade_decisions,
};
use crate::job::JobContext;

/// What is rated, by what, and where it goes.
#[derive(Clone, Debug)]
pub struct RolloutRating<'a> {
    /// The file of decisions: a sample, or a reference that is to be graded anew.
    pub sample: &'a Path,
    /// The reference to be made, a new file or the same one.
    pub out: &'a Path,
    /// The weights file of the network that grades; `None` is the built-in one.
    pub model: Option<&'a Path>,
    /// Whether it asks bear-off databases.
    pub tables: bool,
    /// How it grades.
    pub settings: RolloutGraderSettings,
}

/// What was rated.
#[derive(Clone, Debug)]
pub struct Rated {
    /// How many decisions or states.
    pub number: usize,
    /// Plays of decisions that were rated.
    pub plays: usize,
    /// The standard errors of the equities, in points: of the best plays, or of the states.
    pub errors: Vec<f64>,
    /// How long it took.
    pub time: Duration,
}

impl RolloutRating<'_> {
    /// Rates the plays of all decisions and writes the reference, see [`grade_decisions`].
    ///
    /// # Errors
    ///
    /// A file or the network can't be used, or the work is called off.
    pub fn run(&self, job: &JobContext<'_>) -> Result<Rated, Failure> {
        with_game!(&game_of(self.sample)?, |game| {
            let decisions = read(self.sample, |file| Decisions::read(game, file))?;
            let network = LoadedNetwork::load_for(self.model, &game.id())?;
            let name = grader_name(&network, self.model);
            let GradingNetwork { evaluator, pruning, identity } =
                GradingNetwork::new(game, &network, self.tables, job)?;
            let mut grader = RolloutGrader::new(
                game,
                &*evaluator,
                pruning.as_deref(),
                (name, identity),
                self.settings,
                job.workers.threads,
            );
            job.progress.begin(decisions.questions.len() as u64, "decisions");
            let started = Instant::now();
            grade_decisions(
                game,
                &decisions,
                &mut grader,
                self.out,
                job.workers.cancel,
                &|more| {
                    (0..more).for_each(|_| job.progress.one_done());
                },
            )?;
            let time = started.elapsed();
            let reference = read(self.out, |file| Reference::read(game, file))?;
            let best = reference.decisions.iter().map(|decision| decision.best());
            Ok(Rated {
                number: reference.decisions.len(),
                plays: reference.decisions.iter().map(|decision| decision.plays.len()).sum(),
                errors: best.filter_map(|best| best.standard_error).collect(),
                time,
            })
        })
    }
}
