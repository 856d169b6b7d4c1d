//! What questions are about: a position or many, one a line, with cube and score, and how answers are
//! written.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::ProgressBar;
use tavola_engine::{Effort, Engine, LONGEST_LINE, Question};
use tavola_matches::MatchFormat;
use tavola_matches::analysis::{OpenDecision, open_decisions};
use tavola_protocols::{Line, Lines};
use tavola_rules::notation::{Labelled, parse_situation};

use crate::args::{BoardArgs, EngineArgs, FormArgs, PositionArgs, RollArgs};
use crate::ask;
use crate::failure::{Blame, Failure, Outcome};
use crate::report::format;
use crate::report::progress::style;
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
    /// tab if the position has blanks), which goes before --roll. Of texts that eXtreme Gammon and
    /// GNU Backgammon copy the IDs count; best and cube show the figures of an XG text or .xgp file.
    /// POSITION - reads from stdin
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

    /// Answers for the position, or for each line with the rest of the arguments and with what the
    /// input says of the position. What can't be answered gets its error where its answer would be.
    ///
    /// # Errors
    ///
    /// That of a single position; the input can't be read; some of many have no answer.
    pub fn answer(
        &self,
        roll: Option<&RollArgs>,
        effort: Effort,
        out: &mut dyn Out,
        mut one: impl FnMut(&Engine, &Question, Option<&OpenDecision>, &mut dyn Out) -> Outcome,
    ) -> Outcome {
        let (engine, json) = (self.engine.engine(), self.output.json);
        let (terms, model) = (self.terms.terms()?, self.engine.model());
        let question = Question { terms, effort, model, ..ask::question(&self.position, roll) };
        if !self.are_many() {
            return one(&engine, &question, None, out);
        }
        let bar = match io::stdout().is_terminal() {
            true => ProgressBar::hidden(),
            false => warning::bar(None),
        };
        let bar = bar.with_style(style("{pos} positions, {per_sec}, {elapsed} gone"));
        let mut positions = self.open()?;
        let (mut asked, mut failed) = (0, 0);
        while let Some(Found { number, text, said }) =
            positions.found().or_work_in("cannot read the positions")?
        {
            if asked > 0 && !json {
                writeln!(out)?;
            }
            asked += 1;
            out.at_line(number);
            let answered = text.map_err(Failure::input).and_then(|text| {
                if !json {
                    writeln!(out, "line {number}: {text}")?;
                }
                let question = of_line(&question, &text);
                warning::at_line(number, || one(&engine, &question, said.as_ref(), out))
            });
            if let Err(failure) = answered {
                if failure.is_closed_pipe() || failure.is_stop() {
                    return Err(failure);
                }
                failed += 1;
                if self.output.csv.is_some() {
                    warning::at_line(number, || warning::warn(&failure.message()));
                }
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

    fn open(&self) -> Outcome<Positions> {
        let Some(path) = self.input.as_deref().filter(|path| *path != Path::new("-")) else {
            return Ok(Positions::of(io::stdin().lock(), false));
        };
        let context = format!("cannot read {}", path.display());
        let mut file = BufReader::new(File::open(path).or_input_in(context.clone())?);
        if file.fill_buf().or_input_in(context)?.starts_with(b"RGMH") {
            return Positions::saved(path);
        }
        Ok(Positions::of(file, true))
    }
}

/// A position of an input, with the number of its line, or why it can't be read; and what the input
/// says of it.
struct Found {
    number: u64,
    text: Result<String, String>,
    said: Option<OpenDecision>,
}

/// The number of a line, and its text or why it can't be read.
type Numbered = (u64, Result<String, String>);

/// The positions of an input: one a line, or a text that a program copies to the clipboard, with a
/// drawn board, analysis and comments behind the IDs.
struct Positions {
    lines: Lines<BufReader<Box<dyn Read>>>,
    number: u64,
    /// Whether all of the input is there: what stands below an ID can be waited for.
    is_file: bool,
    /// The last line as it stands there.
    raw: String,
    /// A line that was read ahead.
    ahead: Option<Numbered>,
    /// The next position, where the text of the one before it has been read.
    next: Option<Numbered>,
    /// Positions that were read at once.
    saved: std::vec::IntoIter<Found>,
    /// Whether the last line was an XGID, which may begin a copied text.
    after_xgid: bool,
    /// Whether what is read belongs to a copied text, until a line is a position.
    copied: bool,
}

impl Positions {
    fn of(input: impl Read + 'static, is_file: bool) -> Self {
        Self {
            lines: Lines::new(BufReader::new(Box::new(input)), LONGEST_LINE),
            number: 0,
            is_file,
            raw: String::new(),
            ahead: None,
            next: None,
            saved: Vec::new().into_iter(),
            after_xgid: false,
            copied: false,
        }
    }

    /// The open decisions of a file of eXtreme Gammon.
    fn saved(path: &Path) -> Outcome<Self> {
        let shown = path.display();
        let bytes = tavola_files::read(path, &tavola_matches::largest(path));
        let bytes = bytes.or_input_in(format!("cannot read {shown}"))?;
        let reading = tavola_matches::read(&bytes).or_input_in(shown.to_string())?;
        let open = reading.matches.iter().flat_map(open_decisions);
        let found: Vec<Found> = (1..)
            .zip(open)
            .map(|(number, it)| Found { number, text: Ok(it.xgid.clone()), said: Some(it) })
            .collect();
        match found.is_empty() {
            true => Err(Failure::input(format_args!(
                "{shown} has no position with an open decision, expected one that eXtreme Gammon \
                 has saved by itself; `tavola analyze` reads matches"
            ))),
            false => Ok(Self { saved: found.into_iter(), ..Self::of(io::empty(), true) }),
        }
    }

    /// The next position, with what stands below it.
    fn found(&mut self) -> io::Result<Option<Found>> {
        if let Some(found) = self.saved.next() {
            return Ok(Some(found));
        }
        let next = match self.next.take() {
            Some(next) => Some(next),
            None => self.position(&mut String::new())?,
        };
        let Some((number, text)) = next else { return Ok(None) };
        let xgid = text.as_ref().ok().filter(|it| it.starts_with("XGID="));
        // A program that asks a line at a time waits for the answer.
        let may_wait = self.is_file || !self.lines.get_ref().buffer().is_empty();
        let said = match xgid.filter(|_| may_wait) {
            None => None,
            Some(xgid) => {
                let mut below = format!("{xgid}\n");
                self.next = self.position(&mut below)?;
                let reading = tavola_matches::read_as(MatchFormat::Mat, below.as_bytes()).ok();
                reading.and_then(|it| open_decisions(it.matches.first()?).pop())
            }
        };
        Ok(Some(Found { number, text, said }))
    }

    /// The next line with something in it, without the marks of a quoted mail, or why it can't be read.
    fn line(&mut self) -> io::Result<Option<Numbered>> {
        if let Some(line) = self.ahead.take() {
            return Ok(Some(line));
        }
        let quoted = |c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '>');
        while let Some(line) = self.lines.next_line()? {
            self.number += 1;
            self.raw.clear();
            let text = match line {
                Line::TooLong => Err(format!("more than {LONGEST_LINE} bytes")),
                Line::Text(bytes) => std::str::from_utf8(bytes)
                    .inspect(|text| self.raw.push_str(text))
                    .map(|text| text.trim_start_matches(quoted).trim_end().to_owned())
                    .map_err(|error| format!("not UTF-8 from byte {} on", error.valid_up_to())),
            };
            if text.as_ref().is_ok_and(|text| text.is_empty() || text.starts_with('#')) {
                continue;
            }
            return Ok(Some((self.number, text)));
        }
        Ok(None)
    }

    /// The next position with the number of its line; what stands before it goes to `skipped`.
    fn position(&mut self, skipped: &mut String) -> io::Result<Option<Numbered>> {
        while let Some((number, text)) = self.line()? {
            let Ok(text) = text else { return Ok(Some((number, text))) };
            let is_xgid = text.starts_with("XGID=");
            let of_xg = std::mem::replace(&mut self.after_xgid, is_xgid)
                && text.starts_with("X:")
                && text.contains("O:");
            self.copied |= of_xg;
            if Labelled::Position.has(&text) {
                self.copied = false;
                // GNU Backgammon writes the Match ID below.
                let next = if Labelled::Match.has(&text) { None } else { self.line()? };
                return Ok(Some(match next {
                    Some((_, Ok(below))) if Labelled::Match.has(&below) => {
                        (number, Ok(format!("{text} {below}")))
                    }
                    next => {
                        self.ahead = next;
                        (number, Ok(text))
                    }
                }));
            }
            // A drawn board shows that what follows, but for positions, says something of it.
            let edges = ["|", "v|", "^|", "+12-", "+13-", "+24-", "+1-"];
            self.copied |= edges.iter().any(|edge| text.starts_with(edge));
            let is_position = || parse_situation(of_line_parts(&text).0).is_ok();
            if is_xgid || !self.copied || is_position() || is_meant(&text) {
                self.copied = false;
                return Ok(Some((number, Ok(text))));
            }
            if skipped.len() < LONGEST_LINE {
                skipped.push_str(&self.raw);
                skipped.push('\n');
            }
        }
        Ok(None)
    }
}

/// Whether a line that can't be read was meant as a position: a damaged ID, or most of the numbers.
fn is_meant(line: &str) -> bool {
    let of_id = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | ':');
    let has = |is: fn(&char) -> bool| line.chars().any(|c| is(&c));
    let is_id = line.len() >= 12 && line.chars().all(of_id);
    let numbers = line.split([',', ' ']).filter(|it| it.parse::<i32>().is_ok()).count();
    (is_id && has(char::is_ascii_digit) && has(char::is_ascii_alphabetic)) || numbers >= 20
}

/// What a line asks, with the rest of `common`.
fn of_line(common: &Question, line: &str) -> Question {
    let (position, roll) = of_line_parts(line);
    let dice = roll.map(str::to_owned).or_else(|| common.dice.clone());
    Question { position: Some(position.to_owned()), dice, ..common.clone() }
}

/// The position of a line, and the roll behind it.
fn of_line_parts(line: &str) -> (&str, Option<&str>) {
    // Numbers that no die shows are a wrong roll, not a part of the position.
    let is_roll = |text: &str| text.chars().all(|c| matches!(c, '0'..='9' | '-' | ','));
    let roll =
        line.split_once('\t').or_else(|| line.split_once(' ').filter(|(_, roll)| is_roll(roll)));
    roll.map_or((line, None), |(position, roll)| (position, Some(roll.trim())))
}

/// Writes why a line has no answer.
fn write_failure(failure: &Failure, line: u64, json: bool, out: &mut dyn Out) -> Outcome {
    if !json {
        writeln!(out, "error: {}", failure.message())?;
        return Ok(());
    }
    let mut told = failure.to_json();
    told["error"]["line"] = line.into();
    ask::write_json(&told, out).map(drop)
}
