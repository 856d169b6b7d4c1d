//! Profiles of players: what they do, and where two of them are apart.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tavola_arena::Progress;
use tavola_arena::profile::{Onlookers, ProfileOf, ProfileSettings, profile};
use tavola_evaluator::{Evaluator, NetEvaluator, PipCountEvaluator};
use tavola_net::{EncoderKind, random_weights};
use tavola_play::Phase;
use tavola_play::Workers;
use tavola_rules::{Backgammon, Game};

const GAME: Backgammon = Backgammon::Standard;
const SETTINGS: ProfileSettings = ProfileSettings { games: 5, seed: 4, per_phase: 2 };

fn network(seed: u64) -> NetEvaluator<Backgammon> {
    NetEvaluator::new(&random_weights(EncoderKind::OneHot, &[8], seed), GAME).unwrap()
}

fn take(
    a: &dyn Evaluator<Backgammon>,
    b: Option<&dyn Evaluator<Backgammon>>,
    threads: usize,
) -> ProfileOf<Backgammon> {
    let cancel = AtomicBool::new(false);
    let workers = Workers { threads: NonZeroUsize::new(threads).unwrap(), cancel: &cancel };
    profile(&GAME, a, b, &SETTINGS, workers, &()).unwrap()
}

#[test]
fn a_profile_is_the_same_on_any_number_of_threads_and_adds_up() {
    let (a, b) = (PipCountEvaluator::new(GAME), network(2));
    let one = take(&a, Some(&b), 1);
    assert_eq!(one, take(&a, Some(&b), 3));
    assert_eq!(one.players.len(), 2);
    for statistics in &one.players {
        assert_eq!(statistics.games() + statistics.truncated, SETTINGS.games);
        assert_eq!(statistics.lengths.values().sum::<u64>(), statistics.games());
        let by_points: u64 = (0..=3).map(|points| statistics.won_by(points)).sum();
        assert_eq!(by_points, statistics.games());
        assert_eq!(statistics.won_by(0), 0, "backgammon has no draws");
    }
    let length = one.players[0].length();
    assert!(length.mean > 20.0 && length.standard_error > 0.0, "{length:?}");
    let (decisions, differing) = one.phases.values().fold((0, 0), |(all, differing), phase| {
        assert!(phase.differing <= phase.decisions);
        assert!(phase.losses.iter().all(|&loss| loss >= 0.0));
        assert!(phase.gap.abs() <= phase.absolute_gap + 1e-9);
        (all + phase.decisions, differing + phase.differing)
    });
    assert!(differing > decisions / 4, "{differing} of {decisions}");
}

#[test]
fn disagreements_are_the_largest_each_position_once_and_few_of_each_phase() {
    let (a, b) = (PipCountEvaluator::new(GAME), network(2));
    let found = take(&a, Some(&b), 2);
    assert!(found.phases.len() > 3);
    let mut onlookers = Onlookers::new(&a, &b);
    for list in [&found.plays, &found.equities] {
        for phase in found.phases.keys() {
            let of_phase = list.iter().filter(|one| one.phase == *phase);
            assert!(of_phase.count() <= SETTINGS.per_phase, "{phase:?}");
        }
        for (index, one) in list.iter().enumerate() {
            assert!(list[..index].iter().all(|other| other.state != one.state));
            assert_eq!(Some(Phase::of(&one.state)), one.phase);
            assert_eq!(onlookers.look(&GAME, &one.state, one.roll), one.opinions);
        }
    }
    for pair in found.plays.windows(2) {
        let [first, second] = [&pair[0], &pair[1]];
        assert!(first.opinions.differ() && second.opinions.differ());
        assert!(
            first.phase < second.phase
                || first.phase == second.phase
                    && first.opinions.play_gap() >= second.opinions.play_gap()
        );
    }
}

#[test]
fn a_evaluator_is_nowhere_apart_from_itself() {
    let a = network(2);
    let found = take(&a, Some(&a), 2);
    assert_eq!(found.players[0], found.players[1]);
    assert!(found.plays.is_empty() && found.equities.is_empty());
    for phase in found.phases.values() {
        assert!(phase.decisions > 0);
        assert_eq!((phase.differing, phase.losses, phase.absolute_gap), (0, [0.0; 2], 0.0));
    }
}

#[test]
fn sides_that_are_exchanged_see_the_same_with_the_other_sign() {
    let (a, b) = (PipCountEvaluator::new(GAME), network(2));
    let (ab, ba) = (take(&a, Some(&b), 1), take(&b, Some(&a), 1));
    assert_eq!(ab.players[0], ba.players[1]);
    let roll = GAME.rolls()[7].0;
    let one = Onlookers::new(&a, &b).look(&GAME, &GAME.start(), roll);
    let other = Onlookers::new(&b, &a).look(&GAME, &GAME.start(), roll);
    assert_eq!(one.equity_gap(), -other.equity_gap());
    assert_eq!(one.losses()[0], other.losses()[1]);
    for (phase, opinions) in &ab.phases {
        assert_eq!(opinions.decisions, ba.phases[phase].decisions);
        assert_eq!(opinions.differing, ba.phases[phase].differing);
        assert!((opinions.gap + ba.phases[phase].gap).abs() < 1e-3);
    }
}

#[test]
fn one_player_has_statistics_and_no_disagreements() {
    let a = PipCountEvaluator::new(GAME);
    let found = take(&a, None, 1);
    assert_eq!(found.players.len(), 1);
    assert_eq!(found.players, take(&a, Some(&network(2)), 1).players[..1]);
    assert!(found.phases.is_empty() && found.plays.is_empty() && found.equities.is_empty());
}

/// Calls a profile off after its second game.
struct Stop<'a> {
    played: AtomicU64,
    cancel: &'a AtomicBool,
}

impl Progress for Stop<'_> {
    fn begin(&self, _: u64, _: &'static str) {}

    fn one_done(&self) {
        if self.played.fetch_add(1, Ordering::Relaxed) == 1 {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_canceled_profile_says_how_far_it_came() {
    let cancel = AtomicBool::new(false);
    let workers = Workers { threads: NonZeroUsize::MIN, cancel: &cancel };
    let stop = Stop { played: AtomicU64::new(0), cancel: &cancel };
    let result = profile(&GAME, &network(2), None, &SETTINGS, workers, &stop);
    assert_eq!(result.unwrap_err().to_string(), "canceled after 2 of 5 games");
}
