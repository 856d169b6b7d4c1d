//! The network that learns and the network that plays are the same. How far
//! [`Precision::Fixed`] is from [`Precision::Float`] is tested where both live.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tavola_data::Samples;
use tavola_equity::OutcomeProbs;
use tavola_net::{EncoderKind, Hidden, Interface, Network, Precision, initial_weights};
use tavola_rules::{Backgammon, Game, Outcome, Position};
use tavola_train::{Learner, LearnerSettings};

#[test]
fn burn_and_the_playing_network_agree() {
    let game = Backgammon::Standard;
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut states = vec![Position::STANDARD];
    let mut afterstates = Vec::new();
    while states.len() < 200 {
        let state = states[states.len() - 1];
        afterstates.clear();
        game.afterstates(&state, game.roll(&mut rng), &mut afterstates);
        let next = afterstates[states.len() % afterstates.len()];
        states.push(if game.outcome(&next).is_none() { next } else { Position::STANDARD });
    }
    for encoder in
        [EncoderKind::Tesauro, EncoderKind::OneHot, EncoderKind::Patterns, EncoderKind::Expert]
    {
        let shapes = [&[20][..], &[48, 16], &[33, 17, 9]].map(Hidden::from);
        let products = Hidden { widths: &[64, 16], products: true };
        for hidden in shapes.into_iter().chain([products]) {
            let weights = initial_weights(&Interface::of(&game), encoder, hidden, 4).unwrap();
            let mut learner =
                Learner::new(&Interface::of(&game), LearnerSettings::default(), &weights).unwrap();
            // A few steps, so that biases and the last layer matter.
            let mut samples = Samples::new(game.layout().len());
            for (i, state) in states.iter().enumerate() {
                let target = OutcomeProbs::certain(Outcome::ALL[i % 6]);
                samples.push(Backgammon::cells(state), target);
            }
            for seed in 0..20 {
                learner.learn(&samples, 1e-2, seed).unwrap();
            }

            let weights = learner.weights(BTreeMap::new());
            let cells = || states.iter().map(Backgammon::cells);
            let learned = learner.evaluate(cells());
            let network = Network::with_precision(&weights, &game, Precision::Float).unwrap();
            let mut played = Vec::new();
            network.evaluate(cells(), &mut network.scratch(), &mut played);
            assert_eq!(learned.len(), played.len());
            for (a, b) in learned.iter().zip(&played) {
                for (a, b) in a.0.iter().zip(b.0) {
                    assert!((a - b).abs() < 1e-5, "{encoder:?} {hidden:?}: {a} {b}");
                }
            }
            assert!(
                learned.iter().any(|probs| probs.0.iter().any(|&p| p > 0.3)),
                "learned nothing"
            );
        }
    }
}
