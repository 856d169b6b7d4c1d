//! Files of Open Sage: its benchmarks of decisions, and its rolled-out positions.
//!
//! A benchmark is one JSON object with `meta` and `decisions`, or one decision a line; what it calls
//! `cubeless_equity` grades. A file of states has a position a line: 26 counts and the five
//! cumulative chances of the player who has just moved. Boards are the mover's, where bars are
//! positive on both sides.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;
use tavola_evaluator::PlayableGame;
use tavola_files::Failure;
use tavola_files::limits::LARGE_BYTES;
use tavola_rules::notation::encode_position_id;
use tavola_rules::{Backgammon, Game, Position};

use super::{GradedLine, PlayEntry, Reference, lines, wrong_line};
use crate::quality::grade::benchmark::{Benchmark, Plan};
use crate::quality::grade::header::{GraderInfo, Header, PhaseShare, Purpose, SampleLabels};
use crate::quality::grade::states::{RatedState, StateReference};

/// What a play loses at least that is not in the file, in points.
const MARGIN: f64 = 0.3;

/// Forms of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// One object with all decisions.
    Benchmark,
    /// A decision a line.
    Decisions,
    /// A position a line.
    States,
}

/// The form of a file of Open Sage; `None` of other files.
fn form(content: &[u8]) -> Option<Form> {
    let head = &content[..content.len().min(4096)];
    let first = head.split(|&byte| byte == b'\n').next()?;
    let has = |key: &[u8]| first.windows(key.len()).any(|part| part == key);
    match first.first()? {
        b'{' if has(b"\"meta\"") || has(b"\"decisions\"") => Some(Form::Benchmark),
        b'{' if has(b"\"board\"") => Some(Form::Decisions),
        b'-' | b'0'..=b'9' => Some(Form::States),
        _ => None,
    }
}

/// The content of a file that may be packed.
pub fn unpacked(content: &[u8]) -> Result<Cow<'_, [u8]>, Failure> {
    let unpacked = tavola_files::unpacked(content, &LARGE_BYTES);
    unpacked.map_err(|error| wrong_line(1, error.to_string()))
}

/// The game of a file, `None` if it is not of Open Sage.
pub(in crate::quality::grade) fn game(content: &[u8]) -> Option<String> {
    form(content).map(|_| Backgammon::Standard.id())
}

#[derive(Deserialize)]
struct File {
    meta: Meta,
    decisions: Vec<Entry>,
}

#[derive(Default, Deserialize)]
struct Meta {
    #[serde(default)]
    n_games: u64,
    #[serde(default)]
    seed: u64,
    match_length: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Checker,
    Cube,
}

#[derive(Deserialize)]
struct Entry {
    kind: Kind,
    board: [i8; 26],
    #[serde(default)]
    dice: Option<[u8; 2]>,
    #[serde(default)]
    moves: Vec<Move>,
    key: String,
    #[serde(default)]
    game_plan: Option<Plan>,
    #[serde(default)]
    seed: Option<u64>,
}

#[derive(Deserialize)]
struct Move {
    board: [i8; 26],
    cubeless_equity: f64,
    #[serde(default)]
    std_error: Option<f64>,
}

/// A board of the mover.
fn position(mut board: [i8; 26]) -> Result<Position, String> {
    board[0] = board[0].checked_neg().unwrap_or(i8::MIN);
    Position::from_counts(&board, 15).map_err(|error| format!("the board {board:?}: {error}"))
}

impl Entry {
    /// The decision as a line of our own files has it; `None` of a cube decision.
    fn line<G: PlayableGame>(&self, game: &G) -> Result<Option<GradedLine>, String> {
        if let Kind::Cube = self.kind {
            return Ok(None);
        }
        let id = encode_position_id(&position(self.board)?);
        let dice = self.dice.ok_or("no \"dice\", expected two numbers")?;
        let state = game.parse_state(&id).map_err(|error| error.to_string())?;
        let entry = |play: &Move| {
            let after = encode_position_id(&position(play.board)?.flip());
            Ok(PlayEntry(after, play.cubeless_equity, play.std_error, None))
        };
        let plays = self.moves.iter().map(entry).collect::<Result<_, String>>()?;
        let phase = game.phase(&state);
        Ok(Some(GradedLine {
            position: id,
            dice: dice.to_vec(),
            phase,
            afterstates: None,
            plays: Some(plays),
        }))
    }
}

/// The decisions of a benchmark or of a file of decisions, each with the line that it is in, and what
/// is said of all.
fn entries(content: &[u8], form: Form) -> Result<(Meta, Vec<(usize, Entry)>), Failure> {
    let at = |line: usize| move |error: serde_json::Error| wrong_line(line, error.to_string());
    if form == Form::Benchmark {
        let File { meta, decisions } = serde_json::from_slice(content).map_err(at(1))?;
        return Ok((meta, decisions.into_iter().map(|entry| (1, entry)).collect()));
    }
    let text = lines(content).filter(|(_, text)| !text.trim_ascii().is_empty());
    let read = text.map(|(line, text)| {
        serde_json::from_slice(text).map_err(at(line)).map(|entry| (line, entry))
    });
    Ok((Meta::default(), read.collect::<Result<_, _>>()?))
}

impl<G: PlayableGame> Reference<G> {
    /// Reads a reference, or a file of decisions of Open Sage.
    ///
    /// # Errors
    ///
    /// [`Failure`] names the line and the reason.
    pub fn of_file(game: &G, content: &[u8]) -> Result<Self, Failure> {
        let (meta, entries) = match form(content) {
            None => return Self::read(game, content),
            Some(Form::States) => {
                let reason =
                    "a file of states, expected decisions; `grade plies --states` takes it";
                return Err(wrong_line(1, reason));
            }
            Some(form) => entries(content, form)?,
        };
        if let Some(length) = meta.match_length {
            let reason = format!("decisions of matches to {length}, expected a benchmark of money");
            return Err(wrong_line(1, reason));
        }
        let (mut decisions, mut benchmark) = (Vec::new(), Benchmark::default());
        let mut keys = HashSet::new();
        for (number, (line, entry)) in entries.iter().enumerate() {
            let wrong = |reason: String| {
                let which = format!("decision {} ({}): {reason}", number + 1, entry.key);
                wrong_line(*line, which)
            };
            let Some(decision) = entry.line(game).map_err(wrong)? else {
                benchmark.cube_positions += 1;
                continue;
            };
            if !keys.insert(&entry.key) {
                return Err(wrong("the key of an earlier decision, expected a new one".to_owned()));
            }
            decisions.push(decision.graded_decision(game, MARGIN).map_err(wrong)?);
            benchmark.decisions.push((entry.seed, entry.game_plan));
        }
        if decisions.len() < 2 {
            let reason = format!("{} decisions on plays, expected two at least", decisions.len());
            return Err(wrong_line(1, reason));
        }
        let mut counts: BTreeMap<_, u64> = BTreeMap::new();
        for decision in &decisions {
            *counts.entry(decision.phase).or_default() += 1;
        }
        let share = |(phase, drawn)| {
            let share = drawn as f64 / decisions.len() as f64;
            PhaseShare { phase, share, drawn, seeded: 0 }
        };
        let phases = counts.into_iter().map(share).collect();
        let (mut header, grader) = header(game.id(), &meta, "all legal plays");
        header.phases = phases;
        Ok(Self { header, grader, decisions, benchmark: Some(benchmark) })
    }
}

/// What is said of a file whose purpose is to report, and who graded it.
fn header(game: String, meta: &Meta, rated: &str) -> (Header, GraderInfo) {
    let grader = GraderInfo {
        name: "Open Sage".to_owned(),
        settings: "rollouts where the choice is close, 3-ply or truncated rollouts elsewhere, \
                   cubeless"
            .to_owned(),
        rated: rated.to_owned(),
        margin: MARGIN,
        identity: None,
    };
    let labels = SampleLabels {
        purpose: Purpose::Reporting,
        command: "a file of Open Sage".to_owned(),
        network: "Open Sage".to_owned(),
    };
    let header = Header::new(game, labels, (meta.seed, meta.n_games));
    (header.graded_by(Some(grader.clone())), grader)
}

impl<G: PlayableGame> StateReference<G> {
    /// Reads rolled-out states, or those of Open Sage.
    ///
    /// # Errors
    ///
    /// [`Failure`] names the line and the reason.
    pub fn of_file(game: &G, content: &[u8]) -> Result<Self, Failure> {
        match form(content) {
            None => return Self::read(game, content),
            Some(Form::States) => {}
            Some(_) => {
                let reason = "a file of decisions, expected states; `--reference` takes it";
                return Err(wrong_line(1, reason));
            }
        }
        let mut states = Vec::new();
        for (line, text) in lines(content) {
            let text = String::from_utf8_lossy(text);
            let words: Vec<&str> = text.split_ascii_whitespace().collect();
            if words.is_empty() {
                continue;
            }
            let state = state(game, &words).map_err(|reason| wrong_line(line, reason))?;
            states.push(state);
        }
        if states.len() < 2 {
            return Err(wrong_line(1, "one state, expected two at least"));
        }
        let (header, grader) = header(game.id(), &Meta::default(), "states");
        let grader = GraderInfo { settings: "rollouts, cubeless".to_owned(), ..grader };
        Ok(Self { header: header.graded_by(Some(grader.clone())), grader, states })
    }
}

/// A state from the player on roll, from 26 counts and five chances of the player before.
fn state<G: PlayableGame>(game: &G, words: &[&str]) -> Result<RatedState<G::State>, String> {
    if words.len() != 31 {
        let found = words.len();
        return Err(format!("{found} numbers, expected 26 counts of checkers and 5 probabilities"));
    }
    let mut board = [0; 26];
    for (count, word) in board.iter_mut().zip(words) {
        *count = word.parse().map_err(|_| format!("{word:?}, expected a count of checkers"))?;
    }
    let mut chances = [0.0; 5];
    for (chance, word) in chances.iter_mut().zip(&words[26..]) {
        let number = word.parse().ok().filter(|number| (0.0..=1.0).contains(number));
        *chance = number.ok_or_else(|| format!("{word:?}, expected a probability from 0 to 1"))?;
    }
    let [win, gammon, backgammon, lost_gammon, lost_backgammon] = chances;
    let probs = [1.0 - win, lost_gammon, lost_backgammon, gammon, backgammon];
    let id = encode_position_id(&position(board)?.flip());
    let state = super::unfinished(game, &id)?;
    let equity = 2.0 * probs[0] - 1.0 + probs[1] + probs[2] - probs[3] - probs[4];
    Ok(RatedState { state, group: None, probs, equity, equity_se: 0.0 })
}

#[cfg(test)]
mod tests;
