//! What the benches share: fixed sets of positions.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_evaluator::{Evaluator, NetEvaluator};
use tavola_net::{Weights, random_weights};
use tavola_play::{SelfPlayGames, SelfPlaySettings, Workers, selfplay};
use tavola_rules::{Backgammon, Dice, Game, Position};

pub use tavola_net::EncoderKind;

/// Hidden layers of the small and of the large class of network.
pub const CLASSES: [&[usize]; 2] = [&[512, 32, 32], &[512, 256, 64]];

/// `size` (position, dice) pairs as they come up when both sides play at random, one in five
/// of those met, so that neighbors have little in common: corpus R.
pub fn random_play(size: usize) -> Vec<(Position, Dice)> {
    let game = Backgammon::Standard;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut pairs, mut afterstates) = (Vec::with_capacity(size), Vec::new());
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
            afterstates.clear();
            game.afterstates(&state, dice, &mut afterstates);
            state = afterstates[rng.random_range(0..afterstates.len())];
            dice = game.roll(&mut rng);
        }
    }
}

/// `size` pairs of games that the built-in network plays against itself, one in five of those
/// met: corpus P. They are others after every change of that network.
///
/// # Panics
///
/// If the network's file is missing or unusable.
pub fn network_play(size: usize) -> Vec<(Position, Dice)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/default.safetensors");
    let weights = Weights::load(&file).unwrap_or_else(|error| {
        panic!("the positions come from games of the built-in network: {error}")
    });
    let evaluator = evaluate(&weights);
    let mut pairs = Vec::with_capacity(size + 100);
    for game in (0..).step_by(16) {
        for record in games(&evaluator, game, 16) {
            pairs.extend(record.into_iter().step_by(5));
        }
        if pairs.len() >= size {
            break;
        }
    }
    pairs.truncate(size);
    pairs
}

/// An evaluator with random weights.
pub fn random_evaluator(hidden: &[usize]) -> NetEvaluator<Backgammon> {
    evaluate(&random_weights(EncoderKind::OneHot, hidden, 1))
}

fn evaluate(weights: &Weights) -> NetEvaluator<Backgammon> {
    NetEvaluator::new(weights, Backgammon::Standard).expect("a network for backgammon")
}

/// The positions and rolls of `count` games of an evaluator against itself on one thread, the
/// number `first` and those after it.
pub fn games(
    evaluator: &dyn Evaluator<Backgammon>,
    first: u64,
    count: u64,
) -> Vec<Vec<(Position, Dice)>> {
    let games = SelfPlayGames { run_seed: 1, indices: first..first + count, starts: &[] };
    let workers = Workers { threads: NonZeroUsize::MIN, cancel: &AtomicBool::new(false) };
    let settings = SelfPlaySettings::default();
    let records = selfplay(&Backgammon::Standard, evaluator, &settings, &games, workers, &|_| {})
        .expect("nothing calls the games off");
    let pairs = records
        .iter()
        .map(|record| record.states().zip(record.turns.iter().map(|turn| turn.roll)).collect());
    pairs.collect()
}

/// The afterstates of each pair, each family with its parent seen by the opponent as the
/// afterstates are.
pub fn families(pairs: &[(Position, Dice)]) -> Vec<(Position, Vec<Position>)> {
    let family = |(position, dice): &(Position, Dice)| {
        let mut afterstates = Vec::new();
        Backgammon::Standard.afterstates(position, *dice, &mut afterstates);
        (position.flip(), afterstates)
    };
    pairs.iter().map(family).collect()
}
