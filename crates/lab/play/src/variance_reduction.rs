//! Variance reduction: taking the luck of the dice out of a result.
//!
//! The luck of a roll is the value of its best play less the mean over all rolls. Whatever the
//! evaluator says, its expectation is zero, so a result less its luck has the expectation of the
//! result; the better the evaluator, the smaller the variance. A pruning network may choose the
//! candidates: any rule does that depends on neither the roll that fell nor the play that was made.
//! The arithmetic is that of a [`RollExpectation`].

use tavola_equity::OutcomeProbs;
use tavola_evaluator::expectation::RollValues;
use tavola_evaluator::{Evaluator, Pruner, Pruning, RollExpectation};
use tavola_rules::Game;

/// What evaluates the luck of rolls.
pub struct LuckEvaluator<'a, G: Game> {
    /// Evaluates the afterstates of a roll.
    pub evaluator: &'a dyn Evaluator<G>,
    /// The pruning network, and how many afterstates of a roll it leaves; without it all are
    /// evaluated. Pruning makes luck several times as cheap and hardly less accurate.
    pub pruning: Option<(&'a dyn Evaluator<G>, Pruning)>,
}

impl<G: Game> LuckEvaluator<'_, G> {
    /// The pruning network, if there is one.
    pub fn pruning_network(&self) -> Option<&dyn Evaluator<G>> {
        self.pruning.map(|(network, _)| network)
    }

    /// The expectation over all rolls by forks of these evaluators.
    pub(crate) fn expectation(&self, game: &G) -> RollExpectation<G> {
        let pruner = self.pruning.as_ref().map(|(network, how)| Pruner::new(network.fork(), *how));
        RollExpectation::new(game.clone(), self.evaluator.fork(), pruner)
    }
}

/// Evaluates the luck of rolls at 0-ply.
pub struct LuckMeter<G: Game> {
    game: G,
    expectation: RollExpectation<G>,
}

impl<G: Game> LuckMeter<G> {
    /// A meter that asks forks of these evaluators.
    pub fn new(game: G, luck: &LuckEvaluator<'_, G>) -> Self {
        Self { expectation: luck.expectation(&game), game }
    }

    /// Another meter with the same answers.
    pub fn fork(&self) -> Self {
        Self { game: self.game.clone(), expectation: self.expectation.fork() }
    }

    /// The luck of the player on roll in `state` who rolled `roll`, where every roll of the game
    /// can come and `value` is the value of an afterstate to its player on roll.
    pub fn roll_expectation(
        &mut self,
        state: &G::State,
        roll: G::Roll,
        value: impl Fn(&G::State, &OutcomeProbs) -> f64,
    ) -> f64 {
        let rolls = self.expectation.evaluate_cubeless(state);
        let values = rolls.best_by(value).map(|best| (best.weight, [-best.value]));
        let number = self.game.rolls().iter().position(|&(other, _)| other == roll);
        let [luck] = RollValues::new::<G>(values).luck(number.expect("a roll of the game"));
        luck
    }
}

#[cfg(test)]
mod tests {
    use tavola_evaluator::{FakeEvaluator, PipCountEvaluator};
    use tavola_rules::{Backgammon, Cube, Dice, Outcome, Player, Position};

    use super::*;
    use crate::format::{Points, Rolled, Trace};

    fn dice(a: u8, b: u8) -> Dice {
        Dice::new(a, b).unwrap()
    }

    fn trace(turns: &[(Position, Dice)]) -> [Trace<Backgammon>; 1] {
        let rolled = |(turn, &(state, roll)): (usize, &(Position, Dice))| Rolled {
            state,
            roll,
            by: if turn % 2 == 0 { Player::One } else { Player::Two },
            cube: Cube::START,
            opening: false,
        };
        [Trace {
            stakes: None,
            rolls: turns.iter().enumerate().map(rolled).collect(),
            afterstates: Vec::new(),
            actions: Vec::new(),
            points: None,
        }]
    }

    /// The luck of a roll, in points.
    fn luck_of(meter: &mut LuckMeter<Backgammon>, state: &Position, roll: Dice) -> f64 {
        meter.roll_expectation(state, roll, |_, probs| f64::from(probs.equity()))
    }

    fn unpruned(evaluator: &dyn Evaluator<Backgammon>) -> LuckMeter<Backgammon> {
        LuckMeter::new(Backgammon::Standard, &LuckEvaluator { evaluator, pruning: None })
    }

    /// Says that unfinished games are even.
    fn meter() -> LuckMeter<Backgammon> {
        let game = Backgammon::Standard;
        let even = |_: &Position| OutcomeProbs([0.5, 0.0, 0.0, 0.5, 0.0, 0.0]);
        unpruned(&FakeEvaluator::new(game, even))
    }

    #[test]
    fn a_roll_that_wins_at_once_is_worth_what_the_others_lack() {
        // The last checker, on point 6, is borne off with six pips or more.
        let state = Position::from_points(&[(6, 1)], &[(1, 1)], 15).unwrap();
        let wins =
            |roll: Dice| (roll.low() + roll.high()) * if roll.is_double() { 2 } else { 1 } >= 6;
        let weight: u32 =
            Dice::ALL.iter().filter(|(roll, _)| wins(*roll)).map(|&(_, w)| u32::from(w)).sum();
        assert_eq!(weight, 27);
        let probability = f64::from(weight) / 36.0;
        for (roll, _) in Dice::ALL {
            let luck = luck_of(&mut meter(), &state, roll);
            let expected = if wins(roll) { 1.0 - probability } else { -probability };
            assert!((luck - expected).abs() < 1e-6, "{roll}: {luck}, {expected}");
        }
    }

    #[test]
    fn the_luck_of_all_rolls_adds_up_to_nothing_with_any_evaluator() {
        let game = Backgammon::Standard;
        let mut racer = unpruned(&PipCountEvaluator::new(game));
        for state in [
            game.start(),
            Position::from_points(&[(25, 2), (6, 5)], &[(6, 2), (5, 3), (1, 2)], 15).unwrap(),
        ] {
            for meter in [&mut racer, &mut meter()] {
                let sum: f64 = Dice::ALL
                    .map(|(roll, weight)| f64::from(weight) * luck_of(meter, &state, roll))
                    .iter()
                    .sum();
                assert!(sum.abs() < 1e-6, "{sum}");
            }
            assert!(
                luck_of(&mut racer, &state, dice(3, 3)) > luck_of(&mut racer, &state, dice(2, 1))
            );
        }
    }

    #[test]
    fn turns_alike_in_both_games_cancel_and_the_others_count_by_seat() {
        let state = Position::from_points(&[(6, 1)], &[(1, 1)], 15).unwrap();
        let start = (Position::STANDARD, dice(3, 1));
        let (win, miss) = ((state, dice(6, 5)), (state, dice(2, 1)));
        let luck = |roll| luck_of(&mut meter(), &state, roll);
        // Turn 1 is that of player b in the first game and of a in the second.
        let pair = meter().pair(&Points, &trace(&[start, win]), &trace(&[start, miss]));
        assert!((pair - (luck(dice(2, 1)) - luck(dice(6, 5)))).abs() < 1e-12);
        let longer = meter().pair(&Points, &trace(&[start, win, miss]), &trace(&[start, win]));
        assert!((longer - luck(dice(2, 1))).abs() < 1e-12);

        let fake = FakeEvaluator::new(Backgammon::Standard, |_: &Position| {
            OutcomeProbs::certain(Outcome::WinSingle)
        });
        let mut idle = unpruned(&fake);
        assert_eq!(idle.pair(&Points, &trace(&[start, win]), &trace(&[start, win])), 0.0);
        assert_eq!(fake.evaluated(), 0, "nothing to evaluate where nothing differs");
    }

    #[test]
    fn with_a_pruner_the_evaluator_sees_a_few_results_and_luck_still_adds_up_to_nothing() {
        let game = Backgammon::Standard;
        let racer = PipCountEvaluator::new(game);
        let fake = FakeEvaluator::new(game, |state: &Position| {
            let win = state.opponent_pip_count() as f32 / 400.0;
            OutcomeProbs([1.0 - win, 0.0, 0.0, win, 0.0, 0.0])
        });
        let state =
            Position::from_points(&[(25, 2), (6, 5)], &[(6, 2), (5, 3), (1, 2)], 15).unwrap();
        let mut sums = Vec::new();
        for keep in [1, 2] {
            let pruning = Pruning { keep, within: 10.0 };
            let luck = LuckEvaluator { evaluator: &fake, pruning: Some((&racer, pruning)) };
            let mut meter = LuckMeter::new(game, &luck).fork();
            let before = fake.evaluated();
            let luck = Dice::ALL
                .map(|(roll, weight)| f64::from(weight) * luck_of(&mut meter, &state, roll));
            assert!(luck.iter().sum::<f64>().abs() < 1e-6, "{luck:?}");
            let evaluated = fake.evaluated() - before;
            assert!(evaluated <= 21 * 21 * keep as u64, "{evaluated} for {keep}");
            sums.push(luck.iter().map(|luck| luck.abs()).sum::<f64>());
        }
        assert!(sums.iter().all(|&sum| sum > 0.0), "{sums:?}");
    }
}
