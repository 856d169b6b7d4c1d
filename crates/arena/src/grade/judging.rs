//! Turning decisions into a reference, with breaks.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use tavola_evaluator::rollout::RolloutError;

use super::file::{Decisions, Header, Line};
use super::judge::RolloutJudge;
use tavola_files::{Journal, JournalError, seal};

/// Why there is no reference yet.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JudgingError {
    /// The settings of the judge are impossible.
    #[error(transparent)]
    Rollout(#[from] RolloutError),
    /// What was judged so far can't be kept or read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// What was judged so far belongs to another judge or to other decisions.
    #[error(
        "{} has what was judged so far {of}, expected the same judge, settings and decisions; \
         remove it to begin anew", part.display()
    )]
    Other {
        /// The file of what was judged so far.
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
    /// The caller called it off. What was judged is kept.
    #[error("stopped after {finished} of {asked} decisions, which are kept in {}", part.display())]
    Cancelled {
        /// Decisions that are judged.
        finished: usize,
        /// Decisions to be judged.
        asked: usize,
        /// Where they are kept.
        part: PathBuf,
    },
}

/// Where the decisions that are judged so far are kept while `reference` is being made.
pub fn unfinished_path(reference: &Path) -> PathBuf {
    let mut name: OsString = reference.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    reference.with_file_name(name)
}

/// Has `judge` rate the plays of all decisions, in their order, and writes the reference.
///
/// Each decision goes to [a file beside it](unfinished_path) as soon as it is judged. If judging
/// is called off or killed, the same call goes on behind the last decision in that file: the
/// reference is the one of an unbroken run, to the byte. A reference of that name is replaced once
/// the new one is complete. `observer` is told of decisions that are judged: how many at a time.
///
/// # Errors
///
/// [`JudgingError`].
pub fn judge_decisions(
    decisions: &Decisions,
    judge: &mut RolloutJudge,
    reference: &Path,
    cancel: &AtomicBool,
    observer: &dyn Fn(usize),
) -> Result<(), JudgingError> {
    let header = decisions.header.judged_by(judge.info().clone());
    let asked = decisions.questions.len();
    let part = unfinished_path(reference);
    let (mut journal, mut lines) = match part.exists() {
        false => (Journal::create(&part, &header)?, Vec::new()),
        true => go_on(&part, &header, decisions)?,
    };
    observer(lines.len());
    for (question, phase) in &decisions.questions[lines.len()..] {
        let Some(plays) = judge.judge(question, cancel)? else {
            journal.sync()?;
            return Err(JudgingError::Cancelled { finished: lines.len(), asked, part });
        };
        let line = Line::judged(question, *phase, &plays);
        journal.append(&line)?;
        lines.push(line);
        observer(1);
    }
    journal.sync()?;
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| JudgingError::Write { path, source }
    };
    write(reference, &header, &lines).map_err(failed(reference))?;
    drop(journal);
    fs::remove_file(&part).map_err(failed(&part))
}

/// What was judged so far, if it is the beginning of what is to be judged now.
fn go_on(
    part: &Path,
    header: &Header,
    decisions: &Decisions,
) -> Result<(Journal, Vec<Line>), JudgingError> {
    let (journal, content) = Journal::open::<Header, Line>(part)?;
    let (begun, lines) = (content.header, content.lines);
    let other = |of| Err(JudgingError::Other { part: part.to_owned(), of });
    if begun != *header {
        return other("by another judge or from another draw");
    }
    let asked = decisions.questions.iter().map(|(question, _)| question);
    if lines.len() > decisions.questions.len()
        || lines.iter().zip(asked).any(|(line, question)| !line.is_of(question))
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
