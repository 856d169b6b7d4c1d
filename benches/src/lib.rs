//! What the benches share: fixed sets of positions.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_rules::{Backgammon, Dice, Game, Position};

/// `size` (position, dice) pairs as they come up when both sides play at random, one in five
/// of those met, so that neighbours have little in common.
pub fn random_play(size: usize) -> Vec<(Position, Dice)> {
    let game = Backgammon::Standard;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut pairs, mut results) = (Vec::with_capacity(size), Vec::new());
    loop {
        let mut state = game.start();
        let mut dice = game.opening_roll(&mut rng);
        while game.outcome(&state).is_none() {
            if rng.random_range(0..5) == 0 {
                pairs.push((state, dice));
                if pairs.len() == size {
                    return pairs;
                }
            }
            results.clear();
            game.results(&state, dice, &mut results);
            state = results[rng.random_range(0..results.len())];
            dice = game.roll(&mut rng);
        }
    }
}

/// The results of each pair, each family with its parent seen by the opponent as the results
/// are.
pub fn families(pairs: &[(Position, Dice)]) -> Vec<(Position, Vec<Position>)> {
    let family = |(position, dice): &(Position, Dice)| {
        let mut results = Vec::new();
        Backgammon::Standard.results(position, *dice, &mut results);
        (position.flip(), results)
    };
    pairs.iter().map(family).collect()
}
