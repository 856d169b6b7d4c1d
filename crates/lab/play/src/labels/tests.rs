//! Targets of recorded games, computed again by hand.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use tavola_data::{Choice, Comparison, GameRecord, Turn};
use tavola_equity::OutcomeProbs;
use tavola_evaluator::{
    FakeEvaluator, NetEvaluator, PipCountEvaluator, Preset, Search, Workers, rank_afterstates,
};
use tavola_net::{EncoderKind, Interface, initial_weights, random_weights};
use tavola_rules::{Backgammon, Dice, Outcome, Position};

use super::*;
use crate::selfplay::{SelfPlayGames, SelfPlaySettings, selfplay};

const GAME: Backgammon = Backgammon::Standard;

fn probability(number: f64) -> Probability {
    Probability::new(number).unwrap()
}

/// Hypergammon records, and their evaluations.
fn records(evaluator: &dyn Evaluator<Backgammon>, games: u64) -> Vec<RecordOf<Backgammon>> {
    let cancel = AtomicBool::new(false);
    let games = SelfPlayGames { run_seed: 3, indices: 10..10 + games, starts: &[] };
    let workers = Workers { threads: NonZeroUsize::MIN, cancel: &cancel };
    let settings = SelfPlaySettings::default();
    selfplay(&Backgammon::Hypergammon, evaluator, &settings, &games, workers, &|_| {}).unwrap()
}

/// Labels of hypergammon records; `luck` is the evaluator of variance reduction.
fn labeled(
    evaluator: &dyn Evaluator<Backgammon>,
    luck: Option<&NetEvaluator<Backgammon>>,
    records: &[RecordOf<Backgammon>],
    settings: LabelSettings,
    threads: usize,
) -> Vec<LabelsOf<Backgammon>> {
    let cancel = AtomicBool::new(false);
    let workers = Workers { threads: NonZeroUsize::new(threads).unwrap(), cancel: &cancel };
    let luck = luck.map(|evaluator| LuckEvaluator { evaluator, pruning: None });
    let game = Backgammon::Hypergammon;
    let labeler = || Labeler::new(&game, evaluator, settings, luck.as_ref(), 3);
    workers.run(0..records.len() as u64, labeler, |labeler, index| {
        labeler.label(&records[index as usize])
    })
}

fn td(sample: f64, siblings: Option<SiblingSettings>) -> LabelSettings {
    LabelSettings::Td { sample: probability(sample), siblings }
}

fn labels(
    evaluator: &dyn Evaluator<Backgammon>,
    records: &[RecordOf<Backgammon>],
    settings: LabelSettings,
    threads: usize,
) -> Vec<Vec<Label>> {
    let labels = labeled(evaluator, None, records, settings, threads);
    labels.into_iter().map(|game| game.labels).collect()
}

/// A network for hypergammon that knows nothing.
fn network() -> NetEvaluator<Backgammon> {
    let game = Backgammon::Hypergammon;
    let weights = initial_weights(&Interface::of(&game), EncoderKind::Tesauro, &[8], 1).unwrap();
    NetEvaluator::new(&weights, game).unwrap()
}

/// The siblings of a game: the number of the played state, the sibling and the difference.
fn siblings(labels: &LabelsOf<Backgammon>) -> Vec<(usize, Position, [f32; 6])> {
    let comparisons = labels.comparisons.iter();
    comparisons
        .map(|comparison| match comparison {
            Comparison::Sibling { of, state, difference } => (*of, *state, *difference),
            Comparison::Candidates { .. } => panic!("a sibling"),
        })
        .collect()
}

#[test]
fn siblings_are_the_best_that_were_not_played_and_are_compared_over_all_rolls() {
    let game = Backgammon::Hypergammon;
    let network = network();
    let records = records(&network, 3);
    let near = SiblingSettings { count: 3, within: 0.05, first_rolls: 0 };
    let labels = labeled(&network, Some(&network), &records, td(1.0, Some(near)), 1);
    let (mut backup, mut evaluator) = (ExpectedBackup::new(game, network.fork()), network.fork());
    let mut sizes = [0; 4];
    for (record, labels) in records.iter().zip(&labels) {
        let states: Vec<Position> = record.states().collect();
        let mut left = siblings(labels).into_iter().peekable();
        // The terminal state has no siblings.
        for of in 1..record.turns.len() {
            let (mut afterstates, mut evaluated) = (Vec::new(), Vec::new());
            game.afterstates(&states[of - 1], record.turns[of - 1].roll, &mut afterstates);
            evaluator.evaluate_siblings(&game.flip(&states[of - 1]), &afterstates, &mut evaluated);
            let played = afterstates.iter().position(|after| *after == states[of]).unwrap();
            let behind = |i: usize| evaluated[i].equity() - evaluated[played].equity();
            let mut expected: Vec<usize> = (0..afterstates.len())
                .filter(|&i| i != played && behind(i).abs() <= near.within)
                .filter(|&i| game.outcome(&afterstates[i]).is_none())
                .collect();
            expected.sort_by(|&one, &other| behind(one).total_cmp(&behind(other)));
            expected.truncate(3);
            sizes[expected.len()] += 1;
            for number in expected {
                let (found, state, difference) = left.next().unwrap();
                assert_eq!((found, state), (of, afterstates[number]));
                let expected =
                    std::iter::zip(backup.target(&state).0, backup.target(&states[of]).0);
                for (found, (other, played)) in difference.iter().zip(expected) {
                    assert!((found - (other - played)).abs() < 1e-5, "state {of}");
                }
            }
        }
        assert_eq!(left.next(), None);
    }
    assert!(sizes.iter().all(|&size| size > 2), "{sizes:?}");

    // Only states that are learned have siblings, on any number of threads.
    let settings = td(0.5, Some(near));
    let some = labeled(&network, Some(&network), &records, settings, 1);
    assert_eq!(labeled(&network, Some(&network), &records, settings, 3), some);
    for (some, all) in some.iter().zip(&labels) {
        let mut expected = siblings(all);
        expected.retain(|other| some.labels[other.0] == Label::FromGame);
        assert_eq!(siblings(some), expected);
    }
}

#[test]
fn the_mean_difference_at_two_ply_is_that_of_a_search() {
    let game = Backgammon::Hypergammon;
    // The evaluator need not be the one that played.
    let weights = initial_weights(&Interface::of(&game), EncoderKind::Tesauro, &[8], 2).unwrap();
    let evaluator = NetEvaluator::new(&weights, game).unwrap();
    let player = network();
    let mut network = player.fork();
    let mut best = |state: &Position, roll: Dice| {
        let ranked = rank_afterstates(&game, network.as_mut(), state, roll);
        Turn { roll, after: ranked[0].state, probs: ranked[0].probs.flip(), choice: Choice::Best }
    };
    let start =
        Position::from_points(&[(20, 1), (14, 1), (8, 1)], &[(24, 1), (18, 1), (12, 1)], 15)
            .unwrap();
    let first = best(&start, "31".parse().unwrap());
    let luck = LuckEvaluator { evaluator: &evaluator, pruning: None };
    let mut lookahead = Lookahead::new(game, &luck);
    let near = SiblingSettings { count: 2, within: 3.0, first_rolls: 1 };
    let others = Candidates::new(game, player.fork()).siblings(&start, &first, near);
    let mut search = Search::new(game, evaluator.fork(), None, Preset::Full.at(2));
    let values = search.evaluate_all(&[&others[..], &[first.after]].concat());
    for first_rolls in [1, 2, 5, 36] {
        let mut means = vec![[0.0; 6]; others.len()];
        // Every way to roll.
        for (fallen, weight) in game.rolls().iter().copied() {
            let second = best(&first.after, fallen);
            // How it ends does not matter.
            let turns = vec![first, second, best(&second.after, fallen)];
            let record = GameRecord { index: 0, start, turns, outcome: Outcome::WinSingle };
            let looks = lookahead.luck(&record, &mut Vec::new());
            for way in 0..u32::from(weight) {
                let rolls = spaced_rolls(&game, fallen, |_| way, first_rolls);
                assert_eq!(game.rolls()[rolls[0]].0, fallen);
                let found = lookahead.compare(&others, 1, &looks, &rolls, &record);
                for (mean, found) in means.iter_mut().zip(found) {
                    let Comparison::Sibling { difference, .. } = found else { panic!() };
                    mean.iter_mut().zip(difference).for_each(|(mean, part)| *mean += part / 36.0);
                }
            }
        }
        for (mean, other) in means.iter().zip(&values) {
            for ((mean, other), played) in mean.iter().zip(other.0).zip(values[others.len()].0) {
                assert!((mean - (other - played)).abs() < 1e-5, "{mean}: {other} less {played}");
            }
        }
    }
}

#[test]
fn the_next_evaluation_less_the_luck_is_the_expected_backup() {
    let game = Backgammon::Hypergammon;
    let network = network();
    let records = records(&network, 3);
    let labels = labeled(&network, Some(&network), &records, td(1.0, None), 1);
    let mut backup = ExpectedBackup::new(game, network.fork());
    for (record, labels) in records.iter().zip(&labels) {
        assert_eq!(labels.luck.len(), record.turns.len());
        assert_eq!(labels.luck[0], [0.0; 6]);
        for (i, turn) in record.turns.iter().enumerate().skip(1) {
            let expected = backup.target(&record.turns[i - 1].after).0;
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
    let evaluate = |dream: fn(&Position) -> OutcomeProbs| {
        ExpectedBackup::new(GAME, Box::new(FakeEvaluator::new(GAME, dream)))
    };
    let mut hopeless = evaluate(|_| OutcomeProbs::certain(Outcome::WinSingle));
    assert_eq!(hopeless.target(&pair), OutcomeProbs::certain(Outcome::WinSingle));

    // On the six and the ace point that takes a six with anything, or a double from 2-2: 11 of
    // 36 with a six, 2-2 (6 to off by three twos, the fourth for the ace), 3-3, 4-4, 5-5:
    // 15 ways. After other rolls the opponent, on roll, is sure to win.
    let gap = Position::from_points(&[(6, 1), (1, 1)], &[(1, 1)], 15).unwrap();
    let found = evaluate(|_| OutcomeProbs::certain(Outcome::WinSingle)).target(&gap);
    let (won, lost) = (found.of(Outcome::WinSingle), found.of(Outcome::LoseSingle));
    assert!((won - 15.0 / 36.0).abs() < 1e-6 && (lost - 21.0 / 36.0).abs() < 1e-6, "{found:?}");
}

#[test]
fn a_backup_is_the_mean_over_all_rolls_of_the_best_afterstate() {
    let weights = random_weights(EncoderKind::OneHot, &[24, 8], 6);
    let mut net = NetEvaluator::new(&weights, GAME).unwrap();
    let mut evaluator = ExpectedBackup::new(GAME, net.fork());
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
                let ranked = tavola_evaluator::rank_afterstates(&GAME, &mut net, &state, roll);
                for (sum, probability) in expected.iter_mut().zip(ranked[0].probs.0) {
                    *sum += f64::from(probability) / 36.0;
                }
            }
        }
        let found = evaluator.target(&state);
        for (found, expected) in found.0.into_iter().zip(expected) {
            assert!((f64::from(found) - expected).abs() < 1e-6, "{found}, {expected}");
        }
    }
}

#[test]
fn a_terminal_state_keeps_its_outcome() {
    let lost = Position::from_points(&[(6, 15)], &[], 15).unwrap();
    let mut evaluator = ExpectedBackup::new(GAME, Box::new(PipCountEvaluator::new(GAME)));
    assert_eq!(evaluator.target(&lost), OutcomeProbs::certain(Outcome::LoseGammon));
}

#[test]
fn labels_are_the_same_on_any_number_of_threads() {
    let game = Backgammon::Hypergammon;
    let weights = initial_weights(&Interface::of(&game), EncoderKind::Tesauro, &[8], 1).unwrap();
    let net = NetEvaluator::new(&weights, game).unwrap();
    let records = records(&net, 30);
    let alone = labels(&net, &records, td(0.5, None), 1);
    assert_eq!(labels(&net, &records, td(0.5, None), 4), alone);
    for (record, labels) in records.iter().zip(&alone) {
        assert_eq!(record.turns.len(), labels.len());
    }
    // Each game has its own draws, wherever it stands in the list.
    assert_eq!(labels(&net, &records[7..8], td(0.5, None), 1), alone[7..8]);
}

#[test]
fn shares_are_what_they_say() {
    let racer = PipCountEvaluator::new(Backgammon::Hypergammon);
    let records = records(&racer, 200);
    let states: usize = records.iter().map(|record| record.turns.len()).sum();
    let backup = |share| LabelSettings::ExpectedBackup { share: probability(share) };
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
    assert_eq!(count(td(1.0, None)), [0, states, 0]);
    assert_eq!(count(td(0.0, None)), [states, 0, 0]);
    assert_eq!(count(backup(1.0)), [0, 0, states]);
    let near = |found: usize, share: f64| (found as f64 / states as f64 - share).abs() < 0.03;
    let [skipped, from_game, given] = count(td(0.5, None));
    assert!(near(skipped, 0.5) && near(from_game, 0.5) && given == 0, "{states}");
    let [skipped, from_game, given] = count(backup(0.4));
    assert!(near(skipped, 0.6) && from_game == 0 && near(given, 0.4), "{states}");
}

#[test]
fn distillation_learns_each_near_afterstate_as_it_was_evaluated() {
    let game = Backgammon::Hypergammon;
    let network = network();
    let records = records(&network, 3);
    let settings = |share, within| {
        let share = probability(share);
        LabelSettings::Distillation(DistillationSettings { share, within, states: false })
    };
    let labels = labeled(&network, None, &records, settings(1.0, 0.02), 1);
    assert_eq!(labels, labeled(&network, None, &records, settings(1.0, 0.02), 2));
    let mut evaluator = network.fork();
    let mut found = 0;
    for (record, labels) in records.iter().zip(&labels) {
        assert!(labels.labels.iter().all(|label| *label == Label::Skip));
        let mut pairs = labels.comparisons.iter();
        for (state, turn) in record.states().zip(&record.turns) {
            let (mut afterstates, mut evaluated) = (Vec::new(), Vec::new());
            game.afterstates(&state, turn.roll, &mut afterstates);
            evaluator.evaluate(&afterstates, &mut evaluated);
            let best = evaluated.iter().map(|probs| probs.equity()).fold(f32::INFINITY, f32::min);
            let near: Vec<_> = afterstates
                .into_iter()
                .zip(evaluated)
                .filter(|(result, probs)| {
                    probs.equity() <= best + 0.02 && game.outcome(result).is_none()
                })
                .collect();
            let mut seen = Vec::new();
            for pair in pairs.by_ref().take(near.len() / 2) {
                let Comparison::Candidates { states, probs } = pair else { panic!("candidates") };
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
    let states = DistillationSettings { share: probability(1.0), within: 0.02, states: true };
    let both = labeled(&network, None, &records, LabelSettings::Distillation(states), 1);
    for ((record, labels), pairs) in records.iter().zip(&both).zip(&labels) {
        assert_eq!(labels.comparisons, pairs.comparisons);
        let states: Vec<_> = record.states().take(record.turns.len()).collect();
        let mut evaluated = Vec::new();
        evaluator.evaluate(&states, &mut evaluated);
        let given: Vec<_> = evaluated.into_iter().map(Label::Given).collect();
        assert_eq!(labels.labels, given);
    }
    let pairs = |labels: Vec<LabelsOf<Backgammon>>| -> usize {
        labels.iter().map(|game| game.comparisons.len()).sum()
    };
    // Which turns have pairs: a larger share takes all that a smaller one does.
    let turns = |share| -> Vec<bool> {
        let labels = labeled(&network, None, &records, settings(share, 6.0), 1);
        let of_game = |(record, labels): (&RecordOf<Backgammon>, LabelsOf<Backgammon>)| {
            let states: Vec<Position> = labels
                .comparisons
                .iter()
                .flat_map(|pair| match pair {
                    Comparison::Candidates { states, .. } => *states,
                    Comparison::Sibling { .. } => panic!("candidates"),
                })
                .collect();
            let has_pairs = |(state, turn): (Position, &Turn<Position, Dice>)| {
                let mut afterstates = Vec::new();
                game.afterstates(&state, turn.roll, &mut afterstates);
                afterstates.iter().any(|result| states.contains(result))
            };
            record.states().zip(&record.turns).map(has_pairs).collect::<Vec<_>>()
        };
        records.iter().zip(labels).flat_map(of_game).collect()
    };
    let (half, more) = (turns(0.5), turns(0.75));
    assert!(half.iter().zip(&more).all(|(half, more)| *more || !half));
    assert!(half.contains(&true) && half != more);
    assert!(pairs(labeled(&network, None, &records, settings(1.0, 6.0), 1)) > found / 2);
}
