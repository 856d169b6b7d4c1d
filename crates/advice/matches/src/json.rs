//! Our own format: a record as JSON, with everything that a record holds.
//!
//! `docs/matches.md` describes it, `docs/match.schema.json` is its schema. Reading is strict:
//! unknown keys, illegal plays and results that don't follow are errors that say where they are.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Serializer;
use tavola_rules::{Backgammon, Beavers, Cube, Opening, Options, WinKind};

pub(crate) use self::convert::{player, seat};
use self::lines::Lines;
use crate::ogxm;
use crate::reading::{Notes, ReadError, ReadWatch, check_numbers};
use crate::record::{Details, Game, Match, Property};
use crate::unread;
use crate::unsaid;

mod backup;
mod convert;
mod lines;

/// What stands at the head of a file.
const FORMAT: &str = "tavola match";
const VERSION: u32 = 1;

/// A file of matches.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "tavola match")]
struct File {
    /// `tavola match`.
    format: String,
    /// 1.
    version: u32,
    /// The matches and money sessions.
    matches: Vec<MatchText>,
}

/// A match or a money session.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MatchText {
    /// The names, first seat first.
    players: [String; 2],
    /// The points that win the match, 0 for money.
    length: u16,
    /// What was agreed; what is not named is as usual.
    #[serde(default, with = "OptionsText", skip_serializing_if = "is_usual")]
    options: Options,
    /// Where, when and by whom it was played.
    #[serde(default, skip_serializing_if = "is_usual")]
    details: Details,
    /// The games in the order in which they were played.
    games: Vec<GameText>,
}

/// What was agreed.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Options", default = "Options::default", deny_unknown_fields)]
struct OptionsText {
    /// Money: gammons count single until the cube is turned.
    jacoby: bool,
    /// Money: how many ties in the opening roll double the cube.
    automatic_doubles: u8,
    /// Money: whether a double may be answered by turning the cube again.
    beavers: Beavers,
    /// Whether a player may offer to give up.
    resignation: bool,
    /// Matches: whether there is a Crawford game.
    crawford: bool,
    /// The highest value of the cube, a power of two; 1 plays without a cube.
    #[serde(skip_serializing_if = "Option::is_none")]
    cube_limit: Option<u32>,
    /// Where the checkers start.
    #[schemars(with = "String", extend("enum" = Backgammon::ALL))]
    start: Backgammon,
    /// How the starter and the first roll are found.
    opening: Opening,
}

/// A game.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GameText {
    /// The points of both seats before the game.
    score: [u32; 2],
    /// Whether it is the Crawford game.
    #[serde(default, skip_serializing_if = "is_usual")]
    crawford: bool,
    /// What was done, in order.
    actions: Vec<ActionText>,
    /// How it ended, if it did. It must be what the actions lead to, unless `broken` is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<ResultText>,
    /// Why the record stops where it does, if it could not be followed further.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    broken: Option<String>,
    /// A comment on the game.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    comment: String,
    /// Properties of SGF without a place of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    properties: Vec<Property>,
}

/// Something a player did.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ActionText {
    /// Who: 1 or 2.
    #[schemars(range(min = 1, max = 2))]
    player: u8,
    /// What.
    act: ActName,
    /// The roll, of `roll`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dice: Option<[u8; 2]>,
    /// The play of the roll in words, of `roll`: `8/5 6/5`, or `(no play)` if none is legal.
    /// Missing if the roll was not played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    play: Option<String>,
    /// How much the player offers to lose, of `resign`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    win: Option<WinKind>,
    /// The checkers, of `set_up`: 26 counts as in an XGID. Index 0 is the bar of the opponent, 1
    /// to 24 the points as the player counts them, the opponent's negative, 25 the player's bar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    position: Option<Vec<i8>>,
    /// The cube, of `set_up`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cube: Option<Cube>,
    /// A comment on it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    comment: String,
    /// Properties of SGF without a place of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    properties: Vec<Property>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ActName {
    /// Rolls, and plays the roll.
    Roll,
    /// Offers a double.
    Double,
    /// Takes an offered cube.
    Take,
    /// Drops an offered cube, and loses the game.
    Drop,
    /// Takes a double and turns the cube once more.
    Beaver,
    /// Answers a beaver by turning the cube once more.
    Raccoon,
    /// Offers to lose the game.
    Resign,
    /// Accepts a resignation.
    Accept,
    /// Refuses a resignation.
    Refuse,
    /// Is on roll in this position, whatever was before.
    SetUp,
}

/// How a game ended.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ResultText {
    /// Who won: 1 or 2.
    #[schemars(range(min = 1, max = 2))]
    winner: u8,
    /// The points that the winner got.
    points: u32,
    /// The value of the cube when the game ended, a dropped double not included.
    cube: u32,
    /// In which way.
    ending: EndingText,
    /// How the game was won; missing after a drop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    win: Option<WinKind>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum EndingText {
    /// The last checker was borne off.
    Played,
    /// An offered cube was dropped.
    Dropped,
    /// A resignation was accepted.
    Resigned,
}

/// Whether a value is the one that stands for what a file doesn't say.
fn is_usual<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Whether a text begins as an object of JSON does: `{a comment}` of match text is none.
pub(crate) fn is_json(text: &str) -> bool {
    let rest = text.trim_start().strip_prefix('{').map(str::trim_start);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['"', '}']))
}

/// The schema of the files.
pub fn schema() -> serde_json::Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<File>().to_value();
    schema["properties"]["format"]["const"] = FORMAT.into();
    schema["properties"]["version"]["const"] = VERSION.into();
    schema
}

/// The matches as JSON: an action a line.
pub fn write(matches: &[Match]) -> String {
    let matches = matches.iter().map(convert::write).collect();
    let file = File { format: FORMAT.to_owned(), version: VERSION, matches };
    let mut text = Vec::new();
    let mut writer = Serializer::with_formatter(&mut text, Lines::default());
    file.serialize(&mut writer).expect("plain data");
    text.push(b'\n');
    String::from_utf8(text).expect("JSON is UTF-8")
}

/// A match without its games, on one line, for formats that have no place for all of it.
pub(crate) fn head_text(record: &Match) -> String {
    serde_json::to_string(&convert::write(record)).expect("plain data")
}

/// The same read again, if it is one.
pub(crate) fn read_head(text: &str) -> Option<Match> {
    convert::read(0, serde_json::from_str(text).ok()?, ReadWatch::default()).ok()
}

/// A game on one line.
pub(crate) fn game_text(game: &Game) -> String {
    serde_json::to_string(&convert::game_text(game)).expect("plain data")
}

/// The same read again as one of this match, if the rules allow it.
pub(crate) fn read_game(record: &Match, text: &str) -> Option<Game> {
    let options = unsaid::any_beavers(&record.options);
    let record = Match { options, length: record.length, ..Match::default() };
    convert::read_game(&record, serde_json::from_str(text).ok()?).ok()
}

fn malformed(error: serde_json::Error) -> ReadError {
    let line = error.line();
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default().to_owned();
    ReadError::Malformed { line, text: format!("{text} (column {})", error.column()) }
}

/// Reads all matches of a text.
pub(crate) fn read(text: &str, watch: ReadWatch<'_>) -> Result<(Vec<Match>, Notes), ReadError> {
    /// What is looked at first, whatever else there is.
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Head {
        format: serde_json::Value,
        version: serde_json::Value,
        /// OGXM has these and no format.
        match_length: Option<IgnoredAny>,
        player_white: Option<IgnoredAny>,
        games: Option<IgnoredAny>,
    }
    let foreign = || unread::of_text(text);
    let head: Head =
        serde_json::from_str(text).map_err(|error| foreign().unwrap_or(malformed(error)))?;
    let of_ogxm = head.match_length.is_some() || head.player_white.is_some();
    if head.format.is_null() && of_ogxm && head.games.is_some() {
        return ogxm::read_json(text, watch);
    }
    let older = head.format.is_null() && backup::is_older(text);
    if older || head.format.as_str() == Some(backup::FORMAT) {
        return backup::read(text, watch);
    }
    if (head.format.as_str(), head.version.as_u64()) != (Some(FORMAT), Some(VERSION.into())) {
        let Head { format, version, .. } = head;
        let text = match format.is_null() && version.is_null() {
            true => "it is JSON without a format".to_owned(),
            false => format!("the format is {format} version {version}"),
        };
        let text = format!("{text}, expected {FORMAT:?} version {VERSION}");
        return Err(foreign().unwrap_or(ReadError::Malformed { line: 1, text }));
    }
    let file: File = serde_json::from_str(text).map_err(malformed)?;
    if file.matches.is_empty() {
        return Err(ReadError::Empty);
    }
    let games = file.matches.iter().map(|it| it.games.len()).sum();
    check_numbers(file.matches.len(), games, 0)?;
    let mut matches = Vec::with_capacity(file.matches.len());
    for (index, text) in file.matches.into_iter().enumerate() {
        matches.push(convert::read(index, text, watch)?);
    }
    Ok((matches, Notes::default()))
}

#[cfg(test)]
mod tests;
