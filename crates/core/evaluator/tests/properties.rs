//! What holds for evaluations in every position.

use std::sync::LazyLock;

use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use tavola_bearoff::{Store, TableSpec, Tables};
use tavola_equity::{MatchEquityTable, OutcomeProbs, Stakes};
use tavola_evaluator::{
    CubefulEvaluator, Evaluator, NetEvaluator, PlayableGame, PossibleEvaluator, Preset, Search,
    SearchWatch, TableEvaluator, rank_afterstates,
};
use tavola_net::{EncoderKind, random_weights};
use tavola_rules::{Backgammon, Cube, Dice, Game, MatchScore, Options, Position, WinKind};

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

static TABLES: LazyLock<Tables> =
    LazyLock::new(|| Store::in_memory().load(&[TableSpec::one_sided(6, 6).unwrap()], &|_| {}).0);

/// A race with few checkers of the player on roll, some perhaps not yet home.
fn race() -> impl Strategy<Value = (Position, Dice)> {
    let mine = prop::collection::vec(1..=9_usize, 1..=8);
    let theirs = prop::collection::vec(1..=9_usize, 1..=12);
    (mine, theirs, 1..=6_u8, 1..=6_u8).prop_map(|(mine, theirs, a, b)| {
        let side = |points: &[usize]| points.iter().map(|&point| (point, 1)).collect::<Vec<_>>();
        let position = Position::from_points(&side(&mine), &side(&theirs), 15).unwrap();
        (position, Dice::new(a, b).unwrap())
    })
}

/// What can be lost by the rules, by the player on roll and by the opponent, of a state and the
/// same of what is said of it: shares above are zero.
fn is_possible(most: [WinKind; 2], probs: &OutcomeProbs) -> bool {
    let nothing_above = |most, gammon: f32, backgammon: f32| match most {
        WinKind::Single => gammon == 0.0 && backgammon == 0.0,
        WinKind::Gammon => backgammon == 0.0,
        WinKind::Backgammon => true,
    };
    let [_, lose_2, lose_3, _, win_2, win_3] = probs.0;
    nothing_above(most[0], lose_2, lose_3) && nothing_above(most[1], win_2, win_3)
}

fn network() -> NetEvaluator<Backgammon> {
    NetEvaluator::new(&random_weights(EncoderKind::Expert, &[16, 8], 1), GAME).unwrap()
}

fn possible() -> Box<dyn Evaluator<Backgammon>> {
    Box::new(PossibleEvaluator::new(GAME, Box::new(network())))
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
                let described = |play: &_| format!("{play:?}");
                prop_assert_eq!(
                    known.iter().map(described).collect::<Vec<_>>(),
                    fresh.iter().map(described).collect::<Vec<_>>()
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
    fn what_can_be_lost_never_grows_and_nothing_above_is_expected(
        reached in prop_oneof![reached(), race()],
        variant in 0..Backgammon::ALL.len(),
    ) {
        let (position, dice) = reached;
        let game = Backgammon::ALL[variant];
        let most = |state: &Position| [*state, state.flip()].map(|side| game.most_to_lose(&side));
        let [player, opponent] = most(&position);
        let mut evaluators: [Box<dyn Evaluator<Backgammon>>; 3] = [
            possible(),
            Box::new(Search::new(GAME, possible(), None, Preset::Fast.at(1))),
            Box::new(TableEvaluator::new(TABLES.clone(), possible())),
        ];
        let mut found = Vec::new();
        for evaluator in &mut evaluators {
            evaluator.evaluate(&[position], &mut found);
            prop_assert!(is_possible([player, opponent], &found[0]), "{found:?}");
            prop_assert!((found[0].0.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{found:?}");
        }
        let mut afterstates = Vec::new();
        game.afterstates(&position, dice, &mut afterstates);
        for after in afterstates {
            let [other, mover] = most(&after);
            prop_assert!(mover <= player && other <= opponent, "{after:?}");
            let certain = game.outcome(&after).map(OutcomeProbs::certain).unwrap_or_default();
            prop_assert!(is_possible([other, mover], &certain), "{after:?}");
        }
    }

    #[test]
    fn no_play_that_another_surpasses_is_first((position, dice) in race()) {
        let mut afterstates = Vec::new();
        GAME.afterstates(&position, dice, &mut afterstates);
        let score = MatchScore::new(7, 0, 0).unwrap();
        let options = Options::default();
        let stakes = Stakes::for_match(score, MatchEquityTable::kazaross_xg2(), &options).unwrap();
        let mut firsts = Vec::new();
        for ply in 0..2 {
            let settings = Preset::Fast.at(ply);
            let mut search = Search::new(GAME, Box::new(network()), None, settings);
            let ranking = search.rank(&position, dice, SearchWatch::default());
            prop_assert_eq!(ranking.len(), afterstates.len());
            prop_assert!(ranking[0].loss == 0.0 && ranking[0].ply >= ranking[1 % ranking.len()].ply);
            firsts.push(ranking[0].state);
            let cube = CubefulEvaluator::new(GAME, Box::new(network()), None).with_settings(settings);
            let watch = SearchWatch::default();
            let ranking = cube.rank(&position, dice, &stakes, Cube::START, watch).unwrap();
            firsts.push(ranking[0].position);
        }
        for first in firsts {
            let better = afterstates.iter().find(|after| GAME.surpasses(after, &first));
            prop_assert_eq!(better, None, "{:?}", first);
        }
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
