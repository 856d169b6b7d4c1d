//! Positions of random games.

use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_rules::{Backgammon, Dice, Game, Position};

/// Positions of random games with the roll to be played, until a side has won.
pub fn random_game(game: Backgammon, seed: u64, mut visit: impl FnMut(&Position, Dice)) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = game.start();
    let mut afterstates = Vec::new();
    let mut roll = game.opening_roll(&mut rng);
    while game.outcome(&position).is_none() {
        visit(&position, roll);
        afterstates.clear();
        game.afterstates(&position, roll, &mut afterstates);
        position = afterstates[rng.random_range(0..afterstates.len())];
        roll = game.roll(&mut rng);
    }
}

/// A position of random play, some plies after the start.
pub fn reachable() -> impl Strategy<Value = Position> {
    (any::<u64>(), 0..120_usize).prop_map(|(seed, wanted)| {
        let mut seen = vec![];
        random_game(Backgammon::Standard, seed, |position, _| seen.push(*position));
        seen[wanted.min(seen.len() - 1)]
    })
}
