//! The games of a duel as text for people: dice, plays, actions with the cube, results.
//!
//! Backgammon and its variants are match text (`.mat`), as every program reads it: one money session
//! with a running score, or match after match. Other games have the same layout: A on the left, B on
//! the right, a number a line. Lines that begin with `;` are comments: the duel, and ends of pairs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Mutex;

use tavola_evaluator::PlayableGame;
use tavola_files::limits::LARGE_BYTES;
use tavola_files::locked;
use tavola_matches::{Act, Match, MatchRecorder, mat};
use tavola_play::{CubeTerms, DoubleOrResign, DuelUnit, Played, RolledOf, Trace};
use tavola_rules::notation::read_situation;
use tavola_rules::{Cube, CubeOwner, Dice, Options, Player, Position};

use crate::strength::pair_log::DuelHeader;

/// What a file begins with.
const FORMAT: &str = "; [tavola games 1]";

/// Columns of A's plays.
const LEFT: usize = 28;

/// A file of games that is open for more.
#[derive(Debug)]
pub struct SavedGames {
    file: Mutex<File>,
    /// The games of pairs whose turn has not come.
    waiting: Mutex<BTreeMap<u64, Pair>>,
    /// The pairs that were in the file.
    known: BTreeSet<u64>,
    unit: DuelUnit,
    /// What is played, and the positions that games start from; `None` if it is no backgammon.
    agreed: Option<(Match, Vec<Position>)>,
    /// The points of A and B in a money session.
    score: Mutex<[u32; 2]>,
}

/// The games of a pair: as text, or as records.
#[derive(Debug)]
enum Pair {
    Text(String),
    Records(Box<[Match; 2]>),
}

impl SavedGames {
    /// A new file for the games of a duel.
    ///
    /// # Errors
    ///
    /// Those of the file system: also if there is such a file.
    pub fn create(path: &Path, header: &DuelHeader, terms: Option<&CubeTerms>) -> io::Result<Self> {
        let mut file = File::create_new(path)?;
        let agreed = agreed(header, terms);
        file.write_all(head(header, agreed.as_ref()).as_bytes())?;
        Ok(Self::of(file, BTreeSet::new(), header, agreed, [0; 2]))
    }

    /// A file with games of the same duel; a pair that is not whole is cut off.
    ///
    /// # Errors
    ///
    /// Those of the file system, and [`io::ErrorKind::InvalidData`] for a file of another duel.
    pub fn open(path: &Path, header: &DuelHeader, terms: Option<&CubeTerms>) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        let mut text = String::from_utf8(tavola_files::read_open(&file, &LARGE_BYTES)?)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        let agreed = agreed(header, terms);
        let head = head(header, agreed.as_ref());
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
        text.truncate(head.len() + whole);
        file.set_len(text.len() as u64)?;
        file.seek(SeekFrom::End(0))?;
        let read = tavola_matches::read(text.as_bytes()).ok().filter(|_| agreed.is_some());
        let score = read.and_then(|read| Some(read.matches.last()?.score())).unwrap_or_default();
        Ok(Self::of(file, known, header, agreed, score))
    }

    fn of(
        file: File,
        known: BTreeSet<u64>,
        header: &DuelHeader,
        agreed: Option<Match>,
        score: [u32; 2],
    ) -> Self {
        let (file, waiting, score) = (Mutex::new(file), Mutex::default(), Mutex::new(score));
        let agreed = agreed.map(|agreed| {
            let variant = agreed.options.start;
            let read = |start: &String| read_situation(start, variant).ok();
            let starts = header.starts.iter().filter_map(read);
            (agreed, starts.map(|read| read.situation.position).collect())
        });
        Self { file, waiting, known, unit: header.unit, agreed, score }
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
        let seats = [Player::One, Player::Two];
        let pair_of_games = match &self.agreed {
            Some((agreed, starts)) => {
                let start = starts.get((pair % starts.len().max(1) as u64) as usize);
                let [one, two] = [0, 1].map(|at: usize| {
                    let mut record = agreed.clone();
                    for trace in &played[at].traces {
                        let game = recorded(game, trace, seats[at], &record, start);
                        record.games.push(game);
                    }
                    record
                });
                Pair::Records(Box::new([one, two]))
            }
            None => {
                let mut text = String::new();
                for (played, seat_of_a) in played.into_iter().zip(seats) {
                    let number = 2 * pair + 1 + u64::from(seat_of_a == Player::Two);
                    write_games(game, played, (number, seat_of_a), &mut text);
                }
                Pair::Text(text)
            }
        };
        locked(&self.waiting).insert(pair, pair_of_games);
    }

    /// Writes the games of a pair that was [added](Self::add).
    ///
    /// # Errors
    ///
    /// Those of the file system.
    pub fn write(&self, pair: u64) -> io::Result<()> {
        let games = locked(&self.waiting).remove(&pair);
        let text = match games {
            None => return Ok(()),
            Some(Pair::Text(text)) => text,
            Some(Pair::Records(matches)) if self.unit == DuelUnit::Matches => {
                matches.iter().map(mat::write).collect()
            }
            Some(Pair::Records(sessions)) => {
                let mut score = locked(&self.score);
                let mut text = String::new();
                for (index, mut session) in (2 * pair as usize..).zip(*sessions) {
                    for game in &mut session.games {
                        game.score = *score;
                    }
                    *score = session.score();
                    session.games.iter().for_each(|game| {
                        mat::write_game(&session, index, game, &mut text);
                    });
                }
                text
            }
        };
        let mut file = locked(&self.file);
        file.write_all(format!("{text}; end of pair {pair}\n").as_bytes())
    }
}

/// What a duel in backgammon or a variant plays, with A in the left column.
fn agreed(header: &DuelHeader, terms: Option<&CubeTerms>) -> Option<Match> {
    let start = header.game.parse().ok()?;
    let without = Options { cube_limit: Some(1), start, ..Options::default() };
    let length = terms.and_then(CubeTerms::match_length).unwrap_or(0);
    let options = terms.map_or(without, |terms| terms.options().clone());
    Some(Match::new(["A".to_owned(), "B".to_owned()], length, options))
}

/// A game of backgammon as a record, in which A is player one. What can't be followed, which an
/// engine of its own rules may cause, breaks it off there.
fn recorded<G: PlayableGame>(
    game: &G,
    trace: &Trace<G>,
    seat_of_a: Player,
    before: &Match,
    start: Option<&Position>,
) -> tavola_matches::Game {
    let player = |seat: Player| if seat_of_a == Player::One { seat } else { seat.flip() };
    let score = before.score();
    let away = score.map(|points| u32::from(before.length).saturating_sub(points));
    let one_away = |away: [u32; 2]| (away[0] == 1) != (away[1] == 1);
    let crawford = before.length > 1
        && before.options.crawford
        && one_away(away)
        && before.games.iter().all(|game| !game.crawford);
    let begun = MatchRecorder::begin(before.length, score, crawford, &before.options);
    let mut recorder = match begun {
        Ok(recorder) => recorder,
        Err(error) => {
            let broken = Some(error.to_string());
            return tavola_matches::Game { score, broken, ..tavola_matches::Game::default() };
        }
    };
    if let Err(why) = record(game, trace, &player, start, &mut recorder) {
        recorder.break_off(why);
    }
    if let Some(points) = trace.points.filter(|points| *points != 0)
        && recorder.game().result.is_none()
    {
        let winner = player(if points > 0 { Player::One } else { Player::Two });
        recorder.conclude(winner, points.unsigned_abs());
    }
    recorder.into_game()
}

/// Does what was done in a game.
fn record<G: PlayableGame>(
    game: &G,
    trace: &Trace<G>,
    player: &dyn Fn(Player) -> Player,
    start: Option<&Position>,
    recorder: &mut MatchRecorder,
) -> Result<(), String> {
    let words = |error: tavola_matches::PlaybackError| error.to_string();
    let first = trace.rolls.first().map(|rolled| (rolled.by, rolled.cube));
    // From a start position seat one is on roll.
    let doubled = first.filter(|(_, cube)| cube.owner() == CubeOwner::Center && cube.value() > 1);
    let set_up = match (start, doubled) {
        (Some(start), _) => Some((Player::One, *start, Cube::START)),
        (None, Some((by, cube))) => Some((by, *recorder.playback().position(), cube)),
        (None, None) => None,
    };
    if let Some((by, position, cube)) = set_up {
        recorder.act(player(by), Act::SetUp(position, cube)).map_err(words)?;
    }
    let mut actions = trace.actions.iter().peekable();
    for (index, rolled) in trace.rolls.iter().enumerate() {
        while let Some(turn) = actions.next_if(|turn| turn.before_roll <= index) {
            recorder.act(player(turn.by), act(turn.action, recorder)).map_err(words)?;
        }
        let numbers = game.numbers(rolled.roll);
        let dice = <[u8; 2]>::try_from(numbers).ok().and_then(|[a, b]| Dice::new(a, b).ok());
        let dice = dice.ok_or("a roll that no two dice show")?;
        recorder.act(player(rolled.by), Act::Roll(dice, None)).map_err(words)?;
        let Some(after) = trace.afterstates.get(index) else { continue };
        let play = named(game, rolled, after).unwrap_or_default();
        let (play, _) = recorder.playback().parse_play(&play).map_err(words)?;
        recorder.play(play).map_err(words)?;
    }
    for turn in actions {
        recorder.act(player(turn.by), act(turn.action, recorder)).map_err(words)?;
    }
    Ok(())
}

/// The play of a roll that leads to this state in words; `None` of a pass.
fn named<G: PlayableGame>(game: &G, rolled: &RolledOf<G>, after: &G::State) -> Option<String> {
    let play = game.play_to(&rolled.state, rolled.roll, after)?.to_string();
    (play != "pass").then_some(play)
}

fn act(action: DoubleOrResign, recorder: &MatchRecorder) -> Act {
    match action {
        DoubleOrResign::Double { .. } => Act::Double,
        DoubleOrResign::Redouble { .. }
            if recorder.playback().offer() == Some(tavola_rules::Offer::Double) =>
        {
            Act::Beaver
        }
        DoubleOrResign::Redouble { .. } => Act::Raccoon,
        DoubleOrResign::Take => Act::Take,
        DoubleOrResign::Drop => Act::Drop,
        DoubleOrResign::Resign(kind) => Act::Resign(kind),
        DoubleOrResign::AcceptResignation => Act::Accept,
        DoubleOrResign::RefuseResignation => Act::Refuse,
    }
}

/// The duel as comments.
fn head(header: &DuelHeader, agreed: Option<&Match>) -> String {
    let DuelHeader { game, a, b, seed, starts, terms, .. } = header;
    let mut text = format!("{FORMAT}\n; game {game}\n; A: {a}\n; B: {b}\n; seed {seed}\n");
    if let Some(terms) = terms {
        let _ = writeln!(text, "; played for {terms}");
    }
    if !starts.is_empty() {
        let _ = writeln!(text, "; from {} start positions in turn", starts.len());
    }
    match agreed {
        Some(session) if session.is_money() => text.push_str(&mat::write(session)),
        Some(_) => {}
        None => text.push_str("\n 0 point match\n\n"),
    }
    text
}

/// A game without a cube; the number is that in the duel.
fn write_games<G: PlayableGame>(
    game: &G,
    played: &Played<G>,
    (number, seat_of_a): (u64, Player),
    text: &mut String,
) {
    for trace in &played.traces {
        let _ = writeln!(text, " Game {number}\n {:<LEFT$}       B : 0", "A : 0");
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
    for (index, rolled) in trace.rolls.iter().enumerate() {
        let dice: String = game.numbers(rolled.roll).iter().map(u8::to_string).collect();
        let play = trace.afterstates.get(index).and_then(|after| named(game, rolled, after));
        add(rolled.by, format!("{dice}: {}", play.unwrap_or_else(|| "Cannot Move".to_owned())));
    }
    for (index, [a, b]) in lines.into_iter().enumerate() {
        let (a, b) = (a.unwrap_or_default(), b.unwrap_or_default());
        let line = format!("{:>3}) {a:<LEFT$} {b}", index + 1);
        let _ = writeln!(text, "{}", line.trim_end());
    }
}
