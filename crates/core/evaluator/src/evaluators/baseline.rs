//! Evaluators that know next to nothing: yardsticks for networks, and opponents for tests.

use tavola_equity::OutcomeProbs;
use tavola_rules::{Backgammon, Game, Position};

use crate::evaluator::Evaluator;

/// Evaluates every unfinished state by a hash of its cells and a seed. A player that follows it
/// plays at random, yet always the same in the same state.
///
/// Every outcome is a single win or loss, its probability uniform from 0 to 1. A play that ends the
/// game is known to win, so it is made.
#[derive(Clone, Debug)]
pub struct RandomEvaluator<G> {
    game: G,
    seed: u64,
}

impl<G: Game> RandomEvaluator<G> {
    /// The random evaluator of `game` with this seed; another seed makes an unrelated evaluator.
    pub const fn new(game: G, seed: u64) -> Self {
        Self { game, seed }
    }
}

/// A number from 0 to 1, 1 excluded, that is uniform over states and fixed for each.
fn uniform(cells: &[i8], seed: u64) -> f32 {
    let mut hash = mix(seed);
    for chunk in cells.chunks(8) {
        let mut word = [0; 8];
        for (byte, &count) in word.iter_mut().zip(chunk) {
            *byte = count as u8;
        }
        hash = mix(hash ^ u64::from_le_bytes(word));
    }
    // As many bits as the mantissa holds.
    (hash >> 40) as f32 / (1u64 << 24) as f32
}

/// The output function of SplitMix64: every input bit changes every output bit with probability
/// 1/2.
///
/// Guy Steele, Doug Lea, Christine Flood, "Fast splittable pseudorandom number generators",
/// 2014, with the constants of David Stafford's "Mix13". The hashers of the standard library
/// promise no stable answers.
const fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

impl<G: Game> Evaluator<G> for RandomEvaluator<G> {
    fn evaluate(&mut self, states: &[G::State], out: &mut Vec<OutcomeProbs>) {
        out.clear();
        out.extend(states.iter().map(|state| match self.game.outcome(state) {
            Some(outcome) => OutcomeProbs::certain(outcome),
            None => OutcomeProbs::single(uniform(self.game.identity_cells(state), self.seed)),
        }));
    }

    fn fork(&self) -> Box<dyn Evaluator<G>> {
        Box::new(self.clone())
    }
}

/// Evaluates a position of backgammon by the race alone, as if the checkers could not meet. A
/// player that follows it hits every blot it can, the nearer to the opponent's home the better.
///
/// Most plays of a roll leave equal pip counts. A hash of the position tells them apart by less
/// than half a pip, so that equal plays are chosen at random. With the first of equals, as the move
/// generator lists them, the evaluator lost to a random player. Against itself it is of little use:
/// both sides hit each other for thousands of turns.
#[derive(Clone, Debug)]
pub struct PipCountEvaluator {
    game: Backgammon,
}

impl PipCountEvaluator {
    /// The evaluator of a variant; the evaluation is the same in all of them.
    pub const fn new(game: Backgammon) -> Self {
        Self { game }
    }

    /// The probability of the player on roll to reach zero pips first, taking the pips of a roll as
    /// normal and no pip as wasted.
    fn win_probability(position: &Position) -> f32 {
        /// Mean and variance of the pips of one roll, doubles counted four times: 49/6, 18.47.
        const MEAN: f32 = 49.0 / 6.0;
        const VARIANCE: f32 = 18.47;
        /// Turns the logistic curve into the normal distribution function up to 0.01.
        const PROBIT: f32 = 1.702;

        let (mine, theirs) = (position.pip_count() as f32, position.opponent_pip_count() as f32);
        // Being on roll is worth half a roll.
        let lead = theirs - mine + MEAN / 2.0 + 0.5 * (uniform(position.cells(), 0) - 0.5);
        let rolls = ((mine + theirs) / MEAN).max(1.0);
        1.0 / (1.0 + (-PROBIT * lead / (VARIANCE * rolls).sqrt()).exp())
    }
}

impl Evaluator<Backgammon> for PipCountEvaluator {
    fn evaluate(&mut self, states: &[Position], out: &mut Vec<OutcomeProbs>) {
        out.clear();
        out.extend(states.iter().map(|state| match self.game.outcome(state) {
            Some(outcome) => OutcomeProbs::certain(outcome),
            None => OutcomeProbs::single(Self::win_probability(state)),
        }));
    }

    fn fork(&self) -> Box<dyn Evaluator<Backgammon>> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use tavola_rules::{Dice, Outcome};

    use super::*;

    fn evaluate(
        evaluator: &mut dyn Evaluator<Backgammon>,
        states: &[Position],
    ) -> Vec<OutcomeProbs> {
        let mut out = vec![OutcomeProbs::default(); 3];
        evaluator.evaluate(states, &mut out);
        assert_eq!(out.len(), states.len());
        out
    }

    #[test]
    fn the_random_evaluator_is_uniform_and_depends_on_state_and_seed() {
        let game = Backgammon::Standard;
        let (mut states, mut next) = (vec![game.start()], Vec::new());
        for (roll, _) in Dice::ALL {
            next.clear();
            game.afterstates(&states[states.len() / 2], roll, &mut next);
            states.append(&mut next);
        }
        assert!(states.len() > 300, "{}", states.len());
        let evaluated = evaluate(&mut RandomEvaluator::new(game, 1), &states);
        assert_eq!(evaluated, evaluate(&mut *RandomEvaluator::new(game, 1).fork(), &states));
        let mean =
            evaluated.iter().map(|p| p.cumulative().win).sum::<f32>() / evaluated.len() as f32;
        // The mean of n uniform numbers has the standard deviation (12 n)^-0.5; five of them.
        let bound = 5.0 / (12.0 * evaluated.len() as f32).sqrt();
        assert!((mean - 0.5).abs() < bound, "{mean}");
        let other = evaluate(&mut RandomEvaluator::new(game, 2), &states);
        assert!(evaluated.iter().zip(&other).all(|(a, b)| a != b));
    }

    #[test]
    fn the_race_is_evaluated_by_its_lead_and_length() {
        let game = Backgammon::Standard;
        let even = Position::from_points(&[(6, 10)], &[(6, 10)], 15).unwrap();
        let behind = Position::from_points(&[(6, 10), (5, 4)], &[(6, 10)], 15).unwrap();
        let ahead = Position::from_points(&[(6, 10)], &[(6, 10), (5, 4)], 15).unwrap();
        let long = Position::from_points(&[(20, 10)], &[(20, 10), (4, 5)], 15).unwrap();
        let take = Position::from_points(&[(10, 10)], &[(10, 10), (6, 2)], 15).unwrap();
        let win: Vec<_> =
            evaluate(&mut PipCountEvaluator::new(game), &[even, behind, ahead, long, take])
                .iter()
                .map(|probs| probs.cumulative().win)
                .collect();
        assert!(win[1] < 0.5 && 0.5 < win[0] && win[0] < win[3] && win[3] < win[2], "{win:?}");
        // The rule of thumb of 8, 9 and 12 per cent: a player on roll with 100 pips and a lead of
        // 12 wins about 78 %, where the opponent may still just take a double.
        assert!((0.75..0.8).contains(&win[4]), "{win:?}");
    }

    #[test]
    fn finished_games_are_evaluated_by_the_rules() {
        let game = Backgammon::Standard;
        let lost = Position::from_points(&[(6, 15)], &[], 15).unwrap();
        for evaluator in [
            &mut RandomEvaluator::new(game, 1) as &mut dyn Evaluator<_>,
            &mut PipCountEvaluator::new(game),
        ] {
            let evaluated = evaluate(evaluator, &[lost, lost.flip()]);
            assert_eq!(evaluated[0], OutcomeProbs::certain(Outcome::LoseGammon));
            assert_eq!(evaluated[1], OutcomeProbs::certain(Outcome::WinGammon));
        }
    }
}
