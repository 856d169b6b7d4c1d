//! The yardstick: everything as one would write it first, right but without a thought for speed.
//!
//! Plays are found by trying everything and throwing away what is doubled; every position is
//! encoded from scratch and multiplied through dense layers of 32-bit floats. Ratios to this say
//! what the engine's own ways are worth on the machine at hand, whatever the machine.

use std::collections::BTreeSet;

use rand::rngs::ChaCha8Rng;
use tavola_equity::OutcomeProbs;
use tavola_net::{Encoder, Weights};
use tavola_rules::{Backgammon, Dice, Game, Outcome, Position};

/// Turns after which a game of a network that has learnt nothing is given up.
const MAX_TURNS: usize = 5_000;

/// A player without any tricks.
pub struct Naive<'a> {
    game: Backgammon,
    weights: &'a Weights,
    encoder: Encoder,
}

impl<'a> Naive<'a> {
    /// The player that evaluates by `weights`, which were trained for `game`.
    pub fn new(game: Backgammon, weights: &'a Weights) -> Self {
        Self { game, weights, encoder: Encoder::new(weights.encoder, game.layout()) }
    }

    /// Every distinct position that a roll can lead to, seen by the opponent; the passed position
    /// if there is no play.
    pub fn afterstates(&self, position: &Position, dice: Dice) -> Vec<Position> {
        let (high, low) = (dice.high(), dice.low());
        let mut lines = Vec::new();
        if dice.is_double() {
            try_everything(position.counts(), &[high; 4], &mut Vec::new(), &mut lines);
        } else {
            try_everything(position.counts(), &[high, low], &mut Vec::new(), &mut lines);
            try_everything(position.counts(), &[low, high], &mut Vec::new(), &mut lines);
        }
        // As many dice as possible, and the larger one if only one can be played.
        let most = lines.iter().map(|(used, _)| used.len()).max().unwrap_or(0);
        lines.retain(|(used, _)| used.len() == most);
        if most == 1 {
            let largest = lines.iter().map(|(used, _)| used[0]).max();
            lines.retain(|(used, _)| Some(used[0]) == largest);
        }
        let distinct: BTreeSet<[i8; 26]> = lines.into_iter().map(|(_, counts)| counts).collect();
        distinct.iter().map(|counts| self.flip(counts)).collect()
    }

    fn flip(&self, counts: &[i8; 26]) -> Position {
        let flipped = std::array::from_fn(|i| -counts[25 - i]);
        Position::from_counts(&flipped, self.game.checkers())
            .expect("moving a checker leaves a position legal")
    }

    /// Outcome probabilities of a position from its player on roll.
    ///
    /// # Shapes
    ///
    /// Weights are `[inputs, outputs]`, as in the file.
    pub fn evaluate(&self, position: &Position) -> OutcomeProbs {
        if let Some(outcome) = Outcome::of(position) {
            return OutcomeProbs::certain(outcome);
        }
        let mut values = vec![0.0; self.encoder.inputs()];
        self.encoder.encode(Backgammon::cells(position), &mut values);
        let last = self.weights.layers.len() - 1;
        for (i, layer) in self.weights.layers.iter().enumerate() {
            let mut sums = layer.biases.clone();
            for (value, row) in values.iter().zip(layer.weights.chunks(layer.outputs)) {
                for (sum, weight) in sums.iter_mut().zip(row) {
                    *sum += value * weight;
                }
            }
            if i < last {
                sums.iter_mut().for_each(|sum| *sum = sum.max(0.0));
            }
            values = sums;
        }
        let powers: [f32; 6] = std::array::from_fn(|i| values[i].exp());
        OutcomeProbs(powers.map(|power| power / powers.iter().sum::<f32>()))
    }

    /// The result with the least equity for the opponent.
    pub fn choose(&self, position: &Position, dice: Dice) -> Position {
        let evaluated = self.afterstates(position, dice).into_iter().map(|result| {
            let equity = self.evaluate(&result).equity();
            (result, equity)
        });
        let best = evaluated.min_by(|a, b| a.1.total_cmp(&b.1));
        best.map(|(result, _)| result).expect("there is always a result, if only the pass")
    }

    /// Plays a game against itself and gives the number of turns.
    pub fn play(&self, rng: &mut ChaCha8Rng) -> usize {
        let mut position = self.game.start();
        let mut dice = self.game.opening_roll(rng);
        for turn in 0..MAX_TURNS {
            if self.game.outcome(&position).is_some() {
                return turn;
            }
            position = self.choose(&position, dice);
            dice = self.game.roll(rng);
        }
        MAX_TURNS
    }
}

/// Appends the dice used and the counts of every line of moves that plays `dice` in their order
/// as far as it goes.
fn try_everything(
    counts: [i8; 26],
    dice: &[u8],
    used: &mut Vec<u8>,
    lines: &mut Vec<(Vec<u8>, [i8; 26])>,
) {
    lines.push((used.clone(), counts));
    let Some((&die, rest)) = dice.split_first() else { return };
    for from in (1..=25).filter(|&from| may_move(&counts, from, die)) {
        let mut next = counts;
        next[from] -= 1;
        if let Some(to) = from.checked_sub(die.into()).filter(|&to| to > 0) {
            if next[to] == -1 {
                next[to] = 0;
                next[0] -= 1;
            }
            next[to] += 1;
        }
        used.push(die);
        try_everything(next, rest, used, lines);
        used.pop();
    }
}

/// Whether a checker may leave `from` (25 is the bar) with this die.
fn may_move(counts: &[i8; 26], from: usize, die: u8) -> bool {
    let die = usize::from(die);
    if counts[from] <= 0 || (from != 25 && counts[25] > 0) {
        return false;
    }
    if from > die {
        return counts[from - die] >= -1;
    }
    let all_home = counts[7..].iter().all(|&count| count <= 0);
    all_home && (from == die || counts[from + 1..7].iter().all(|&count| count <= 0))
}

#[cfg(test)]
mod tests {
    use tavola_evaluator::{Evaluator, NetEvaluator};
    use tavola_net::{EncoderKind, random_weights};

    use super::super::corpus::{self, Players};
    use super::*;

    #[test]
    fn slow_and_fast_ways_lead_to_the_same() {
        let game = Backgammon::Standard;
        let weights = random_weights(EncoderKind::OneHot, &[24, 16], 1);
        let mut evaluator = NetEvaluator::new(&weights, game).unwrap();
        let naive = Naive::new(game, &weights);
        let (mut fast, mut evaluated) = (Vec::new(), Vec::new());
        let (pairs, _) = corpus::pairs(&game, &Players::Random).unwrap();
        for (position, dice) in &pairs[..1_000] {
            fast.clear();
            game.afterstates(position, *dice, &mut fast);
            fast.sort_unstable_by_key(|result| *result.cells());
            let mut slow = naive.afterstates(position, *dice);
            slow.sort_unstable_by_key(|result| *result.cells());
            assert_eq!(fast, slow, "{position:?} {dice}");
            evaluator.evaluate(&fast[..1], &mut evaluated);
            let exact = naive.evaluate(&fast[0]);
            let difference = evaluated[0].0.iter().zip(exact.0).map(|(a, b)| (a - b).abs());
            assert!(difference.fold(0.0, f32::max) < 1e-3, "{position:?}");
        }
    }
}
