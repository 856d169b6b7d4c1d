//! Between a record and its text.

use tavola_rules::{Dice, GameEnding, GameResult, Player, Position};

use super::{ActName, ActionText, EndingText, GameText, MatchText, ResultText};
use crate::playback::Playback;
use crate::reading::{ReadError, ReadWatch};
use crate::record::{Act, Game, Match, Property, RecordedAction};
use crate::sgf;

pub(crate) fn seat(player: Player) -> u8 {
    player.index() as u8 + 1
}

pub(crate) fn player(seat: u8) -> Result<Player, String> {
    match seat {
        1 => Ok(Player::One),
        2 => Ok(Player::Two),
        _ => Err(format!("player {seat}, expected 1 or 2")),
    }
}

/// A record as text.
pub(super) fn write(record: &Match) -> MatchText {
    MatchText {
        players: record.players.clone(),
        length: record.length,
        options: record.options.clone(),
        details: record.details.clone(),
        games: record.games.iter().map(game_text).collect(),
    }
}

pub(super) fn game_text(game: &Game) -> GameText {
    GameText {
        score: game.score,
        crawford: game.crawford,
        actions: game.actions.iter().map(action_text).collect(),
        result: game.result.map(|result| {
            let (ending, win) = match result.ending {
                GameEnding::Played(win) => (EndingText::Played, Some(win)),
                GameEnding::Dropped => (EndingText::Dropped, None),
                GameEnding::Resigned(win) => (EndingText::Resigned, Some(win)),
            };
            let winner = seat(result.winner);
            ResultText { winner, points: result.points, cube: result.cube, ending, win }
        }),
        broken: game.broken.clone(),
        comment: game.comment.clone(),
        properties: game.properties.clone(),
    }
}

fn action_text(action: &RecordedAction) -> ActionText {
    let mut text = ActionText {
        player: seat(action.player),
        act: ActName::Roll,
        dice: None,
        play: None,
        win: None,
        position: None,
        cube: None,
        comment: action.comment.clone(),
        properties: action.properties.clone(),
    };
    text.act = match action.act {
        Act::Roll(dice, play) => {
            text.dice = Some([dice.high(), dice.low()]);
            text.play = play.map(|play| play.to_string());
            ActName::Roll
        }
        Act::Double => ActName::Double,
        Act::Take => ActName::Take,
        Act::Drop => ActName::Drop,
        Act::Beaver => ActName::Beaver,
        Act::Raccoon => ActName::Raccoon,
        Act::Resign(win) => {
            text.win = Some(win);
            ActName::Resign
        }
        Act::Accept => ActName::Accept,
        Act::Refuse => ActName::Refuse,
        Act::SetUp(position, cube) => {
            text.position = Some(position.counts().to_vec());
            text.cube = Some(cube);
            ActName::SetUp
        }
    };
    text
}

/// A text as a record; the rules check every action.
pub(super) fn read(
    index: usize,
    text: MatchText,
    watch: ReadWatch<'_>,
) -> Result<Match, ReadError> {
    let mut record = Match {
        players: text.players,
        details: text.details,
        length: text.length,
        options: text.options,
        games: Vec::with_capacity(text.games.len()),
    };
    for (number, game) in (1..).zip(text.games) {
        watch.check()?;
        let game = read_game(&record, game).map_err(|(action, text)| {
            let action = action.map_or(String::new(), |action| format!(", action {}", action + 1));
            ReadError::Illegal {
                place: format!("match {}, game {number}{action}", index + 1),
                text,
            }
        })?;
        record.games.push(game);
    }
    Ok(record)
}

/// A game, or the action that is wrong, from 0, and why.
pub(super) fn read_game(record: &Match, text: GameText) -> Result<Game, (Option<usize>, String)> {
    let whole = |why: String| (None, why);
    let mut game = Game {
        score: text.score,
        crawford: text.crawford,
        broken: text.broken,
        comment: text.comment,
        properties: properties(text.properties, true).map_err(whole)?,
        ..Game::default()
    };
    let told = text.result.map(result).transpose().map_err(whole)?;
    // Of a broken game without actions only the result is known, and its score may be impossible.
    if text.actions.is_empty() && game.broken.is_some() {
        game.result = told;
        return Ok(game);
    }
    let mut playback = Playback::of_game(record, &game).map_err(|error| whole(error.into()))?;
    for (index, text) in text.actions.into_iter().enumerate() {
        let action = read_action(record, &mut playback, text).map_err(|why| (Some(index), why))?;
        game.actions.push(action);
    }
    let follows = playback.result();
    if told != follows && game.broken.is_none() {
        let words = |result: Option<GameResult>| {
            result.map_or("no result".to_owned(), |result| {
                let ending = result.ending;
                format!("player {} with {} ({ending:?})", seat(result.winner), result.points)
            })
        };
        return Err(whole(format!(
            "the result is {}, but the actions lead to {}",
            words(told),
            words(follows)
        )));
    }
    game.result = told;
    Ok(game)
}

fn result(text: ResultText) -> Result<GameResult, String> {
    let ending = match (text.ending, text.win) {
        (EndingText::Played, Some(win)) => GameEnding::Played(win),
        (EndingText::Resigned, Some(win)) => GameEnding::Resigned(win),
        (EndingText::Dropped, None) => GameEnding::Dropped,
        (EndingText::Dropped, Some(_)) => {
            return Err("the result was dropped, expected no win beside it".to_owned());
        }
        (_, None) => {
            return Err("the result has no win, expected single, gammon or backgammon".to_owned());
        }
    };
    let winner = player(text.winner)?;
    Ok(GameResult { winner, points: text.points, cube: text.cube, ending })
}

/// The properties of a game or of an action, if they may stand there.
fn properties(all: Vec<Property>, of_game: bool) -> Result<Vec<Property>, String> {
    for Property { name, values } in &all {
        if !sgf::is_name(name) || values.is_empty() {
            return Err(format!(
                "the property {name:?} with {} values, expected capitals such as GS, and a value",
                values.len()
            ));
        }
        if sgf::is_reserved(name, of_game) {
            return Err(format!("the property {name:?} stands for what has a key of its own"));
        }
    }
    Ok(all)
}

fn read_action(
    record: &Match,
    playback: &mut Playback,
    text: ActionText,
) -> Result<RecordedAction, String> {
    let by = player(text.player)?;
    let ActionText { act, dice, play, win, position, cube, .. } = text;
    let beside = [
        ("dice", dice.is_some(), act == ActName::Roll),
        ("play", play.is_some(), act == ActName::Roll),
        ("win", win.is_some(), act == ActName::Resign),
        ("position", position.is_some(), act == ActName::SetUp),
        ("cube", cube.is_some(), act == ActName::SetUp),
    ];
    if let Some((name, ..)) = beside.into_iter().find(|(_, there, expected)| *there && !expected) {
        return Err(format!("{name} does not belong to this action"));
    }
    let mut act = match act {
        ActName::Roll => {
            let [one, two] = dice.ok_or("dice is missing")?;
            Act::Roll(Dice::new(one, two).map_err(|error| error.to_string())?, None)
        }
        ActName::Double => Act::Double,
        ActName::Take => Act::Take,
        ActName::Drop => Act::Drop,
        ActName::Beaver => Act::Beaver,
        ActName::Raccoon => Act::Raccoon,
        ActName::Resign => Act::Resign(win.ok_or("win is missing")?),
        ActName::Accept => Act::Accept,
        ActName::Refuse => Act::Refuse,
        ActName::SetUp => {
            let counts = position.ok_or("position is missing")?;
            let counts = <[i8; 26]>::try_from(counts).map_err(|counts| {
                format!("the position has {} counts, expected 26", counts.len())
            })?;
            let a_side = record.options.start.checkers();
            let position =
                Position::from_counts(&counts, a_side).map_err(|error| error.to_string())?;
            Act::SetUp(position, cube.ok_or("cube is missing")?)
        }
    };
    playback.act(by, &act)?;
    if let (Act::Roll(_, unplayed), Some(words)) = (&mut act, &play) {
        let (play, _) = playback.parse_play(words)?;
        playback.play(play)?;
        *unplayed = Some(play);
    }
    let properties = properties(text.properties, false)?;
    Ok(RecordedAction { player: by, act, comment: text.comment, properties })
}
