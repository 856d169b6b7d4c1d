//! Players of games for several.

use std::sync::Arc;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_net::{ShareNetwork, ShareScratch, Weights, WeightsError};

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

/// What every seat can expect in a state, by a network. Each thread has its own.
#[derive(Clone, Debug)]
pub struct ManyEvaluator<G> {
    game: G,
    network: Arc<ShareNetwork>,
    scratch: ShareScratch,
    cells: Vec<i8>,
}

impl<G: ManyGame> ManyEvaluator<G> {
    /// Prepares weights for a game.
    ///
    /// # Errors
    ///
    /// [`WeightsError`] if the network was trained for another game or its shapes do not fit.
    pub fn new(weights: &Weights, game: &G) -> Result<Self, WeightsError> {
        let network = Arc::new(ShareNetwork::new(weights, &game.interface())?);
        let (scratch, cells) = (ShareScratch::default(), Vec::new());
        Ok(Self { game: game.clone(), network, scratch, cells })
    }

    /// The share of all stakes that each seat can expect, before the roll; exact once the game is
    /// over. `shares` is overwritten.
    ///
    /// # Shapes
    ///
    /// `shares`: `[players]`, by seat
    pub fn shares(&mut self, state: &G::State, shares: &mut [f32]) {
        if let Some(payoffs) = self.game.payoffs(state) {
            let all = shares.iter_mut().zip(payoffs);
            all.for_each(|(share, payoff)| *share = self.game.share(payoff));
            return;
        }
        let seat = self.game.on_roll(state);
        self.game.cells(state, seat, &mut self.cells);
        let seen = self.network.evaluate(&self.cells, &mut self.scratch);
        for (offset, share) in seen.iter().enumerate() {
            shares[(seat + offset) % G::PLAYERS] = *share;
        }
    }

    /// The same in points, less what each has brought in.
    pub fn payoffs(&mut self, state: &G::State) -> Vec<f32> {
        let mut payoffs = vec![0.0; G::PLAYERS];
        self.shares(state, &mut payoffs);
        payoffs.iter_mut().for_each(|share| *share = self.game.payoff(*share));
        payoffs
    }

    /// The result in which the seat expects the most, the first of equals, and what all expect
    /// there.
    ///
    /// # Panics
    ///
    /// If there are no results.
    pub fn best(&mut self, seat: usize, results: &[G::State], shares: &mut [f32]) -> usize {
        let mut best = None;
        let mut found = vec![0.0; G::PLAYERS];
        for (index, result) in results.iter().enumerate() {
            self.shares(result, &mut found);
            if best.is_none_or(|(_, most)| found[seat] > most) {
                best = Some((index, found[seat]));
                shares.copy_from_slice(&found);
            }
        }
        best.expect("there is always a result").0
    }
}

/// Chooses what the network expects the most of for its seat.
#[derive(Clone, Debug)]
pub struct NetworkPlayer<G>(pub ManyEvaluator<G>);

impl<G: ManyGame> ManyPlayer<G> for NetworkPlayer<G> {
    fn choose(&mut self, game: &G, state: &G::State, results: &[G::State]) -> usize {
        self.0.best(game.on_roll(state), results, &mut vec![0.0; G::PLAYERS])
    }
}
