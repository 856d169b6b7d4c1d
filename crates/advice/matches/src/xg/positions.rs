//! The positions of records: where a game stands, and what is open there.

use tavola_rules::notation::{Form, MoneyOrMatch};
use tavola_rules::{Beavers, Cube, CubeOwner, Dice, Player, Position, moves};

use super::layout::{self, Board, Bytes};
use super::reader::Reader;
use crate::analysis::{PLAYS, PLAYS_OPEN, property};
use crate::playback::MatchRecorder;
use crate::record::{Act, Game, Property};

/// Actions of a position that is saved by itself: it is set up, unless it is the start, and rolled for.
pub(super) const OF_POSITION: usize = 2;

impl Reader {
    /// Sets up the position that a game stops in before a decision, and tells it: a position that is
    /// saved by itself (`.xgp`) is such a game.
    pub(super) fn tell_open_decision(&mut self) {
        let undecided = self.undecided.take();
        let ended =
            |it: &MatchRecorder| it.playback().result().is_some() || it.game().broken.is_some();
        if self.recorder.as_ref().is_none_or(ended) {
            return;
        }
        if let Some((player, board, cube)) = undecided {
            if !self.follow(player, &board, cube) {
                return;
            }
            // The start of a game does not tell whose decision it is.
            let stands =
                |it: &MatchRecorder| (it.playback().state().is_none(), *it.playback().position());
            if let Some((true, position)) = self.recorder.as_ref().map(stands) {
                self.act(player, Act::SetUp(position, Cube::START));
            }
            let last = self.recorder.as_ref().and_then(|it| it.game().actions.last());
            if last.is_some_and(|last| matches!(last.act, Act::SetUp(..))) {
                self.add_comment("");
                let analyzed = self.analyzed.take();
                self.add_properties(analyzed);
            }
        }
        let Some(recorder) = &self.recorder else { return };
        let mut situation = recorder.playback().situation();
        if let Some(MoneyOrMatch::Money { beavers, .. }) = &mut situation.stakes {
            // The reader allows what the file does not.
            let allowed = self.record.as_ref().map(|it| it.options.beavers != Beavers::Off);
            *beavers = allowed.or(*beavers);
        }
        let what = match (situation.dice, situation.offer) {
            (Some(dice), _) => format!("the play of {dice} is open"),
            (None, Some(_)) => "the answer to a double is open".to_owned(),
            (None, None) if undecided.is_some() => "a decision to double is open".to_owned(),
            (None, None) => return,
        };
        if let Ok(xgid) = Form::Xgid.write(&situation) {
            self.note(format!("{what} in {xgid}"));
        }
    }

    /// Brings the game to where a record says it is: if that does not follow from what was before,
    /// the position was set up. Tells whether the player can act.
    pub(super) fn follow(&mut self, player: Player, board: &Board, cube: i32) -> bool {
        let Some(recorder) = &self.recorder else { return false };
        let playback = recorder.playback();
        let options = self.record.as_ref().map(|record| record.options.clone()).unwrap_or_default();
        let begun = playback.state().is_some();
        let expected = !begun || playback.on_roll() == Some(player);
        let settled = playback.dice().is_none() && playback.offer().is_none();
        let automatic = std::mem::take(&mut self.automatic);
        if expected && settled && automatic == 0 && shows(board, playback.position(), player) {
            return true;
        }
        let before = playback.cube_seen_by(player);
        let exponent = u8::try_from(cube.unsigned_abs()).unwrap_or(u8::MAX);
        let owner = if cube > 0 { CubeOwner::Player } else { CubeOwner::Opponent };
        let cube = match exponent {
            _ if automatic > 0 => Cube::new(automatic, CubeOwner::Center),
            0 => Ok(Cube::START),
            _ if begun && before.exponent() == exponent => Ok(before),
            _ => Cube::new(exponent, owner),
        };
        let position = Position::from_counts(&seen(board, player), options.start.checkers());
        let cube = cube.map_err(|error| error.to_string());
        let position = position.map_err(|error| error.to_string());
        let act = match position.and_then(|position| Ok(Act::SetUp(position, cube?))) {
            Ok(act) => act,
            Err(why) => {
                self.break_off(why);
                return false;
            }
        };
        if begun {
            self.note("the board does not follow from what was before: it is read as set up");
        }
        self.act(player, act)
    }
}

/// The game, with the analysis of all plays of a roll where it is a position that is saved by itself.
pub(super) fn with_open_plays(mut game: Game) -> Game {
    if game.actions.len() > OF_POSITION {
        for action in game.actions.iter_mut().take(OF_POSITION) {
            action.properties.retain(|it| it.name != PLAYS_OPEN);
        }
    }
    game
}

/// What the analysis of a play says: the equity of the one that was made, and of the best.
pub(super) fn analysis_of_play(fields: &Bytes<'_>) -> Option<Property> {
    use layout::play as at;
    let after = fields.board(at::AFTER);
    let boards = [after, seen(&after, Player::Two)];
    let count = usize::try_from(fields.int(at::CANDIDATES)).ok()?.min(32);
    let equity = |candidate: usize| fields.single(at::EQUITIES + at::EVALUATION * candidate);
    let made = (0..count).find(|candidate| {
        boards.contains(&fields.board(at::CANDIDATE_BOARDS + after.len() * candidate))
    })?;
    let best = (0..count).filter_map(equity).reduce(f64::max)?;
    Some(property(PLAYS, [equity(made)?, best]))
}

/// What the analysis of a roll says of its plays, best first.
pub(super) fn analysis_of_roll(
    fields: &Bytes<'_>,
    position: &Position,
    dice: Dice,
) -> Option<Property> {
    use layout::play as at;
    let count = usize::try_from(fields.int(at::CANDIDATES)).ok()?.min(32);
    let mut plays: Vec<(f64, String)> = (0..count)
        .filter_map(|candidate| {
            let board = fields.board(at::CANDIDATE_BOARDS + 26 * candidate);
            let after = [board, seen(&board, Player::Two)].into_iter().find_map(|counts| {
                let after = Position::from_counts(&counts, position.checkers()).ok()?.flip();
                moves::play_to(position, dice, &after)
            })?;
            // The equity is the last of seven.
            let last = at::EQUITIES + at::EVALUATION * candidate;
            let number = |index: usize| fields.single(last - 4 * (6 - index));
            let chances = [number(3)?, number(4)?, number(5)?, number(1)?, number(0)?];
            let chances = chances.map(|it| format!("{it:.4}")).join(" ");
            let equity = number(6)?;
            Some((equity, format!("{equity:.4} {chances} {after}")))
        })
        .collect();
    plays.sort_by(|a, b| b.0.total_cmp(&a.0));
    let values: Vec<String> = plays.into_iter().map(|(_, value)| value).collect();
    let name = PLAYS_OPEN.to_owned();
    (!values.is_empty()).then_some(Property { name, values })
}

/// A board of a file, which is seen from the first player, as this player sees it.
pub(super) fn seen(board: &Board, player: Player) -> Board {
    match player {
        Player::One => *board,
        Player::Two => std::array::from_fn(|at| board[25 - at].saturating_neg()),
    }
}

/// Whether a board shows this position, which is seen from the player; also if the board is.
fn shows(board: &Board, position: &Position, player: Player) -> bool {
    let counts = position.counts();
    counts == seen(board, player) || counts == *board
}
