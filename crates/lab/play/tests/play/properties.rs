//! What holds for the luck of every position.

use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use tavola_evaluator::{Evaluator, NetEvaluator, PipCountEvaluator, Pruning};
use tavola_net::{EncoderKind, random_weights};
use tavola_play::{LuckEvaluator, LuckMeter};
use tavola_rules::{Backgammon, Game, Position};

const GAME: Backgammon = Backgammon::Standard;

/// A position of random play.
fn reached() -> impl Strategy<Value = Position> {
    (any::<u64>(), 0..80_usize).prop_map(|(seed, turns)| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut position, mut afterstates) = (GAME.start(), Vec::new());
        for _ in 0..turns {
            afterstates.clear();
            GAME.afterstates(&position, GAME.roll(&mut rng), &mut afterstates);
            let after = *afterstates.choose(&mut rng).expect("a turn leads somewhere");
            if GAME.outcome(&after).is_some() {
                break;
            }
            position = after;
        }
        position
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn luck_is_zero_on_average_whatever_the_evaluator_and_its_pruning(
        position in reached(),
        seed in any::<u64>(),
        keep in 1..6_usize,
    ) {
        let weights = random_weights(EncoderKind::OneHot, &[8], seed);
        let network = NetEvaluator::new(&weights, GAME).unwrap();
        let racer = PipCountEvaluator::new(GAME);
        let pruned: (&dyn Evaluator<Backgammon>, _) = (&racer, Pruning { keep, within: 0.05 });
        for pruning in [None, Some(pruned)] {
            let mut meter = LuckMeter::new(GAME, &LuckEvaluator { evaluator: &network, pruning });
            let mut sum = 0.0;
            for &(roll, weight) in GAME.rolls() {
                let luck = meter.roll_expectation(&position, roll, |_, probs| {
                    f64::from(probs.equity())
                });
                sum += f64::from(weight) * luck;
            }
            prop_assert!(sum.abs() < 1e-9, "{sum} in {position:?}");
        }
    }
}
