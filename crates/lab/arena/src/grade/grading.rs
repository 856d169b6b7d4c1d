//! Turning decisions into a reference, with breaks.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use tavola_evaluator::PlayableGame;
use tavola_evaluator::rollout::RolloutError;
use tavola_files::{Journal, JournalError, journal, seal};

use super::file::{Decisions, Line};
use super::grader::RolloutGrader;
use super::header::Header;

/// Why there is no reference yet.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GradingError {
    /// The settings of the grader are impossible.
    #[error(transparent)]
    Rollout(#[from] RolloutError),
    /// What was graded so far can't be kept or read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// What was graded so far belongs to another grader or to other decisions.
    #[error(
        "{} has what was graded so far {of}, expected the same grader, settings and decisions; \
         remove it to begin anew", part.display()
    )]
    Other {
        /// The file of what was graded so far.
        part: PathBuf,
        /// What is different.
        of: &'static str,
    },
    /// The reference can't be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The caller called it off. What was graded is kept.
    #[error("stopped after {finished} of {asked} decisions, which are kept in {}", part.display())]
    Canceled {
        /// Decisions that are graded.
        finished: usize,
        /// Decisions to be graded.
        asked: usize,
        /// Where they are kept.
        part: PathBuf,
    },
}

/// Where the decisions that are graded so far are kept while `reference` is being made.
pub fn unfinished_path(reference: &Path) -> PathBuf {
    let mut name: OsString = reference.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    reference.with_file_name(name)
}

/// Has `grader` rate the plays of all decisions, in their order, and writes the reference.
///
/// Each decision goes to [a file beside it](unfinished_path) as soon as it is graded. If grading
/// is called off or killed, the same call goes on behind the last decision in that file: the
/// reference is the one of an unbroken run, to the byte. A reference of that name is replaced once
/// the new one is complete. `observer` is told of decisions that are graded: how many at a time.
///
/// # Errors
///
/// [`GradingError`].
pub fn grade_decisions<G: PlayableGame>(
    game: &G,
    decisions: &Decisions<G>,
    grader: &mut RolloutGrader<G>,
    reference: &Path,
    cancel: &AtomicBool,
    observer: &dyn Fn(usize),
) -> Result<(), GradingError> {
    let header = decisions.header.graded_by(grader.info().clone());
    let asked = decisions.questions.len();
    let part = unfinished_path(reference);
    let (mut journal, mut lines) = match journal::is_begun(&part) {
        false => (Journal::create(&part, &header)?, Vec::new()),
        true => go_on(game, &part, &header, decisions)?,
    };
    observer(lines.len());
    for (question, phase) in &decisions.questions[lines.len()..] {
        let Some(plays) = grader.evaluate(question, cancel)? else {
            journal.sync()?;
            return Err(GradingError::Canceled { finished: lines.len(), asked, part });
        };
        let line = Line::graded(game, question, *phase, &plays);
        journal.append(&line)?;
        lines.push(line);
        observer(1);
    }
    journal.sync()?;
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| GradingError::Write { path, source }
    };
    write(reference, &header, &lines).map_err(failed(reference))?;
    drop(journal);
    fs::remove_file(&part).map_err(failed(&part))
}

/// What was graded so far, if it is the beginning of what is to be graded now.
fn go_on<G: PlayableGame>(
    game: &G,
    part: &Path,
    header: &Header,
    decisions: &Decisions<G>,
) -> Result<(Journal, Vec<Line>), GradingError> {
    let (journal, content) = Journal::open::<Header, Line>(part)?;
    let (begun, lines) = (content.header, content.lines);
    let other = |of| Err(GradingError::Other { part: part.to_owned(), of });
    if begun != *header {
        return other("by another grader or from another draw");
    }
    let asked = decisions.questions.iter().map(|(question, _)| question);
    if lines.len() > decisions.questions.len()
        || lines.iter().zip(asked).any(|(line, question)| !line.is_of(game, question))
    {
        return other("of other decisions");
    }
    Ok((journal, lines))
}

/// Writes a reference that is there in full or not at all.
fn write(path: &Path, header: &Header, lines: &[Line]) -> io::Result<()> {
    let mut text = seal(&serde_json::to_string(header)?) + "\n";
    for line in lines {
        text += &(seal(&serde_json::to_string(line)?) + "\n");
    }
    tavola_files::write(path, text.as_bytes())
}
