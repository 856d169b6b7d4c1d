//! What questions are about: a position or many, one a line, with cube and score, and how answers are
//! written.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::ProgressStyle;
use tavola_engine::{Engine, LONGEST_LINE, Subject};
use tavola_protocols::{Line, Lines};

use crate::args::{BoardArgs, EngineArgs, FormArgs, PositionArgs, RollArgs};
use crate::ask;
use crate::failure::{Blame, Failure, Outcome};
use crate::report::format;
use crate::report::table::Out;
use crate::report::warning;
use crate::terms::TermsArgs;

/// What a question is about, what answers it, and how.
#[derive(Debug, Args)]
pub struct AboutArgs {
    /// Position and game.
    #[command(flatten)]
    pub position: PositionArgs,
    /// Answer for each line of this file: a position, with or without a roll behind it (behind a
    /// tab if the position has blanks), which goes before --roll. Of texts that eXtreme Gammon
    /// copies only the XGID counts. POSITION - reads them from stdin
    #[arg(long, value_name = "FILE", conflicts_with = "position")]
    pub input: Option<PathBuf>,
    /// Cube and score.
    #[command(flatten)]
    pub terms: TermsArgs,
    /// Network, endgame databases and threads.
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Board style.
    #[command(flatten)]
    pub board: BoardArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: FormArgs,
}

impl AboutArgs {
    /// Whether these are many positions.
    pub fn are_many(&self) -> bool {
        self.input.is_some() || self.position.position.as_deref() == Some("-")
    }

    /// Answers for the position, or for each line with the rest of the arguments. What can't be
    /// answered gets its error where its answer would be.
    ///
    /// # Errors
    ///
    /// That of a single position; the input can't be read; some of many have no answer.
    pub fn answer(
        &self,
        roll: Option<&RollArgs>,
        out: &mut dyn Out,
        mut one: impl FnMut(&Engine, &Subject, &mut dyn Out) -> Outcome,
    ) -> Outcome {
        let (engine, json) = (self.engine.engine(), self.output.json);
        let subject = ask::subject(&self.position, roll, Some(&self.terms), Some(&self.engine))?;
        if !self.are_many() {
            return one(&engine, &subject, out);
        }
        let bar = match io::stdout().is_terminal() {
            true => indicatif::ProgressBar::hidden(),
            false => warning::bar(None).with_style(
                ProgressStyle::with_template("{pos} positions, {per_sec}, {elapsed} gone")
                    .expect("it is well formed"),
            ),
        };
        let mut lines = Lines::new(self.open()?, LONGEST_LINE);
        let (mut number, mut asked, mut failed) = (0, 0, 0);
        let mut text_of_xg = TextOfXg::No;
        while let Some(line) = lines.next_line().or_work_in("cannot read the positions")? {
            number += 1;
            let text = match line {
                Line::TooLong => Err(format!("more than {LONGEST_LINE} bytes")),
                Line::Text(bytes) => std::str::from_utf8(bytes)
                    .map(|text| text.trim_start_matches('\u{feff}').trim())
                    .map_err(|error| format!("not UTF-8 from byte {} on", error.valid_up_to())),
            };
            if text.as_ref().is_ok_and(|text| {
                text.is_empty() || text.starts_with('#') || text_of_xg.passes_over(text)
            }) {
                continue;
            }
            if asked > 0 && !json {
                writeln!(out)?;
            }
            asked += 1;
            let answered = text.map_err(Failure::input).and_then(|text| {
                if !json {
                    writeln!(out, "line {number}: {text}")?;
                }
                warning::at_line(number, || one(&engine, &of_line(&subject, text), out))
            });
            if let Err(failure) = answered {
                if failure.is_closed_pipe() || failure.is_stop() {
                    return Err(failure);
                }
                failed += 1;
                write_failure(&failure, number, json, out)?;
            }
            out.flush()?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        match (asked, failed) {
            (0, _) => Err(Failure::input("the input has no position")),
            (_, 0) => Ok(()),
            _ => {
                let all = format::plural(asked, "position");
                Err(Failure::answered(format!("{failed} of {all} could not be answered")))
            }
        }
    }

    fn open(&self) -> Outcome<Box<dyn BufRead>> {
        match self.input.as_deref().filter(|path| *path != Path::new("-")) {
            None => Ok(Box::new(io::stdin().lock())),
            Some(path) => {
                let file =
                    File::open(path).or_input_in(format!("cannot read {}", path.display()))?;
                Ok(Box::new(BufReader::new(file)))
            }
        }
    }
}

/// Where in a text that eXtreme Gammon copies to the clipboard a line is.
enum TextOfXg {
    /// In none.
    No,
    /// Behind an XGID, which may be one.
    AfterXgid,
    /// Behind `X:Ann   O:Bob`: board, analysis and comments.
    Inside,
}

impl TextOfXg {
    /// Whether this line is a part of such a text and no position.
    fn passes_over(&mut self, line: &str) -> bool {
        *self = match self {
            _ if line.starts_with("XGID=") => Self::AfterXgid,
            Self::AfterXgid if line.starts_with("X:") && line.contains("O:") => Self::Inside,
            Self::Inside => Self::Inside,
            _ => Self::No,
        };
        matches!(self, Self::Inside)
    }
}

/// What a line asks, with the rest of `common`.
fn of_line(common: &Subject, line: &str) -> Subject {
    // Numbers that no die shows are a wrong roll, not a part of the position.
    let is_roll = |text: &str| text.chars().all(|c| matches!(c, '0'..='9' | '-' | ','));
    let roll =
        line.split_once('\t').or_else(|| line.split_once(' ').filter(|(_, roll)| is_roll(roll)));
    let (position, dice) = match roll {
        Some((position, roll)) => (position, Some(roll.trim().to_owned())),
        None => (line, common.dice.clone()),
    };
    Subject { position: Some(position.to_owned()), dice, ..common.clone() }
}

/// Writes why a line has no answer.
fn write_failure(failure: &Failure, line: u64, json: bool, out: &mut dyn Out) -> Outcome {
    if !json {
        writeln!(out, "error: {}", failure.message())?;
        return Ok(());
    }
    let mut told = failure.to_json();
    told["error"]["line"] = line.into();
    ask::write_json(&told, out)
}
