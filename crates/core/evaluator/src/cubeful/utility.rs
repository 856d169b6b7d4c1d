//! What is carried through a tree with a cube: the worth of a state at every cube that may come up.

use std::sync::Arc;

use tavola_equity::{
    CubeModel, Efficiency, EfficiencyModel, Expectation, OutcomeProbs, Stage, Stakes,
};
use tavola_rules::{Cube, Game, Outcome, Player, Position};

use super::endgame::Endgame;
use super::seated::{Seated, SeatedGame};
use crate::search::MAX_PLY;
use crate::utility::{Preference, Utility, between};

/// The most cubes that can come up: the first, and two for every roll that is looked ahead, since
/// either player may be the first to turn a centered cube.
const MOST_CUBES: usize = 1 + 2 * MAX_PLY as usize;

/// What a state is worth to one of the players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubefulValue {
    /// Who sees it so.
    seat: Player,
    /// The probabilities without regard to the cube, for the plays that are best with it.
    pub(super) probs: OutcomeProbs,
    /// The worth at each of the cubes, if both sides use it as they should from now on. Entries
    /// beyond the cubes are 0.
    expectations: [f64; MOST_CUBES],
    /// The worth at the first cube, if the player on roll in the state does not double now.
    no_double: f64,
}

impl CubefulValue {
    /// Who sees it so.
    pub(super) const fn seat(&self) -> Player {
        self.seat
    }

    /// The worth at the first cube.
    pub(super) const fn expectation(&self) -> Expectation {
        Expectation(self.expectations[0])
    }

    /// The value at the first cube if it is not turned before this roll.
    pub(super) const fn no_double(&self) -> Expectation {
        Expectation(self.no_double)
    }

    /// A value without a double, to seat one.
    #[cfg(test)]
    pub(super) fn without_double(no_double: f64) -> Self {
        let probs = OutcomeProbs::certain(Outcome::WinSingle);
        Self { seat: Player::One, probs, expectations: [no_double; MOST_CUBES], no_double }
    }
}

/// A cube that may come up.
#[derive(Clone, Copy, Debug)]
struct Tracked {
    /// Seen by each seat.
    seen: [Cube; 2],
    /// The number of the cube after a seat has doubled and the other has taken. `None` if the seat
    /// may not double, or where that number of turns can't happen before the leaves.
    doubled: [Option<usize>; 2],
}

/// What the game is played for and which cubes may come up.
#[derive(Debug)]
struct CubeTree {
    /// Seen by each seat.
    stakes: [Stakes; 2],
    cubes: Vec<Tracked>,
    efficiency: EfficiencyModel,
    endgame: Endgame,
}

/// The players strive for points or for winning the match, with the cube where it is.
#[derive(Clone, Debug)]
pub struct Cubeful(Arc<CubeTree>);

impl Cubeful {
    /// The cube `cube` and those that can come from it within `ply` rolls. Stakes and cube are
    /// seen by seat one.
    pub(super) fn new(
        stakes: &Stakes,
        cube: Cube,
        ply: u8,
        efficiency: EfficiencyModel,
        endgame: Endgame,
    ) -> Self {
        let both = both(stakes);
        let tracked = |cube: Cube| Tracked { seen: [cube, cube.flip()], doubled: [None; 2] };
        let mut cubes = vec![tracked(cube)];
        let mut start = 0;
        for _ in 0..ply.min(MAX_PLY) {
            let end = cubes.len();
            for number in start..end {
                for seat in [Player::One, Player::Two] {
                    let cube = cubes[number].seen[seat.index()];
                    if both[seat.index()].may_double(cube).is_err() {
                        continue;
                    }
                    let Some(doubled) = cube.doubled() else { continue };
                    cubes[number].doubled[seat.index()] = Some(cubes.len());
                    cubes.push(tracked(if seat == Player::One { doubled } else { doubled.flip() }));
                }
            }
            start = end;
        }
        Self(Arc::new(CubeTree { stakes: both, cubes, efficiency, endgame }))
    }
}

/// The stakes seen by each seat, from those that seat one sees.
pub(super) fn both(stakes: &Stakes) -> [Stakes; 2] {
    [stakes.clone(), stakes.flip()]
}

/// What a worth to one player is to the other.
pub(super) fn flip(stakes: &Stakes, expectation: f64) -> f64 {
    if stakes.is_match() { 1.0 - expectation } else { -expectation }
}

/// The worth to a player who may double, from the worths without a double and after one that is
/// taken.
pub(super) fn with_double(stakes: &Stakes, cube: Cube, no_double: f64, doubled: f64) -> f64 {
    let mut answered = doubled.min(stakes.cash(cube).0);
    if stakes.has_beavers() {
        // A beaver is right where the double was wrong, so no player turns the cube further.
        answered = answered.min(2.0 * doubled);
    }
    no_double.max(answered)
}

impl CubeTree {
    fn stakes(&self, seat: Player) -> &Stakes {
        &self.stakes[seat.index()]
    }

    /// By the cube model: without a double now, and with best use of the cube.
    fn modeled(
        &self,
        seat: Player,
        cube: Cube,
        model: &CubeModel<'_>,
        efficiency: Efficiency,
    ) -> (f64, f64) {
        let no_double = model.value(cube, efficiency).0;
        let doubled = cube.doubled().filter(|_| self.stakes(seat).may_double(cube).is_ok());
        let expectation = doubled.map_or(no_double, |doubled| {
            let doubled = model.value(doubled, efficiency).0;
            with_double(self.stakes(seat), cube, no_double, doubled)
        });
        (no_double, expectation)
    }

    /// The worth of a state at one cube, as [`modeled`](Self::modeled), from what is best known
    /// of the state.
    fn known<'a>(
        &'a self,
        state: &'a Seated,
        probs: &OutcomeProbs,
    ) -> impl Fn(Cube) -> (f64, f64) + 'a {
        let seat = state.seat;
        let over = Outcome::of(&state.position).is_some();
        let solved = if over { None } else { self.endgame.worths(state) };
        let probs = probs.cumulative();
        let model = (!over && solved.is_none()).then(|| {
            let first = self.cubes[0].seen[seat.index()].exponent();
            let model = CubeModel::new(self.stakes(seat), &probs, first);
            (model, self.efficiency.at(stage(&state.position)))
        });
        move |cube| {
            if let Some((model, efficiency)) = &model {
                self.modeled(seat, cube, model, *efficiency)
            } else if let Some(worth) = &solved {
                worth.at(cube)
            } else {
                let expectation = self.stakes(seat).cubeless(&probs, cube).0;
                (expectation, expectation)
            }
        }
    }

    /// What plays are compared by: money equity per unit of the first cube, or EMG at it.
    fn scale(&self, seat: Player, expectation: f64) -> f32 {
        let cube = self.cubes[0].seen[seat.index()];
        self.stakes(seat).value(Expectation(expectation), cube).equity() as f32
    }
}

impl Utility<SeatedGame> for Cubeful {
    type Value = CubefulValue;

    fn value(&self, state: &Seated, probs: &OutcomeProbs) -> CubefulValue {
        let seat = state.seat;
        let known = self.0.known(state, probs);
        let mut expectations = [0.0; MOST_CUBES];
        let mut no_double = 0.0;
        for (number, cube) in self.0.cubes.iter().enumerate() {
            let (without, expectation) = known(cube.seen[seat.index()]);
            expectations[number] = expectation;
            if number == 0 {
                no_double = without;
            }
        }
        CubefulValue { seat, probs: *probs, expectations, no_double }
    }

    fn flip(&self, value: &CubefulValue) -> CubefulValue {
        let mut expectations = [0.0; MOST_CUBES];
        for (number, expectation) in expectations.iter_mut().enumerate().take(self.0.cubes.len()) {
            *expectation = flip(&self.0.stakes[0], value.expectations[number]);
        }
        CubefulValue {
            seat: value.seat.flip(),
            probs: value.probs.flip(),
            expectations,
            no_double: flip(&self.0.stakes[0], value.no_double),
        }
    }

    fn preference(&self, value: &CubefulValue) -> Preference {
        let expectation = self.0.scale(value.seat, value.expectations[0]);
        Preference { expectation, cubeless: value.probs.equity() }
    }

    fn preference_of(&self, state: &Seated, probs: &OutcomeProbs) -> Preference {
        let cube = self.0.cubes[0].seen[state.seat.index()];
        let expectation = self.0.scale(state.seat, self.0.known(state, probs)(cube).1);
        Preference { expectation, cubeless: probs.equity() }
    }

    fn before_roll(&self, state: &Seated, after: &[(CubefulValue, u32)]) -> CubefulValue {
        let seat = state.seat;
        let cubes = &self.0.cubes;
        let mut probs = [0.0_f64; 6];
        let mut rolled = [0.0; MOST_CUBES];
        for (value, weight) in after {
            let probability = f64::from(*weight) / f64::from(SeatedGame::TOTAL_WEIGHT);
            for (sum, part) in probs.iter_mut().zip(value.probs.0) {
                *sum += probability * f64::from(part);
            }
            for (sum, expectation) in rolled.iter_mut().zip(value.expectations) {
                *sum += probability * expectation;
            }
        }
        let mut expectations = rolled;
        for (number, cube) in cubes.iter().enumerate() {
            if let Some(doubled) = cube.doubled[seat.index()] {
                // After their double the player can't turn the cube again, so the doubled cube is
                // worth to them what rolling is worth.
                let (cube, no_double) = (cube.seen[seat.index()], rolled[number]);
                expectations[number] =
                    with_double(self.0.stakes(seat), cube, no_double, rolled[doubled]);
            }
        }
        let probs = OutcomeProbs(probs.map(|sum| sum as f32));
        CubefulValue { seat, probs, expectations, no_double: rolled[0] }
    }

    fn between(&self, from: &CubefulValue, to: &CubefulValue, share: f32) -> CubefulValue {
        let part = |a: f64, b: f64| a + f64::from(share) * (b - a);
        CubefulValue {
            seat: from.seat,
            probs: between(&from.probs, &to.probs, share),
            expectations: std::array::from_fn(|i| part(from.expectations[i], to.expectations[i])),
            no_double: part(from.no_double, to.no_double),
        }
    }
}

/// What of a position decides how live a cube is.
pub fn stage(position: &Position) -> Stage {
    if position.has_contact() {
        Stage::Contact
    } else if wins_next(position) {
        Stage::LastRoll
    } else {
        Stage::Race { pips: position.pip_count() }
    }
}

/// Whether the opponent bears off the last checkers with any roll: if the player on roll does not
/// win now, the game is lost.
fn wins_next(position: &Position) -> bool {
    // Even 2-1 bears off one checker from the third point, or two of which one is on the first and
    // the other at most on the second: two with 3 pips are one checker on each of the two points.
    let checkers = position.checkers() - position.opponent_off();
    checkers <= 2 && position.opponent_pip_count() <= 3
}

#[cfg(test)]
mod tests {
    use tavola_rules::{Beavers, Options};

    use super::*;

    #[test]
    fn a_double_that_the_jacoby_rule_asks_for_may_be_beavered() {
        let options = Options { jacoby: true, beavers: Beavers::Beavers, ..Options::default() };
        let stakes = Stakes::money(&options).unwrap();
        assert_eq!(with_double(&stakes, Cube::START, -0.3, -0.2), -0.3, "beavered, it loses 0.4");
        assert_eq!(with_double(&stakes, Cube::START, -0.3, -0.1), -0.2);
        assert_eq!(with_double(&stakes, Cube::START, 0.3, 0.4), 0.4);
        assert_eq!(with_double(&stakes, Cube::START, 0.3, 1.2), 1.0);
    }

    #[test]
    fn stages_are_told_by_contact_and_by_what_the_opponent_needs() {
        assert_eq!(stage(&Position::STANDARD), Stage::Contact);
        let race = Position::from_points(&[(6, 3)], &[(6, 2)], 15).unwrap();
        assert_eq!(stage(&race), Stage::Race { pips: 18 });
        for last in [&[(3, 1)][..], &[(1, 2)], &[(1, 1), (2, 1)], &[(1, 1)]] {
            assert_eq!(
                stage(&Position::from_points(&[(6, 1)], last, 15).unwrap()),
                Stage::LastRoll,
                "{last:?}"
            );
        }
        for longer in [&[(4, 1)][..], &[(2, 2)], &[(1, 3)], &[(1, 1), (3, 1)]] {
            let race = Position::from_points(&[(6, 1)], longer, 15).unwrap();
            assert_eq!(stage(&race), Stage::Race { pips: 6 }, "{longer:?}");
        }
    }
}
