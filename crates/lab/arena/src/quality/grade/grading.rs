//! Grading decisions and states, with breaks.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tavola_evaluator::PlayableGame;
use tavola_evaluator::rollout::RolloutError;
use tavola_files::{Failure, Journal};

use super::file::{Decisions, GradedLine, text};
use super::grader::RolloutGrader;
use super::header::Header;

/// Where what is graded so far is kept while a file is being made.
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
/// [`Failure`].
pub fn grade_decisions<G: PlayableGame>(
    game: &G,
    decisions: &Decisions<G>,
    grader: &mut RolloutGrader<G>,
    reference: &Path,
    cancel: &AtomicBool,
    observer: &dyn Fn(usize),
) -> Result<(), Failure> {
    let header = decisions.header.clone().graded_by(Some(grader.info.clone()));
    let is_of = |line: &GradedLine, (question, _): &_| line.is_of(game, question);
    grade_all(&header, &decisions.questions, reference, is_of, observer, |(question, phase)| {
        let plays = grader.evaluate(question, cancel)?;
        Ok(plays.map(|plays| GradedLine::graded(game, question, *phase, &plays)))
    })
}

/// Writes a file of what `grade` says of each question, see [`grade_decisions`]; `None` calls it off.
pub(super) fn grade_all<L: Serialize + DeserializeOwned, Q>(
    header: &Header,
    questions: &[Q],
    path: &Path,
    is_of: impl Fn(&L, &Q) -> bool,
    observer: &dyn Fn(usize),
    mut grade: impl FnMut(&Q) -> Result<Option<L>, RolloutError>,
) -> Result<(), Failure> {
    let (part, asked) = (unfinished_path(path), questions.len());
    let other = |of| {
        Err(Failure::input(format!(
            "{} has what was graded so far {of}, expected the same grader, settings and positions; \
             remove it to begin anew",
            part.display()
        )))
    };
    let (mut journal, content) = Journal::resume(&part, header, |found| match found == header {
        true => Ok(()),
        false => other("by another grader or from another draw"),
    })?;
    let mut lines: Vec<L> = content.lines;
    if lines.len() > asked || !lines.iter().zip(questions).all(|(line, about)| is_of(line, about)) {
        return other("of other decisions or states");
    }
    observer(lines.len());
    for question in &questions[lines.len()..] {
        let Some(line) = grade(question).map_err(Failure::input)? else {
            journal.sync()?;
            return Err(Failure::stopped(format!(
                "stopped after {} of {asked} positions, which are kept in {}; the same command resumes",
                lines.len(),
                part.display()
            )));
        };
        journal.append(&line)?;
        lines.push(line);
        observer(1);
    }
    journal.sync()?;
    let failed = |path: &Path| Failure::work_in(format!("cannot write {}", path.display()));
    let written = text(header, &lines).map_err(io::Error::from);
    written.and_then(|text| tavola_files::write(path, text.as_bytes())).map_err(failed(path))?;
    drop(journal);
    fs::remove_file(&part).map_err(failed(&part))
}
