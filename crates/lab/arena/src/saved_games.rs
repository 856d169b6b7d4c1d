//! The games of a duel as text for people: dice, plays, actions with the cube, results.
//!
//! The layout is that of match files (`.mat`): A on the left, B on the right, a number a line.
//! Lines that begin with `;` are comments: the duel, and the pair that follows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use tavola_evaluator::PlayableGame;
use tavola_files::limits::LARGE_BYTES;
use tavola_play::{CubeAction, DuelUnit, Played, Trace};
use tavola_rules::{Player, WinKind};

use crate::pair_log::DuelHeader;

/// What a file begins with.
const FORMAT: &str = "; [tavola games 1]";

/// Columns of A's plays.
const LEFT: usize = 28;

/// A file of games that is open for more.
#[derive(Debug)]
pub struct SavedGames {
    file: Mutex<File>,
    /// The games of pairs whose turn has not come.
    waiting: Mutex<BTreeMap<u64, String>>,
    /// The pairs that were in the file.
    known: BTreeSet<u64>,
    unit: DuelUnit,
}

impl SavedGames {
    /// A new file for the games of a duel.
    ///
    /// # Errors
    ///
    /// Those of the file system: also if there is such a file.
    pub fn create(path: &Path, header: &DuelHeader) -> io::Result<Self> {
        let mut file = File::create_new(path)?;
        file.write_all(head(header).as_bytes())?;
        Ok(Self::of(file, BTreeSet::new(), header))
    }

    /// A file with games of the same duel; a pair that is not whole is cut off.
    ///
    /// # Errors
    ///
    /// Those of the file system, and [`io::ErrorKind::InvalidData`] for a file of another duel.
    pub fn open(path: &Path, header: &DuelHeader) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        let text = String::from_utf8(tavola_files::read_open(&file, &LARGE_BYTES)?)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        let head = head(header);
        let Some(games) = text.strip_prefix(&head) else {
            let reason = "it is not a file of the games of this duel, with the same players, seed \
                          and rules";
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        };
        let (mut known, mut whole) = (BTreeSet::new(), 0);
        let mut end = 0;
        for line in games.split_inclusive('\n') {
            end += line.len();
            let pair = line.strip_prefix("; end of pair ").and_then(|line| line.strip_suffix('\n'));
            if let Some(pair) = pair.and_then(|number| number.parse().ok()) {
                known.insert(pair);
                whole = end;
            }
        }
        file.set_len((head.len() + whole) as u64)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Self::of(file, known, header))
    }

    fn of(file: File, known: BTreeSet<u64>, header: &DuelHeader) -> Self {
        let (file, waiting) = (Mutex::new(file), Mutex::default());
        Self { file, waiting, known, unit: header.unit() }
    }

    /// Whether the games of this pair were in the file when it was opened.
    pub fn has(&self, pair: u64) -> bool {
        self.known.contains(&pair)
    }

    /// Takes the games of a pair: in the first A has seat one, in the second B.
    pub fn add<G: PlayableGame>(&self, game: &G, pair: u64, played: [&Played<G>; 2]) {
        if self.has(pair) {
            return;
        }
        let mut text = String::new();
        for (played, seat_of_a) in played.into_iter().zip([Player::One, Player::Two]) {
            let number = 2 * pair + 1 + u64::from(seat_of_a == Player::Two);
            write_games(game, played, self.unit, (number, seat_of_a), &mut text);
        }
        let text = format!("\n; pair {pair}\n{text}; end of pair {pair}\n");
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(pair, text);
    }

    /// Writes the games of a pair that was [added](Self::add).
    ///
    /// # Errors
    ///
    /// Those of the file system.
    pub fn write(&self, pair: u64) -> io::Result<()> {
        let text = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&pair);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        text.map_or(Ok(()), |text| file.write_all(text.as_bytes()))
    }
}

/// The duel as comments.
fn head(header: &DuelHeader) -> String {
    let DuelHeader { game, a, b, seed, starts, terms, .. } = header;
    let mut text = format!("{FORMAT}\n; game {game}\n; A: {a}\n; B: {b}\n; seed {seed}\n");
    if let Some(terms) = terms {
        let _ = writeln!(text, "; played for {terms}");
    }
    if !starts.is_empty() {
        let _ = writeln!(text, "; from {} start positions in turn", starts.len());
    }
    if header.unit() == DuelUnit::Games {
        text.push_str("\n 0 point match\n");
    }
    text
}

/// One game, or the games of a match; the number is that of the game or match in the duel.
fn write_games<G: PlayableGame>(
    game: &G,
    played: &Played<G>,
    unit: DuelUnit,
    (number, seat_of_a): (u64, Player),
    text: &mut String,
) {
    if unit == DuelUnit::Matches {
        let _ = writeln!(text, "; match {number}\n");
    }
    // Of A and B.
    let mut score = [0; 2];
    for (index, trace) in played.traces.iter().enumerate() {
        let number = if unit == DuelUnit::Matches { index as u64 + 1 } else { number };
        let [a, b] = score;
        let _ = writeln!(text, " Game {number}");
        let _ = writeln!(text, " {:<LEFT$}       B : {b}", format!("A : {a}"));
        write_game(game, trace, seat_of_a, text);
        let points = trace.points.unwrap_or_default();
        let points = if seat_of_a == Player::One { points } else { -points };
        let winner = usize::from(points < 0);
        match trace.points {
            None => text.push_str("      truncated at the turn limit\n\n"),
            Some(0) => text.push_str("      drawn\n\n"),
            Some(_) => {
                let number = points.unsigned_abs();
                let s = if number == 1 { "" } else { "s" };
                let indent = if winner == 0 { 6 } else { 6 + LEFT };
                let _ = writeln!(text, "{:indent$}Wins {number} point{s}\n", "");
                score[winner] += number;
            }
        }
    }
}

/// The lines of a game: a number, what A did, what B did.
fn write_game<G: PlayableGame>(game: &G, trace: &Trace<G>, seat_of_a: Player, text: &mut String) {
    let mut lines: Vec<[Option<String>; 2]> = Vec::new();
    let mut add = |by: Player, done: String| {
        let column = usize::from(by != seat_of_a);
        let is_full = |line: &[Option<String>; 2]| line[column..].iter().any(Option::is_some);
        if lines.last().is_none_or(is_full) {
            lines.push([None, None]);
        }
        let line = lines.last_mut().expect("there is one now");
        line[column] = Some(done);
    };
    let mut actions = trace.actions.iter().peekable();
    for (index, rolled) in trace.rolls.iter().enumerate() {
        while let Some(turn) = actions.next_if(|turn| turn.before_roll <= index) {
            add(turn.by, words(turn.action));
        }
        let dice: String = game.numbers(rolled.roll).iter().map(u8::to_string).collect();
        let play = trace.afterstates.get(index).map(|after| {
            let named = game.named_afterstates(&rolled.state, rolled.roll);
            named.into_iter().find(|(_, result)| result == after).map(|(play, _)| play)
        });
        let play = play.flatten().filter(|play| play != "pass");
        add(rolled.by, format!("{dice}: {}", play.unwrap_or_else(|| "Cannot Move".to_owned())));
    }
    for turn in actions {
        add(turn.by, words(turn.action));
    }
    for (index, [a, b]) in lines.into_iter().enumerate() {
        let (a, b) = (a.unwrap_or_default(), b.unwrap_or_default());
        let line = format!("{:>3}) {a:<LEFT$} {b}", index + 1);
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

fn words(action: CubeAction) -> String {
    let lost = |kind| match kind {
        WinKind::Single => "single game",
        WinKind::Gammon => "gammon",
        WinKind::Backgammon => "backgammon",
    };
    match action {
        CubeAction::Double { to } => format!(" Doubles => {to}"),
        CubeAction::Redouble { to } => format!(" Beavers => {to}"),
        CubeAction::Take => " Takes".to_owned(),
        CubeAction::Drop => " Drops".to_owned(),
        CubeAction::Resign(kind) => format!(" Resigns a {}", lost(kind)),
        CubeAction::AcceptResignation => " Accepts".to_owned(),
        CubeAction::RefuseResignation => " Refuses".to_owned(),
    }
}
