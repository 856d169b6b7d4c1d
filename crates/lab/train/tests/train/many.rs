//! Learning of networks with another number of outputs than six: the shares of more than two players.

use tavola_data::Samples;
use tavola_equity::OutcomeProbs;
use tavola_net::{EncoderKind, Interface, ShareNetwork, ShareScratch, initial_weights};
use tavola_rules::{Backgammon, Game, Position};
use tavola_train::{Learner, LearnerError, LearnerSettings};

/// A game of three players on a board that there is.
fn trio() -> Interface {
    Interface { game: "trio".to_owned(), layout: Backgammon::Standard.layout(), outputs: 3 }
}

fn learner() -> Learner {
    let weights = initial_weights(&trio(), EncoderKind::OneHot, &[16], 1).unwrap();
    Learner::new(&trio(), LearnerSettings::default(), &weights).unwrap()
}

#[test]
fn what_is_learned_is_what_the_playing_network_says() {
    let start = Backgammon::cells(&Position::STANDARD);
    let other: Vec<i8> = start.iter().map(|count| count / 2).collect();
    let shares = [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]];
    let mut samples = Samples::with_outputs(trio().layout.len(), 3);
    samples.push_shares(start, &shares[0]);
    samples.push_shares(&other, &shares[1]);
    let mut learner = learner();
    for seed in 0..400 {
        learner.learn(&samples, 3e-3, seed).unwrap();
    }
    // Also after the file.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("learner");
    learner.save(&path).unwrap();
    let learner = Learner::load(&trio(), LearnerSettings::default(), &path).unwrap();
    let network = ShareNetwork::new(&learner.weights(Default::default()), &trio()).unwrap();
    let mut scratch = ShareScratch::default();
    for (cells, expected) in [(start, shares[0]), (&other, shares[1])] {
        let found = network.evaluate(cells, &mut scratch);
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 0.02, "{found}, expected {expected}");
        }
    }
}

#[test]
fn targets_and_networks_of_another_number_of_players_are_refused() {
    let start = Backgammon::cells(&Position::STANDARD);
    let mut six = Samples::new(trio().layout.len());
    six.push(start, OutcomeProbs([0.5, 0.0, 0.0, 0.5, 0.0, 0.0]));
    let error = learner().learn(&six, 1e-3, 1).unwrap_err();
    assert!(matches!(error, LearnerError::Outputs { found: 6, expected: 3 }), "{error}");
    let weights = learner().weights(Default::default());
    let four = Interface { outputs: 4, ..trio() };
    let error = ShareNetwork::new(&weights, &four).unwrap_err().to_string();
    assert_eq!(error, "number of outputs is 3, expected 4");
    let backgammon = Interface::of(&Backgammon::Standard);
    assert!(ShareNetwork::new(&weights, &backgammon).is_err());
}
