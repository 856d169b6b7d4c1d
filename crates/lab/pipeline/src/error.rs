//! Why a run can't begin or go on, in words. What was saved before stays usable.

use std::error::Error;
use std::path::{Path, PathBuf};

use tavola_files::{Failure, Fault};
use tavola_net::WeightsError;

use crate::names::MANIFEST;

type Source = Box<dyn Error + Send + Sync>;

/// A new run where one already exists.
#[derive(Debug, thiserror::Error)]
#[error("{} already holds a run, expected a new directory, or to resume the run", path.display())]
pub struct HoldsARun {
    /// The directory.
    pub path: PathBuf,
}

/// A folder without a run to resume or to sample; in a folder of runs the message names one of them.
pub(crate) fn no_run(path: &Path, to: &str) -> Failure {
    let folders = std::fs::read_dir(path).into_iter().flatten().flatten().map(|it| it.path());
    let within = folders.filter(|folder| folder.join(MANIFEST).is_file()).min();
    let within = within.map_or_else(String::new, |run| format!(", such as {}", run.display()));
    Failure::input(format!(
        "{} holds no run to {to}, expected a directory that tavola train wrote, with \
         {MANIFEST}{within}",
        path.display()
    ))
}

/// A new run among other files, of which this is one.
pub(crate) fn other_files(path: &Path, found: &str) -> Failure {
    Failure::input(format!(
        "{} holds {found:?}, which belongs to no run: name a new or an empty directory",
        path.display()
    ))
}

/// The run was begun with another configuration; each key with its stored and its given value.
pub(crate) fn other_config(path: &Path, differences: &[String]) -> Failure {
    Failure::input(format!(
        "{} was begun with another configuration (key: stored, given): {}; resume with the stored \
         one, or begin a new run with `start`",
        path.display(),
        differences.join("; ")
    ))
}

/// A file that `key` names can't be used as `what`, for the reason given.
pub(crate) fn input<E: Into<Source>>(
    what: &'static str,
    key: &'static str,
    path: &Path,
) -> impl Fn(E) -> Failure {
    let context = format!("cannot use {what} {} that {key} names", path.display());
    move |source| Failure::input(source).while_trying(&context)
}

/// Self-play or an evaluation failed, or was called off.
pub(crate) fn play(error: impl Into<Source>) -> Failure {
    let error = error.into();
    match error.downcast_ref::<Failure>().map(|failure| failure.fault) {
        Some(Fault::Stopped) => canceled(),
        _ => Failure::work(error).while_trying("self-play or evaluation failed"),
    }
}

/// The caller called the run off. It ends as stopped, so that no caller sees this.
pub(crate) fn canceled() -> Failure {
    Failure::stopped("canceled")
}

/// A weights file can't be written, or a network not be made of it.
pub(crate) fn weights(error: WeightsError) -> Failure {
    Failure::work(error).while_trying("cannot save the weights")
}

/// A dataset that the configuration names can't be learned from.
pub(crate) fn dataset(failure: Failure) -> Failure {
    failure.while_trying("cannot learn from the datasets that dataset.folders names")
}

/// The learner refused its settings or samples.
pub(crate) fn learn(error: impl Into<Source>) -> Failure {
    Failure::work(error).while_trying("the learner failed")
}

/// All games of a round, and of those before it that are learned from, reached the turn limit.
pub(crate) fn no_games(round: u32, turns: u32) -> Failure {
    Failure::work(format!(
        "all games of round {round} reached the turn limit of {turns}, so there is nothing to learn \
         from: begin some of them near their end (start_book, selfplay.start_book_share), explore \
         more (selfplay.explore), or raise selfplay.max_turns"
    ))
}
