//! The checkers of one side, as a bear-off table sees them.

use tavola_rules::Position;

use crate::spec::MAX_POINTS;

/// One side's checkers on its points 1 to 18, at index point - 1.
pub(crate) type Counts = [u8; MAX_POINTS as usize];

/// A side of a position: who of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The player on roll.
    Player,
    /// The opponent of the player on roll.
    Opponent,
}

impl Side {
    /// Checkers of this side on its own `point`, 1 to 24.
    #[inline]
    pub(crate) fn on(self, position: &Position, point: usize) -> u8 {
        let count = match self {
            Self::Player => position.cells()[point],
            Self::Opponent => -position.cells()[25 - point],
        };
        count.max(0) as u8
    }
}

/// The rearmost point of the player on roll and that of the opponent, each in own numbering with
/// the bar as 25; 0 for a side without checkers.
///
/// Runs for every position that is evaluated, contact or not, so it looks at all cells together and
/// takes no branch.
#[inline]
pub(crate) fn rearmost(position: &Position) -> (u8, u8) {
    /// Own numbering of each cell for either side; the cells of borne-off checkers count nothing.
    const PLAYER: [u8; 32] = {
        let mut points = [0; 32];
        let mut i = 1;
        while i <= 25 {
            points[i] = i as u8;
            i += 1;
        }
        points
    };
    const OPPONENT: [u8; 32] = {
        let mut points = [0; 32];
        let mut i = 0;
        while i <= 24 {
            points[i] = 25 - i as u8;
            i += 1;
        }
        points
    };
    let (mut player, mut opponent) = (0, 0);
    for (i, &count) in position.cells().iter().enumerate() {
        player = player.max(if count > 0 { PLAYER[i] } else { 0 });
        opponent = opponent.max(if count < 0 { OPPONENT[i] } else { 0 });
    }
    (player, opponent)
}

#[cfg(test)]
mod tests {
    use tavola_rules::{Backgammon, Dice, Game};

    use super::*;

    #[test]
    fn rearmost_points_tell_contact() {
        let game = Backgammon::Standard;
        let (mut position, mut afterstates) = (game.start(), Vec::new());
        // A game with poor play on both sides has contact first and none later.
        let (mut met, mut passed) = (0, 0);
        for turn in 0..400 {
            let (player, opponent) = rearmost(&position);
            let contact = player + opponent > 25;
            assert_eq!(contact, position.has_contact(), "{position:?}");
            *if contact { &mut met } else { &mut passed } += 1;
            if game.outcome(&position).is_some() {
                break;
            }
            afterstates.clear();
            let (roll, _) = Dice::ALL[turn * 5 % 21];
            game.afterstates(&position, roll, &mut afterstates);
            position = afterstates[turn % afterstates.len()];
        }
        assert!(met > 10 && passed > 3, "{met} {passed}");
    }
}
