//! Backgammon with a seat beside the checkers: who of the two is on roll.
//!
//! A position does not depend on which seat is on roll; the value of an owned cube does. With the
//! seat in the state, the search tells the two apart wherever it remembers or compares.

use rand::Rng;
use serde::{Deserialize, Serialize};
use tavola_equity::OutcomeProbs;
use tavola_rules::{Backgammon, Cell, Dice, Game, Outcome, Player, Position, WinKind};

use super::endgame::Endgame;
use crate::evaluator::Evaluator;

/// A position and the seat on roll. Who asks is seat one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Seated {
    /// The checkers, seen from the player on roll.
    pub(super) position: Position,
    /// The player on roll.
    pub(super) seat: Player,
}

/// The rules of backgammon for [`Seated`] positions.
#[derive(Clone, Debug)]
pub struct SeatedGame(pub(super) Backgammon);

impl Game for SeatedGame {
    type State = Seated;
    type Roll = Dice;

    const TOTAL_WEIGHT: u32 = Backgammon::TOTAL_WEIGHT;

    fn id(&self) -> String {
        self.0.id()
    }

    fn start(&self) -> Seated {
        Seated { position: self.0.start(), seat: Player::One }
    }

    fn opening_roll(&self, rng: &mut impl Rng) -> Dice {
        self.0.opening_roll(rng)
    }

    fn roll(&self, rng: &mut impl Rng) -> Dice {
        self.0.roll(rng)
    }

    fn rolls(&self) -> &'static [(Dice, u8)] {
        self.0.rolls()
    }

    fn afterstates(&self, state: &Seated, roll: Dice, afterstates: &mut Vec<Seated>) {
        let mut positions = Vec::with_capacity(32);
        self.0.afterstates(&state.position, roll, &mut positions);
        let seat = state.seat.flip();
        afterstates.extend(positions.into_iter().map(|position| Seated { position, seat }));
    }

    fn flip(&self, state: &Seated) -> Seated {
        Seated { position: state.position.flip(), seat: state.seat.flip() }
    }

    fn outcome(&self, state: &Seated) -> Option<Outcome> {
        self.0.outcome(&state.position)
    }

    fn largest_win(&self) -> WinKind {
        self.0.largest_win()
    }

    fn surpasses(&self, a: &Seated, b: &Seated) -> bool {
        self.0.surpasses(&a.position, &b.position)
    }

    fn layout(&self) -> &'static [Cell] {
        self.0.layout()
    }

    fn cells(state: &Seated) -> &[i8] {
        Backgammon::cells(&state.position)
    }
}

/// When search can't improve a value with a cube.
#[derive(Clone, Debug)]
pub(super) enum Exact {
    /// Where the evaluator says so: the cube is out of play.
    AsEvaluated,
    /// Where the value with the cube is known; elsewhere the model of the cube is an estimate.
    Solved(Endgame),
}

/// An evaluator of positions as an evaluator of [`Seated`] ones.
pub(super) struct SeatedEvaluator {
    pub(super) evaluator: Box<dyn Evaluator<Backgammon>>,
    pub(super) exact: Exact,
    positions: Vec<Position>,
}

impl SeatedEvaluator {
    pub(super) fn new(evaluator: Box<dyn Evaluator<Backgammon>>, exact: Exact) -> Self {
        Self { evaluator, exact, positions: Vec::new() }
    }

    fn unseat(&mut self, states: &[Seated]) {
        self.positions.clear();
        self.positions.extend(states.iter().map(|state| state.position));
    }
}

impl Evaluator<SeatedGame> for SeatedEvaluator {
    fn evaluate(&mut self, states: &[Seated], out: &mut Vec<OutcomeProbs>) {
        self.unseat(states);
        self.evaluator.evaluate(&self.positions, out);
    }

    fn evaluate_siblings(
        &mut self,
        parent: &Seated,
        states: &[Seated],
        out: &mut Vec<OutcomeProbs>,
    ) {
        self.unseat(states);
        self.evaluator.evaluate_siblings(&parent.position, &self.positions, out);
    }

    fn is_exact(&self, state: &Seated) -> bool {
        match &self.exact {
            Exact::AsEvaluated => self.evaluator.is_exact(&state.position),
            Exact::Solved(endgame) => endgame.knows(state),
        }
    }

    fn fork(&self) -> Box<dyn Evaluator<SeatedGame>> {
        Box::new(Self::new(self.evaluator.fork(), self.exact.clone()))
    }
}
