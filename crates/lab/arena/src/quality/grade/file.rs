//! Files of decisions and of states, graded or not.
//!
//! One JSON object a line, [sealed](tavola_files::seal): its last member, `crc32`, is a checksum. The
//! first is the [`Header`]; every other one is a decision or a state:
//!
//! ```text
//! {"position":"4HPwATDgc/ABMA","dice":[3,1],"phase":"opening","plays":[["sGfwATDgc/ABMA",0.1594],...]}
//! {"position":"4HPwATDgc/ABMA","phase":"opening","probs":[0.527,0.146,0.007,0.125,0.006],
//!  "probs_se":[0.002,0.002,0.0005,0.002,0.0004],"equity":0.076,"equity_se":0.005}
//! ```
//!
//! `position` is in the game's own notation, a GNU Position ID in backgammon, the player on roll to
//! move; games without phases have no `phase`.
//!
//! In a reference, `plays` has the plays that the grader has rated: the position after the play,
//! the opponent on roll; the cubeless equity for the player who made it, in points; if the grader
//! knows them, the standard error of that and the standard error of what the play loses against
//! the best one, which is smaller where both were graded on the same dice. A sample that waits for
//! its grader has `afterstates` instead: the positions after all legal plays, best first as the
//! sampling network evaluates them.
//!
//! Of a state before the roll, without a cube, `probs` are the chances of the player on roll: to
//! win, to win a gammon, a backgammon, to lose a gammon, a backgammon; each contains the next one of
//! its kind. `equity` is theirs in points, and `_se` are standard errors. `group` is there where
//! states were drawn by groups other than the [bands](super::states::Band) of equity.

use std::collections::{BTreeMap, HashSet};
use std::hash::Hash;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tavola_evaluator::{Phase, PlayableGame};
use tavola_files::{Failure, seal, unseal};
use tavola_rules::Game;

use super::benchmark::Benchmark;
use super::decision::{GradedDecision, QuestionOf, RatedAfterstate};
use super::header::{FORMAT, GraderInfo, Header, VERSION, of_phase};

/// No equity of a game without a cube is larger than that of a backgammon; rollouts may be off a little.
const MOST_EQUITY: f64 = 3.1;

/// What is wrong with a line, counted from 1, and what was expected.
pub(super) fn wrong_line(line: usize, reason: impl Into<String>) -> Failure {
    Failure::input(format!("line {line}: {}", reason.into()))
}

/// What a line holds, if its checksum is right.
fn parse<T: DeserializeOwned>(line: usize, text: &[u8]) -> Result<T, Failure> {
    let wrong = |reason: String| wrong_line(line, reason);
    let json = unseal(text).map_err(|error| wrong(error.to_string()))?;
    if json.len() == text.len() {
        return Err(wrong("no checksum at its end, expected \"crc32\"".to_owned()));
    }
    // To the parser each line is the first, and it says so.
    let in_line =
        |error: serde_json::Error| error.to_string().replace(" at line 1 column ", ", column ");
    serde_json::from_slice(&json).map_err(|error| wrong(in_line(error)))
}

fn lines(content: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    content.split_inclusive(|&byte| byte == b'\n').zip(1..).map(|(text, line)| (line, text))
}

impl Header {
    /// The header of the file with this content: its first line.
    ///
    /// # Errors
    ///
    /// [`Failure`] if there is none.
    pub fn read(content: &[u8]) -> Result<Self, Failure> {
        /// What every version of the format has.
        #[derive(Deserialize)]
        struct Identity {
            format: String,
            version: u32,
        }
        let Some((line, text)) = lines(content).next() else {
            return Err(wrong_line(1, "the file is empty, expected a header"));
        };
        match serde_json::from_slice::<Identity>(text) {
            Ok(found) if found.format != FORMAT => {}
            Ok(Identity { version: VERSION, .. }) => return parse(line, text),
            Ok(Identity { version, .. }) => {
                let reason = format!("version {version} of the format, expected version {VERSION}");
                return Err(wrong_line(line, reason));
            }
            Err(_) => {}
        }
        let reason = "no header of a file of decisions or states, expected";
        Err(wrong_line(line, format!("{reason} {{\"format\":\"{FORMAT}\",...}}")))
    }
}

/// The header of a file about this game, and what `understand` makes of every other line: what it is
/// about, which no earlier line has, and what is said of it. There are as many lines as the header
/// says, two at least of what is graded.
pub(super) fn read<G: Game, L: DeserializeOwned, K: Copy + Eq + Hash, T>(
    game: &G,
    content: &[u8],
    understand: impl Fn(L) -> Result<(K, T), String>,
) -> Result<(Header, Vec<T>), Failure> {
    let header = Header::read(content)?;
    if header.game != game.id() {
        let reason = format!("it is of {}, expected a file of {}", header.game, game.id());
        return Err(wrong_line(1, reason));
    }
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    for (line, text) in lines(content).skip(1) {
        let wrong = |reason: String| wrong_line(line, reason);
        let (key, said) = understand(parse(line, text)?).map_err(wrong)?;
        if !seen.insert(key) {
            return Err(wrong("the question of an earlier line, expected a new one".to_owned()));
        }
        found.push(said);
    }
    let (number, asked) = (found.len() as u64, header.drawn());
    let least = if header.grader.is_some() { 2 } else { 1 };
    if number != asked || number < least {
        let asked = asked.max(least);
        let reason = format!(
            "the file ends after {number} of its lines, expected {asked} as its header has it"
        );
        return Err(wrong_line(found.len() + 2, reason));
    }
    Ok((header, found))
}

/// The text of a file.
pub(super) fn text(header: &Header, lines: &[impl Serialize]) -> serde_json::Result<String> {
    let mut text = seal(&serde_json::to_string(header)?) + "\n";
    for line in lines {
        text += &(seal(&serde_json::to_string(line)?) + "\n");
    }
    Ok(text)
}

/// Graded decisions.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference<G: Game> {
    /// Where they come from, and who graded.
    pub header: Header,
    /// The grader, which is in the header too.
    pub grader: GraderInfo,
    /// The decisions, at least two of each phase that there is.
    pub decisions: Vec<GradedDecision<G>>,
    /// What a public benchmark says of them.
    pub benchmark: Option<Benchmark>,
}

/// A decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GradedLine {
    position: String,
    dice: Vec<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    phase: Option<Phase>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    afterstates: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plays: Option<Vec<PlayEntry>>,
}

/// A play as it is written: the position after it, its equity, and the standard errors of that and of
/// the loss, if they are known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PlayEntry(
    String,
    f64,
    #[serde(default, skip_serializing_if = "Option::is_none")] Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")] Option<f64>,
);

impl GradedLine {
    /// A decision with its rated plays.
    pub(super) fn graded<G: PlayableGame>(
        game: &G,
        question: &QuestionOf<G>,
        phase: Option<Phase>,
        plays: &[RatedAfterstate<G::State>],
    ) -> Self {
        let entry = |play: &RatedAfterstate<G::State>| {
            let RatedAfterstate { after, equity, standard_error, loss_error } = *play;
            PlayEntry(game.write_state(&after), equity, standard_error, loss_error)
        };
        let plays = plays.iter().map(entry).collect();
        Self { plays: Some(plays), afterstates: None, ..Self::drawn(game, question, phase, &[]) }
    }

    /// A decision with its afterstates in order.
    pub(super) fn drawn<G: PlayableGame>(
        game: &G,
        (position, roll): &QuestionOf<G>,
        phase: Option<Phase>,
        afterstates: &[G::State],
    ) -> Self {
        let afterstates = afterstates.iter().map(|after| game.write_state(after)).collect();
        let (position, dice) = (game.write_state(position), game.numbers(*roll));
        Self { position, dice, phase, afterstates: Some(afterstates), plays: None }
    }

    /// Whether it is about this decision.
    pub(super) fn is_of<G: PlayableGame>(&self, game: &G, question: &QuestionOf<G>) -> bool {
        self.position == game.write_state(&question.0) && self.dice == game.numbers(question.1)
    }

    /// What is to be decided, in a position and with a roll of this game, and all afterstates, two at
    /// least.
    fn question<G: PlayableGame>(
        &self,
        game: &G,
    ) -> Result<(QuestionOf<G>, Vec<G::State>), String> {
        let state = unfinished(game, &self.position)?;
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
        let mut legal = Vec::new();
        game.afterstates(&state, roll, &mut legal);
        if legal.len() < 2 {
            let position = &self.position;
            return Err(format!(
                "{position} with {roll} leaves no choice, expected two afterstates"
            ));
        }
        Ok(((state, roll), legal))
    }

    fn graded_decision<G: PlayableGame>(
        self,
        game: &G,
        margin: f64,
    ) -> Result<GradedDecision<G>, String> {
        let (question, legal) = self.question(game)?;
        let entries = self.plays.ok_or("no \"plays\", expected those that the grader has rated")?;
        let mut plays: Vec<RatedAfterstate<G::State>> = Vec::with_capacity(entries.len());
        for PlayEntry(id, equity, standard_error, loss_error) in entries {
            let after = game.parse_state(&id).map_err(|error| error.to_string())?;
            if !legal.contains(&after) {
                return Err(format!(
                    "no legal play of {} in {} leads to {id}, expected a position after the play, \
                     the opponent on roll",
                    question.1, self.position
                ));
            }
            if plays.iter().any(|play| play.after == after) {
                return Err(format!("{id} is rated twice, expected each result once"));
            }
            check_equity(equity).map_err(|error| format!("{id} has {error}"))?;
            for error in [standard_error, loss_error].into_iter().flatten() {
                check_error(error).map_err(|error| format!("{id} has {error}"))?;
            }
            plays.push(RatedAfterstate { after, equity, standard_error, loss_error });
        }
        let equities = || plays.iter().map(|play| play.equity);
        let (best, worst) = (equities().reduce(f64::max), equities().reduce(f64::min));
        let (Some(best), Some(worst)) = (best, worst) else {
            return Err("no rated plays, expected at least one".to_owned());
        };
        let unrated = worst.min(best - margin);
        Ok(GradedDecision { question, phase: self.phase, plays, best, unrated })
    }
}

/// The position of a game that goes on.
pub(super) fn unfinished<G: PlayableGame>(game: &G, position: &str) -> Result<G::State, String> {
    let state = game.parse_state(position).map_err(|error| error.to_string())?;
    match game.outcome(&state) {
        Some(_) => Err(format!("the game is over in {position}, expected one that goes on")),
        None => Ok(state),
    }
}

/// Refuses an equity that no game without a cube has.
pub(super) fn check_equity(equity: f64) -> Result<(), String> {
    match equity.abs() <= MOST_EQUITY {
        true => Ok(()),
        false => Err(format!("an equity of {equity}, expected points from -3 to 3")),
    }
}

/// Refuses what is no standard error.
pub(super) fn check_error(error: f64) -> Result<(), String> {
    match error.is_finite() && error >= 0.0 {
        true => Ok(()),
        false => Err(format!("a standard error of {error}, expected points from 0")),
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
    /// [`Failure`] names the line and the reason.
    pub fn read(game: &G, content: &[u8]) -> Result<Self, Failure> {
        let (header, questions) = read(game, content, |line: GradedLine| {
            let (question, _) = line.question(game)?;
            Ok((question, (question, line.phase)))
        })?;
        Ok(Self { header: header.graded_by(None), questions })
    }
}

impl<G: PlayableGame> Reference<G> {
    /// Reads a reference.
    ///
    /// # Errors
    ///
    /// [`Failure`] names the line and the reason.
    pub fn read(game: &G, content: &[u8]) -> Result<Self, Failure> {
        let grader = grader(&Header::read(content)?)?;
        let (header, decisions) = read(game, content, |line: GradedLine| {
            let decision = line.graded_decision(game, grader.margin)?;
            Ok((decision.question, decision))
        })?;
        let mut counts: BTreeMap<Option<Phase>, u32> = BTreeMap::new();
        for decision in &decisions {
            *counts.entry(decision.phase).or_default() += 1;
        }
        match counts.into_iter().find(|(_, count)| *count < 2) {
            None => Ok(Self { header, grader, decisions, benchmark: None }),
            Some((phase, _)) => {
                let reason = "expected at least two of each phase that there is";
                let reason = format!("1 decision{}, {reason}", of_phase(phase));
                Err(wrong_line(decisions.len() + 2, reason))
            }
        }
    }
}

/// The grader that a header names.
pub(super) fn grader(header: &Header) -> Result<GraderInfo, Failure> {
    let wrong = |reason: String| wrong_line(1, reason);
    let Some(grader) = header.grader.clone() else {
        let reason = "the header names no grader, expected a sample that was graded";
        return Err(wrong(reason.to_owned()));
    };
    match grader.margin.is_finite() && grader.margin >= 0.0 {
        true => Ok(grader),
        false => {
            let margin = grader.margin;
            Err(wrong(format!("the grader's margin is {margin}, expected points from 0")))
        }
    }
}

pub(super) mod sage;

#[cfg(test)]
mod tests;
