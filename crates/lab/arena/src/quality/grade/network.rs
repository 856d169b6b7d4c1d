//! The network that plays and rolls out for a grade.

use std::cell::OnceCell;
use std::path::Path;

use tavola_bearoff::Tables;
use tavola_engine::{LoadedNetwork, version};
use tavola_evaluator::{Evaluator, PlayableGame};
use tavola_files::Failure;
use tavola_rules::Game;

use crate::job::JobContext;

/// A network behind the bear-off databases of its game, with the pruning network.
pub(super) struct GradingNetwork<G: Game> {
    /// What evaluates.
    pub evaluator: Box<dyn Evaluator<G>>,
    /// The pruning network, in games that it knows.
    pub pruning: Option<Box<dyn Evaluator<G>>>,
    /// What the evaluations depend on: networks by their checksums, and the databases, in games that
    /// have them.
    pub identity: String,
}

impl<G: PlayableGame> GradingNetwork<G> {
    /// A network; with `asks_tables` the databases are loaded where the game has some.
    ///
    /// # Errors
    ///
    /// The network or the pruning network can't be used.
    pub fn new(
        game: &G,
        network: &LoadedNetwork,
        asks_tables: bool,
        job: &JobContext<'_>,
    ) -> Result<Self, Failure> {
        let evaluator = job.evaluator(network, game)?;
        let loaded = OnceCell::new();
        let load = || if asks_tables { job.players.tables() } else { Tables::default() };
        let tables = || loaded.get_or_init(load).clone();
        let evaluator = game.behind_tables(evaluator, &tables);
        let pruning = LoadedNetwork::pruning_evaluator(game)?;
        let pruning = pruning.map(|pruning| game.behind_tables(pruning, &tables));
        let mut identity = format!("network {}", network.weights().checksum());
        if pruning.is_some() {
            identity +=
                &format!(", pruning network {}", LoadedNetwork::pruning()?.weights().checksum());
        }
        if let Some(tables) = loaded.get() {
            identity += &format!(", tables [{}]", tables.names().join(", "));
        }
        Ok(Self { evaluator, pruning, identity })
    }
}

/// What people call a network as a grader, with the name of its file. Which network is built in changes.
pub(super) fn grader_name(network: &LoadedNetwork, file: Option<&Path>) -> String {
    let file = file.filter(|_| !network.is_built_in()).map(file_name);
    let file = file.unwrap_or_else(|| "a network".to_owned());
    format!("rollouts by {file} ({})", version(network.weights()))
}

/// The name of a file alone: where it lies on one machine means nothing on another.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
