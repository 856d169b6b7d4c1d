//! Rollouts with a cube: what is played for, and what happens to the cube between rolls.

use std::sync::Arc;

use tavola_equity::{
    BeaverAnswer, CubeDecision, CubeExpectations, EfficiencyModel, Expectation, Response, Stakes,
    Value,
};
use tavola_rules::{Backgammon, Cube, CubeOwner, Player};

use super::CubefulEvaluator;
use super::endgame::Endgame;
use super::seated::{Seated, SeatedGame};
use super::utility::{Cubeful, CubefulValue, both};
use crate::rollout::{
    Parts, Rollout, RolloutCube, RolloutError, RolloutSettings, Scoring, Settled, Start,
    TrialPlayer, Trials,
};

#[cfg(test)]
mod tests;

/// A game for money or at a match score. Cubes are seen by seat one, who asks.
#[derive(Clone, Debug)]
pub(super) struct CubeScoring {
    /// Seen by each seat.
    stakes: [Stakes; 2],
    /// The cube on whose scale equities are.
    unit: Cube,
    efficiency: EfficiencyModel,
    endgame: Endgame,
}

/// A cube of seat one as `seat` sees it, and the reverse.
pub(super) const fn seen(cube: Cube, seat: Player) -> Cube {
    match seat {
        Player::One => cube,
        Player::Two => cube.flip(),
    }
}

impl CubeScoring {
    const fn stakes(&self, seat: Player) -> &Stakes {
        &self.stakes[seat.index()]
    }

    /// A worth to the player of a seat, on the scale of the rollout.
    fn equity(&self, seat: Player, expectation: Expectation) -> f64 {
        self.stakes(seat).value(expectation, seen(self.unit, seat)).equity()
    }
}

impl Scoring<SeatedGame> for CubeScoring {
    type Cube = Cube;
    type Utility = Cubeful;

    fn utility(&self, cube: Cube, ply: u8) -> Cubeful {
        let stakes = self.stakes(Player::One);
        Cubeful::new(stakes, cube, ply, self.efficiency, self.endgame.clone())
    }

    fn parts(&self, value: &CubefulValue, may_double: bool) -> Parts {
        let [a, b, c, d, e, f] = value.probs.0.map(f64::from);
        let expectation = if may_double { value.expectation() } else { value.no_double() };
        [a, b, c, d, e, f, self.equity(value.seat(), expectation)]
    }

    fn equity(parts: &Parts) -> f64 {
        parts[6]
    }

    fn turns(&self, state: &Seated, cube: Cube) -> u8 {
        self.stakes(state.seat).turns(seen(cube, state.seat))
    }

    fn after_turns(&self, state: &Seated, cube: Cube, turns: u8) -> Cube {
        if turns == 0 {
            return cube;
        }
        let cube = Cube::new(cube.exponent() + turns, CubeOwner::Opponent);
        seen(cube.expect("within the turns that are left"), state.seat)
    }

    fn settle(&self, state: &Seated, cube: Cube, values: &[CubefulValue]) -> (Settled<Cube>, f64) {
        let (seat, stakes) = (state.seat, self.stakes(state.seat));
        let here = seen(cube, seat);
        let no_double = |turns: u8| values.get(usize::from(turns)).map(CubefulValue::no_double);
        let expectations = CubeExpectations::new(values[0].no_double(), no_double);
        let decision = CubeDecision::from_expectations(stakes, here, &expectations);
        let Some(doubled) = decision.double.ok().filter(|_| decision.is_double()) else {
            return (Settled::Roll(cube), decision.lead());
        };
        let over = |value: Value| Settled::Over(self.equity(seat, stakes.expectation(value, here)));
        let settled = match (doubled.answer, doubled.beaver) {
            (Response::Pass, _) => over(doubled.pass),
            (Response::Beaver, Some((_, BeaverAnswer::Take))) => {
                Settled::Roll(self.after_turns(state, cube, 2))
            }
            (Response::Beaver, Some((value, BeaverAnswer::Pass))) => over(value),
            (Response::Beaver, Some((value, BeaverAnswer::Raccoon))) => {
                let taken = no_double(3)
                    .is_some_and(|expectation| stakes.value(expectation, here) == value);
                if taken { Settled::Roll(self.after_turns(state, cube, 3)) } else { over(value) }
            }
            (Response::Take, _) | (Response::Beaver, None) => {
                Settled::Roll(self.after_turns(state, cube, 1))
            }
        };
        (settled, decision.lead())
    }
}

impl CubefulEvaluator {
    pub(super) fn scoring(&self, stakes: &Stakes, cube: Cube) -> CubeScoring {
        let (efficiency, endgame) = (self.efficiency, self.endgame(stakes));
        CubeScoring { stakes: both(stakes), unit: cube, efficiency, endgame }
    }

    pub(super) fn rollout(
        &self,
        scoring: CubeScoring,
        starts: Vec<Start<Seated, Cube>>,
        terms: RolloutCube,
        name: &str,
        settings: RolloutSettings,
    ) -> Result<Rollout<Backgammon>, RolloutError> {
        let positions = starts.iter().map(|start| start.state.position).collect();
        let name = format!("{name}, cube efficiency {}", self.efficiency);
        let starts: Arc<[_]> = starts.into();
        let (main, pruning) = self.seated_evaluators(&terms.stakes);
        let game = SeatedGame(self.game);
        let player = move || -> Box<dyn Trials> {
            let evaluators = (&*main, pruning.as_deref());
            let starts = Arc::clone(&starts);
            Box::new(TrialPlayer::new(&game, scoring.clone(), evaluators, &settings, starts))
        };
        Rollout::with_cube(self.game, &name, settings, positions, terms, Box::new(player))
    }
}
