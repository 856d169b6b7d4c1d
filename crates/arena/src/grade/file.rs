//! Files of decisions, graded or not.
//!
//! One JSON object a line. The first is the [`Header`]; every other one is a decision:
//!
//! ```text
//! {"position":"4HPwATDgc/ABMA","dice":[3,1],"phase":"opening","plays":[["sGfwATDgc/ABMA",0.1594],...]}
//! ```
//!
//! `position` is a GNU Position ID, the player on roll to move. In a reference, `plays` has the
//! plays that the grader has rated: the GNU Position ID after the play, the opponent on roll; the
//! cubeless equity for the player who made it, in points; if the grader knows them, the standard
//! error of that and, since version 2, the standard error of what the play loses against the best
//! one, which is smaller where both were graded on the same dice. A sample that waits for its
//! grader has `afterstates` instead: the Position IDs after all legal plays, best first as the
//! sampling network thinks.
//!
//! Since version 3, which references have, each line is [sealed](tavola_files::seal): its last
//! member, `crc32`, is a checksum. Samples are of version 2 and have none, since other programs
//! make references of them.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tavola_files::unseal;
use tavola_rules::notation::{decode_position_id, encode_position_id};
use tavola_rules::{Backgammon, Dice, Game, Outcome, Position};

use tavola_evaluator::Phase;

/// What the first line says the file is.
const FORMAT: &str = "tavola-grade";

/// The version of the references that this module writes, the first whose lines have a checksum.
const VERSION: u32 = 3;

/// The version of the samples that it writes.
const SAMPLE_VERSION: u32 = 2;

/// The oldest version that it reads.
const OLDEST_VERSION: u32 = 1;

/// No equity of a game without a cube is larger: a backgammon. Grades may be off by a rounding.
const MOST_EQUITY: f64 = 3.001;

/// What decisions may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// To choose between settings and networks, as often as one likes.
    Tuning,
    /// To report the strength of what has been chosen, and for no choice.
    Reporting,
}

impl Purpose {
    /// The name in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tuning => "tuning",
            Self::Reporting => "reporting",
        }
    }
}

/// The first line of a file: where its decisions come from, and who graded them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Always `tavola-grade`.
    format: String,
    /// The version of the format.
    version: u32,
    /// What the decisions may be used for.
    pub purpose: Purpose,
    /// The command that drew the decisions.
    pub command: String,
    /// The network that played the games, with its checksum.
    pub network: String,
    /// Seed of the games and of the draw.
    pub seed: u64,
    /// Games from the start that were played.
    pub games: u64,
    /// Games that were played on from positions of a rare phase.
    pub seeded_games: u64,
    /// What was found of each phase.
    pub phases: Vec<PhaseShare>,
    /// Who graded the plays; nobody yet, in a sample.
    #[serde(default, alias = "judge", skip_serializing_if = "Option::is_none")]
    pub grader: Option<GraderInfo>,
}

/// A phase in the games that were played.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseShare {
    /// The phase.
    pub phase: Phase,
    /// Its share of the decisions of the games from the start, from 0 to 1. Rolls with a single
    /// result are no decisions.
    pub share: f64,
    /// Decisions that were drawn.
    pub drawn: u64,
    /// Those of them that are from seeded games.
    pub seeded: u64,
}

/// Who graded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraderInfo {
    /// The grader with its version.
    pub name: String,
    /// What decides how it grades.
    pub settings: String,
    /// Which plays it rated, in words.
    pub rated: String,
    /// Plays that are not rated lose this much at least, in points: see
    /// [`GradedDecision::loss_of`].
    pub margin: f64,
    /// What tells its networks and tables from all others, where that is not in the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
}

impl Header {
    /// The header of a sample that has not been graded.
    pub(super) fn of_sample(purpose: Purpose, command: String, network: String) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: SAMPLE_VERSION,
            purpose,
            command,
            network,
            seed: 0,
            games: 0,
            seeded_games: 0,
            phases: Vec::new(),
            grader: None,
        }
    }

    /// The same with a grader.
    pub(super) fn graded_by(&self, grader: GraderInfo) -> Self {
        Self { version: VERSION, grader: Some(grader), ..self.clone() }
    }

    /// The share of `phase` in play, 0 if the header does not mention it.
    pub fn share(&self, phase: Phase) -> f64 {
        self.phases.iter().find(|entry| entry.phase == phase).map_or(0.0, |entry| entry.share)
    }
}

/// What somebody has to decide: a position, from the player on roll, and his dice.
pub type Question = (Position, Dice);

/// A decision with the equities of its plays.
#[derive(Clone, Debug, PartialEq)]
pub struct GradedDecision {
    /// The position, from the player who is to play.
    pub position: Position,
    /// His dice.
    pub roll: Dice,
    /// The phase of the position.
    pub phase: Phase,
    /// The rated plays, at least one.
    pub plays: Vec<RatedAfterstate>,
    /// What the best of them is worth.
    best: f64,
    /// What a play that is not rated is taken to be worth.
    unrated: f64,
}

/// A play and its equity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedAfterstate {
    /// The position after the play, the opponent on roll.
    pub after: Position,
    /// Cubeless money equity for the player who made the play, in points.
    pub equity: f64,
    /// The standard error of that, if the grader knows it.
    pub standard_error: Option<f64>,
    /// The standard error of what it loses against the best of the rated plays, 0 for that
    /// itself, if the grader knows it.
    pub loss_error: Option<f64>,
}

impl GradedDecision {
    /// The equity lost by the play that leads to `after`, in points, and whether it is rated. A
    /// play that is not counts as the worst of the rated ones, or as the grader's margin worse
    /// than the best, whichever is less.
    pub fn loss_of(&self, after: &Position) -> (f64, bool) {
        match self.plays.iter().find(|play| play.after == *after) {
            Some(play) => (self.best - play.equity, true),
            None => (self.best - self.unrated, false),
        }
    }

    /// The standard error of what the play that leads to `after` loses, in points; `None` if the
    /// play is not rated or the grader does not know its errors. Where he knows those of equities
    /// alone, they count as independent.
    pub fn loss_error_of(&self, after: &Position) -> Option<f64> {
        let play = self.plays.iter().find(|play| play.after == *after)?;
        let best = self.best();
        if play.after == best.after {
            return play.standard_error.map(|_| 0.0);
        }
        play.loss_error.or_else(|| Some(play.standard_error?.hypot(best.standard_error?)))
    }

    /// The best of the rated plays, the first of equals.
    pub fn best(&self) -> &RatedAfterstate {
        self.plays
            .iter()
            .find(|play| play.equity == self.best)
            .expect("the best equity is that of a play")
    }
}

/// Graded decisions.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Where they come from, and who graded.
    pub header: Header,
    /// The grader, which is in the header too.
    pub grader: GraderInfo,
    /// The decisions, at least two of each phase that there is.
    pub decisions: Vec<GradedDecision>,
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
    dice: Dice,
    phase: Phase,
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
    /// A decision with its rated plays.
    pub(super) fn graded(
        (position, dice): &Question,
        phase: Phase,
        plays: &[RatedAfterstate],
    ) -> Self {
        let entry = |play: &RatedAfterstate| {
            let RatedAfterstate { after, equity, standard_error, loss_error } = *play;
            let id = encode_position_id(&after);
            match (standard_error, loss_error) {
                (None, _) => PlayEntry::Rated(id, equity),
                (Some(error), None) => PlayEntry::RatedWithError(id, equity, error),
                (Some(error), Some(loss)) => PlayEntry::RatedWithErrors(id, equity, error, loss),
            }
        };
        Self {
            position: encode_position_id(position),
            dice: *dice,
            phase,
            afterstates: None,
            plays: Some(plays.iter().map(entry).collect()),
        }
    }

    /// Whether it is about this decision.
    pub(super) fn is_of(&self, (position, dice): &Question) -> bool {
        self.position == encode_position_id(position) && self.dice == *dice
    }
}

/// Decisions to be graded.
#[derive(Clone, Debug, PartialEq)]
pub struct Decisions {
    /// Where they come from; no grader.
    pub header: Header,
    /// The decisions with their phases, in the order of the file.
    pub questions: Vec<(Question, Phase)>,
}

impl Decisions {
    /// Reads the decisions of a sample, or those of a reference that is to be graded anew.
    ///
    /// # Errors
    ///
    /// [`GradeFileError`] names the line and the reason.
    pub fn read(reader: impl BufRead) -> Result<Self, GradeFileError> {
        let mut lines = Lines::new(reader);
        let header = Header { grader: None, version: SAMPLE_VERSION, ..lines.header()? };
        let (mut questions, mut seen) = (Vec::new(), HashSet::new());
        while let Some(line) = lines.decision()? {
            let question = question(&line)
                .and_then(|question| afterstates(&question).map(|_| question))
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

impl Reference {
    /// Reads a reference.
    ///
    /// # Errors
    ///
    /// [`GradeFileError`] names the line and the reason.
    pub fn read(reader: impl BufRead) -> Result<Self, GradeFileError> {
        let mut lines = Lines::new(reader);
        let header = lines.header()?;
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
            let graded = graded(line, grader.margin).map_err(|reason| lines.wrong(reason))?;
            if !seen.insert((graded.position, graded.roll)) {
                return Err(lines.wrong(REPEATED));
            }
            decisions.push(graded);
        }
        let mut counts: HashMap<Phase, u32> = HashMap::new();
        for decision in &decisions {
            *counts.entry(decision.phase).or_default() += 1;
        }
        let expected = "at least two of each phase that there is";
        if decisions.is_empty() {
            return Err(GradeFileError::TooLittle { found: "no decisions".to_owned(), expected });
        }
        for (phase, count) in counts {
            if count < 2 {
                let found = format!("1 decision of the phase {phase}");
                return Err(GradeFileError::TooLittle { found, expected });
            }
        }
        Ok(Self { header, grader, decisions })
    }
}

fn graded(line: Line, margin: f64) -> Result<GradedDecision, String> {
    let (position, roll) = question(&line)?;
    let legal = afterstates(&(position, roll))?;
    let entries = line.plays.ok_or("no \"plays\", expected those that the grader has rated")?;
    let mut plays: Vec<RatedAfterstate> = Vec::with_capacity(entries.len());
    for entry in entries {
        let (id, equity, standard_error, loss_error) = match entry {
            PlayEntry::Rated(id, equity) => (id, equity, None, None),
            PlayEntry::RatedWithError(id, equity, error) => (id, equity, Some(error), None),
            PlayEntry::RatedWithErrors(id, equity, error, loss) => {
                (id, equity, Some(error), Some(loss))
            }
        };
        let after = decode_position_id(&id).map_err(|error| error.to_string())?;
        if !legal.contains(&after) {
            return Err(format!(
                "no legal play of {roll} in {} leads to {id}, expected a Position ID after the \
                 play, the opponent on roll",
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
    Ok(GradedDecision { position, roll, phase: line.phase, plays, best, unrated })
}

/// All afterstates of a decision, two at least.
fn afterstates((position, roll): &Question) -> Result<Vec<Position>, String> {
    let mut legal = Vec::new();
    Backgammon::Standard.afterstates(position, *roll, &mut legal);
    match legal.len() {
        0 | 1 => Err(format!(
            "{} with {roll} leaves no choice, expected two afterstates",
            encode_position_id(position)
        )),
        _ => Ok(legal),
    }
}

fn question(line: &Line) -> Result<Question, String> {
    let position = decode_position_id(&line.position).map_err(|error| error.to_string())?;
    if Outcome::of(&position).is_some() {
        return Err(format!("the game is over in {}, expected one that goes on", line.position));
    }
    Ok((position, line.dice))
}

/// The decisions of a sample or of a reference, without what was made of them.
///
/// # Errors
///
/// [`GradeFileError`] names the line and the reason.
pub fn read_questions(reader: impl BufRead) -> Result<HashSet<Question>, GradeFileError> {
    let mut lines = Lines::new(reader);
    lines.header()?;
    let mut questions = HashSet::new();
    while let Some(line) = lines.decision()? {
        questions.insert(question(&line).map_err(|reason| lines.wrong(reason))?);
    }
    Ok(questions)
}

/// Writes the header of a sample and its decisions, each with its phase and its afterstates in
/// order.
pub(super) fn write_sample<'a>(
    out: &mut dyn Write,
    header: &Header,
    decisions: impl Iterator<Item = (&'a Question, Phase, &'a [Position])>,
) -> io::Result<()> {
    serde_json::to_writer(&mut *out, header)?;
    writeln!(out)?;
    for ((position, dice), phase, afterstates) in decisions {
        let line = Line {
            position: encode_position_id(position),
            dice: *dice,
            phase,
            afterstates: Some(afterstates.iter().map(encode_position_id).collect()),
            plays: None,
        };
        serde_json::to_writer(&mut *out, &line)?;
        writeln!(out)?;
    }
    Ok(())
}

/// Lines that know their number.
struct Lines<R> {
    reader: R,
    line: usize,
    text: String,
    /// Whether lines have a checksum, as the header says.
    sealed: bool,
}

impl<R: BufRead> Lines<R> {
    fn new(reader: R) -> Self {
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

    fn header(&mut self) -> Result<Header, GradeFileError> {
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
mod tests {
    use tavola_files::seal;

    use super::*;

    const HEADER: &str = r#"{"format":"tavola-grade","version":1,"purpose":"tuning","command":"","network":"","seed":1,"games":9,"seeded_games":0,"phases":[{"phase":"opening","share":1.0,"drawn":2,"seeded":0}],"judge":{"name":"J","settings":"","rated":"some","margin":0.25}}"#;
    const FIRST: &str = r#"{"position":"4HPwATDgc/ABMA","dice":[3,1],"phase":"opening","plays":[["sGfwATDgc/ABMA",0.16],["4HPwATDQZ/ABMA",0.0,0.01]]}"#;

    /// The start with a 2-1 and all of its afterstates.
    fn second() -> String {
        let roll = Dice::new(2, 1).unwrap();
        let mut afterstates = Vec::new();
        Backgammon::Standard.afterstates(&Position::STANDARD, roll, &mut afterstates);
        let plays: Vec<(String, f64)> = afterstates
            .iter()
            .enumerate()
            .map(|(i, p)| (encode_position_id(p), -0.1 * i as f64))
            .collect();
        format!(
            r#"{{"position":"4HPwATDgc/ABMA","dice":[2,1],"phase":"opening","plays":{}}}"#,
            serde_json::to_string(&plays).unwrap()
        )
    }

    fn read(lines: &[&str]) -> Result<Reference, GradeFileError> {
        Reference::read(lines.join("\n").as_bytes())
    }

    fn legal_after(roll: Dice) -> Vec<Position> {
        let mut afterstates = Vec::new();
        Backgammon::Standard.afterstates(&Position::STANDARD, roll, &mut afterstates);
        afterstates
    }

    fn first() -> String {
        let afterstates = legal_after(Dice::new(3, 1).unwrap());
        FIRST.replace(
            "4HPwATDQZ/ABMA",
            &encode_position_id(
                afterstates.iter().find(|p| encode_position_id(p) != "sGfwATDgc/ABMA").unwrap(),
            ),
        )
    }

    #[test]
    fn losses_are_against_the_best_play_and_unrated_ones_lose_the_margin_at_least() {
        let reference = read(&[HEADER, &first(), &second()]).unwrap();
        assert_eq!(reference.header.share(Phase::Opening), 1.0);
        assert_eq!(reference.header.share(Phase::Race), 0.0);
        let [first, second] = &reference.decisions[..] else { panic!("{reference:?}") };
        assert_eq!(first.best().equity, 0.16);
        assert_eq!(first.loss_of(&first.best().after), (0.0, true));
        assert_eq!(first.loss_of(&first.plays[1].after), (0.16, true));
        assert_eq!(first.plays[1].standard_error, Some(0.01));
        let unrated = legal_after(first.roll)
            .into_iter()
            .find(|after| first.plays.iter().all(|play| play.after != *after))
            .unwrap();
        assert_eq!(first.loss_of(&unrated), (0.25, false));
        let worst = second.plays.last().unwrap();
        assert!(second.loss_of(&worst.after).0 > 1.0);
    }

    #[test]
    fn bad_files_are_answered_with_line_and_reason() {
        let first = first();
        let second = second();
        let other_play = first.replace("sGfwATDgc/ABMA", "4HPwATDgc/ABMA");
        let twice = first.replace("0.16]", "0.16],[\"sGfwATDgc/ABMA\",0.1]");
        let cases: [(&[&str], &[&str]); 15] = [
            (&[], &["line 1", "empty"]),
            (&["{}"], &["line 1", "tavola-grade"]),
            (&["hello"], &["line 1", "tavola-grade"]),
            (&[&HEADER.replace(":1,\"purpose", ":4,\"purpose")], &["version 4", "version 1 to 3"]),
            (&[&HEADER.replace("tuning", "training")], &["line 1", "training"]),
            (&[&HEADER.replace("0.25", "-1")], &["line 1", "margin"]),
            (&[HEADER], &["no decisions"]),
            (&[HEADER, &first], &["1 decision of the phase opening"]),
            (&[HEADER, &second, &first, &second], &["line 4", "earlier"]),
            (&[HEADER, &first.replace("[3,1]", "[3,7]")], &["line 2: ", "7", ", column "]),
            (&[HEADER, &first.replace("opening", "ending")], &["line 2", "ending"]),
            (&[HEADER, &second, &other_play], &["line 3", "no legal play of 3-1"]),
            (&[HEADER, &twice], &["line 2", "twice"]),
            (&[HEADER, &first.replace("0.16", "16")], &["line 2", "16", "-3 to 3"]),
            (&[HEADER, &first.replace("4HPwATDgc/ABMA\",\"d", "4HPw\",\"d")], &["line 2", "4HPw"]),
        ];
        for (lines, parts) in cases {
            let error = read(lines).unwrap_err().to_string();
            for part in parts {
                assert!(error.contains(part), "{part:?} is not in {error:?}");
            }
        }
    }

    #[test]
    fn a_changed_digit_and_a_lost_checksum_are_noticed() {
        let header = HEADER.replace(":1,\"purpose", ":3,\"purpose");
        let lines = [header, first(), second()].map(|line| seal(&line));
        let with = |at: usize, line: String| {
            let mut lines = lines.clone();
            lines[at] = line;
            Reference::read(lines.join("\n").as_bytes())
        };
        let whole = with(0, lines[0].clone()).unwrap();
        assert_eq!(whole.decisions, read(&[HEADER, &first(), &second()]).unwrap().decisions);
        for (at, line, reason) in [
            (1, lines[1].replace("0.16", "0.17"), "line 2: its checksum is"),
            (2, second(), "line 3: no checksum"),
            (0, lines[0].replace("\"seed\":1", "\"seed\":3"), "line 1: its checksum is"),
        ] {
            let error = with(at, line).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn a_sample_is_no_reference_but_its_decisions_can_be_read() {
        let header = Header::of_sample(Purpose::Reporting, "draw".to_owned(), "net".to_owned());
        let question = (Position::STANDARD, Dice::new(3, 1).unwrap());
        let afterstates = legal_after(question.1);
        let mut text = Vec::new();
        write_sample(
            &mut text,
            &header,
            [(&question, Phase::Opening, &afterstates[..])].into_iter(),
        )
        .unwrap();
        assert_eq!(read_questions(&text[..]).unwrap(), HashSet::from([question]));
        let error = Reference::read(&text[..]).unwrap_err().to_string();
        assert!(error.contains("no grader"), "{error}");
    }
}
