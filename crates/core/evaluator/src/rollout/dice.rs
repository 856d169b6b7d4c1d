//! The dice of the games of a rollout.
//!
//! The rolls of a game follow from the seed and the number of the game alone, so games may be
//! played in any order, and every candidate meets the same rolls.

use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use tavola_rules::Game;

use super::settings::FirstRolls;

/// What random numbers are for: each use has numbers of its own.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Purpose {
    /// The rolls that are drawn.
    Rolls = 0,
    /// The plan of the first two rolls, a stream for each block.
    Block = 1,
    /// The order of the first rolls, a stream for each set of them.
    Order = 2,
}

/// A generator that depends on nothing but its arguments.
fn generator(seed: u64, purpose: Purpose, stream: u64) -> ChaCha8Rng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    // Other users of streams of ChaCha number their purposes from zero in the byte before.
    bytes[9] = 1 + purpose as u8;
    let mut rng = ChaCha8Rng::from_seed(bytes);
    rng.set_stream(stream);
    rng
}

/// Deals out the rolls of games.
///
/// # The plan
///
/// With `n` ways to roll, `n` games in a row are a *set* and `n` sets a *block*. A set has each
/// first roll `a` once, in an order of its own, and with it the second roll
/// `t[(s[a] + g[k]) mod n]`, where `k` is the number of the set in its block and `s`, `t` and `g`
/// are permutations of the block. For a fixed `k` this takes each value once over all `a`, and
/// for a fixed `a` once over all `k`: a Latin square, shuffled. So a set has each second roll
/// once, too, and a block each pair once. Every single game has two independent, fair rolls.
pub(super) struct Deal {
    seed: u64,
    plan: FirstRolls,
    /// For each of the ways to roll the number of the roll, as [`Game::rolls`] lists them.
    weight: Vec<usize>,
    /// The last block and set in use; games mostly come in order.
    block: Option<(u64, [Vec<usize>; 3])>,
    order: Option<(u64, Vec<usize>)>,
}

/// The rolls of one game, as numbers in the list of [`Game::rolls`].
pub(super) struct Rolls {
    rng: ChaCha8Rng,
    planned: [Option<usize>; 2],
}

impl Deal {
    pub(super) fn new<G: Game>(game: &G, seed: u64, plan: FirstRolls) -> Self {
        let rolls = game.rolls().iter().enumerate();
        let weight: Vec<usize> = rolls
            .flat_map(|(number, &(_, weight))| std::iter::repeat_n(number, weight.into()))
            .collect();
        Self { seed, plan, weight, block: None, order: None }
    }

    /// The rolls of game number `trial`.
    pub(super) fn game(&mut self, trial: u64) -> Rolls {
        let planned = match self.plan {
            FirstRolls::Stratified => self.first_two(trial).map(|way| Some(self.weight[way])),
            FirstRolls::Random => [None; 2],
        };
        Rolls { rng: generator(self.seed, Purpose::Rolls, trial), planned }
    }

    /// The next roll of a game; `turn` counts from 0.
    pub(super) fn roll(&self, rolls: &mut Rolls, turn: u32) -> usize {
        match rolls.planned.get(turn as usize) {
            Some(&Some(planned)) => planned,
            _ => self.weight[rolls.rng.random_range(0..self.weight.len())],
        }
    }

    /// The ways in which the first two rolls of a game fall, by the plan.
    fn first_two(&mut self, trial: u64) -> [usize; 2] {
        let n = self.weight.len();
        let weight = n as u64;
        let (set, place) = (trial / weight, (trial % weight) as usize);
        let (block, number) = (set / weight, (set % weight) as usize);
        let seed = self.seed;
        if self.order.as_ref().is_none_or(|(known, _)| *known != set) {
            self.order = Some((set, permutation(n, &mut generator(seed, Purpose::Order, set))));
        }
        if self.block.as_ref().is_none_or(|(known, _)| *known != block) {
            let mut rng = generator(seed, Purpose::Block, block);
            self.block = Some((block, std::array::from_fn(|_| permutation(n, &mut rng))));
        }
        let (Some((_, order)), Some((_, [s, t, g]))) = (&self.order, &self.block) else {
            unreachable!("both were just made")
        };
        let first = order[place];
        [first, t[(s[first] + g[number]) % n]]
    }
}

/// A random order of the numbers below `n`.
fn permutation(n: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..n).collect();
    numbers.shuffle(rng);
    numbers
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use tavola_rules::{Backgammon, Dice};

    use super::*;

    const GAME: Backgammon = Backgammon::Standard;

    fn first_two(deal: &mut Deal, trial: u64) -> [Dice; 2] {
        let mut rolls = deal.game(trial);
        [0, 1].map(|turn| Dice::ALL[deal.roll(&mut rolls, turn)].0)
    }

    #[test]
    fn thirty_six_games_have_each_first_and_each_second_roll_as_often_as_it_should_come() {
        let mut deal = Deal::new(&GAME, 7, FirstRolls::Stratified);
        for set in 0..80 {
            let pairs: Vec<_> =
                (36 * set..36 * (set + 1)).map(|trial| first_two(&mut deal, trial)).collect();
            for place in [0, 1] {
                for (roll, weight) in Dice::ALL {
                    let found = pairs.iter().filter(|pair| pair[place] == roll).count();
                    assert_eq!(found, usize::from(weight), "set {set}, {roll}");
                }
            }
        }
    }

    #[test]
    fn a_block_of_1296_games_has_each_pair_of_first_rolls_exactly() {
        for seed in [1, 2] {
            let mut deal = Deal::new(&GAME, seed, FirstRolls::Stratified);
            for block in 0..2 {
                let mut found: HashMap<[Dice; 2], u32> = HashMap::new();
                for trial in 1296 * block..1296 * (block + 1) {
                    *found.entry(first_two(&mut deal, trial)).or_default() += 1;
                }
                for (first, weight) in Dice::ALL {
                    for (second, more) in Dice::ALL {
                        let expected = u32::from(weight) * u32::from(more);
                        assert_eq!(found[&[first, second]], expected, "{first} {second}");
                    }
                }
            }
        }
    }

    #[test]
    fn rolls_depend_on_seed_and_game_and_on_nothing_else() {
        let game = |deal: &mut Deal, trial| {
            let mut rolls = deal.game(trial);
            (0..20).map(|turn| deal.roll(&mut rolls, turn)).collect::<Vec<_>>()
        };
        for plan in [FirstRolls::Stratified, FirstRolls::Random] {
            let deal = |seed| Deal::new(&GAME, seed, plan);
            let mut backwards = deal(3);
            let reversed: Vec<_> =
                (0..3000).rev().step_by(97).map(|t| game(&mut backwards, t)).collect();
            let mut forwards = deal(3);
            let mut ordered: Vec<_> = (0..3000)
                .rev()
                .step_by(97)
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .map(|t| game(&mut forwards, t))
                .collect();
            ordered.reverse();
            assert_eq!(reversed, ordered);
            assert_ne!(game(&mut deal(4), 5), game(&mut deal(3), 5));
            assert_ne!(game(&mut deal(3), 6), game(&mut deal(3), 5));
        }
    }

    #[test]
    fn later_rolls_are_fair_and_unplanned() {
        let mut deal = Deal::new(&GAME, 1, FirstRolls::Stratified);
        let mut found = [0_u32; 21];
        for trial in 0..3600 {
            let mut rolls = deal.game(trial);
            for turn in 0..12 {
                let roll = deal.roll(&mut rolls, turn);
                if turn >= 2 {
                    found[roll] += 1;
                }
            }
        }
        for (count, (roll, weight)) in found.into_iter().zip(Dice::ALL) {
            let expected = 1000.0 * f64::from(weight);
            // Five standard deviations.
            assert!((f64::from(count) - expected).abs() < 5.0 * expected.sqrt(), "{roll}: {count}");
        }
    }
}
