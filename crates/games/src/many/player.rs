//! Players of games for several.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::ManyGame;

/// Chooses among the states that can follow.
pub trait ManyPlayer<G: ManyGame> {
    /// The index of the chosen one of `results`, for the seat that decides in `state`.
    fn choose(&mut self, game: &G, state: &G::State, results: &[G::State]) -> usize;
}

/// Chooses at random.
#[derive(Debug)]
pub struct RandomPlayer(ChaCha8Rng);

impl RandomPlayer {
    /// The player of a seed.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }
}

impl<G: ManyGame> ManyPlayer<G> for RandomPlayer {
    fn choose(&mut self, _: &G, _: &G::State, results: &[G::State]) -> usize {
        self.0.random_range(0..results.len())
    }
}

/// Follows the rules of thumb of the game, and looks no further than its own turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleBasedPlayer;

impl<G: ManyGame> ManyPlayer<G> for RuleBasedPlayer {
    fn choose(&mut self, game: &G, state: &G::State, results: &[G::State]) -> usize {
        let seat = game.on_roll(state);
        let worth = |result: &G::State| match game.payoffs(result) {
            // Nothing is better than the game won, nor worse than it lost.
            Some(payoffs) => payoffs[seat] * 1000.0,
            None => game.standing(result, seat),
        };
        let best = (0..results.len())
            .max_by(|&a, &b| worth(&results[a]).total_cmp(&worth(&results[b])).then(b.cmp(&a)));
        best.expect("there is always a result")
    }
}
