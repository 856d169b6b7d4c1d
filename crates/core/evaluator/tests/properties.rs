//! What holds for evaluations in every position.

use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use tavola_equity::OutcomeProbs;
use tavola_evaluator::{
    Evaluator, NetEvaluator, PlayableGame, Preset, Search, SearchWatch, rank_afterstates,
};
use tavola_net::{EncoderKind, random_weights};
use tavola_rules::{Backgammon, Dice, Game, Position};

const GAME: Backgammon = Backgammon::Standard;

/// A position of random play with a roll.
fn reached() -> impl Strategy<Value = (Position, Dice)> {
    (any::<u64>(), 0..80_usize).prop_map(|(seed, turns)| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut position, mut dice) = (GAME.start(), GAME.opening_roll(&mut rng));
        let mut afterstates = Vec::new();
        for _ in 0..turns {
            afterstates.clear();
            GAME.afterstates(&position, dice, &mut afterstates);
            let after = *afterstates.choose(&mut rng).expect("a turn leads somewhere");
            if GAME.outcome(&after).is_some() {
                break;
            }
            (position, dice) = (after, GAME.roll(&mut rng));
        }
        (position, dice)
    })
}

fn network() -> NetEvaluator<Backgammon> {
    NetEvaluator::new(&random_weights(EncoderKind::Expert, &[16, 8], 1), GAME).unwrap()
}

fn search() -> Search<Backgammon> {
    Search::new(GAME, Box::new(network()), None, Preset::Fast.at(1))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_search_that_remembers_says_what_a_fresh_one_says(
        decisions in prop::collection::vec(reached(), 1..4),
    ) {
        let mut remembers = search();
        for _ in 0..2 {
            for (position, dice) in &decisions {
                let known = remembers.rank(position, *dice, SearchWatch::default());
                let fresh = search().rank(position, *dice, SearchWatch::default());
                let told = |play: &_| format!("{play:?}");
                prop_assert_eq!(
                    known.iter().map(told).collect::<Vec<_>>(),
                    fresh.iter().map(told).collect::<Vec<_>>()
                );
            }
        }
    }

    #[test]
    fn siblings_batches_and_single_positions_are_evaluated_alike((position, dice) in reached()) {
        let mut evaluator = network();
        let (mut afterstates, mut together, mut batch) = (Vec::new(), Vec::new(), Vec::new());
        GAME.afterstates(&position, dice, &mut afterstates);
        evaluator.evaluate_siblings(&position.flip(), &afterstates, &mut together);
        evaluator.evaluate(&afterstates, &mut batch);
        let mut single = Vec::new();
        for ((after, sibling), batched) in afterstates.iter().zip(&together).zip(&batch) {
            evaluator.evaluate(&[*after], &mut single);
            let apart = |one: &OutcomeProbs, other: &OutcomeProbs| {
                one.0.iter().zip(other.0).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
            };
            prop_assert!(apart(&single[0], batched) < 1e-5);
            prop_assert!(apart(&single[0], sibling) < 1e-5);
            prop_assert!((single[0].0.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        }
    }

    #[test]
    fn the_ranking_has_every_afterstate_once_and_its_losses_rise((position, dice) in reached()) {
        let ranked = rank_afterstates(&GAME, &mut network(), &position, dice);
        let mut afterstates = Vec::new();
        GAME.afterstates(&position, dice, &mut afterstates);
        prop_assert_eq!(ranked.len(), afterstates.len());
        prop_assert!(ranked.iter().all(|play| afterstates.contains(&play.state)));
        prop_assert!(ranked[0].loss == 0.0 && ranked.is_sorted_by_key(|play| play.loss));
    }

    #[test]
    fn the_phase_is_the_same_from_either_side_and_positions_come_back_from_their_text(
        (position, dice) in reached(),
    ) {
        prop_assert_eq!(GAME.phase(&position), GAME.phase(&position.flip()));
        prop_assert_eq!(position.flip().flip(), position);
        prop_assert_eq!(GAME.parse_state(&GAME.write_state(&position)), Ok(position));
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut afterstates = Vec::new();
        GAME.afterstates(&position, dice, &mut afterstates);
        let after = afterstates[rng.random_range(0..afterstates.len())];
        // A play spends pips of the mover, and a hit adds to those of the opponent.
        prop_assert!(GAME.pips(&after.flip()) <= GAME.pips(&position));
        prop_assert!(GAME.pips(&after) >= GAME.pips(&position.flip()));
    }
}
