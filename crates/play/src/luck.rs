//! Taking the luck of the dice out of a result.
//!
//! A judge tells how lucky a roll is: the value of the position after the roll's best play, less
//! the mean of that value over all rolls. Whatever the judge, that difference is zero on average,
//! since the dice know nothing of it; so a result less its luck has the same expectation as the
//! result, and the better the judge, the smaller its spread.

use tavola_evaluator::Evaluator;
use tavola_rules::Game;

use crate::agent::Decision;
use crate::game::{GameObserver, Seat, Situation};
use crate::relabel::ExactJudge;

/// What was rolled where, turn by turn: all that luck depends on.
#[derive(Debug)]
pub(crate) struct Trace<G: Game> {
    turns: Vec<(G::State, G::Roll)>,
}

impl<G: Game> Trace<G> {
    /// A trace of no turns.
    pub(crate) const fn new() -> Self {
        Self { turns: Vec::new() }
    }

    /// Forgets the game before.
    pub(crate) fn clear(&mut self) {
        self.turns.clear();
    }
}

impl<G: Game> GameObserver<G> for Trace<G> {
    fn turn(&mut self, situation: &Situation<'_, G>, _: &Decision) {
        self.turns.push((*situation.state, situation.roll));
    }
}

/// Judges the luck of rolls with one evaluator, 0-ply.
pub(crate) struct LuckMeter<G: Game> {
    judge: ExactJudge<G>,
}

impl<G: Game> LuckMeter<G> {
    /// A meter that asks this judge.
    pub(crate) const fn new(game: G, judge: Box<dyn Evaluator<G>>) -> Self {
        Self { judge: ExactJudge::new(game, judge) }
    }

    /// The luck that player a had in the two games of a pair together, in points: he was
    /// [`Seat::First`] in `a_first` and [`Seat::Second`] in `b_first`. Both games have the same
    /// rolls and began in the same state.
    ///
    /// A turn that comes in the same state in both games brings luck to a in one and takes as
    /// much in the other, so it is skipped. That leaves nothing of a pair in which both players
    /// always chose alike, and little of one in which they nearly did. The first turn is always
    /// such a turn: its roll, which may follow rules of its own, never needs a judgement.
    pub(crate) fn pair(&mut self, a_first: &Trace<G>, b_first: &Trace<G>) -> f64 {
        let mut luck = 0.0;
        for turn in 0..a_first.turns.len().max(b_first.turns.len()) {
            let (one, other) = (a_first.turns.get(turn), b_first.turns.get(turn));
            debug_assert!(turn > 0 || one == other, "the games of a pair begin alike");
            if one == other {
                continue;
            }
            let sign = match Seat::on_roll(turn as u32) {
                Seat::First => 1.0,
                Seat::Second => -1.0,
            };
            luck += sign * one.map_or(0.0, |(state, roll)| self.roll(state, *roll));
            luck -= sign * other.map_or(0.0, |(state, roll)| self.roll(state, *roll));
        }
        luck
    }

    /// The luck of the player on roll in `state` who rolled `roll`, in points, where every roll
    /// of the game can come.
    fn roll(&mut self, state: &G::State, roll: G::Roll) -> f64 {
        let (mut mean, mut value) = (0.0, 0.0);
        for (other, ways, best) in self.judge.best_of_each_roll(state) {
            let equity = f64::from(best.equity());
            mean += equity * f64::from(ways) / f64::from(G::ROLL_WAYS);
            if other == roll {
                value = equity;
            }
        }
        value - mean
    }
}

#[cfg(test)]
mod tests {
    use tavola_equity::OutcomeProbs;
    use tavola_evaluator::{FakeEvaluator, PipCountEvaluator};
    use tavola_rules::{Backgammon, Dice, Outcome, Position};

    use super::*;

    fn position(mine: &[(usize, i8)], theirs: &[(usize, i8)]) -> Position {
        let mut counts = [0; 26];
        for &(point, count) in mine {
            counts[point] += count;
        }
        for &(point, count) in theirs {
            counts[25 - point] -= count;
        }
        Position::from_counts(&counts, 15).unwrap()
    }

    fn dice(a: u8, b: u8) -> Dice {
        Dice::new(a, b).unwrap()
    }

    fn trace(turns: &[(Position, Dice)]) -> Trace<Backgammon> {
        Trace { turns: turns.to_vec() }
    }

    /// Says that unfinished games are even.
    fn meter() -> LuckMeter<Backgammon> {
        let game = Backgammon::Standard;
        let even = |_: &Position| OutcomeProbs([0.5, 0.0, 0.0, 0.5, 0.0, 0.0]);
        LuckMeter::new(game, Box::new(FakeEvaluator::new(game, even)))
    }

    #[test]
    fn a_roll_that_wins_at_once_is_worth_what_the_others_lack() {
        // The last checker, on point 6, is borne off with six pips or more.
        let state = position(&[(6, 1)], &[(1, 1)]);
        let wins =
            |roll: Dice| (roll.low() + roll.high()) * if roll.is_double() { 2 } else { 1 } >= 6;
        let ways: u32 =
            Dice::ALL.iter().filter(|(roll, _)| wins(*roll)).map(|&(_, w)| u32::from(w)).sum();
        assert_eq!(ways, 27);
        let chance = f64::from(ways) / 36.0;
        for (roll, _) in Dice::ALL {
            let luck = meter().roll(&state, roll);
            let expected = if wins(roll) { 1.0 - chance } else { -chance };
            assert!((luck - expected).abs() < 1e-6, "{roll}: {luck}, {expected}");
        }
    }

    #[test]
    fn the_luck_of_all_rolls_adds_up_to_nothing_whoever_judges() {
        let game = Backgammon::Standard;
        let mut racer = LuckMeter::new(game, Box::new(PipCountEvaluator::new(game)));
        for state in [game.start(), position(&[(25, 2), (6, 5)], &[(6, 2), (5, 3), (1, 2)])] {
            for meter in [&mut racer, &mut meter()] {
                let sum: f64 = Dice::ALL
                    .map(|(roll, ways)| f64::from(ways) * meter.roll(&state, roll))
                    .iter()
                    .sum();
                assert!(sum.abs() < 1e-6, "{sum}");
            }
            assert!(racer.roll(&state, dice(3, 3)) > racer.roll(&state, dice(2, 1)));
        }
    }

    #[test]
    fn turns_alike_in_both_games_cancel_and_the_others_count_by_seat() {
        let state = position(&[(6, 1)], &[(1, 1)]);
        let start = (Position::STANDARD, dice(3, 1));
        let (win, miss) = ((state, dice(6, 5)), (state, dice(2, 1)));
        let luck = |roll| meter().roll(&state, roll);
        // Turn 1 is that of player b in the first game and of a in the second.
        let pair = meter().pair(&trace(&[start, win]), &trace(&[start, miss]));
        assert!((pair - (luck(dice(2, 1)) - luck(dice(6, 5)))).abs() < 1e-12);
        let longer = meter().pair(&trace(&[start, win, miss]), &trace(&[start, win]));
        assert!((longer - luck(dice(2, 1))).abs() < 1e-12);

        let fake = FakeEvaluator::new(Backgammon::Standard, |_: &Position| {
            OutcomeProbs::certain(Outcome::WinSingle)
        });
        let mut idle = LuckMeter::new(Backgammon::Standard, Box::new(fake.clone()));
        assert_eq!(idle.pair(&trace(&[start, win]), &trace(&[start, win])), 0.0);
        assert_eq!(fake.judged(), 0, "nothing to judge where nothing differs");
    }
}
