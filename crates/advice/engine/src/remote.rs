//! Rollouts whose trials other processes play: what travels.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tavola_bearoff::Store;
use tavola_evaluator::remote::{RemoteError, ShardRunner, Work, WorkFiles, file_in};
use tavola_games::with_game;

use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind, Result};
use crate::network::BUILT_IN;
use crate::operations::{Rollout, trial_runner};
use crate::question::{PositionQuestion, Question};
use crate::watch::Watch;

/// The name of this kind of work. Its items are the numbers of trials.
pub const ROLLOUT: &str = "rollout";

impl EngineError {
    /// Work that other processes can't do.
    pub(crate) fn of_fleet(error: &(dyn std::error::Error + 'static)) -> Self {
        Self::caused(ErrorKind::Internal, "other processes can't do it", error)
    }
}

/// A network and a match equity table for other processes: names, or files of the work.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sources {
    model: Option<String>,
    met: Option<String>,
    met_file: Option<String>,
    /// The bear-off databases, if they are asked.
    tables: Option<Vec<String>>,
}

impl Sources {
    /// Takes what is a file along.
    ///
    /// # Errors
    ///
    /// A file that can't be read.
    pub fn new(
        has_tables: bool,
        model: Option<&Path>,
        met: Option<&str>,
        files: &mut WorkFiles,
    ) -> Result<Self> {
        let mut add = |path: &Path, kind| {
            let context = || format!("cannot read {}", path.display());
            files.add(path).map_err(|error| EngineError::caused(kind, context(), &error))
        };
        let model = model.filter(|path| *path != Path::new(BUILT_IN));
        let model = model.map(|path| add(path, ErrorKind::Model)).transpose()?;
        let met_file = met.map(Path::new).filter(|path| path.is_file());
        let met_file = met_file.map(|path| add(path, ErrorKind::Met)).transpose()?;
        let met = met.filter(|_| met_file.is_none()).map(str::to_owned);
        let tables = has_tables.then(tables_in_use);
        Ok(Self { model, met, met_file, tables })
    }

    /// An engine on one thread with the same databases.
    pub(crate) fn engine(&self) -> Result<Engine, RemoteError> {
        self.expect_tables()?;
        let store = self.tables.as_ref().map(|_| Store::of_user());
        Ok(Engine::new(std::num::NonZeroUsize::MIN, store))
    }

    /// Refuses other bear-off databases than the same, if they are asked.
    ///
    /// # Errors
    ///
    /// Which are here, and which are expected.
    pub fn expect_tables(&self) -> Result<(), RemoteError> {
        let Some(expected) = &self.tables else { return Ok(()) };
        let found = tables_in_use();
        if found == *expected {
            return Ok(());
        }
        let message = format!(
            "the bear-off databases here are [{}], expected those of the learner: [{}]; `tavola \
             bearoff generate` makes them",
            found.join(", "),
            expected.join(", ")
        );
        Err(EngineError::new(ErrorKind::Internal, message).into())
    }

    /// The weights file.
    ///
    /// # Errors
    ///
    /// Its name is none of a file.
    pub fn model(&self, folder: &Path) -> Result<Option<PathBuf>, RemoteError> {
        Ok(self.model.as_ref().map(|name| file_in(folder, name)).transpose()?)
    }

    /// The match equity table.
    ///
    /// # Errors
    ///
    /// Its name is none of a file or of a table.
    pub fn met(&self, folder: &Path) -> Result<Option<String>, RemoteError> {
        match (&self.met_file, &self.met) {
            (Some(name), _) => Ok(Some(file_in(folder, name)?.display().to_string())),
            // A name that is a file here is none there.
            (None, Some(name)) if Path::new(name).exists() => Err("an unknown table".into()),
            (None, name) => Ok(name.clone()),
        }
    }
}

/// The bear-off databases of the user, by what they cover. Missing default ones are generated.
fn tables_in_use() -> Vec<String> {
    Store::of_user().load_all(&|_| {}).0.names()
}

/// A rollout for other processes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    sources: Sources,
    question: Question,
    rollout: Rollout,
    running: Vec<usize>,
}

/// A rollout for other processes, whichever candidates are still in it.
pub(crate) struct RolloutRecipe {
    settings: Settings,
    files: Vec<(String, Vec<u8>)>,
}

impl RolloutRecipe {
    /// The rollout of these plays, or of the position, with or without the cube.
    pub(crate) fn new(engine: &Engine, question: &Question, rollout: &Rollout) -> Result<Self> {
        let mut files = WorkFiles::default();
        let (model, met) = (question.model.as_deref(), question.terms.met.as_deref());
        let sources = Sources::new(engine.has_tables(), model, met, &mut files)?;
        let (question, rollout) = (question.clone(), rollout.clone());
        let settings = Settings { sources, question, rollout, running: Vec::new() };
        Ok(Self { settings, files: files.into_files() })
    }

    /// The rollout with these candidates.
    pub(crate) fn work(&self, running: &[usize]) -> Work {
        let settings = Settings { running: running.to_vec(), ..self.settings.clone() };
        let settings = serde_json::to_string(&settings).expect("settings are plain data");
        Work { kind: ROLLOUT, settings, files: self.files.clone() }
    }
}

/// What plays trials of such work, on any machine; `folder` is for its files and stays as long.
///
/// # Errors
///
/// Why it can't: invalid settings, other bear-off databases.
pub fn open_rollout(work: &Work, folder: &Path) -> Result<Box<dyn ShardRunner>, RemoteError> {
    let settings: Settings = serde_json::from_str(&work.settings)?;
    work.write_files(folder)?;
    let engine = settings.sources.engine()?;
    let mut question = settings.question;
    question.terms.met = settings.sources.met(folder)?;
    question.model = settings.sources.model(folder)?;
    let watch = Watch::default();
    with_game!(question.game.two()?, |game| {
        let asked = PositionQuestion::new::<Rollout>(&engine, game, &question, &watch)?;
        Ok(Box::new(trial_runner(&settings.rollout, &asked, settings.running)?))
    })
}
