//! Files of decisions, graded or not.
//!
//! One JSON object a line. The first is the [`Header`]; every other one is a decision:
//!
//! ```text
//! {"position":"4HPwATDgc/ABMA","dice":[3,1],"phase":"opening","plays":[["sGfwATDgc/ABMA",0.1594],...]}
//! ```
//!
//! `position` is in the game's own notation, a GNU Position ID in backgammon, the player on roll to
//! move; games without phases have no `phase`. In a reference, `plays` has the plays that the
//! grader has rated: the position after the play, the opponent on roll; the cubeless equity for
//! the player who made it, in points; if the grader knows them, the standard error of that and,
//! since version 2, the standard error of what the play loses against the best one, which is
//! smaller where both were graded on the same dice. A sample that waits for its grader has
//! `afterstates` instead: the positions after all legal plays, best first as the sampling network
//! evaluates them. A header without `game` is of backgammon.
//!
//! Since version 3, which references have, each line is [sealed](tavola_files::seal): its last
//! member, `crc32`, is a checksum. Samples are of version 2 and have none, since other programs
//! make references of them.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, BufRead, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tavola_evaluator::{Phase, PlayableGame};
use tavola_files::unseal;
use tavola_rules::Game;

use super::decision::{GradedDecision, QuestionOf, RatedAfterstate};
use super::header::{FORMAT, GraderInfo, Header, OLDEST_VERSION, VERSION, of_phase};

/// No equity of a game without a cube is larger: a backgammon. Grades may be off by a rounding.
const MOST_EQUITY: f64 = 3.001;

/// Graded decisions.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference<G: Game> {
    /// Where they come from, and who graded.
    pub header: Header,
    /// The grader, which is in the header too.
    pub grader: GraderInfo,
    /// The decisions, at least two of each phase that there is.
    pub decisions: Vec<GradedDecision<G>>,
}

/// Why a file of decisions can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GradeFileError {
    /// Reading failed.
    #[error("line {line} cannot be read: {source}")]
    Read {
        /// Number of the line, counted from 1.
        line: usize,
        /// Why.
        source: io::Error,
    },
    /// A line is not what it should be.
    #[error("line {line}: {reason}")]
    Line {
        /// Number of the line, counted from 1.
        line: usize,
        /// What is wrong with it, and what was expected.
        reason: String,
    },
    /// There is not enough in the file.
    #[error("{found}, expected {expected}")]
    TooLittle {
        /// What there is.
        found: String,
        /// What there should be.
        expected: &'static str,
    },
}

/// A line after the first.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    position: String,
    dice: Vec<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    phase: Option<Phase>,
    #[serde(default, alias = "results", skip_serializing_if = "Option::is_none")]
    afterstates: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plays: Option<Vec<PlayEntry>>,
}

/// A play as it is written: a list of two to four.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum PlayEntry {
    Rated(String, f64),
    RatedWithError(String, f64, f64),
    RatedWithErrors(String, f64, f64, f64),
}

impl Line {
    /// A decision with nothing said of its plays.
    fn new<G: PlayableGame>(
        game: &G,
        (position, roll): &QuestionOf<G>,
        phase: Option<Phase>,
    ) -> Self {
        let (position, dice) = (game.write_state(position), game.numbers(*roll));
        Self { position, dice, phase, afterstates: None, plays: None }
    }

    /// A decision with its rated plays.
    pub(super) fn graded<G: PlayableGame>(
        game: &G,
        question: &QuestionOf<G>,
        phase: Option<Phase>,
        plays: &[RatedAfterstate<G::State>],
    ) -> Self {
        let entry = |play: &RatedAfterstate<G::State>| {
            let RatedAfterstate { after, equity, standard_error, loss_error } = *play;
            let after = game.write_state(&after);
            match (standard_error, loss_error) {
                (None, _) => PlayEntry::Rated(after, equity),
                (Some(error), None) => PlayEntry::RatedWithError(after, equity, error),
                (Some(error), Some(loss)) => PlayEntry::RatedWithErrors(after, equity, error, loss),
            }
        };
        let plays = plays.iter().map(entry).collect();
        Self { plays: Some(plays), ..Self::new(game, question, phase) }
    }

    /// A decision with its afterstates in order.
    pub(super) fn drawn<G: PlayableGame>(
        game: &G,
        question: &QuestionOf<G>,
        phase: Option<Phase>,
        afterstates: &[G::State],
    ) -> Self {
        let afterstates = afterstates.iter().map(|after| game.write_state(after)).collect();
        Self { afterstates: Some(afterstates), ..Self::new(game, question, phase) }
    }

    /// Whether it is about this decision.
    pub(super) fn is_of<G: PlayableGame>(&self, game: &G, question: &QuestionOf<G>) -> bool {
        self.position == game.write_state(&question.0) && self.dice == game.numbers(question.1)
    }

    /// What is to be decided, in a position and with a roll of this game.
    fn question<G: PlayableGame>(&self, game: &G) -> Result<QuestionOf<G>, String> {
        let state = game.parse_state(&self.position).map_err(|error| error.to_string())?;
        if game.outcome(&state).is_some() {
            return Err(format!(
                "the game is over in {}, expected one that goes on",
                self.position
            ));
        }
        let mut dice = self.dice.clone();
        dice.sort_unstable_by(|a, b| b.cmp(a));
        let mut rolls = game.rolls().iter().map(|(roll, _)| *roll);
        let Some(roll) = rolls.find(|&roll| game.numbers(roll) == dice) else {
            let roll = game.rolls()[0].0;
            return Err(format!(
                "the dice {:?} are no roll of {}, expected {} numbers from 1 to 6",
                self.dice,
                game.id(),
                game.numbers(roll).len()
            ));
        };
        if self.phase.is_some() != game.phase(&state).is_some() {
            let found = self.phase.map_or("no phase", Phase::name);
            let expected = if self.phase.is_some() { "none" } else { "one such as \"race\"" };
            return Err(format!("{found} in {}, expected {expected}", self.position));
        }
        Ok((state, roll))
    }
}

/// Decisions to be graded.
#[derive(Clone, Debug, PartialEq)]
pub struct Decisions<G: Game> {
    /// Where they come from; no grader.
    pub header: Header,
    /// The decisions with their phases, in the order of the file.
    pub questions: Vec<(QuestionOf<G>, Option<Phase>)>,
}

impl<G: PlayableGame> Decisions<G> {
    /// Reads the decisions of a sample, or those of a reference that is to be graded anew.
    ///
    /// # Errors
    ///
    /// [`GradeFileError`] names the line and the reason.
    pub fn read(game: &G, reader: impl BufRead) -> Result<Self, GradeFileError> {
        let mut lines = Lines::new(reader);
        let header = lines.header_of(game)?.ungraded();
        let (mut questions, mut seen) = (Vec::new(), HashSet::new());
        while let Some(line) = lines.decision()? {
            let question = line
                .question(game)
                .and_then(|question| afterstates(game, &question).map(|_| question))
                .map_err(|reason| lines.wrong(reason))?;
            if !seen.insert(question) {
                return Err(lines.wrong(REPEATED));
            }
            questions.push((question, line.phase));
        }
        if questions.is_empty() {
            let found = "no decisions".to_owned();
            return Err(GradeFileError::TooLittle { found, expected: "one at least" });
        }
        Ok(Self { header, questions })
    }
}

/// What is wrong with a decision that was there before.
const REPEATED: &str = "the position and dice of an earlier line, expected new ones";

impl<G: PlayableGame> Reference<G> {
    /// Reads a reference.
    ///
    /// # Errors
    ///
    /// [`GradeFileError`] names the line and the reason.
    pub fn read(game: &G, reader: impl BufRead) -> Result<Self, GradeFileError> {
        let mut lines = Lines::new(reader);
        let header = lines.header_of(game)?;
        let Some(grader) = header.grader.clone() else {
            return Err(
                lines.wrong("the header names no grader, expected a sample that was graded")
            );
        };
        if !(grader.margin.is_finite() && grader.margin >= 0.0) {
            return Err(lines.wrong(format!(
                "the grader's margin is {}, expected points from 0",
                grader.margin
            )));
        }
        let mut decisions = Vec::new();
        let mut seen = HashSet::new();
        while let Some(line) = lines.decision()? {
            let graded = graded(game, line, grader.margin).map_err(|reason| lines.wrong(reason))?;
            if !seen.insert(graded.question) {
                return Err(lines.wrong(REPEATED));
            }
            decisions.push(graded);
        }
        let drawn: u64 = header.phases.iter().map(|phase| phase.drawn).sum();
        if lines.sealed && drawn != decisions.len() as u64 {
            return Err(lines.wrong(format!(
                "the file ends after {} decisions, expected {drawn} as its header has it",
                decisions.len()
            )));
        }
        let mut counts: BTreeMap<Option<Phase>, u32> = BTreeMap::new();
        for decision in &decisions {
            *counts.entry(decision.phase).or_default() += 1;
        }
        let expected = "at least two of each phase that there is";
        if decisions.is_empty() {
            return Err(GradeFileError::TooLittle { found: "no decisions".to_owned(), expected });
        }
        for (phase, count) in counts {
            if count < 2 {
                let found = format!("1 decision{}", of_phase(phase));
                return Err(GradeFileError::TooLittle { found, expected });
            }
        }
        Ok(Self { header, grader, decisions })
    }
}

fn graded<G: PlayableGame>(game: &G, line: Line, margin: f64) -> Result<GradedDecision<G>, String> {
    let question = line.question(game)?;
    let (_, roll) = question;
    let legal = afterstates(game, &question)?;
    let entries = line.plays.ok_or("no \"plays\", expected those that the grader has rated")?;
    let mut plays: Vec<RatedAfterstate<G::State>> = Vec::with_capacity(entries.len());
    for entry in entries {
        let (id, equity, standard_error, loss_error) = match entry {
            PlayEntry::Rated(id, equity) => (id, equity, None, None),
            PlayEntry::RatedWithError(id, equity, error) => (id, equity, Some(error), None),
            PlayEntry::RatedWithErrors(id, equity, error, loss) => {
                (id, equity, Some(error), Some(loss))
            }
        };
        let after = game.parse_state(&id).map_err(|error| error.to_string())?;
        if !legal.contains(&after) {
            return Err(format!(
                "no legal play of {roll} in {} leads to {id}, expected a position after the play, \
                 the opponent on roll",
                line.position
            ));
        }
        if plays.iter().any(|play| play.after == after) {
            return Err(format!("{id} is rated twice, expected each result once"));
        }
        if equity.is_nan() || equity.abs() > MOST_EQUITY {
            return Err(format!("{id} has an equity of {equity}, expected points from -3 to 3"));
        }
        for error in [standard_error, loss_error].into_iter().flatten() {
            if !(error.is_finite() && error >= 0.0) {
                return Err(format!(
                    "{id} has a standard error of {error}, expected points from 0"
                ));
            }
        }
        plays.push(RatedAfterstate { after, equity, standard_error, loss_error });
    }
    let equities = || plays.iter().map(|play| play.equity);
    let (best, worst) = (equities().reduce(f64::max), equities().reduce(f64::min));
    let (Some(best), Some(worst)) = (best, worst) else {
        return Err("no rated plays, expected at least one".to_owned());
    };
    let unrated = worst.min(best - margin);
    Ok(GradedDecision { question, phase: line.phase, plays, best, unrated })
}

/// All afterstates of a decision, two at least.
fn afterstates<G: PlayableGame>(
    game: &G,
    (state, roll): &QuestionOf<G>,
) -> Result<Vec<G::State>, String> {
    let mut legal = Vec::new();
    game.afterstates(state, *roll, &mut legal);
    match legal.len() {
        0 | 1 => Err(format!(
            "{} with {roll} leaves no choice, expected two afterstates",
            game.write_state(state)
        )),
        _ => Ok(legal),
    }
}

/// The decisions of a sample or of a reference, without what was made of them.
///
/// # Errors
///
/// [`GradeFileError`] names the line and the reason.
pub fn read_questions<G: PlayableGame>(
    game: &G,
    reader: impl BufRead,
) -> Result<HashSet<QuestionOf<G>>, GradeFileError> {
    let mut lines = Lines::new(reader);
    lines.header_of(game)?;
    let mut questions = HashSet::new();
    while let Some(line) = lines.decision()? {
        questions.insert(line.question(game).map_err(|reason| lines.wrong(reason))?);
    }
    Ok(questions)
}

/// Writes the header of a sample and its decisions.
pub(super) fn write_sample(
    out: &mut dyn Write,
    header: &Header,
    decisions: impl Iterator<Item = Line>,
) -> io::Result<()> {
    serde_json::to_writer(&mut *out, header)?;
    writeln!(out)?;
    for line in decisions {
        serde_json::to_writer(&mut *out, &line)?;
        writeln!(out)?;
    }
    Ok(())
}

/// Lines that know their number.
pub(super) struct Lines<R> {
    reader: R,
    line: usize,
    text: String,
    /// Whether lines have a checksum, as the header says.
    sealed: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, line: 0, text: String::new(), sealed: false }
    }

    /// The error that the current line deserves.
    fn wrong(&self, reason: impl Into<String>) -> GradeFileError {
        GradeFileError::Line { line: self.line.max(1), reason: reason.into() }
    }

    /// Whether there is another line, which is then in `text`.
    fn advance(&mut self) -> Result<bool, GradeFileError> {
        self.text.clear();
        self.line += 1;
        let line = self.line;
        let read = self
            .reader
            .read_line(&mut self.text)
            .map_err(|source| GradeFileError::Read { line, source })?;
        Ok(read > 0)
    }

    pub(super) fn header(&mut self) -> Result<Header, GradeFileError> {
        /// What every version of the format has.
        #[derive(Deserialize)]
        struct Identity {
            format: String,
            version: u32,
        }
        if !self.advance()? {
            return Err(self.wrong("the file is empty, expected a header"));
        }
        let identity = serde_json::from_str::<Identity>(&self.text);
        match &identity {
            Ok(Identity { format, version: OLDEST_VERSION..=VERSION }) if format == FORMAT => {}
            Ok(Identity { format, version }) if format == FORMAT => {
                return Err(self.wrong(format!(
                    "version {version} of the format, expected version {OLDEST_VERSION} to \
                     {VERSION}"
                )));
            }
            _ => {
                return Err(self.wrong(format!(
                    "no header of a file of decisions, expected {{\"format\":\"{FORMAT}\",...}}"
                )));
            }
        }
        self.sealed = matches!(&identity, Ok(identity) if identity.version >= VERSION);
        self.parse()
    }

    /// The header of a file about this game.
    fn header_of<G: Game>(&mut self, game: &G) -> Result<Header, GradeFileError> {
        let header = self.header()?;
        match header.game == game.id() {
            true => Ok(header),
            false => Err(self.wrong(format!(
                "decisions of {}, expected decisions of {}",
                header.game,
                game.id()
            ))),
        }
    }

    /// What the line holds, if its checksum is right.
    fn parse<T: DeserializeOwned>(&self) -> Result<T, GradeFileError> {
        let text = unseal(self.text.as_bytes()).map_err(|error| self.wrong(error.to_string()))?;
        if self.sealed && text.len() == self.text.len() {
            return Err(self.wrong("no checksum at its end, expected \"crc32\""));
        }
        serde_json::from_slice(&text).map_err(|error| self.wrong(in_line(&error)))
    }

    fn decision(&mut self) -> Result<Option<Line>, GradeFileError> {
        if !self.advance()? {
            return Ok(None);
        }
        self.parse().map(Some)
    }
}

/// What is wrong with the JSON of a line. To the parser each line is the first, and it says so.
fn in_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", ", column ")
}

#[cfg(test)]
mod tests;
