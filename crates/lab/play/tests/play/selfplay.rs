//! Self-play: the same records on any number of threads, and games that follow the rules.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use tavola_data::{Choice, RecordOf};
use tavola_evaluator::search::SinglePlay;
use tavola_evaluator::{
    Evaluator, Level, NetEvaluator, PipCountEvaluator, RandomEvaluator, Search, SearchSettings,
    SearchWatch,
};
use tavola_net::{EncoderKind, random_weights};
use tavola_play::{
    ExploreSettings, Probability, SelfPlayGames, SelfPlaySettings, Workers, selfplay,
};
use tavola_rules::{Backgammon, Dice, Game, Position};

type Records = Vec<RecordOf<Backgammon>>;

static NOT_CANCELED: AtomicBool = AtomicBool::new(false);

fn workers(threads: usize) -> Workers<'static> {
    Workers { threads: NonZeroUsize::new(threads).unwrap(), cancel: &NOT_CANCELED }
}

fn games(indices: std::ops::Range<u64>) -> SelfPlayGames<'static, Position> {
    SelfPlayGames { run_seed: 5, indices, starts: &[] }
}

fn exploring() -> SelfPlaySettings {
    SelfPlaySettings {
        explore: ExploreSettings {
            random_play: Probability::new(0.1).unwrap(),
            random_opening_plays: 4,
        },
        ..SelfPlaySettings::default()
    }
}

fn play(
    game: Backgammon,
    evaluator: &dyn Evaluator<Backgammon>,
    settings: &SelfPlaySettings,
    games: &SelfPlayGames<'_, Position>,
    threads: usize,
) -> Records {
    selfplay(&game, evaluator, settings, games, workers(threads), &|_| {}).unwrap()
}

/// Checks every turn of a game against the rules.
fn assert_legal(game: Backgammon, record: &RecordOf<Backgammon>) {
    let mut afterstates = Vec::new();
    for (before, turn) in record.states().zip(&record.turns) {
        assert_eq!(game.outcome(&before), None);
        afterstates.clear();
        game.afterstates(&before, turn.roll, &mut afterstates);
        assert!(afterstates.contains(&turn.after), "{before:?} {} {:?}", turn.roll, turn.after);
        assert!((turn.probs.0.iter().sum::<f32>() - 1.0).abs() < 1e-4);
    }
    let last = record.turns.last().unwrap();
    assert_eq!(game.outcome(&last.after), Some(record.outcome));
    assert_eq!(last.probs.equity(), record.outcome.points() as f32);
}

#[test]
fn the_records_are_the_same_on_one_and_on_four_threads() {
    let game = Backgammon::Standard;
    let weights = random_weights(EncoderKind::OneHot, &[8], 3);
    let net = NetEvaluator::new(&weights, game).unwrap();
    let one = play(game, &net, &exploring(), &games(0..24), 1);
    assert_eq!(one.len(), 24);
    assert!(one.iter().enumerate().all(|(i, record)| record.index == i as u64));
    assert_eq!(play(game, &net, &exploring(), &games(0..24), 4), one);
    // A part of the run is that part of the records.
    assert_eq!(play(game, &net, &exploring(), &games(10..15), 2), one[10..15]);
    assert_ne!(one[0].turns, one[1].turns);
    for record in &one {
        assert_legal(game, record);
        assert!(!record.turns[0].roll.is_double(), "no double opens a game");
    }
}

#[test]
fn every_play_is_that_of_the_level() {
    let game = Backgammon::Hypergammon;
    let evaluator = PipCountEvaluator::new(game);
    let settings = |level| SelfPlaySettings { level, ..SelfPlaySettings::default() };
    let play = |level, threads| play(game, &evaluator, &settings(level), &games(0..12), threads);
    let bare = play(Level::ZeroPly, 1);
    for level in [Level::OnePly, Level::Roller] {
        let records = play(level, 1);
        assert_eq!(play(level, 2), records);
        assert_ne!(records, bare);
        records.iter().for_each(|record| assert_legal(game, record));
    }
    let settings = SearchSettings { single_play: SinglePlay::Accept, ..Level::OnePly.search() };
    let mut search = Search::new(game, evaluator.fork(), None, settings);
    for record in play(Level::OnePly, 1) {
        for (before, turn) in record.states().zip(&record.turns) {
            let best = search.rank(&before, turn.roll, SearchWatch::default()).remove(0);
            assert_eq!((turn.after, turn.probs), (best.state, best.value.flip()));
        }
    }
}

#[test]
fn random_play_comes_to_an_end_in_every_variant() {
    for game in Backgammon::ALL {
        let random = RandomEvaluator::new(game, 1);
        let records = play(game, &random, &SelfPlaySettings::default(), &games(0..20), 2);
        assert_eq!(records.len(), 20, "{}", game.name());
        for record in &records {
            assert_legal(game, record);
            assert_eq!(record.start, game.start());
        }
    }
}

#[test]
fn exploration_is_marked_and_leaves_the_dice_alone() {
    let game = Backgammon::Standard;
    let evaluator = RandomEvaluator::new(game, 1);
    let rolls = |records: &Records| -> Vec<Vec<Dice>> {
        records.iter().map(|r| r.turns.iter().take(10).map(|t| t.roll).collect()).collect()
    };
    let explored = |records: &Records| {
        let turns = || records.iter().flat_map(|record| &record.turns);
        let explored = turns().filter(|turn| turn.choice == Choice::Explored).count();
        (explored, turns().count())
    };
    let plain = play(game, &evaluator, &SelfPlaySettings::default(), &games(0..50), 2);
    assert_eq!(explored(&plain).0, 0);

    let mut settings = SelfPlaySettings::default();
    settings.explore.random_play = Probability::new(0.1).unwrap();
    let noisy = play(game, &evaluator, &settings, &games(0..50), 2);
    let (random, all) = explored(&noisy);
    // A little less than a tenth: there is nothing to draw when one result is all there is.
    assert!((0.06..0.11).contains(&(random as f64 / all as f64)), "{random} of {all}");
    assert_eq!(rolls(&noisy), rolls(&plain));

    let mut settings = SelfPlaySettings::default();
    settings.explore.random_opening_plays = 3;
    let opened = play(game, &evaluator, &settings, &games(0..50), 2);
    let mut seen = [false; 4];
    for record in &opened {
        let random = record.turns.iter().filter(|turn| turn.choice == Choice::Explored).count();
        seen[random] = true;
        assert!(record.turns[random..].iter().all(|turn| turn.choice == Choice::Best));
    }
    assert_eq!(seen, [true; 4]);
    assert_eq!(rolls(&opened), rolls(&plain));
}

#[test]
fn games_begin_in_listed_positions_as_often_as_asked() {
    let game = Backgammon::Standard;
    let evaluator = RandomEvaluator::new(game, 1);
    let starts = [Backgammon::Nackgammon.start_position(), Backgammon::Longgammon.start_position()];
    let settings = SelfPlaySettings {
        start_book_share: Probability::new(0.5).unwrap(),
        ..SelfPlaySettings::default()
    };
    let asked = SelfPlayGames { starts: &starts, ..games(0..80) };
    let records = play(game, &evaluator, &settings, &asked, 2);
    let count = |start| records.iter().filter(|record| record.start == start).count();
    let counts = [game.start(), starts[0], starts[1]].map(count);
    assert_eq!(counts.iter().sum::<usize>(), 80);
    assert!(counts[0] > 25 && counts[1] > 8 && counts[2] > 8, "{counts:?}");
    // In the middle of a game, doubles are thrown too.
    assert!(records.iter().any(|record| record.turns[0].roll.is_double()));
}

#[test]
fn start_positions_that_cannot_be_played_are_refused() {
    let game = Backgammon::Standard;
    let evaluator = RandomEvaluator::new(game, 1);
    let settings = SelfPlaySettings {
        start_book_share: Probability::new(0.25).unwrap(),
        ..SelfPlaySettings::default()
    };
    let error =
        |games| selfplay(&game, &evaluator, &settings, &games, workers(1), &|_| {}).unwrap_err();
    assert!(error(games(0..1)).to_string().starts_with("25 % of the games"));
    let starts = [game.start(), Position::from_points(&[(6, 15)], &[], 15).unwrap()];
    let error = error(SelfPlayGames { starts: &starts, ..games(0..1) });
    assert!(error.to_string().starts_with("position 2 of the start book"), "{error}");
}

#[test]
fn games_that_are_too_long_leave_no_record_but_are_reported() {
    let game = Backgammon::Standard;
    let settings =
        SelfPlaySettings { max_turns: NonZeroU32::new(90).unwrap(), ..SelfPlaySettings::default() };
    let evaluator = RandomEvaluator::new(game, 1);
    let done = Mutex::new(Vec::new());
    let records = selfplay(&game, &evaluator, &settings, &games(0..40), workers(2), &|game| {
        done.lock().unwrap().push(game);
    })
    .unwrap();
    let mut done = done.into_inner().unwrap();
    done.sort_unstable();
    assert!(done.into_iter().eq(0..40));
    assert!((1..40).contains(&records.len()), "{}", records.len());
    assert!(records.iter().all(|record| record.turns.len() <= 90));
}

#[test]
fn self_play_stops_soon_after_it_is_canceled() {
    let game = Backgammon::Standard;
    let evaluator = RandomEvaluator::new(game, 1);
    for threads in [1, 3] {
        let cancel = AtomicBool::new(false);
        let workers = Workers { cancel: &cancel, ..workers(threads) };
        let asked = games(0..1_000_000_000);
        let result =
            selfplay(&game, &evaluator, &SelfPlaySettings::default(), &asked, workers, &|game| {
                if game == 5 {
                    cancel.store(true, Ordering::Relaxed);
                }
            });
        let stopped = result.unwrap_err();
        let text = stopped.to_string();
        let finished = text.strip_prefix("canceled after ").and_then(|rest| rest.split(' ').next());
        // How many the other threads play meanwhile is up to the machine.
        let finished: u64 = finished.and_then(|number| number.parse().ok()).expect(&text);
        assert!(stopped.is_stop() && (6..1_000_000_000).contains(&finished), "{text}");
    }
}

#[test]
fn settings_are_read_with_defaults_and_refused_with_a_reason() {
    let read = |text| serde_json::from_str::<SelfPlaySettings>(text);
    assert_eq!(read("{}").unwrap(), SelfPlaySettings::default());
    let settings = read(r#"{"explore": {"random_play": 0.1, "random_opening_plays": 4}}"#);
    assert_eq!(settings.unwrap(), exploring());
    let text = serde_json::to_string(&exploring()).unwrap();
    assert_eq!(read(&text).unwrap(), exploring());
    for (text, reason) in [
        (r#"{"start_book_share": 1.5}"#, "a probability of 1.5, expected 0 to 1"),
        (r#"{"max_turns": 0}"#, "nonzero"),
        (r#"{"explore": {"random_plays": 0.1}}"#, "unknown field `random_plays`"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}
