//! A document of OGXM as a match.

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use tavola_files::limits::{FILE_BYTES, Limit};
use tavola_rules::{Beavers, Cube, CubeOwner, Dice, Options, Play, Player, Position};
use tavola_rules::{WinKind, moves};

use super::document::{
    Annotation, GameDocument, OgxmDocument, Ply, VARIANTS, action, dice_of, rules, scope,
};
use super::{DECISIONS, KEPT, OWN, analysis, writer};
use crate::playback::MatchRecorder;
use crate::reading::{Notes, ReadError, ReadWatch};
use crate::record::{Act, Game, Match, Property};
use crate::sgf;
use crate::unsaid;
use crate::{date, json};

/// How packed values of ours begin, and the most bytes that those of a file unpack to.
const PACKED: &str = "H4sI";
const MOST_UNPACKED: u64 = 16 << 20;

/// Where each ply stands: game and action.
pub(super) type Places = Vec<Option<(usize, usize)>>;

/// A board as White sees it, as this player does, and back again.
pub(super) fn seen(board: &[i8; 26], player: Player) -> [i8; 26] {
    std::array::from_fn(|at| match player {
        Player::One => board[25 - at],
        Player::Two => board[at].saturating_neg(),
    })
}

/// A document as a match, with notes on what was mended.
pub(super) fn read(
    document: &OgxmDocument,
    notes: &mut Notes,
    watch: ReadWatch<'_>,
) -> Result<Match, ReadError> {
    let malformed = |text: String| ReadError::Malformed { line: 0, text };
    let start = usize::try_from(document.variant).ok().and_then(|it| VARIANTS.get(it)).copied();
    let start = start.ok_or_else(|| {
        malformed(format!("the variation {} of OGXM is unknown, expected 0 to 3", document.variant))
    })?;
    let length = u16::try_from(document.length)
        .map_err(|_| malformed(format!("a match to {} points is too long", document.length)))?;
    let has = |rule: u64| document.rules & rule != 0;
    let money = length == 0;
    let limit = document.cube_limit.and_then(|it| u32::try_from(it).ok());
    let options = Options {
        crawford: money || has(rules::CRAWFORD),
        jacoby: money && has(rules::JACOBY),
        beavers: match (has(rules::BEAVERS), has(rules::RACCOONS)) {
            (_, true) if money => Beavers::Raccoons,
            (true, _) if money => Beavers::Beavers,
            _ => Beavers::Off,
        },
        cube_limit: limit.filter(|it| it.is_power_of_two()),
        start,
        ..Options::default()
    };
    let mut record = Match::new(document.names.clone(), length, options);
    record.details.event.clone_from(&document.event);
    record.details.round.clone_from(&document.stage);
    record.details.place.clone_from(&document.city);
    record.details.date = document.started.map_or_else(
        || document.date.clone(),
        |time| date::of_unix_time(Duration::from_millis(time)),
    );
    let own = own_values(&document.annotations);
    let of_match = own.get(&(scope::MATCH, 0, "match"));
    if let Some(said) = of_match.and_then(|text| json::read_head(text))
        && said.length == length
    {
        record = said;
    }
    let mut places = Vec::new();
    let mut score = document.score.map(|points| u32::try_from(points).unwrap_or(u32::MAX));
    let mut crawford = document.crawford_before || money || !has(rules::CRAWFORD);
    for game in &document.games {
        watch.check()?;
        let away = score.map(|points| u32::from(length).saturating_sub(points));
        let is_crawford = !crawford && away.contains(&1);
        crawford |= is_crawford;
        let before = places.len();
        let is_stated = game.winner.is_some();
        let reader = Reader { record: &record, notes, places: &mut places, cube: None, is_stated };
        let mut read = reader.game(game, score, is_crawford && away != [1, 1]);
        let index = record.games.len();
        let ours = own.get(&(scope::GAME, index as u64, "game"));
        if let Some(ours) = ours.and_then(|text| json::read_game(&record, text)) {
            // What tavola wrote says more, unless another program has changed the plies.
            let (written, numbers) = writer::game(&record, before, &ours);
            if written.plies == game.plies {
                places.truncate(before);
                places.resize(before + game.plies.len(), None);
                for (action, number) in numbers.into_iter().enumerate() {
                    if let Some(number) = number {
                        places[number] = Some((index, action));
                    }
                }
                read = ours;
            }
        }
        let stated = game
            .winner
            .map(|winner| (usize::from(winner), u32::try_from(game.points).unwrap_or(u32::MAX)));
        // A winner that the plies contradict would contradict every other format, too.
        let played = read.result.map(|result| (result.winner.index(), result.points));
        let played = played.filter(|(winner, _)| stated.is_some_and(|it| it.0 != *winner));
        if let Some((winner, points)) = played.or(stated) {
            let won = &mut score[winner];
            *won = won.saturating_add(points);
            if !money {
                *won = (*won).min(u32::from(length));
            }
        }
        record.games.push(read);
    }
    unsaid::settle_beavers(&mut record);
    annotate(&mut record, &document.annotations, &places);
    for ((scope, target, key), text) in &own {
        if *key == "properties" {
            take_back(&mut record, *scope, usize::try_from(*target).ok(), text, &places);
        }
    }
    analysis::keep(&mut record, &document.blocks, &places);
    Ok(record)
}

struct Reader<'a> {
    record: &'a Match,
    notes: &'a mut Notes,
    places: &'a mut Places,
    /// The cube that a game begins with, as the first player sees it.
    cube: Option<Cube>,
    /// Whether the file says who has won the game.
    is_stated: bool,
}

impl Reader<'_> {
    fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        self.notes.push(0, format!("game {}: {text}", self.record.games.len() + 1));
    }

    fn game(mut self, game: &GameDocument, score: [u32; 2], crawford: bool) -> Game {
        let (length, options) = (self.record.length, unsaid::any_beavers(&self.record.options));
        let recorder = MatchRecorder::begin(length, score, crawford, &options);
        let mut recorder = match recorder {
            Ok(recorder) => recorder,
            Err(error) => {
                self.note(format!("{error}; the game is left out"));
                self.places.extend(game.plies.iter().map(|_| None));
                let broken = Some(error.to_string());
                return Game { score, broken, ..Game::default() };
            }
        };
        if let Err(why) = self.set_up_first(game, &mut recorder) {
            self.break_off(&mut recorder, &why);
        }
        for (at, ply) in game.plies.iter().enumerate() {
            let before = recorder.game().actions.len();
            if recorder.game().broken.is_none() && recorder.playback().result().is_none() {
                let gives_up = game.plies.get(at + 1).is_none_or(gives_up);
                if let Err(why) = self.ply(ply, gives_up, &mut recorder) {
                    self.break_off(&mut recorder, &why);
                }
            }
            let added = &recorder.game().actions[before..];
            let main = |act: &Act| !matches!(act, Act::SetUp(..) | Act::Accept);
            let found = added.iter().rposition(|it| main(&it.act)).or(added.len().checked_sub(1));
            self.places.push(found.map(|at| (self.record.games.len(), before + at)));
        }
        if let Some(winner) = game.winner {
            let winner = if winner == 0 { Player::One } else { Player::Two };
            let points = u32::try_from(game.points).unwrap_or(u32::MAX);
            if let Some(text) = recorder.conclude(winner, points) {
                self.note(text);
            }
        }
        recorder.into_game()
    }

    fn break_off(&mut self, recorder: &mut MatchRecorder, why: &str) {
        self.note(format!("{why}; the game is kept up to here"));
        recorder.break_off(why.to_owned());
    }

    /// Sets up the board and the cube that a game begins with, if they are not the usual ones.
    fn set_up_first(
        &mut self,
        game: &GameDocument,
        recorder: &mut MatchRecorder,
    ) -> Result<(), String> {
        let doubled = u32::try_from(game.doubles).ok().and_then(|it| 1_u64.checked_shl(it));
        let value = game.cube.unwrap_or(1).checked_mul(doubled.unwrap_or(u64::MAX));
        if game.board.is_none() && value == Some(1) && game.cube_owner.is_none() {
            return Ok(());
        }
        let cube = cube_of(value.unwrap_or(u64::MAX), game.cube_owner)?;
        // Who acts first is on roll, or makes what he sets up himself.
        let Some(first) = game.plies.first() else {
            return self.set_up(Player::One, game.board.as_ref(), cube, recorder);
        };
        if first.board.is_some() {
            self.cube = Some(cube);
            return Ok(());
        }
        self.set_up(player(first), game.board.as_ref(), cube, recorder)
    }

    /// Sets up a board as White sees it, or the one that there is, and a cube as the first player
    /// sees it.
    fn set_up(
        &self,
        player: Player,
        board: Option<&[i8; 26]>,
        cube: Cube,
        recorder: &mut MatchRecorder,
    ) -> Result<(), String> {
        let checkers = self.record.options.start.checkers();
        let playback = recorder.playback();
        let position = match board {
            Some(board) => Position::from_counts(&seen(board, player), checkers)
                .map_err(|error| error.to_string())?,
            None if playback.on_roll().is_none_or(|it| it == player) => *playback.position(),
            None => playback.position().flip(),
        };
        let cube = if player == Player::One { cube } else { cube.flip() };
        Ok(recorder.act(player, Act::SetUp(position, cube))?)
    }

    /// Does what a ply says; `gives_up`: the game ends behind it, or a player gives up.
    fn ply(
        &mut self,
        ply: &Ply,
        gives_up: bool,
        recorder: &mut MatchRecorder,
    ) -> Result<(), String> {
        let player = player(ply);
        match ply.action {
            ..=action::LAST_ROLL => self.roll(ply, gives_up, recorder),
            action::DOUBLE => {
                let _ = unsaid::take_before_roll(recorder);
                Ok(recorder.double(player)?)
            }
            action::TAKE => Ok(recorder.act(player, Act::Take)?),
            action::DROP => Ok(recorder.act(player, Act::Drop)?),
            action::BEAVER => Ok(recorder.act(player, Act::Beaver)?),
            action::RACCOON => Ok(recorder.act(player, Act::Raccoon)?),
            action::RESIGN_GAME => {
                let kind = match ply.resigned {
                    Some(3) => WinKind::Backgammon,
                    Some(2) => WinKind::Gammon,
                    // GammonView's JSON leaves it to the points.
                    None if self.is_stated => return Ok(()),
                    _ => WinKind::Single,
                };
                let _ = unsaid::take_before_roll(recorder);
                // The result tells what it is worth, also where it can't be done so.
                if recorder.act(player, Act::Resign(kind)).is_ok() {
                    recorder.act(player.flip(), Act::Accept)?;
                }
                Ok(())
            }
            action::SET_POSITION => {
                let board = ply.board.as_ref().ok_or("a position is set up without a board")?;
                let now = self.cube_now(recorder);
                if let Some([one, two]) = ply.dice.filter(|_| ply.illegal) {
                    let dice = Dice::new(one, two).map_err(|error| error.to_string())?;
                    let _ = unsaid::take_before_roll(recorder);
                    recorder.act(player.flip(), Act::Roll(dice, None))?;
                }
                self.set_up(player, Some(board), now, recorder)
            }
            action::SET_CUBE => {
                let cube = cube_of(ply.cube.unwrap_or(1), ply.cube_owner)?;
                let player = recorder.playback().on_roll().unwrap_or(player);
                self.set_up(player, None, cube, recorder)
            }
            action::SETTLE => Err("the players settled the game".to_owned()),
            // The result of the game says the same.
            24..=30 | action::PASS => Ok(()),
            action => Err(format!("the action {action} is unknown")),
        }
    }

    /// The cube as the first player sees it.
    fn cube_now(&mut self, recorder: &MatchRecorder) -> Cube {
        self.cube.take().unwrap_or_else(|| recorder.playback().cube_seen_by(Player::One))
    }

    fn roll(
        &mut self,
        ply: &Ply,
        gives_up: bool,
        recorder: &mut MatchRecorder,
    ) -> Result<(), String> {
        let player = player(ply);
        let dice = dice_of(ply.action).and_then(|[low, high]| Dice::new(low, high).ok());
        let dice = dice.ok_or("a roll has no dice")?;
        let _ = unsaid::take_before_roll(recorder);
        recorder.act(player, Act::Roll(dice, None))?;
        let can_move = moves::can_move(recorder.playback().position(), dice);
        if ply.steps.is_empty() && (!can_move || gives_up) {
            return if can_move { Ok(()) } else { Ok(recorder.play(Play::PASS)?) };
        }
        let mut text = String::new();
        for &[from, pips] in &ply.steps {
            let from = if player == Player::One { 25_u8.saturating_sub(from) } else { from };
            text.push_str(&format!("{from}/{} ", from.saturating_sub(pips)));
        }
        let text = text.trim_end();
        match recorder.playback().parse_play(text) {
            Ok((play, _)) if !text.is_empty() => Ok(recorder.play(play)?),
            read => {
                let why = read.err().map_or_else(String::new, |error| error.reason());
                unsaid::play_as_written(recorder, player, dice, text).ok_or(why)?;
                self.note(format!(
                    "{text:?} is no legal play of {dice}: the checkers are moved as it says"
                ));
                Ok(())
            }
        }
    }
}

fn player(ply: &Ply) -> Player {
    if ply.seat == 0 { Player::One } else { Player::Two }
}

/// Whether a ply ends the game without a play.
fn gives_up(ply: &Ply) -> bool {
    (24..=30).contains(&ply.action) || ply.action == action::SETTLE
}

/// A cube as White sees it.
fn cube_of(value: u64, owner: Option<u8>) -> Result<Cube, String> {
    let owner = match owner {
        Some(0) => CubeOwner::Player,
        Some(1) => CubeOwner::Opponent,
        _ => CubeOwner::Center,
    };
    let value = u32::try_from(value).unwrap_or(u32::MAX);
    Cube::from_value(value, owner).map_err(|error| error.to_string())
}

/// Puts comments and kept values where they belong.
fn annotate(record: &mut Match, annotations: &[Annotation], places: &Places) {
    for Annotation { scope, target, value, key } in annotations {
        if key.starts_with(OWN) {
            continue;
        }
        let target = usize::try_from(*target).unwrap_or(usize::MAX);
        if *scope == scope::MATCH && !key.is_empty() {
            record.details.other.push((format!("{KEPT}{key}"), value.clone()));
            continue;
        }
        let (comment, properties) = match *scope {
            scope::MATCH => (&mut record.details.comment, None),
            scope::GAME => match record.games.get_mut(target) {
                Some(game) => (&mut game.comment, Some(&mut game.properties)),
                None => continue,
            },
            // What is said of a decision is said of the action.
            _ => match places.get(target).copied().flatten() {
                Some((game, action)) => {
                    let action = &mut record.games[game].actions[action];
                    (&mut action.comment, Some(&mut action.properties))
                }
                None => continue,
            },
        };
        if key.is_empty() {
            comment.push_str(if comment.is_empty() { "" } else { "\n" });
            comment.push_str(value);
        } else if let Some(properties) = properties.filter(|_| *scope <= scope::PLY) {
            let values = [key.clone(), value.clone()];
            add_values(properties, DECISIONS[1], values);
        }
    }
}

/// What tavola has written where OGXM has no field, by scope, target and key.
fn own_values(annotations: &[Annotation]) -> BTreeMap<(u64, u64, &str), String> {
    let mut own: BTreeMap<_, BTreeMap<u64, &str>> = BTreeMap::new();
    for Annotation { scope, target, value, key } in annotations {
        if let Some(key) = key.strip_prefix(OWN) {
            let (key, part) = key.split_once('~').unwrap_or((key, "0"));
            let parts = own.entry((*scope, *target, key)).or_default();
            parts.insert(part.parse().unwrap_or(0), value);
        }
    }
    let mut left = MOST_UNPACKED;
    let mut unpacked = |text: String| {
        let packed = BASE64.decode(&text).ok().filter(|_| text.starts_with(PACKED))?;
        let limit = Limit { default: left, ..FILE_BYTES };
        let bytes = tavola_files::unpacked(&packed, &limit).ok()?.into_owned();
        left -= (bytes.len() as u64).min(left);
        String::from_utf8(bytes).ok()
    };
    let mut text = |parts: BTreeMap<u64, &str>| -> String {
        let text: String = parts.into_values().collect();
        unpacked(text.clone()).unwrap_or(text)
    };
    own.into_iter().map(|(place, parts)| (place, text(parts))).collect()
}

/// Puts the properties that tavola has written to their game or action.
fn take_back(record: &mut Match, scope: u64, target: Option<usize>, text: &str, places: &Places) {
    let place = target.and_then(|target| places.get(target)).copied().flatten();
    let properties = match (scope, target, place) {
        (scope::GAME, Some(game), _) => record.games.get_mut(game).map(|game| &mut game.properties),
        (scope::PLY, _, Some((game, action))) => {
            Some(&mut record.games[game].actions[action].properties)
        }
        _ => None,
    };
    let read: Vec<Property> = serde_json::from_str(text).unwrap_or_default();
    let fits = |it: &Property| sgf::is_name(&it.name) && !it.values.is_empty();
    let free = |it: &Property| !sgf::is_reserved(&it.name, scope == scope::GAME);
    if let Some(properties) = properties.filter(|_| read.iter().all(|it| fits(it) && free(it))) {
        properties.extend(read);
    }
}

/// Adds values to a property.
pub(super) fn add_values(
    properties: &mut Vec<Property>,
    name: &str,
    values: impl IntoIterator<Item = String>,
) {
    match properties.iter_mut().find(|property| property.name == name) {
        Some(property) => property.values.extend(values),
        None => properties
            .push(Property { name: name.to_owned(), values: values.into_iter().collect() }),
    }
}
