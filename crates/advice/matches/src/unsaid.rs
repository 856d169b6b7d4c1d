//! What files leave unsaid, in whatever format: rolls without plays, games without an end.

use tavola_rules::{
    Beavers, Cube, Dice, GameEnding, GameResult, Offer, Options, Player, Position, WinKind, moves,
};

use crate::playback::{MatchRecorder, Playback};
use crate::record::{Act, Game, Match};

/// Plays a roll that was not played though something follows it: if there is no choice, the play is
/// known. Returns what to note.
///
/// # Errors
///
/// Why the game can't be followed: there is a choice.
pub(crate) fn play_forced(recorder: &mut MatchRecorder) -> Result<Option<String>, String> {
    let Some(dice) = recorder.playback().dice() else { return Ok(None) };
    let forced = moves::forced(recorder.playback().position(), dice);
    let play = forced.ok_or_else(|| format!("the play of {dice} before this is missing"))?;
    recorder.play(play)?;
    let text = || format!("{dice} has no play before this; the only one is {play}");
    Ok((!play.is_pass()).then(text))
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

/// Moves the checkers of the roll that waits as a play against the rules is written, `13/8 24/21`,
/// and sets up the position for the opponent. `None` where there is no checker, or the point is
/// made.
pub(crate) fn play_as_written(
    recorder: &mut MatchRecorder,
    player: Player,
    dice: Dice,
    play: &str,
) -> Option<()> {
    let position = recorder.playback().position();
    let mut counts = position.counts();
    let a_side = position.checkers();
    let mut moves = if play.is_empty() { Vec::new() } else { crate::mat::moves(play)? };
    // Checkers from behind first: a move may go on from where another ends.
    moves.sort_unstable_by_key(|&(from, _)| std::cmp::Reverse(from));
    for (from, to) in moves {
        let (from, to) = (usize::from(from), usize::from(to));
        if from == 0 || to >= from || counts[from] <= 0 || (to > 0 && counts[to] < -1) {
            return None;
        }
        counts[from] -= 1;
        if to > 0 {
            if counts[to] == -1 {
                counts[to] = 0;
                counts[0] -= 1;
            }
            counts[to] += 1;
        }
    }
    let after = Position::from_counts(&counts, a_side).ok()?.flip();
    let cube = recorder.playback().state()?.cube().flip();
    let words = format!("illegal play of {dice}: {play}");
    let roll = recorder.game_mut().actions.last_mut()?;
    roll.comment = words;
    recorder.act(player.flip(), Act::SetUp(after, cube)).ok()
}

/// Takes a double that a roll follows. Returns what to note; a beaver is taken without words.
pub(crate) fn take_before_roll(recorder: &mut MatchRecorder) -> Option<String> {
    let offer = recorder.playback().offer()?;
    let answer = recorder.playback().to_act()?;
    let taken = recorder.act(answer, Act::Take).is_ok();
    (taken && offer == Offer::Double)
        .then(|| "a roll follows the double: it is read as taken".to_owned())
}

/// Ends a game in which the other player gives up what the match needs.
fn resign_match(recorder: &mut MatchRecorder, winner: Player, points: u32, cube: Cube) {
    let kind = WinKind::ALL.into_iter().find(|kind| kind.multiplier() * cube.value() == points);
    let ending = GameEnding::Resigned(kind.unwrap_or(WinKind::Single));
    recorder.game_mut().result = Some(GameResult { winner, points, cube: cube.value(), ending });
    recorder.break_off(format!("player {} resigns the match", winner.flip().index() + 1));
}

/// The least win that is worth this many points.
fn enough(points: u32, cube: Cube) -> Option<WinKind> {
    WinKind::ALL.into_iter().find(|kind| kind.multiplier() * cube.value() >= points)
}

/// Ends a game whose end the file tells: by a drop, or by a resignation of that much, where the
/// actions have not ended it. Returns what to note.
pub(crate) fn conclude(
    recorder: &mut MatchRecorder,
    winner: Player,
    points: u32,
) -> Option<String> {
    let playback = recorder.playback();
    let length = playback.length();
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
    let cube = playback.cube();
    let needed = u32::from(length).saturating_sub(recorder.game().score[winner.index()]).max(1);
    let mut note = None;
    if recorder.game().broken.is_none() && playback.state().is_some() {
        let answers = playback.offer().is_some();
        let loser_answers = answers && playback.to_act() == Some(winner.flip());
        if loser_answers && points <= cube.value() {
            let _ = recorder.act(winner.flip(), Act::Drop);
            return None;
        }
        if answers && length > 0 && points == needed {
            // No pass: the match was resigned while the double was open.
            resign_match(recorder, winner, points, cube);
            return None;
        }
        if answers && let Some(player) = recorder.playback().to_act() {
            let _ = recorder.act(player, Act::Take);
        }
        let cube = recorder.playback().cube();
        let value = |kind: &WinKind| kind.multiplier() * cube.value();
        let exact = enough(points, cube).filter(|kind| {
            // What a match does not need is cut off by some sites.
            value(kind) == points || (length > 0 && points == needed)
        });
        // No such loss: what the match needs, or a single game.
        let of_match = length > 0 && points >= needed;
        let kind = exact.or(enough(needed, cube).filter(|_| of_match));
        if kind.is_none() && length > 0 && points == needed {
            // More than a game is worth: the match was resigned, or lost on time.
            resign_match(recorder, winner, points, cube);
            return None;
        }
        let kind = kind.unwrap_or(WinKind::Single);
        if exact.is_none() {
            note = Some(format!(
                "player {} cannot win {points} with the cube at {}: it is read as {}",
                winner.index() + 1,
                cube.value(),
                value(&kind)
            ));
        }
        let pending = recorder.playback().state().and_then(|state| state.resignation());
        if pending.is_none() {
            let _ = recorder.act(winner.flip(), Act::Resign(kind));
        }
        if recorder.act(winner, Act::Accept).is_ok() {
            return note;
        }
    }
    let kind = enough(points, cube).unwrap_or(WinKind::Single);
    // The game can't be followed to its end, but how it ended is known.
    let ending = GameEnding::Resigned(kind);
    let game = recorder.game_mut();
    game.result = Some(GameResult { winner, points, cube: cube.value(), ending });
    game.broken.get_or_insert_with(|| "the file has no actions of this game".to_owned());
    let without = recorder.game().actions.is_empty();
    without.then(|| "a game without actions, only its result is known".to_owned())
}

/// Who won how much between two scores, if one game can have done that.
pub(crate) fn added(before: [u32; 2], after: [u32; 2]) -> Option<(Player, u32)> {
    match [0, 1].map(|seat| after[seat].checked_sub(before[seat])) {
        [Some(points @ 1..), Some(0)] => Some((Player::One, points)),
        [Some(0), Some(points @ 1..)] => Some((Player::Two, points)),
        _ => None,
    }
}

/// Whether a game ends with a resignation that its result tells, so that [`conclude`] finds it where
/// the last two actions are not written.
pub(crate) fn is_resigned(record: &Match, game: &Game) -> bool {
    let [before @ .., resigns, accepts] = &game.actions[..] else { return false };
    let (Act::Resign(kind), Act::Accept) = (resigns.act, accepts.act) else { return false };
    let Some(result) = game.result else { return false };
    let Ok(mut playback) = Playback::of_game(record, game) else { return false };
    before.iter().all(|action| playback.act(action.player, &action.act).is_ok())
        && playback.state().is_some()
        && playback.offer().is_none()
        && result.winner == accepts.player
        && result.points == kind.multiplier() * playback.cube().value()
}
