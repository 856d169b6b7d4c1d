//! Taking the luck of the dice out of games with a cube.
//!
//! The luck of a roll is the evaluator's value with the cube after the roll's best play, less the
//! mean of that over all rolls. It is counted in points for money and in winning probability in a
//! match. The cube is in its place before the dice are rolled, so the mean of that luck is zero for
//! every evaluator and every use of the cube. The same holds for the mean of its sum over any rolls
//! that are chosen without a look at the dice. The cube model turns one evaluator's probabilities
//! into values at a cube.

use tavola_equity::{EfficiencyModel, OutcomeProbs, Stakes, cube_decision};
use tavola_evaluator::cubeful::stage;
use tavola_rules::{Backgammon, Cube, Outcome, Player, Position};

use super::referee::{Rolled, TracedGame};
use super::terms::Contest;
use crate::variance_reduction::LuckMeter;

/// Evaluates the luck of rolls with a cube, 0-ply.
pub struct CubeLuck {
    /// Evaluates the afterstates of a roll.
    pub meter: LuckMeter<Backgammon>,
    /// Money or matches.
    pub contest: Contest,
}

impl CubeLuck {
    /// The luck of seat one in `first` less that of seat one in `second`, which is that of the
    /// player who sits in seat one in the first and in seat two in the second. A roll that comes in
    /// the same situation in both is skipped, for its luck cancels, and so is the first roll of a
    /// game, whose chances are others.
    pub fn pair(&mut self, first: &[TracedGame], second: &[TracedGame]) -> f64 {
        let mut luck = 0.0;
        for number in 0..first.len().max(second.len()) {
            let (one, other) = (first.get(number), second.get(number));
            let same_stakes = one.map(|game| &game.stakes) == other.map(|game| &game.stakes);
            let rolls = |game: Option<&TracedGame>| game.map_or(0, |game| game.rolls.len());
            for turn in 0..rolls(one).max(rolls(other)) {
                let roll =
                    |game: Option<&TracedGame>| game.and_then(|game| game.rolls.get(turn).copied());
                let (here, there) = (roll(one), roll(other));
                if same_stakes && here == there {
                    continue;
                }
                for (game, rolled, sign) in [(one, here, 1.0), (other, there, -1.0)] {
                    if let (Some(game), Some(rolled)) = (game, rolled)
                        && !rolled.opening
                    {
                        luck += sign * self.of_seat_one(game, &rolled);
                    }
                }
            }
        }
        luck
    }

    /// The luck of seat one with a roll that is no opening.
    pub fn of_seat_one(&mut self, game: &TracedGame, rolled: &Rolled) -> f64 {
        let stakes = &game.stakes[rolled.by.flip().index()];
        let cube = rolled.cube.flip();
        let luck = self.meter.roll_worth(&rolled.position, rolled.dice, |position, probs| {
            worth(stakes, cube, position, probs)
        });
        let luck = match self.contest {
            Contest::Money => luck,
            // A match is won or lost: 1 or -1.
            Contest::Match { .. } => 2.0 * luck,
        };
        if rolled.by == Player::One { luck } else { -luck }
    }
}

/// What a position is worth to its player on roll, who may double: points, or the chance to win the
/// match.
fn worth(stakes: &Stakes, cube: Cube, position: &Position, probs: &OutcomeProbs) -> f64 {
    let probs = probs.cumulative();
    if Outcome::of(position).is_some() {
        return stakes.cubeless(&probs, cube).0;
    }
    let efficiency = EfficiencyModel::default().at(stage(position));
    stakes.worth(cube_decision(&probs, stakes, cube, efficiency).best(), cube).0
}
