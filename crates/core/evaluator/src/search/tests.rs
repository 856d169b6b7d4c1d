//! Searches on trees that are small enough for a plain evaluation.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use tavola_net::{EncoderKind, random_weights};
use tavola_rules::{Backgammon, Dice, Outcome, Position};

use super::*;
use crate::evaluators::{FakeEvaluator, NetEvaluator, PipCountEvaluator};
use crate::pruning::Pruning;

/// Three checkers a side: small trees.
const GAME: Backgammon = Backgammon::Hypergammon;

fn dice(a: u8, b: u8) -> Dice {
    Dice::new(a, b).unwrap()
}

fn net(seed: u64, hidden: usize) -> Box<dyn Evaluator<Backgammon>> {
    let mut weights = random_weights(EncoderKind::OneHot, &[hidden], seed);
    weights.game = GAME.id();
    // The hypergammon layout is that of backgammon.
    Box::new(NetEvaluator::new(&weights, GAME).unwrap())
}

fn search(settings: SearchSettings) -> Search<Backgammon> {
    Search::new(GAME, net(1, 16), Some(net(2, 4)), settings)
}

fn threads(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).unwrap()
}

/// The definition of n-ply, word by word.
fn plain(evaluator: &mut dyn Evaluator<Backgammon>, state: &Position, ply: u8) -> OutcomeProbs {
    let mut out = Vec::new();
    evaluator.evaluate(&[*state], &mut out);
    if ply == 0 || GAME.outcome(state).is_some() {
        return out[0];
    }
    let mut mean = [0.0; 6];
    for (roll, weight) in Dice::ALL {
        let mut afterstates = Vec::new();
        GAME.afterstates(state, roll, &mut afterstates);
        evaluator.evaluate(&afterstates, &mut out);
        let best = (0..afterstates.len())
            .min_by(|&a, &b| out[a].equity().total_cmp(&out[b].equity()))
            .unwrap();
        let value = plain(evaluator, &afterstates[best], ply - 1).flip();
        for (sum, probability) in mean.iter_mut().zip(value.0) {
            *sum += f32::from(weight) / 36.0 * probability;
        }
    }
    OutcomeProbs(mean)
}

/// The value at the root: at 1-ply with the share of the state's own value, a quarter of the weight
/// of the rolls after which something is estimated.
fn plain_root(
    evaluator: &mut dyn Evaluator<Backgammon>,
    state: &Position,
    ply: u8,
) -> OutcomeProbs {
    let mut value = plain(evaluator, state, ply);
    if ply != 1 || GAME.outcome(state).is_some() {
        return value;
    }
    let mut estimated = 0;
    for (roll, weight) in Dice::ALL {
        let mut afterstates = Vec::new();
        GAME.afterstates(state, roll, &mut afterstates);
        let ends = afterstates.iter().any(|state| GAME.outcome(state).is_some());
        estimated += if ends { 0 } else { u32::from(weight) };
    }
    let own = plain(evaluator, state, 0);
    let share = estimated as f32 / 144.0;
    for (mean, own) in value.0.iter_mut().zip(own.0) {
        *mean = (1.0 - share) * *mean + share * own;
    }
    value
}

fn assert_near(a: &OutcomeProbs, b: &OutcomeProbs) {
    for (x, y) in a.0.iter().zip(b.0) {
        assert!((x - y).abs() < 1e-5, "{a:?} and {b:?}");
    }
}

/// Some positions of a game, contact and race.
fn positions() -> Vec<Position> {
    vec![
        GAME.start(),
        Position::from_points(&[(6, 1), (13, 1), (25, 1)], &[(5, 2), (16, 1)], 3).unwrap(),
        Position::from_points(&[(3, 1), (5, 1)], &[(3, 2)], 3).unwrap(),
        Position::from_points(&[(24, 1), (2, 2)], &[(17, 1), (18, 2)], 3).unwrap(),
    ]
}

#[test]
fn a_last_roll_is_evaluated_as_by_hand() {
    let even = |_: &Position| OutcomeProbs([0.5, 0.0, 0.0, 0.5, 0.0, 0.0]);
    let fake = FakeEvaluator::new(GAME, even);
    // One checker on the six point: 27 of 36 rolls bear it off in one roll; otherwise the opponent
    // wins with the next roll, whatever it is.
    let state = Position::from_points(&[(6, 1)], &[(1, 1)], 3).unwrap();
    let mut search = Search::new(GAME, Box::new(fake.clone()), None, Preset::Full.at(2));
    let (probs, ply) = search.evaluate(&state, SearchWatch::default());
    assert_eq!(ply, 2);
    assert_near(&probs, &OutcomeProbs([9.0 / 36.0, 0.0, 0.0, 27.0 / 36.0, 0.0, 0.0]));
    // At 1-ply the nine other rolls lead to what the evaluator calls even, as it calls this state:
    // that has a quarter of their share.
    search.set_settings(Preset::Full.at(1));
    let (probs, _) = search.evaluate(&state, SearchWatch::default());
    let lost = 15.0 / 16.0 * (4.5 / 36.0) + 1.0 / 16.0 * 0.5;
    assert_near(&probs, &OutcomeProbs([lost, 0.0, 0.0, 1.0 - lost, 0.0, 0.0]));
}

#[test]
fn full_searches_equal_the_plain_recursion() {
    for state in positions() {
        for ply in 0..=2 {
            let (value, evaluated) =
                search(Preset::Full.at(ply)).evaluate(&state, SearchWatch::default());
            assert_eq!(evaluated, ply);
            assert_near(&value, &plain_root(&mut *net(1, 16), &state, ply));
        }
    }
}

#[test]
fn three_plies_equal_the_plain_recursion_too() {
    let state = Position::from_points(&[(3, 1), (5, 1)], &[(3, 1), (6, 1)], 3).unwrap();
    let (value, _) = search(Preset::Full.at(3)).evaluate(&state, SearchWatch::default());
    assert_near(&value, &plain(&mut *net(1, 16), &state, 3));
}

#[test]
fn a_full_ranking_orders_all_results_by_the_plain_recursion() {
    for state in positions() {
        let ranking = search(Preset::Full.at(1)).rank(&state, dice(4, 2), SearchWatch::default());
        let mut afterstates = Vec::new();
        GAME.afterstates(&state, dice(4, 2), &mut afterstates);
        assert_eq!(ranking.len(), afterstates.len());
        assert!(ranking.iter().all(|play| play.ply == 1));
        assert!(ranking.windows(2).all(|pair| pair[0].expectation >= pair[1].expectation));
        for play in &ranking {
            assert!(afterstates.contains(&play.state));
            assert_near(&play.value, &plain_root(&mut *net(1, 16), &play.state, 1).flip());
            assert_eq!(play.expectation, play.value.equity());
            assert_eq!(play.loss, ranking[0].expectation - play.expectation);
        }
    }
}

#[test]
fn a_search_gives_the_same_bits_on_any_number_of_threads() {
    let decisions: Vec<_> =
        positions().into_iter().map(|position| (position, dice(5, 3))).collect();
    for settings in [Preset::Normal.at(2), Preset::Fast.at(3), Preset::Wide.at(1)] {
        let mut one = search(settings);
        let mut four = search(settings).on_threads(threads(4));
        let evaluated = four.evaluate_all(&positions());
        for (i, (state, roll)) in decisions.iter().enumerate() {
            let alone = one.rank(state, *roll, SearchWatch::default());
            assert_eq!(alone, four.rank(state, *roll, SearchWatch::default()));
            let (value, _) = one.evaluate(state, SearchWatch::default());
            assert_eq!(value, evaluated[i]);
            // Nor does it matter what was searched before.
            assert_eq!(alone, search(settings).rank(state, *roll, SearchWatch::default()));
        }
    }
}

#[test]
fn filters_decide_which_plays_go_deeper() {
    let state = GAME.start();
    let all = search(Preset::Full.at(0)).rank(&state, dice(6, 4), SearchWatch::default());
    assert!(all.len() > 6, "{}", all.len());
    let mut settings = Preset::Full.at(2);
    settings.filters[0] = MoveFilter { keep: 5, extra: 0, within: 0.0 };
    settings.filters[1] = MoveFilter { keep: 2, extra: 0, within: 0.0 };
    let ranking = search(settings).rank(&state, dice(6, 4), SearchWatch::default());
    let plies: Vec<u8> = ranking.iter().map(|play| play.ply).collect();
    assert_eq!(plies[..6], [2, 2, 1, 1, 1, 0]);
    // Those left behind at 0-ply are the worst there, with the figures they had.
    assert_eq!(
        ranking[5..].iter().map(|play| (play.state, play.value)).collect::<Vec<_>>(),
        all[5..].iter().map(|play| (play.state, play.value)).collect::<Vec<_>>(),
    );
    assert_eq!(ranking[0].loss, 0.0);
    assert!(ranking.iter().all(|play| play.loss >= 0.0), "{ranking:?}");
    // A loss compares figures of the same depth.
    let best_at_0 = all.iter().find(|play| play.state == ranking[0].state).unwrap();
    assert_eq!(ranking[5].loss, best_at_0.expectation - ranking[5].expectation);
}

#[test]
fn a_play_without_rivals_is_evaluated_only_if_asked() {
    let mut settings = Preset::Full.at(2);
    settings.filters[0] = MoveFilter { keep: 1, extra: 0, within: 0.0 };
    let evaluated = search(settings).rank(&GAME.start(), dice(6, 4), SearchWatch::default());
    settings.single_play = SinglePlay::Accept;
    let accepted = search(settings).rank(&GAME.start(), dice(6, 4), SearchWatch::default());
    assert_eq!((evaluated[0].ply, accepted[0].ply), (2, 0));
    assert_eq!(evaluated[0].state, accepted[0].state);
}

#[test]
fn pruning_keeps_what_the_small_network_likes_and_nothing_else() {
    // The small network hates what the main one likes, so with one result kept the value is that
    // of the worst replies.
    let by_pips = |sign: f32| {
        move |state: &Position| {
            let lead = sign * (state.opponent_pip_count() as f32 - state.pip_count() as f32);
            let win = 1.0 / (1.0 + (-0.02 * lead).exp());
            OutcomeProbs([1.0 - win, 0.0, 0.0, win, 0.0, 0.0])
        }
    };
    let main = FakeEvaluator::new(GAME, by_pips(1.0));
    let contrary = FakeEvaluator::new(GAME, by_pips(-1.0));
    let keeping = |keep| {
        let pruning = Pruning { keep, within: 9.0 };
        let pruning = Some(TreePruning { inner: pruning, leaves: pruning });
        SearchSettings { pruning, ..Preset::Full.at(1) }
    };
    let evaluate = |pruning: &FakeEvaluator<_, _>, settings| {
        let mut search = Search::new(GAME, Box::new(main.clone()), Some(pruning.fork()), settings);
        search.evaluate(&positions()[1], SearchWatch::default()).0.equity()
    };
    let worst = evaluate(&contrary, keeping(1));
    let best = evaluate(&contrary, keeping(1000));
    assert_eq!(best, evaluate(&contrary, Preset::Full.at(1)));
    assert!(worst < best, "{worst} {best}");
    // Where both agree, the best result is among those kept.
    let mut agreeing = Search::new(GAME, Box::new(main.clone()), Some(main.fork()), keeping(1));
    assert_eq!(agreeing.evaluate(&positions()[1], SearchWatch::default()).0.equity(), best);
}

#[test]
fn finished_positions_are_exact_at_any_depth() {
    let lost = Position::from_points(&[(6, 3)], &[], 3).unwrap();
    for ply in 0..=3 {
        let (value, evaluated) =
            search(Preset::Normal.at(ply)).evaluate(&lost, SearchWatch::default());
        assert_eq!(value, OutcomeProbs::certain(Outcome::LoseGammon));
        assert_eq!(evaluated, ply);
    }
    // A play that ends the game wins whatever the depth.
    let state = Position::from_points(&[(2, 1)], &[(2, 1)], 3).unwrap();
    let ranking = search(Preset::Normal.at(2)).rank(&state, dice(6, 5), SearchWatch::default());
    assert_eq!(ranking[0].value, OutcomeProbs::certain(Outcome::WinSingle));
    assert_eq!(ranking[0].ply, 2);
}

/// Calls every state of a race exact.
struct RaceKnower(Box<dyn Evaluator<Backgammon>>);

impl Evaluator<Backgammon> for RaceKnower {
    fn evaluate(&mut self, states: &[Position], out: &mut Vec<OutcomeProbs>) {
        self.0.evaluate(states, out);
    }

    fn is_exact(&self, state: &Position) -> bool {
        !state.has_contact()
    }

    fn fork(&self) -> Box<dyn Evaluator<Backgammon>> {
        Box::new(Self(self.0.fork()))
    }
}

#[test]
fn what_the_evaluator_knows_exactly_is_not_looked_into() {
    let [_, contact, race, _] = positions()[..] else { panic!("there are four") };
    let full = Preset::Full.at(2);
    let mut search = Search::new(GAME, Box::new(RaceKnower(net(1, 16))), None, full);
    let mut known = Vec::new();
    net(1, 16).evaluate(&[race], &mut known);
    assert_eq!(search.evaluate(&race, SearchWatch::default()), (known[0], 2));
    let ranking = search.rank(&race, dice(2, 1), SearchWatch::default());
    let mut at_0_ply = Search::new(GAME, net(1, 16), None, Preset::Full.at(0));
    for (play, same) in ranking.iter().zip(at_0_ply.rank(&race, dice(2, 1), SearchWatch::default()))
    {
        assert_eq!((play.state, play.value, play.ply), (same.state, same.value, 2));
    }
    let (value, _) = search.evaluate(&contact, SearchWatch::default());
    assert_ne!(value, plain(&mut *net(1, 16), &contact, 0));
}

#[test]
fn a_player_who_cannot_move_has_the_pass() {
    // On the bar against a closed board.
    let shut = Backgammon::Standard;
    let board: [_; 6] = std::array::from_fn(|i| (i + 1, 2));
    let state = Position::from_points(&[(25, 1), (6, 14)], &board, 15).unwrap();
    let mut search =
        Search::new(shut, Box::new(PipCountEvaluator::new(shut)), None, Preset::Fast.at(1));
    let ranking = search.rank(&state, dice(6, 1), SearchWatch::default());
    assert_eq!(ranking.len(), 1);
    assert_eq!(ranking[0].state, state.flip());
    assert_eq!(ranking[0].ply, 1);
}

#[test]
fn a_search_without_time_answers_at_0_ply_and_one_with_time_finishes() {
    let state = GAME.start();
    let limit = |limit| SearchWatch { limit: Some(limit), ..SearchWatch::default() };
    for n in [1, 3] {
        let mut search = search(Preset::Normal.at(2)).on_threads(threads(n));
        let hasty = search.rank(&state, dice(4, 2), limit(Duration::ZERO));
        assert!(hasty.iter().all(|play| play.ply == 0));
        assert!(hasty.windows(2).all(|pair| pair[0].expectation >= pair[1].expectation));
        assert_eq!(search.evaluate(&state, limit(Duration::ZERO)).1, 0);
        let calm = search.rank(&state, dice(4, 2), limit(Duration::from_secs(3600)));
        assert_eq!(calm, search.rank(&state, dice(4, 2), SearchWatch::default()));
        assert_eq!(search.evaluate(&state, limit(Duration::MAX)).1, 2);
    }
}

#[test]
fn what_time_cuts_off_keeps_the_figures_of_the_depth_before() {
    // An evaluator that lets the time run out in the middle of the second depth.
    let state = GAME.start();
    let limit = Duration::from_millis(40);
    let started = Instant::now();
    let slow = FakeEvaluator::new(GAME, move |state: &Position| {
        if started.elapsed() < 2 * limit {
            std::thread::sleep(Duration::from_micros(20));
        }
        let win = f32::from(state.cells()[6].unsigned_abs()) / 15.0;
        OutcomeProbs([1.0 - win, 0.0, 0.0, win, 0.0, 0.0])
    });
    let mut search = Search::new(GAME, Box::new(slow), None, Preset::Full.at(3));
    let watch = SearchWatch { limit: Some(limit), ..SearchWatch::default() };
    let ranking = search.rank(&state, dice(4, 2), watch);
    assert!(ranking.windows(2).all(|pair| pair[0].ply >= pair[1].ply), "deepest first");
    assert!(ranking.iter().any(|play| play.ply < 3), "the time was too short for everything");
    assert!(ranking.iter().all(|play| play.loss >= 0.0));
}

#[test]
fn progress_counts_the_parts_of_each_depth() {
    let seen = Mutex::new(Vec::new());
    let progress = |progress| seen.lock().unwrap().push(progress);
    let watch = SearchWatch { progress: &progress, ..SearchWatch::default() };
    search(Preset::Full.at(2)).rank(&GAME.start(), dice(3, 1), watch);
    let seen = seen.into_inner().unwrap();
    for ply in [1, 2] {
        let parts: Vec<_> = seen.iter().filter(|progress| progress.ply == ply).collect();
        assert!(parts.len() > 1);
        assert!(parts.iter().all(|progress| progress.of == parts.len()));
        assert_eq!(parts.last().unwrap().done, parts.len());
    }
}

#[test]
fn a_search_serves_as_an_evaluator() {
    let mut evaluator: Box<dyn Evaluator<Backgammon>> =
        Evaluator::fork(&search(Preset::Full.at(1)));
    let mut out = Vec::new();
    evaluator.evaluate(&positions(), &mut out);
    for (state, value) in positions().iter().zip(&out) {
        assert_near(value, &plain_root(&mut *net(1, 16), state, 1));
    }
}

/// Sets the flag once `after` states were evaluated.
fn canceling(
    after: u64,
    cancel: &Arc<AtomicBool>,
) -> FakeEvaluator<Backgammon, impl Fn(&Position) -> OutcomeProbs + Clone + Send + 'static> {
    let (counted, cancel) = (Arc::new(AtomicU64::new(0)), Arc::clone(cancel));
    FakeEvaluator::new(Backgammon::Standard, move |state: &Position| {
        if counted.fetch_add(1, Ordering::Relaxed) + 1 == after {
            cancel.store(true, Ordering::Relaxed);
        }
        let win = state.pip_count() as f32 / 1000.0;
        OutcomeProbs([1.0 - win, 0.0, 0.0, win, 0.0, 0.0])
    })
}

#[test]
fn a_search_that_is_called_off_ends_within_a_node_at_every_depth() {
    const GAME: Backgammon = Backgammon::Standard;
    // All afterstates of one node: no more than some hundred.
    const NODE: u64 = 1_500;
    for (ply, after) in [(1, 2_000), (2, 20_000), (3, 100_000)] {
        let cancel = Arc::new(AtomicBool::new(false));
        let fake = canceling(after, &cancel);
        let mut search = Search::new(GAME, Box::new(fake.clone()), None, Preset::Full.at(ply));
        let watch = SearchWatch { cancel: Some(&cancel), ..SearchWatch::default() };
        let ranking = search.rank(&GAME.start(), dice(4, 2), watch);
        assert!(cancel.load(Ordering::Relaxed) && ranking.last().unwrap().ply < ply);
        assert!((after..after + NODE).contains(&fake.evaluated()), "{ply}: {}", fake.evaluated());
        // Nothing that is half done is remembered.
        let again = search.rank(&GAME.start(), dice(4, 2), watch);
        assert_eq!(again[0].ply, 0);
        if ply < 3 {
            let (calm, fresh) = (SearchWatch::default(), fake.fork());
            let expected = Search::new(GAME, fresh, None, Preset::Full.at(ply));
            let expected = { expected }.rank(&GAME.start(), dice(4, 2), calm);
            assert_eq!(search.rank(&GAME.start(), dice(4, 2), calm), expected);
        }
    }
}
