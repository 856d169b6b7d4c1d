use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use tavola_data::{Choice, GameRecord, Pair, Turn};
use tavola_evaluator::{
    FakeEvaluator, NetEvaluator, PipCountEvaluator, Preset, Search, rank_results,
};
use tavola_net::{EncoderKind, initial_weights, random_weights};
use tavola_rules::{Backgammon, Dice, Outcome, Position};

use super::*;
use crate::selfplay::{SelfPlayGames, SelfPlaySettings, selfplay};

const GAME: Backgammon = Backgammon::Standard;

fn chance(number: f64) -> Chance {
    Chance::new(number).unwrap()
}

/// Hypergammon records, and how they were judged.
fn records(evaluator: &dyn Evaluator<Backgammon>, games: u64) -> Vec<RecordOf<Backgammon>> {
    let cancel = AtomicBool::new(false);
    let games = SelfPlayGames { run_seed: 3, indices: 10..10 + games, starts: &[] };
    let workers = Workers { threads: NonZeroUsize::MIN, cancel: &cancel };
    let settings = SelfPlaySettings::default();
    selfplay(&Backgammon::Hypergammon, evaluator, &settings, &games, workers, &|_| {}).unwrap()
}

/// Labels of hypergammon records, with luck and rivals if somebody judges them.
fn relabelled(
    evaluator: &dyn Evaluator<Backgammon>,
    judge: Option<&NetEvaluator<Backgammon>>,
    records: &[RecordOf<Backgammon>],
    settings: &RelabelSettings,
    threads: usize,
) -> Vec<LabelsOf<Backgammon>> {
    let cancel = AtomicBool::new(false);
    let workers = Workers { threads: NonZeroUsize::new(threads).unwrap(), cancel: &cancel };
    let luck = judge.map(|judge| LuckJudge { judge, pruning: None });
    let game = Backgammon::Hypergammon;
    relabel(&game, evaluator, records, settings, luck.as_ref(), 3, workers).unwrap()
}

fn labels(
    evaluator: &dyn Evaluator<Backgammon>,
    records: &[RecordOf<Backgammon>],
    (sample, share, only): (f64, f64, bool),
    threads: usize,
) -> Vec<Vec<Label>> {
    let exact = ExactSettings { share: chance(share), only, ..ExactSettings::default() };
    let settings = RelabelSettings {
        sample: chance(sample),
        exact,
        rivals: RivalSettings::NONE,
        imitate: None,
    };
    let labels = relabelled(evaluator, None, records, &settings, threads);
    labels.into_iter().map(|game| game.labels).collect()
}

/// A network for hypergammon that knows nothing.
fn network() -> NetEvaluator<Backgammon> {
    let game = Backgammon::Hypergammon;
    let weights = initial_weights(&game, EncoderKind::Tesauro, &[8], 1);
    NetEvaluator::new(&weights, game).unwrap()
}

/// Labels with luck and rivals, judged by the network that played.
fn labels_with_luck(
    network: &NetEvaluator<Backgammon>,
    records: &[RecordOf<Backgammon>],
    what: (f64, f64, RivalSettings),
    threads: usize,
) -> Vec<LabelsOf<Backgammon>> {
    labels_by(network, network, records, what, threads)
}

/// Labels with luck and rivals, judged by `judge`.
fn labels_by(
    judge: &NetEvaluator<Backgammon>,
    network: &NetEvaluator<Backgammon>,
    records: &[RecordOf<Backgammon>],
    (sample, share, rivals): (f64, f64, RivalSettings),
    threads: usize,
) -> Vec<LabelsOf<Backgammon>> {
    let exact = ExactSettings { share: chance(share), ..ExactSettings::default() };
    let settings = RelabelSettings { sample: chance(sample), exact, rivals, imitate: None };
    relabelled(network, Some(judge), records, &settings, threads)
}

#[test]
fn a_rival_is_the_best_of_what_was_not_chosen_and_is_judged_by_all_rolls() {
    let game = Backgammon::Hypergammon;
    let network = network();
    let records = records(&network, 3);
    let rivals = RivalSettings { within: 0.05, ahead: RollsAhead::One };
    let labels = labels_with_luck(&network, &records, (1.0, 0.0, rivals), 1);
    let (mut exact, mut judge) = (ExactJudge::new(game, network.fork()), network.fork());
    let mut found = 0;
    for (record, labels) in records.iter().zip(&labels) {
        let states: Vec<Position> = record.states().collect();
        let mut left = labels.rivals.iter().peekable();
        // The finished state at the end has no rival.
        for of in 1..record.turns.len() {
            let (mut results, mut judged) = (Vec::new(), Vec::new());
            game.results(&states[of - 1], record.turns[of - 1].roll, &mut results);
            results.retain(|result| *result != states[of]);
            results.insert(0, states[of]);
            judge.evaluate_siblings(&game.flip(&states[of - 1]), &results, &mut judged);
            let others = judged[1..].iter().map(|other| other.equity());
            let behind = others.fold(f32::INFINITY, f32::min) - judged[0].equity();
            let Some(rival) = left.next_if(|rival| rival.of == of) else {
                assert!(behind.abs() > rivals.within, "state {of}: {behind}");
                continue;
            };
            found += 1;
            let number = results.iter().position(|result| *result == rival.state).unwrap();
            assert!((judged[number].equity() - judged[0].equity() - behind).abs() < 1e-6);
            let expected = std::iter::zip(exact.judge(&rival.state).0, exact.judge(&states[of]).0);
            for (found, (rival, chosen)) in rival.difference.iter().zip(expected) {
                assert!((found - (rival - chosen)).abs() < 1e-5, "state {of}");
            }
        }
        assert_eq!(left.next(), None);
    }
    assert!(found > 5, "{found}");

    // Only states that learn from the game have rivals, on any number of threads.
    let share = (0.5, 0.3, rivals);
    let some = labels_with_luck(&network, &records, share, 1);
    assert_eq!(labels_with_luck(&network, &records, share, 3), some);
    for (some, all) in some.iter().zip(&labels) {
        let learns = |rival: &&Rival<Position>| some.labels[rival.of] == Label::FromGame;
        assert!(some.rivals.iter().eq(all.rivals.iter().filter(learns)));
    }
}

#[test]
fn rivals_judged_two_rolls_ahead_are_on_average_as_far_apart_as_a_search_says() {
    let game = Backgammon::Hypergammon;
    // The judge need not be who played.
    let weights = initial_weights(&game, EncoderKind::Tesauro, &[8], 2);
    let judge = NetEvaluator::new(&weights, game).unwrap();
    let mut network = network();
    let mut best = |state: &Position, roll: Dice| {
        let ranked = rank_results(&game, &mut network, state, roll);
        Turn { roll, after: ranked[0].state, probs: ranked[0].probs.flip(), choice: Choice::Best }
    };
    let start =
        Position::from_points(&[(20, 1), (14, 1), (8, 1)], &[(24, 1), (18, 1), (12, 1)], 15)
            .unwrap();
    let first = best(&start, "31".parse().unwrap());
    let records: Vec<RecordOf<Backgammon>> = game
        .rolls()
        .iter()
        .map(|&(roll, _)| {
            let second = best(&first.after, roll);
            // Nobody looks at how it ends.
            let turns = vec![first, second, best(&second.after, roll)];
            GameRecord { index: 0, start, turns, outcome: Outcome::WinSingle }
        })
        .collect();
    let rivals = RivalSettings { within: 3.0, ahead: RollsAhead::Two };
    let labels = labels_by(&judge, &network, &records, (1.0, 0.0, rivals), 1);
    let mut mean = [0.0; 6];
    let mut rival = None;
    for (labels, &(_, ways)) in labels.iter().zip(game.rolls()) {
        let Rival { of, state, difference } = labels.rivals[0];
        assert_eq!((of, *rival.get_or_insert(state)), (1, state));
        for (mean, difference) in mean.iter_mut().zip(difference) {
            *mean += f32::from(ways) / 36.0 * difference;
        }
    }
    let mut search = Search::new(game, Box::new(judge), None, Preset::Full.at(2));
    let states = [rival.unwrap(), first.after];
    let [rival, chosen] = search.judge_all(&states).try_into().unwrap();
    for ((mean, rival), chosen) in mean.iter().zip(rival.0).zip(chosen.0) {
        assert!((mean - (rival - chosen)).abs() < 1e-5, "{mean}: {rival} less {chosen}");
    }
}

#[test]
fn exact_targets_two_rolls_ahead_are_what_a_search_says_of_states_with_rivals() {
    let game = Backgammon::Hypergammon;
    let network = network();
    let records = records(&network, 2);
    let rivals = RivalSettings { within: 0.05, ahead: RollsAhead::One };
    let labels = |share, only| {
        let exact =
            ExactSettings { share: chance(share), only, ahead: RollsAhead::Two, followed: 0 };
        let settings = RelabelSettings { sample: chance(1.0), exact, rivals, imitate: None };
        relabelled(&network, Some(&network), &records, &settings, 1)
    };
    let usual = labels_with_luck(&network, &records, (1.0, 0.0, rivals), 1);
    let mut search = Search::new(game, network.fork(), None, Preset::Full.at(2));
    for ((record, exact), usual) in records.iter().zip(labels(1.0, true)).zip(&usual) {
        let states: Vec<Position> = record.states().collect();
        assert!(exact.luck.is_empty() && !exact.rivals.is_empty());
        assert_eq!(exact.rivals.len(), usual.rivals.len());
        let mut given: Vec<usize> =
            (0..states.len() - 1).filter(|&i| exact.labels[i] != Label::Skip).collect();
        for (rival, usual) in exact.rivals.iter().zip(&usual.rivals) {
            assert_eq!((rival.of, rival.state), (usual.of, usual.state));
            assert_eq!(given.remove(0), rival.of);
            let Label::Given(found) = exact.labels[rival.of] else { panic!("a target") };
            let pair = search.judge_all(&[states[rival.of], rival.state]);
            for k in 0..6 {
                assert!((found.0[k] - pair[0].0[k]).abs() < 1e-5);
                assert!((rival.difference[k] - (pair[1].0[k] - pair[0].0[k])).abs() < 1e-5);
            }
        }
        assert!(given.is_empty());
    }
    // What has no rival learns from the game, unless only exact targets are wanted.
    for (some, usual) in labels(0.5, false).iter().zip(&usual) {
        assert_eq!(some.luck, usual.luck);
        assert_eq!(some.rivals.len(), usual.rivals.len());
        assert!(!some.labels.contains(&Label::Skip));
    }
}

#[test]
fn a_few_rolls_that_are_followed_stand_for_all_on_average() {
    let game = Backgammon::Hypergammon;
    let network = network();
    let luck = LuckJudge { judge: &network, pruning: None };
    let mut meter = LuckMeter::new(game, &luck);
    let state =
        Position::from_points(&[(20, 1), (14, 1), (8, 1)], &[(24, 1), (18, 1), (12, 1)], 15)
            .unwrap();
    let all = meter.two_ahead(&state, &roll_weights(&game, 0, 0));
    for followed in [1, 2, 5, 36] {
        let mut mean = [0.0; 6];
        let mut farthest: f32 = 0.0;
        for first in 0..36 {
            let weights = roll_weights(&game, followed, first);
            assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{weights:?}");
            let drawn = weights.iter().filter(|&&weight| weight > 0.0).count();
            assert!(drawn <= usize::from(followed), "{weights:?}");
            let said = meter.two_ahead(&state, &weights);
            farthest = farthest.max((said.equity() - all.equity()).abs());
            for (mean, said) in mean.iter_mut().zip(said.0) {
                *mean += said / 36.0;
            }
        }
        for (mean, all) in mean.iter().zip(all.0) {
            assert!((mean - all).abs() < 1e-5, "{followed}: {mean} is not {all}");
        }
        assert_eq!(farthest < 1e-5, followed == 36, "{followed}: {farthest}");
    }
}

#[test]
fn what_is_left_without_luck_is_the_exact_target() {
    let game = Backgammon::Hypergammon;
    let network = network();
    let records = records(&network, 3);
    let labels = labels_with_luck(&network, &records, (1.0, 0.0, RivalSettings::NONE), 1);
    let mut exact = ExactJudge::new(game, network.fork());
    for (record, labels) in records.iter().zip(&labels) {
        assert_eq!(labels.luck.len(), record.turns.len());
        assert_eq!(labels.luck[0], [0.0; 6]);
        for (i, turn) in record.turns.iter().enumerate().skip(1) {
            let expected = exact.judge(&record.turns[i - 1].after).0;
            let next = turn.probs.flip().0;
            for ((next, luck), expected) in next.iter().zip(labels.luck[i]).zip(expected) {
                assert!((next - luck - expected).abs() < 1e-5, "turn {i}");
            }
        }
    }
}

#[test]
fn a_bear_off_is_worth_the_rolls_that_finish_it() {
    // Two checkers on the ace point against one that bears off with any roll: won by every
    // roll, and then by a gammon never, as the opponent has borne off.
    let pair = Position::from_points(&[(1, 2)], &[(1, 1)], 15).unwrap();
    let judge = |dream: fn(&Position) -> OutcomeProbs| {
        ExactJudge::new(GAME, Box::new(FakeEvaluator::new(GAME, dream)))
    };
    let mut hopeless = judge(|_| OutcomeProbs::certain(Outcome::WinSingle));
    assert_eq!(hopeless.judge(&pair), OutcomeProbs::certain(Outcome::WinSingle));

    // On the six and the ace point he needs a six with anything, or a double from 2-2: 11 of
    // 36 with a six, 2-2 (6 to off by three twos, the fourth for the ace), 3-3, 4-4, 5-5:
    // 15 ways. After other rolls the opponent, on roll, is sure to win.
    let gap = Position::from_points(&[(6, 1), (1, 1)], &[(1, 1)], 15).unwrap();
    let found = judge(|_| OutcomeProbs::certain(Outcome::WinSingle)).judge(&gap);
    let (won, lost) = (found.of(Outcome::WinSingle), found.of(Outcome::LoseSingle));
    assert!((won - 15.0 / 36.0).abs() < 1e-6 && (lost - 21.0 / 36.0).abs() < 1e-6, "{found:?}");
}

#[test]
fn it_is_the_mean_over_all_rolls_of_the_best_result() {
    let weights = random_weights(EncoderKind::OneHot, &[24, 8], 6);
    let mut net = NetEvaluator::new(&weights, GAME).unwrap();
    let mut judge = ExactJudge::new(GAME, net.fork());
    let states = [
        Position::STANDARD,
        // On the bar against a five-point board, where most rolls only pass.
        Position::from_points(
            &[(25, 2), (6, 3), (8, 4)],
            &[(1, 2), (2, 2), (3, 2), (4, 2), (5, 2)],
            15,
        )
        .unwrap(),
        Position::from_points(&[(1, 1), (3, 2)], &[(1, 3)], 15).unwrap(),
    ];
    for state in states {
        let mut expected = [0.0; 6];
        for die in 1..=6 {
            for other in 1..=6 {
                let roll = tavola_rules::Dice::new(die, other).unwrap();
                let ranked = tavola_evaluator::rank_results(&GAME, &mut net, &state, roll);
                for (sum, chance) in expected.iter_mut().zip(ranked[0].probs.0) {
                    *sum += f64::from(chance) / 36.0;
                }
            }
        }
        let found = judge.judge(&state);
        for (found, expected) in found.0.into_iter().zip(expected) {
            assert!((f64::from(found) - expected).abs() < 1e-6, "{found}, {expected}");
        }
    }
}

#[test]
fn a_finished_state_keeps_its_outcome() {
    let lost = Position::from_points(&[(6, 15)], &[], 15).unwrap();
    let mut judge = ExactJudge::new(GAME, Box::new(PipCountEvaluator::new(GAME)));
    assert_eq!(judge.judge(&lost), OutcomeProbs::certain(Outcome::LoseGammon));
}

#[test]
fn labels_are_the_same_on_any_number_of_threads() {
    let game = Backgammon::Hypergammon;
    let weights = initial_weights(&game, EncoderKind::Tesauro, &[8], 1);
    let net = NetEvaluator::new(&weights, game).unwrap();
    let records = records(&net, 30);
    let alone = labels(&net, &records, (0.5, 0.3, false), 1);
    assert_eq!(labels(&net, &records, (0.5, 0.3, false), 4), alone);
    for (record, labels) in records.iter().zip(&alone) {
        assert_eq!(record.turns.len(), labels.len());
    }
    // Each game has its own draws, wherever it stands in the list.
    assert_eq!(labels(&net, &records[7..8], (0.5, 0.3, false), 1), alone[7..8]);
}

#[test]
fn shares_are_what_they_say() {
    let racer = PipCountEvaluator::new(Backgammon::Hypergammon);
    let records = records(&racer, 200);
    let states: usize = records.iter().map(|record| record.turns.len()).sum();
    let count = |settings| {
        let labels = labels(&racer, &records, settings, 2);
        let mut counts = [0; 3];
        for label in labels.iter().flatten() {
            counts[match label {
                Label::Skip => 0,
                Label::FromGame => 1,
                Label::Given(_) => 2,
            }] += 1;
        }
        counts
    };
    assert_eq!(count((1.0, 0.0, false)), [0, states, 0]);
    assert_eq!(count((1.0, 1.0, false)), [0, 0, states]);
    assert_eq!(count((0.0, 1.0, false)), [states, 0, 0]);
    assert_eq!(count((1.0, 1.0, true)), [0, 0, states]);
    let near = |found: usize, share: f64| (found as f64 / states as f64 - share).abs() < 0.03;
    let [skipped, from_game, given] = count((0.5, 0.4, false));
    assert!(near(skipped, 0.5) && near(from_game, 0.3) && near(given, 0.2), "{states}");
    assert_eq!(count((0.5, 0.4, true)), [skipped + from_game, 0, given]);
}

#[test]
fn who_imitates_learns_each_near_result_as_it_was_judged() {
    let game = Backgammon::Hypergammon;
    let network = network();
    let records = records(&network, 3);
    let settings = |share, within| RelabelSettings {
        sample: chance(1.0),
        exact: ExactSettings::default(),
        rivals: RivalSettings::NONE,
        imitate: Some(ImitateSettings { share: chance(share), within }),
    };
    let labels = relabelled(&network, None, &records, &settings(1.0, 0.02), 1);
    assert_eq!(labels, relabelled(&network, None, &records, &settings(1.0, 0.02), 2));
    let mut judge = network.fork();
    let mut found = 0;
    for (record, labels) in records.iter().zip(&labels) {
        assert!(labels.labels.iter().all(|label| *label == Label::Skip));
        let mut pairs = labels.pairs.iter();
        for (state, turn) in record.states().zip(&record.turns) {
            let (mut results, mut judged) = (Vec::new(), Vec::new());
            game.results(&state, turn.roll, &mut results);
            judge.evaluate(&results, &mut judged);
            let best = judged.iter().map(|probs| probs.equity()).fold(f32::INFINITY, f32::min);
            let near: Vec<_> = results
                .into_iter()
                .zip(judged)
                .filter(|(result, probs)| {
                    probs.equity() <= best + 0.02 && game.outcome(result).is_none()
                })
                .collect();
            let mut seen = Vec::new();
            for Pair { states, probs } in pairs.by_ref().take(near.len() / 2) {
                seen.extend(states.iter().copied().zip(*probs));
            }
            assert_eq!(seen.len(), near.len() / 2 * 2);
            assert!(seen.iter().all(|one| near.contains(one)));
            assert!((1..seen.len()).all(|i| !seen[..i].contains(&seen[i])), "each once");
            found += seen.len();
        }
        assert_eq!(pairs.next(), None);
    }
    assert!(found > 20, "{found}");
    let pairs = |labels: Vec<LabelsOf<Backgammon>>| -> usize {
        labels.iter().map(|game| game.pairs.len()).sum()
    };
    // Which turns have pairs: a larger share takes all that a smaller one does.
    let turns = |share| -> Vec<bool> {
        let labels = relabelled(&network, None, &records, &settings(share, 6.0), 1);
        let of_game = |(record, labels): (&RecordOf<Backgammon>, LabelsOf<Backgammon>)| {
            let states: Vec<Position> = labels.pairs.iter().flat_map(|pair| pair.states).collect();
            let has_pairs = |(state, turn): (Position, &Turn<Position, Dice>)| {
                let mut results = Vec::new();
                game.results(&state, turn.roll, &mut results);
                results.iter().any(|result| states.contains(result))
            };
            record.states().zip(&record.turns).map(has_pairs).collect::<Vec<_>>()
        };
        records.iter().zip(labels).flat_map(of_game).collect()
    };
    let (half, more) = (turns(0.5), turns(0.75));
    assert!(half.iter().zip(&more).all(|(half, more)| *more || !half));
    assert!(half.contains(&true) && half != more);
    assert!(pairs(relabelled(&network, None, &records, &settings(1.0, 6.0), 1)) > found / 2);
}

#[test]
fn what_is_called_off_leaves_no_labels() {
    let racer = PipCountEvaluator::new(Backgammon::Hypergammon);
    let records = records(&racer, 3);
    let cancel = AtomicBool::new(true);
    let workers = Workers { threads: NonZeroUsize::MIN, cancel: &cancel };
    let settings = RelabelSettings {
        sample: chance(1.0),
        exact: ExactSettings::default(),
        rivals: RivalSettings::NONE,
        imitate: None,
    };
    let error = relabel(&Backgammon::Hypergammon, &racer, &records, &settings, None, 3, workers)
        .unwrap_err();
    assert_eq!(error, RelabelCancelled { finished: 0, asked: 3 });
}
