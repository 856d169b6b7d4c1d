//! Players of games for more than two.

use std::convert::Infallible;
use std::sync::Arc;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_net::{ShareNetwork, ShareScratch, Weights, WeightsError};

use super::ManyGame;
use crate::dice::TablesDice;

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

impl RuleBasedPlayer {
    /// How much a seat likes a state.
    pub fn value<G: ManyGame>(game: &G, state: &G::State, seat: usize) -> f32 {
        match game.payoffs(state) {
            // Nothing is better than the game won, nor worse than it lost.
            Some(payoffs) => payoffs[seat] * 1000.0,
            None => game.standing(state, seat),
        }
    }
}

impl<G: ManyGame> ManyPlayer<G> for RuleBasedPlayer {
    fn choose(&mut self, game: &G, state: &G::State, results: &[G::State]) -> usize {
        let value = |index: usize| Self::value(game, &results[index], game.on_roll(state));
        let best =
            (0..results.len()).max_by(|&a, &b| value(a).total_cmp(&value(b)).then(b.cmp(&a)));
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
    /// Prepares weights for a game. They may have been trained with other options that need no
    /// other numbers of a state.
    ///
    /// # Errors
    ///
    /// [`WeightsError`] if the network was trained for another game or its shapes do not fit.
    pub fn new(weights: &Weights, game: &G) -> Result<Self, WeightsError> {
        let mut interface = game.interface();
        let name = |id: &str| id.split(':').next().map(str::to_owned);
        if name(&interface.game) == name(&weights.game) {
            interface.game.clone_from(&weights.game);
        }
        let network = Arc::new(ShareNetwork::new(weights, &interface)?);
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

    /// The shares at a number of plies: `most` rolls of this player are looked at; `turn` moves the sample on, so that all samples
    /// together cover the rolls evenly.
    fn look(
        &mut self,
        state: &G::State,
        ply: u8,
        most: usize,
        turn: &mut usize,
        shares: &mut [f32],
    ) {
        if ply == 0 || self.game.payoffs(state).is_some() {
            return self.shares(state, shares);
        }
        let (game, seat) = (self.game.clone(), self.game.on_roll(state));
        let mut results = Vec::new();
        if !game.rolls(state) {
            game.results(state, None, &mut results);
            let best = self.best(seat, &results, shares);
            return self.look(&results[best], ply, most, turn, shares);
        }
        let mut of_roll = vec![0.0; shares.len()];
        shares.fill(0.0);
        let rolls = sample(game.rolls_of_a_turn(), most, turn);
        let total: u32 = rolls.iter().map(|(_, weight)| weight).sum();
        for (roll, weight) in rolls {
            results.clear();
            game.results(state, Some(roll), &mut results);
            let best = self.best(seat, &results, &mut of_roll);
            self.look(&results[best], ply - 1, SAMPLE, turn, &mut of_roll);
            for (share, of_roll) in shares.iter_mut().zip(&of_roll) {
                *share += of_roll * weight as f32 / total as f32;
            }
        }
    }

    /// What every seat can expect at a number of plies, in points, less what each has brought in:
    /// the mean over all rolls of the next player, and over 8 rolls of the one after, where each
    /// makes the play with the largest own share at 0-ply. An offered roll is decided on without
    /// counting as one.
    pub fn payoffs(&mut self, state: &G::State, ply: u8) -> Vec<f32> {
        let mut payoffs = vec![0.0; G::PLAYERS];
        self.look(state, ply, usize::MAX, &mut 0, &mut payoffs);
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

    /// The numbers of the results, best first for the seat, each with what all can expect behind
    /// it, in points and in turn order from this seat: the best eight at this number of plies.
    /// Before each of these `looked` gets the number of those done and of all; its error ends the
    /// ranking.
    ///
    /// # Errors
    ///
    /// Those of `looked`.
    pub fn ranked<E>(
        &mut self,
        seat: usize,
        results: &[G::State],
        ply: u8,
        mut looked: impl FnMut(usize, usize) -> Result<(), E>,
    ) -> Result<Vec<(usize, Vec<f32>)>, E> {
        let mut value = |result: &G::State, ply: u8| {
            let mut payoffs = self.payoffs(result, ply);
            payoffs.rotate_left(seat);
            payoffs
        };
        type Valued = (usize, Vec<f32>);
        let mut ranked: Vec<Valued> =
            results.iter().map(|result| value(result, 0)).enumerate().collect();
        let best_first = |a: &Valued, b: &Valued| b.1[0].total_cmp(&a.1[0]);
        ranked.sort_by(best_first);
        if ply > 0 {
            let of = ranked.len().min(CANDIDATES);
            for (done, (result, payoffs)) in ranked[..of].iter_mut().enumerate() {
                looked(done, of)?;
                *payoffs = value(&results[*result], ply);
            }
            ranked[..of].sort_by(best_first);
        }
        Ok(ranked)
    }
}

/// How many of the plays that are best at 0-ply are looked at further.
const CANDIDATES: usize = 8;

/// Rolls of the second player ahead that are looked at.
pub const SAMPLE: usize = 8;

/// At most this many rolls, each as likely as its weight, at even distances; or all.
fn sample(rolls: Vec<(TablesDice, u32)>, most: usize, turn: &mut usize) -> Vec<(TablesDice, u32)> {
    if rolls.len() <= most {
        return rolls;
    }
    let total: u32 = rolls.iter().map(|(_, weight)| weight).sum();
    // The golden section: every run of offsets is spread evenly over the distance.
    let offset = (*turn as f64 * 0.618_033_988_749_894_9).fract();
    *turn += 1;
    let at = |index: usize| (index as f64 + offset) / most as f64 * f64::from(total);
    let mut chosen = Vec::with_capacity(most);
    let mut end = 0.0;
    for (roll, weight) in rolls {
        end += f64::from(weight);
        while chosen.len() < most && at(chosen.len()) < end {
            chosen.push((roll, 1));
        }
    }
    chosen
}

/// Chooses what the network expects the most of for its seat, at this number of plies.
#[derive(Clone, Debug)]
pub struct NetworkPlayer<G> {
    /// The network.
    pub evaluator: ManyEvaluator<G>,
    /// Plies.
    pub ply: u8,
}

impl<G: ManyGame> ManyPlayer<G> for NetworkPlayer<G> {
    fn choose(&mut self, game: &G, state: &G::State, results: &[G::State]) -> usize {
        let (seat, evaluator) = (game.on_roll(state), &mut self.evaluator);
        if self.ply == 0 {
            return evaluator.best(seat, results, &mut vec![0.0; G::PLAYERS]);
        }
        let Ok(ranked) = evaluator.ranked(seat, results, self.ply, |_, _| Ok::<_, Infallible>(()));
        ranked[0].0
    }
}
