//! What files leave unsaid, in whatever format: rolls without plays, games without an end.

use tavola_rules::{
    Beavers, Cube, Ending, GameResult, Offer, Options, Play, Player, WinKind, moves,
};

use crate::playback::{Playback, Recorder};
use crate::record::{Act, Game, Match};

/// Plays a roll that was not played though something follows it: if there is no choice, the play is
/// known. Returns what to note.
///
/// # Errors
///
/// Why the game can't be followed: there is a choice.
pub(crate) fn play_forced(recorder: &mut Recorder) -> Result<Option<String>, String> {
    let Some(dice) = recorder.playback().dice() else { return Ok(None) };
    let plays = moves::plays(recorder.playback().position(), dice);
    match plays.as_slice() {
        [] => recorder.play(Play::PASS).map(|()| None).map_err(|error| error.to_string()),
        [(play, _)] => {
            recorder.play(*play).map_err(|error| error.to_string())?;
            Ok(Some(format!("{dice} has no play before this; the only one is {play}")))
        }
        _ => Err(format!("the play of {dice} before this is missing")),
    }
}

/// Options to read a game with: what was agreed, and every further turn of the cube, as most files
/// don't say that beavers are allowed.
pub(crate) fn any_beavers(options: &Options) -> Options {
    Options { beavers: Beavers::Raccoons, ..options.clone() }
}

/// Settles which further turns of the cube were agreed: those that the file allows, and those that
/// were made. A beaver says nothing of raccoons.
pub(crate) fn settle_beavers(record: &mut Match) {
    let made = |act: Act| {
        let mut actions = record.games.iter().flat_map(|game| &game.actions);
        actions.any(|action| action.act == act)
    };
    record.options.beavers = match record.options.beavers {
        said if !record.is_money() => said,
        _ if made(Act::Raccoon) => Beavers::Raccoons,
        Beavers::Off if made(Act::Beaver) => Beavers::Beavers,
        said => said,
    };
}

/// Takes a double that a roll follows. Returns what to note; a beaver is taken without words.
pub(crate) fn take_before_roll(recorder: &mut Recorder) -> Option<String> {
    let offer = recorder.playback().offer()?;
    let answer = recorder.playback().to_act()?;
    let taken = recorder.act(answer, Act::Take).is_ok();
    (taken && offer == Offer::Double)
        .then(|| "a roll follows the double: it is read as taken".to_owned())
}

/// Ends a game whose end the file tells: by a drop, or by a resignation of that much, where the
/// actions have not ended it. Returns what to note.
pub(crate) fn conclude(
    recorder: &mut Recorder,
    length: u16,
    winner: Player,
    points: u32,
) -> Option<String> {
    let playback = recorder.playback();
    if let Some(result) = playback.result() {
        let before = recorder.game().score[result.winner.index()];
        let needed = u32::from(length).saturating_sub(before).max(1);
        let capped = length > 0 && points >= needed && points < result.points;
        return (result.winner != winner || (result.points != points && !capped)).then(|| {
            format!(
                "player {} wins {points} by the file; by the game it is player {} with {}",
                winner.index() + 1,
                result.winner.index() + 1,
                result.points
            )
        });
    }
    let cube = playback.state().map_or(Cube::START, |state| state.cube());
    let kinds = [WinKind::Single, WinKind::Gammon, WinKind::Backgammon];
    let worth = |kind: &WinKind| kind.multiplier() * cube.value();
    let exact = kinds.into_iter().find(|kind| worth(kind) == points);
    let enough = kinds.into_iter().find(|kind| worth(kind) >= points);
    let kind = exact.or(enough).unwrap_or(WinKind::Backgammon);
    if recorder.game().broken.is_none() && playback.state().is_some() {
        if playback.offer().is_some() && playback.to_act() == Some(winner.flip()) {
            let _ = recorder.act(winner.flip(), Act::Drop);
            return None;
        }
        let pending = playback.state().and_then(|state| state.resignation());
        if pending.is_none() {
            let _ = recorder.act(winner.flip(), Act::Resign(kind));
        }
        if recorder.act(winner, Act::Accept).is_ok() {
            return None;
        }
    }
    // The game can't be followed to its end, but how it ended is known.
    let ending = Ending::Resigned(kind);
    let game = recorder.game_mut();
    game.result = Some(GameResult { winner, points, cube: cube.value(), ending });
    game.broken.get_or_insert_with(|| "the file has no actions of this game".to_owned());
    let without = recorder.game().actions.is_empty();
    without.then(|| "a game without actions, only its result is known".to_owned())
}

/// Whether a game ends with a resignation that its result tells, so that [`conclude`] finds it where
/// the last two actions are not written.
pub(crate) fn is_resigned(record: &Match, game: &Game) -> bool {
    let [before @ .., resigns, accepts] = &game.actions[..] else { return false };
    let (Act::Resign(kind), Act::Accept) = (resigns.act, accepts.act) else { return false };
    let Some(result) = game.result else { return false };
    let Ok(mut playback) = Playback::of_game(record, game) else { return false };
    for action in before {
        if playback.act(action.player, &action.act).is_err() {
            return false;
        }
    }
    let cube = playback.state().map_or(Cube::START, |state| state.cube());
    playback.state().is_some()
        && playback.offer().is_none()
        && result.winner == accepts.player
        && result.points == kind.multiplier() * cube.value()
}
