//! How speed moves with the size of a network.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::time::Duration;

use serde::Serialize;
use tavola_evaluator::{Evaluator, NetEvaluator};
use tavola_files::Failure;
use tavola_net::{EncoderKind, Interface, initial_weights};
use tavola_play::{EvaluatorAgent, SelfPlaySettings};
use tavola_rules::Game;

use super::corpus::{self, PairOf};
use super::figures::choices;
use super::rate;

/// Hidden layers of the networks, from a small one to half a million weights.
const SHAPES: [&[usize]; 7] = [
    &[128],
    &[256, 32],
    &[512, 32, 32],
    &[512, 128, 32],
    &[512, 256, 64],
    &[1024, 64, 32],
    &[512, 512, 64],
];

/// What a network of some size reaches on one thread; its weights are random.
#[derive(Clone, Debug, Serialize)]
pub struct SizeFigures {
    /// Widths of the hidden layers.
    pub hidden: &'static [usize],
    /// Weights and biases.
    pub parameters: usize,
    /// Positions evaluated together with all other afterstates of their roll.
    pub evals_siblings_per_s: f64,
    /// Choices of a play, with the list of plays.
    pub decisions_0ply_per_s: f64,
    /// Turns of self-play, divided by those in a game of the network that the other figures are
    /// of: games of random weights are much longer than games of sense.
    pub selfplay_games_per_s: f64,
}

/// Measures each size on the same pairs.
pub(super) fn measure<G: Game>(
    budget: Duration,
    game: &G,
    pairs: &[PairOf<G>],
    turns_a_game: f64,
) -> Result<Vec<SizeFigures>, Failure> {
    let families = corpus::families(game, pairs);
    let afterstates: usize = families.iter().map(|(_, afterstates)| afterstates.len()).sum();
    let afterstates_a_pair = afterstates as f64 / families.len() as f64;
    SHAPES
        .iter()
        .map(|&hidden| {
            let weights =
                initial_weights(&Interface::of(game), EncoderKind::OneHot, hidden, 1).unwrap();
            let mut evaluator = NetEvaluator::new(&weights, game.clone())
                .map_err(Failure::input_in("cannot use a fresh network"))?;
            let mut evaluated = Vec::new();
            let families_per_s = rate::median(budget, &families, |families| {
                for (parent, afterstates) in families {
                    evaluator.evaluate_siblings(black_box(parent), afterstates, &mut evaluated);
                    black_box(&evaluated);
                }
            });
            let agent = EvaluatorAgent::new(evaluator.fork());
            let decisions = rate::median(budget, pairs, choices(game, agent));
            let turns = rate::games(budget, &[NonZeroUsize::MIN], |first, count, threads| {
                let settings = SelfPlaySettings::default();
                let records =
                    corpus::play(game, &evaluator, &settings, first..first + count, threads)?;
                Ok(records.iter().map(|record| record.turns.len()).sum())
            })?;
            Ok(SizeFigures {
                hidden,
                parameters: weights.arch.parameters(),
                evals_siblings_per_s: families_per_s * afterstates_a_pair,
                decisions_0ply_per_s: decisions,
                selfplay_games_per_s: turns[0].per_s / turns_a_game,
            })
        })
        .collect()
}
