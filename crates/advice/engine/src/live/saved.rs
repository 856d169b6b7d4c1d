//! Games in files, to be resumed, and their records.
//!
//! A file has the setup and what was done in each game, one short text an action: the seat, the
//! action and what belongs to it. Reading it plays the games again by the rules, so that no file can
//! hold an impossible game. The dice of the computer follow from the seed and what was done so far.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::json;
use tavola_files::Failure;
use tavola_files::FileError;
use tavola_files::limits::FILE_BYTES;
use tavola_matches::{Match, MatchFormat, MatchReading, ReadError, ReadWatch};
use tavola_rules::Backgammon;
use tavola_rules::chouette::FEWEST;

use super::new_game::MOST_PLAYERS;
use super::setup::{named_game, seats};
use super::{Awaited, Live, SeatAction, Setup, in_words};

/// What stands at the head of a file.
const FORMAT: &str = "tavola game in progress";
const VERSION: u32 = 2;

#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    format: String,
    #[serde(default)]
    version: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    version: u32,
    setup: Setup,
    games: Vec<Vec<String>>,
}

/// Reads the matches of a file of any format, saved games of backgammon included, as long as it is
/// not canceled or late. A file that does not say its game is of this one.
///
/// # Errors
///
/// [`ReadError`] where there is no game to be found, or the watch ends the reading.
pub fn read_matches(
    bytes: &[u8],
    game: Option<Backgammon>,
    watch: ReadWatch<'_>,
) -> Result<MatchReading, ReadError> {
    let begins = bytes.trim_ascii_start().starts_with(b"{");
    let head = begins.then(|| serde_json::from_slice::<Head>(bytes).ok()).flatten();
    if head.is_none_or(|head| head.format != FORMAT) {
        return tavola_matches::read_of(bytes, game, watch);
    }
    let malformed = |text: String| ReadError::Malformed { line: 0, text };
    let live = Live::read(bytes, "the file").map_err(|error| malformed(error.to_string()))?;
    let record = live.record_of_match().ok_or_else(|| {
        let what = if live.chouette().is_some() { "chouette" } else { "game" };
        malformed(format!("it is a {what} of {}, expected a match with a cube", live.setup.game))
    })?;
    Ok(MatchReading { format: MatchFormat::Json, matches: vec![record], notes: Vec::new() })
}

impl Live {
    /// The match as a record, the running game included; `None` in games without a cube and in a
    /// chouette.
    pub fn record_of_match(&self) -> Option<Match> {
        self.cubed().filter(|_| self.chouette().is_none()).map(|table| table.record(&self.setup))
    }

    /// The game as the text of a file, to be read by [`read`](Self::read).
    pub fn to_json(&self) -> String {
        let file = File {
            format: FORMAT.to_owned(),
            version: VERSION,
            setup: self.setup.clone(),
            games: self
                .games()
                .map(|game| game.iter().map(|done| write(done.seat, &done.action)).collect())
                .collect(),
        };
        let mut text = serde_json::to_string_pretty(&file).expect("plain data");
        text.push('\n');
        text
    }

    /// Writes the game to a file, all or nothing.
    ///
    /// # Errors
    ///
    /// [`Failure`].
    pub fn save(&self, path: &Path) -> Result<(), Failure> {
        let json = self.to_json();
        Ok(tavola_files::write(path, json.as_bytes()).map_err(FileError::at("write", path))?)
    }

    /// Reads a game back from a file.
    ///
    /// # Errors
    ///
    /// [`Failure`].
    pub fn resume(path: &Path) -> Result<Self, Failure> {
        let bytes = tavola_files::read(path, &FILE_BYTES).map_err(FileError::at("read", path))?;
        Self::read(&bytes, &path.display().to_string())
    }

    /// Reads a game back from the text of a file, which errors call `name`.
    ///
    /// # Errors
    ///
    /// [`Failure`].
    pub fn read(text: &[u8], name: &str) -> Result<Self, Failure> {
        let malformed = |why: String| Failure::input(format!("{name} is not a saved game: {why}"));
        let json = |error: serde_json::Error| match error.is_data() {
            true => malformed(error.to_string()),
            false => malformed("expected JSON as `tavola play --save` writes it".to_owned()),
        };
        // Another version may have other fields.
        let Head { format, version } = serde_json::from_slice(text).map_err(json)?;
        if (format.as_str(), version) != (FORMAT, VERSION) {
            return Err(malformed(format!(
                "it says {format:?} version {version}, expected {FORMAT:?} version {VERSION}"
            )));
        }
        let File { setup, games, .. } = serde_json::from_slice(text).map_err(json)?;
        check(&setup).map_err(malformed)?;
        let mut live = Self::new(setup).map_err(|error| malformed(error.to_string()))?;
        for (game, actions) in (1..).zip(&games) {
            let illegal = |number: usize, why: String| {
                malformed(format!("game {game}, action {number}: {why}"))
            };
            if game > 1 {
                live.next_game().map_err(|error| illegal(0, error.to_string()))?;
            }
            for (number, text) in (1..).zip(actions) {
                live.redo(text).map_err(|why| illegal(number, why))?;
            }
        }
        Ok(live)
    }

    fn redo(&mut self, text: &str) -> Result<(), String> {
        let (seat, action) = parse(text)
            .filter(|(seat, _)| *seat <= self.setup.names.len())
            .ok_or_else(|| format!("{text:?}, expected such as \"1 roll 3-1\""))?;
        let awaited = self.table.awaited();
        let resigns = matches!(action, SeatAction::Resign { .. });
        let any = resigns || awaited == Awaited::Opening;
        let seat = match seat.checked_sub(1) {
            Some(seat) if any || awaited.seat() == Some(seat) => seat,
            Some(_) => return Err(format!("{text:?} is an action of the wrong seat")),
            None => return Err(format!("{text:?}, expected a seat from 1")),
        };
        self.record(seat, &action).map(drop).map_err(|error| error.to_string())
    }

    /// The record of what was played as text: match text with a cube, else a transcript, and the
    /// score sheet of a chouette.
    pub fn record_text(&self) -> String {
        match (self.record_of_match(), self.chouette()) {
            (Some(record), _) => tavola_matches::mat::write(&record),
            (None, None) => self.transcript(),
            (None, Some(table)) => format!("{}\n{}", self.transcript(), table.settled().sheet()),
        }
    }

    /// What was played, a line a turn.
    fn transcript(&self) -> String {
        let seats: Vec<&str> = self.setup.names.iter().map(String::as_str).collect();
        let mut text = format!("{}: {}\n", self.setup.game, seats.join(", "));
        for (number, game) in (1..).zip(self.games()) {
            text.push_str(&format!("\nGame {number}\n"));
            let turns = game.iter().filter(|done| !matches!(done.action, SeatAction::Roll { .. }));
            for (turn, done) in (1..).zip(turns) {
                let line = self.in_words(&self.happened(done));
                text.push_str(&format!("{turn:>4}  {line}\n"));
            }
        }
        let score = seats.iter().zip(self.score()).map(|(name, score)| format!("{name} {score}"));
        text.push_str(&format!("\nScore: {}\n", score.collect::<Vec<_>>().join(", ")));
        text
    }

    /// Writes the record of what was played: of a match in the format that the ending of the name
    /// says, of other games as text.
    ///
    /// # Errors
    ///
    /// [`Failure`].
    pub fn export(&self, path: &Path) -> Result<(), Failure> {
        self.check_export(path)?;
        let ends_in = |ending: &str| path.extension().is_some_and(|it| it == ending);
        let written = match (self.record_of_match(), self.chouette()) {
            (Some(record), _) => tavola_matches::write(&[record], path).map_err(Failure::input)?,
            (None, Some(table)) if ends_in("csv") => table.settled().sheet().to_csv().into(),
            (None, Some(table)) if ends_in("json") => {
                let sheet = serde_json::to_string_pretty(&table.settled().sheet());
                (sheet.expect("plain data") + "\n").into()
            }
            (None, _) => self.record_text().into(),
        };
        Ok(tavola_files::write(path, &written).map_err(FileError::at("write", path))?)
    }

    /// Whether a record of this game can be written to a file of this name.
    ///
    /// # Errors
    ///
    /// The ending of the name is none of a record.
    pub fn check_export(&self, path: &Path) -> Result<(), Failure> {
        let (endings, what, expected): (&[&str], _, _) = match self.chouette() {
            Some(_) => (&["txt", "csv", "json"], "a chouette", ".txt, .csv or .json"),
            None if self.cubed().is_some() => {
                return tavola_matches::write(&[], path).map(drop).map_err(Failure::input);
            }
            None => (&["txt"], &*self.setup.game, ".txt"),
        };
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if endings.contains(&ending) {
            return Ok(());
        }
        let path = path.display();
        let expected = format!("expected one that ends in {expected}");
        Err(Failure::input(format!("{path} is not a name for a record of {what}, {expected}")))
    }
}

/// Whether a setup of a file has the seats of its game.
fn check(setup: &Setup) -> Result<(), String> {
    let game = named_game(&setup.game).map_err(|error| error.to_string())?;
    let names = setup.names.len();
    let (seats, last) = match setup.chouette {
        Some(_) => (names.clamp(FEWEST, MOST_PLAYERS), names),
        None => (seats(&game).len(), game.many().map_or(1, |game| game.players())),
    };
    let sit = setup.people.iter().all(|&seat| seat < names && seat != setup.seat);
    if names == seats && setup.seat < last && sit {
        return Ok(());
    }
    let seat = setup.seat;
    Err(format!(
        "it has {names} names, the user in seat {seat} and people in {:?}, expected {seats}, a seat \
         below {last} and others",
        setup.people
    ))
}

fn write(seat: usize, action: &SeatAction) -> String {
    let rest = match action {
        SeatAction::Roll { dice } => format!(" {}", in_words(dice.clone().unwrap_or_default())),
        SeatAction::Play { play } => format!(" {play}"),
        SeatAction::Resign { size } => format!(" {size:?}").to_lowercase(),
        _ => String::new(),
    };
    format!("{} {}{rest}", seat + 1, action.name())
}

/// The seat, from 1, and the action of a text.
fn parse(text: &str) -> Option<(usize, SeatAction)> {
    let mut words = text.splitn(3, ' ');
    let seat: usize = words.next()?.parse().ok()?;
    let (verb, rest) = (words.next()?, words.next());
    let action = match (verb, rest) {
        ("roll", Some(dice)) => {
            let dice = dice.split('-').map(|die| die.parse().ok()).collect::<Option<Vec<u8>>>()?;
            SeatAction::Roll { dice: Some(dice) }
        }
        ("play", Some(play)) => SeatAction::Play { play: play.to_owned() },
        ("resign", Some(_)) | (_, None) if !["roll", "next_game", "take_back"].contains(&verb) => {
            serde_json::from_value(json!({ "act": verb, "size": rest })).ok()?
        }
        _ => return None,
    };
    Some((seat, action))
}
