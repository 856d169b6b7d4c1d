//! Long, as each game has its golden cases and its slow reading beside each other.
//!
//! Games for more than two players: the golden cases of their rules, and slow readings that must find the
//! same results.

use std::collections::{BTreeMap, BTreeSet};

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use tavola_games::many::{
    Astronomy, AstronomyState, FourSeasons, FourSeasonsState, ManyEvaluator, ManyGame, ManyPlayer,
    RandomPlayer, RuleBasedPlayer,
};

fn seasons(text: &str) -> FourSeasonsState {
    FourSeasons::STANDARD.parse_state(text).unwrap()
}

/// What the player on roll has after each result: the last of the text, for the turn is over.
fn own(text: &str, roll: &str) -> BTreeSet<String> {
    let mut results = Vec::new();
    let roll = FourSeasons::STANDARD.parse_roll(roll).unwrap();
    FourSeasons::STANDARD.results(&seasons(text), Some(roll), &mut results);
    let last = |state: &FourSeasonsState| {
        FourSeasons::STANDARD.write_state(state).rsplit(" / ").next().unwrap().to_owned()
    };
    assert_eq!(results.len(), results.iter().collect::<std::collections::HashSet<_>>().len());
    results.iter().map(last).collect()
}

#[track_caller]
fn check(text: &str, roll: &str, expected: &[&str]) {
    let expected: BTreeSet<String> = expected.iter().map(|text| (*text).to_owned()).collect();
    assert_eq!(own(text, roll), expected, "{text} with {roll}");
}

#[test]
fn four_seasons_1_checkers_enter_in_the_own_quarter() {
    check("start", "255", &["2:1 5:2 hand:9"]);
}

#[test]
fn four_seasons_2_pairs_close_cells_and_single_ones_are_removed() {
    let text = "5:1 12:11 / 1:1 2:2 12:9 / hand:12 / hand:12";
    let mut results = Vec::new();
    FourSeasons::STANDARD.results(
        &seasons(text),
        FourSeasons::STANDARD.parse_roll("236").ok(),
        &mut results,
    );
    assert_eq!(results.len(), 7, "{results:?}");
    let hits: BTreeSet<String> = results
        .iter()
        .map(|state| FourSeasons::STANDARD.write_state(state))
        .filter(|text| text.contains("bar:1"))
        .map(|text| text.rsplit(" / ").next().unwrap().to_owned())
        .collect();
    let expected = BTreeSet::from(["12:11 16:1".to_owned(), "12:10 13:1 15:1".to_owned()]);
    assert_eq!(hits, expected);
}

#[test]
fn four_seasons_3_the_removed_enter_first() {
    let expected = ["5:1 12:10 13:1", "4:1 12:9 13:2", "4:1 12:10 14:1"];
    check("12:11 bar:1 / hand:12 / hand:12 / 7:2 12:10", "114", &expected);
}

#[test]
fn four_seasons_4_checkers_leave_from_the_opposite_quarter() {
    let text = "13:1 15:1 18:1 / hand:12 / hand:12 / hand:12";
    let mut results = Vec::new();
    FourSeasons::STANDARD.results(
        &seasons(text),
        FourSeasons::STANDARD.parse_roll("641").ok(),
        &mut results,
    );
    assert_eq!(results.len(), 5);
    let won: Vec<_> =
        results.iter().filter_map(|state| FourSeasons::STANDARD.payoffs(state)).collect();
    assert_eq!(won, [vec![3.0, -1.0, -1.0, -1.0]]);
}

#[test]
fn four_seasons_5_a_roll_that_no_player_can_use_goes_round_and_is_lost() {
    // The quarter of the player on roll is closed by pairs of the one before and the one two before.
    let text = "12:11 bar:1 / hand:12 / 13:2 14:2 15:2 18:6 / 10:2 11:2 17:8";
    let state = seasons(text);
    let mut results = Vec::new();
    FourSeasons::STANDARD.results(
        &state,
        FourSeasons::STANDARD.parse_roll("421").ok(),
        &mut results,
    );
    let [state] = &results[..] else { panic!("{results:?}") };
    // The next one may use it, and need not; declined, it is lost.
    assert!(!FourSeasons::STANDARD.rolls(state));
    assert_eq!(FourSeasons::STANDARD.on_roll(state), 1);
    let mut uses = Vec::new();
    FourSeasons::STANDARD.results(state, None, &mut uses);
    assert!(uses.len() > 2 && uses.iter().all(|state| FourSeasons::STANDARD.rolls(state)));
    assert!(uses.iter().all(|state| !FourSeasons::STANDARD.write_state(state).contains("offers")));
    // Who can use nothing leaves it to the next one, after the own turn.
    let stuck = "7:1 8:0 bar:11 / hand:12 / hand:12 / 7:2 8:2 9:2 10:2 11:2 12:2 offers:6-5-4";
    let state = seasons(stuck);
    assert!(FourSeasons::STANDARD.rolls(&state), "{state:?}");
    let mut next = Vec::new();
    FourSeasons::STANDARD.results(&state, FourSeasons::STANDARD.parse_roll("321").ok(), &mut next);
    let text = FourSeasons::STANDARD.write_state(&next[0]);
    assert!(text.contains("offers:6-5-4") && text.contains("offers:3-2-1"), "{text}");
    assert!(!FourSeasons::STANDARD.rolls(&next[0]));
}

// The slow reading of the Four Seasons: maps from places to numbers, every order of the dice.

type Places = BTreeMap<(usize, usize), u8>;

/// Places by player: 0 the hand, 1 to 18 or 24 the track, 30 the bar, 31 off.
const BAR: usize = 30;
const OFF: usize = 31;

fn places(game: &FourSeasons, state: &FourSeasonsState) -> (usize, Places) {
    let text = game.write_state(state);
    let first = game.on_roll(state);
    let mut found = Places::new();
    for (offset, side) in text.split(" / ").enumerate() {
        let player = (first + offset) % 4;
        let mut total = 0;
        let is_checkers = |item: &&str| {
            !(item.is_empty() || item.starts_with("offers") || item.starts_with("place"))
        };
        for item in side.split(' ').filter(is_checkers) {
            let (name, count) = item.split_once(':').unwrap();
            let place = match name {
                "hand" => 0,
                "bar" => BAR,
                "off" => OFF,
                track => track.parse().unwrap(),
            };
            let count: u8 = count.parse().unwrap();
            total += count;
            if place < OFF {
                found.insert((player, place), count);
            }
        }
        if total < 12 {
            found.insert((player, OFF), 12 - total);
        } else if side.contains("off:") {
            found.insert((player, OFF), 12);
        }
    }
    (first, found)
}

fn slow_steps(places: &Places, track: usize, player: usize, die: usize) -> Vec<Places> {
    let at = |player: usize, place: usize| places.get(&(player, place)).copied().unwrap_or(0);
    let mut found = Vec::new();
    let (hand, bar) = (at(player, 0), at(player, BAR));
    for from in 0..=BAR {
        if at(player, from) == 0 || (bar > 0 && from != BAR) {
            continue;
        }
        let enters = from == 0 || from == BAR;
        let to = if enters { die } else { from + die };
        if enters && die > 6 {
            continue;
        }
        let outside: u8 = (1..=track - 6).map(|place| at(player, place)).sum::<u8>() + hand + bar;
        if hand > 0 && to > 6 {
            continue;
        }
        let mut after = places.clone();
        let mut take = |key: (usize, usize)| {
            let left = after[&key] - 1;
            if left == 0 {
                after.remove(&key)
            } else {
                after.insert(key, left)
            };
        };
        take((player, from));
        if to > track {
            let rearmost = (1..from).all(|place| at(player, place) == 0);
            if outside > 0 || (to > track + 1 && !rearmost) {
                continue;
            }
            *after.entry((player, OFF)).or_default() += 1;
            found.push(after);
            continue;
        }
        let board = (6 * player + to - 1) % 24;
        let mut closed = false;
        for other in (0..4).filter(|&other| other != player) {
            let place = (board + 24 - 6 * other) % 24 + 1;
            match if place <= track { at(other, place) } else { 0 } {
                0 => {}
                1 => {
                    after.remove(&(other, place));
                    *after.entry((other, BAR)).or_default() += 1;
                }
                _ => closed = true,
            }
        }
        if !closed {
            *after.entry((player, to)).or_default() += 1;
            found.push(after);
        }
    }
    found
}

/// Every order of some numbers.
fn orders(numbers: &[u8]) -> Vec<Vec<u8>> {
    if numbers.is_empty() {
        return vec![Vec::new()];
    }
    let first = |i: usize| {
        let mut others = numbers.to_vec();
        let number = others.remove(i);
        orders(&others).into_iter().map(move |rest| [vec![number], rest].concat())
    };
    (0..numbers.len()).flat_map(first).collect()
}

fn slow_results(places: &Places, track: usize, player: usize, dice: &[u8]) -> BTreeSet<Places> {
    let mut ends: BTreeSet<((u32, u32), Places)> = BTreeSet::new();
    for order in orders(dice) {
        let mut states = BTreeSet::from([((0, 0), places.clone())]);
        // A die of the order may also be left out; the best ends are looked for afterwards.
        for die in order {
            let mut next = states.clone();
            for ((used, pips), state) in states {
                for after in slow_steps(&state, track, player, usize::from(die)) {
                    next.insert(((used + 1, pips + u32::from(die)), after));
                }
            }
            states = next;
        }
        ends.extend(states);
    }
    let best = ends.iter().map(|(used, _)| *used).max().unwrap();
    let counts = |used, places: &Places| used == best || places.get(&(player, OFF)) == Some(&12);
    ends.into_iter()
        .filter(|(used, places)| counts(*used, places))
        .map(|(_, places)| places)
        .collect()
}

/// A die each, with the sides of the game's dice, decides who begins.
#[test]
fn dice_decide_who_begins() {
    fn firsts<G: ManyGame>(game: &G, sides: u8) {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let (mut firsts, mut highest) = (vec![0; G::PLAYERS], 0);
        for _ in 0..700 {
            let order = game.throw_for_start(&mut rng);
            firsts[order.seats[0]] += 1;
            highest = highest.max(order.throws[order.seats[0]][0]);
            assert_eq!(game.on_roll(&game.start(order.seats[0])), order.seats[0]);
        }
        assert_eq!(highest, sides);
        assert!(firsts.iter().all(|&count| count > 700 / G::PLAYERS / 2), "{firsts:?}");
    }
    firsts(&FourSeasons::default(), 6);
    firsts(&Astronomy::STANDARD, 7);
}

/// A network that knows nothing still sees a win at 1-ply.
#[test]
fn a_look_ahead_is_the_mean_over_the_rolls_of_the_next_player() {
    let game = FourSeasons::default();
    let kind = tavola_net::EncoderKind::OneHot;
    let weights = tavola_net::initial_weights(&game.interface(), kind, &[8], 1).unwrap();
    let mut evaluator = ManyEvaluator::new(&weights, &game).unwrap();
    // Any roll takes the last checker off.
    let won = seasons("18:1 off:11 / 1:12 / hand:12 / hand:12");
    let payoffs = evaluator.payoffs(&won, 1);
    assert!((payoffs[0] - 3.0).abs() < 1e-3, "{payoffs:?}");
    let before = seasons("13:12 / 1:12 / 13:12 / hand:12");
    for ply in 0..=2 {
        let payoffs = evaluator.payoffs(&before, ply);
        assert!(payoffs.iter().sum::<f32>().abs() < 1e-2, "{ply}: {payoffs:?}");
    }
    // With options a network of the same game fits as long as states have the same numbers.
    assert!(ManyEvaluator::new(&weights, &with("four-seasons:dice=2", "start", "31").0).is_ok());
    let lap = FourSeasons::new("four-seasons:full_lap=on".parse().unwrap());
    assert!(ManyEvaluator::new(&weights, &lap).is_err());
}

/// Plays random games, in which every roll must have the results of the slow reading.
fn compare_seasons(options: &str, seed: u64, rolls: usize, least_offered: u32) {
    let game = FourSeasons::new(options.parse().unwrap());
    let track = if options.contains("full_lap") { 24 } else { 18 };
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut compared, mut offered) = (0, 0);
    let mut results = Vec::new();
    while compared < rolls {
        let mut state = game.start(compared % 4);
        for turn in 0.. {
            assert!(turn < 20_000, "a game goes on");
            if game.payoffs(&state).is_some() || compared >= rolls {
                break;
            }
            let written = game.write_state(&state);
            let read = game.parse_state(&written).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(game.write_state(&read), written);
            results.clear();
            if !game.rolls(&state) {
                offered += 1;
                game.results(&state, None, &mut results);
                // Leaving the offer is one of them.
                assert!(results.len() >= 2, "{written}");
            } else {
                let roll = game.roll(&mut rng);
                game.results(&state, Some(roll), &mut results);
                let (player, before) = places(&game, &state);
                let expected = slow_results(&before, track, player, roll.numbers());
                let found: BTreeSet<Places> =
                    results.iter().map(|state| places(&game, state).1).collect();
                assert_eq!(found, expected, "{written} with {roll}");
                compared += 1;
            }
            state = results.choose(&mut rng).unwrap().clone();
        }
    }
    assert!(offered >= least_offered, "{offered} offered rolls");
}

#[test]
fn the_four_seasons_agree_with_the_slow_reading() {
    compare_seasons("four-seasons", 4, 20_000, 20);
}

#[test]
fn with_options_they_agree_as_well() {
    compare_seasons("four-seasons:dice=2", 5, 2_000, 0);
    compare_seasons("four-seasons:sides=7,ranking=on", 6, 2_000, 1);
    compare_seasons("four-seasons:full_lap=on,el_mundo_payment=on", 7, 2_000, 0);
}

fn with(options: &str, text: &str, roll: &str) -> (FourSeasons, Vec<FourSeasonsState>) {
    let game = FourSeasons::new(options.parse().unwrap());
    let mut results = Vec::new();
    let state = game.parse_state(text).unwrap();
    game.results(&state, Some(game.parse_roll(roll).unwrap()), &mut results);
    (game, results)
}

#[test]
fn two_dice_are_two_moves_and_a_third_is_refused() {
    let (game, results) = with("four-seasons:dice=2", "start", "2-5");
    assert_eq!(results.len(), 1);
    let text = game.write_state(&results[0]);
    assert_eq!(text, "hand:12 / hand:12 / hand:12 / 2:1 5:1 hand:10");
    let error = game.parse_roll("2-5-1").unwrap_err().to_string();
    assert!(error.contains("two dice"), "{error}");
    assert_eq!(game.rolls_of_a_turn().len(), 21);
    assert_eq!(FourSeasons::STANDARD.rolls_of_a_turn().len(), 56);
}

#[test]
fn a_seven_enters_no_checker() {
    let (game, results) = with("four-seasons:sides=7", "start", "7-5-2");
    let text = game.write_state(&results[0]);
    assert_eq!(text, "hand:12 / hand:12 / hand:12 / 2:1 5:1 hand:10");
    // Nor can anybody else use three of them.
    let (game, results) = with("four-seasons:sides=7", "start", "7-7-7");
    assert!(game.rolls(&results[0]));
    assert!(game.write_state(&results[0]).ends_with("offers:7-7-7"));
}

#[test]
fn with_a_full_lap_checkers_leave_from_the_quarter_of_the_last_neighbor() {
    let others = "/ hand:12 / hand:12 / hand:12";
    let lap = "four-seasons:full_lap=on";
    let (game, results) = with(lap, &format!("19:1 21:1 24:1 {others}"), "641");
    let won: Vec<_> = results.iter().filter_map(|state| game.payoffs(state)).collect();
    assert_eq!(won, [vec![3.0, -1.0, -1.0, -1.0]]);
    let (game, results) = with(lap, &format!("13:1 15:1 18:1 {others}"), "641");
    assert!(results.iter().all(|state| game.payoffs(state).is_none()));
    assert!(game.write_state(&results[0]).contains(" / "));
}

#[test]
fn played_on_every_place_counts_and_those_who_are_done_are_skipped() {
    let last = "18:1 / 18:1 / off:12 / hand:12";
    let (game, results) = with("four-seasons:ranking=on", last, "6-6-6");
    assert_eq!(results.len(), 1);
    let state = &results[0];
    assert_eq!((game.payoffs(state), game.on_roll(state)), (None, 1));
    let text = game.write_state(state);
    assert_eq!(text, "18:1 / off:12 place:1 / hand:12 / off:12 place:2");
    let mut next = Vec::new();
    game.results(state, game.parse_roll("111").ok(), &mut next);
    let expected = [-1.0 / 3.0, 1.0, -1.0, 1.0 / 3.0];
    let found = game.payoffs(&next[0]).unwrap();
    let by_seat: Vec<f32> = [0, 1, 2, 3].map(|seat| found[seat]).to_vec();
    // Seats: the one of the text begins at 0, was second; 1 third, 2 first, 3 never.
    let expected: Vec<f32> = [expected[3], expected[0], expected[1], expected[2]].to_vec();
    assert!(by_seat.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-6), "{by_seat:?}");
    let winner_turn = with("four-seasons", "18:1 / 18:1 / hand:12 / hand:12", "6-6-6");
    assert!(winner_turn.0.payoffs(&winner_turn.1[0]).is_some());
}

#[test]
fn el_mundo_is_paid_by_the_neighbor_on_the_right() {
    let last = "18:1 / off:12 place:1 / off:12 place:2 / hand:12";
    let (game, results) = with("four-seasons:el_mundo_payment=on", last, "6-6-6");
    // Seat 3 is last and pays seat 2, on its right.
    assert_eq!(game.payoffs(&results[0]), Some(vec![1.0, 0.0, 0.0, -1.0]));
    let error = game.parse_state("18:1 / off:12 place:2 / off:12 place:2 / hand:12").unwrap_err();
    assert!(error.to_string().contains("place:1"), "{error}");
}

#[test]
fn whoever_wins_alone_gets_the_stakes_of_all_planets() {
    let game = Astronomy::new("astronomy:win_only=on".parse().unwrap());
    let state = game.parse_state("0:2 captured:9 rolls / captured:3 / / / / / ").unwrap();
    assert_eq!(game.payoffs(&state).unwrap()[..2], [6.0, -1.0]);
    assert!((game.share(6.0) - 1.0).abs() < 1e-6 && game.share(-1.0).abs() < 1e-6);
    let plain = Astronomy::STANDARD.payoffs(&state).unwrap();
    assert_eq!(plain[..2], [9.0 - 5.0 + 7.0 - 1.0, 3.0 - 7.0 - 1.0]);
}

fn planets(text: &str) -> AstronomyState {
    Astronomy::STANDARD.parse_state(text).unwrap()
}

/// The cells of the player who moved, after each result.
fn moved(state: &AstronomyState, roll: &str) -> BTreeSet<String> {
    let mut results = Vec::new();
    let player = Astronomy::STANDARD.on_roll(state);
    Astronomy::STANDARD.results(state, Astronomy::STANDARD.parse_roll(roll).ok(), &mut results);
    let cells = |state: &AstronomyState| {
        let text = Astronomy::STANDARD.write_state(state);
        let side = text.split(" / ").nth(player).unwrap().to_owned();
        let is_cell = |item: &&str| item.starts_with(|c: char| c.is_ascii_digit());
        side.split(' ').filter(is_cell).collect::<Vec<_>>().join(" ")
    };
    results.iter().map(cells).collect()
}

#[test]
fn astronomy_1_and_2_closed_starts_are_skipped() {
    let start = Astronomy::STANDARD.start(0);
    let found = moved(&start, "777");
    let expected = ["0:4 8:3", "0:5 8:1 16:1", "0:6 24:1"].map(str::to_owned);
    assert_eq!(found, BTreeSet::from(expected));
    assert!(moved(&start, "111").contains("0:6 3:1"));
}

const OTHERS: &str = "14:7 / 21:7 / 28:7 / 35:7 / 42:7";

#[test]
fn astronomy_3_a_move_jumps_over_a_closed_start() {
    let closed = planets(&format!("0:5 5:1 6:1 rolls / 7:7 / {OTHERS}"));
    assert!(moved(&closed, "111").contains("0:5 5:1 10:1"));
    let found = moved(&closed, "222");
    assert!(found.contains("0:5 6:1 12:1"), "{found:?}");
}

#[test]
fn astronomy_4_on_an_open_start_a_single_checker_is_captured() {
    let open = planets(&format!("0:5 5:1 6:1 rolls / 7:1 8:6 / {OTHERS}"));
    assert!(open.is_open(1));
    let mut results = Vec::new();
    Astronomy::STANDARD.results(&open, Astronomy::STANDARD.parse_roll("117").ok(), &mut results);
    let captured = results.iter().filter(|state| state.left(1) == 6).count();
    assert!(captured > 0 && captured < results.len());
    // A pair is closed.
    assert!(results.iter().all(|state| state.count(0, 8) == 0));
}

#[test]
fn astronomy_5_a_start_opens_when_the_sixth_has_left() {
    let state = planets(&format!("0:7 / 7:2 9:5 rolls / {OTHERS}"));
    assert!(!state.is_open(1));
    let mut results = Vec::new();
    Astronomy::STANDARD.results(&state, Astronomy::STANDARD.parse_roll("123").ok(), &mut results);
    for after in results {
        assert_eq!(after.is_open(1), after.count(1, 7) <= 1);
    }
}

#[test]
fn astronomy_6_stakes_add_up_to_nothing() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let mut results = Vec::new();
    for first in 0..20 {
        let mut state = Astronomy::STANDARD.start(first);
        let payoffs = loop {
            if let Some(payoffs) = Astronomy::STANDARD.payoffs(&state) {
                break payoffs;
            }
            let text = Astronomy::STANDARD.write_state(&state);
            assert_eq!(Astronomy::STANDARD.write_state(&planets(&text)), text);
            results.clear();
            Astronomy::STANDARD.results(
                &state,
                Some(Astronomy::STANDARD.roll(&mut rng)),
                &mut results,
            );
            state = results.choose(&mut rng).unwrap().clone();
        };
        assert!(payoffs.iter().sum::<f32>().abs() < 1e-4, "{payoffs:?}");
        let winner = (0..7).find(|&seat| state.left(seat) > 0).unwrap();
        // At worst six of seven are lost and one is captured.
        assert!(payoffs[winner] >= 1.0, "{payoffs:?}");
    }
}

// The slow reading of the astronomy table: lists of single checkers.

/// Checkers as pairs of owner and cell, sorted, and the open starts.
type Planets = (Vec<(usize, usize)>, [bool; 7]);

fn slow_planets(state: &AstronomyState) -> Planets {
    let checkers = (0..7).flat_map(|player| {
        (0..49).flat_map(move |at| vec![(player, at); usize::from(state.count(player, at))])
    });
    (checkers.collect(), std::array::from_fn(|player| state.is_open(player)))
}

fn slow_planet_steps((checkers, open): &Planets, player: usize, die: u8) -> Vec<Planets> {
    let alive = checkers.iter().any(|(owner, _)| *owner != player);
    let mut found = Vec::new();
    for (i, &(owner, from)) in checkers.iter().enumerate() {
        if owner != player || !alive {
            continue;
        }
        // The cells that count on the way, one after the other.
        let counts = |at: usize| {
            let wedge = at / 7;
            !at.is_multiple_of(7) || wedge == player || open[wedge]
        };
        let way = (1..).map(|far| (from + far) % 49).filter(|&at| counts(at));
        let to = way.clone().nth(usize::from(die) - 1).unwrap();
        let there: Vec<usize> = (0..checkers.len())
            .filter(|&j| checkers[j].1 == to && checkers[j].0 != player)
            .collect();
        if there.len() >= 2 {
            continue;
        }
        let mut after = checkers.clone();
        after[i].1 = to;
        if let [captured] = there[..] {
            after.remove(captured);
        }
        after.sort_unstable();
        let on_start = |player: usize| after.iter().filter(|c| **c == (player, 7 * player)).count();
        let open = std::array::from_fn(|player| open[player] || on_start(player) <= 1);
        found.push((after, open));
    }
    found
}

#[test]
fn the_astronomy_table_agrees_with_the_slow_reading() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut compared = 0;
    let mut results = Vec::new();
    while compared < 20_000 {
        let mut state = Astronomy::STANDARD.start(compared % 7);
        while Astronomy::STANDARD.payoffs(&state).is_none() && compared < 20_000 {
            let roll = Astronomy::STANDARD.roll(&mut rng);
            results.clear();
            Astronomy::STANDARD.results(&state, Some(roll), &mut results);
            let player = Astronomy::STANDARD.on_roll(&state);
            let mut ends = BTreeSet::new();
            for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
                let mut states = BTreeSet::from([((0, 0), slow_planets(&state))]);
                for i in order {
                    let die = roll.numbers()[i];
                    let mut next = states.clone();
                    for ((used, pips), state) in states {
                        for after in slow_planet_steps(&state, player, die) {
                            next.insert(((used + 1, pips + u32::from(die)), after));
                        }
                    }
                    states = next;
                }
                ends.extend(states);
            }
            let best = ends.iter().map(|(used, _): &((u32, u32), Planets)| *used).max().unwrap();
            let expected: BTreeSet<Planets> = ends
                .into_iter()
                .filter(|(used, (checkers, _))| {
                    *used == best || checkers.iter().all(|(owner, _)| *owner == player)
                })
                .map(|(_, state)| state)
                .collect();
            let found: BTreeSet<Planets> = results.iter().map(slow_planets).collect();
            assert_eq!(found, expected, "{} with {roll}", Astronomy::STANDARD.write_state(&state));
            compared += 1;
            state = results.choose(&mut rng).unwrap().clone();
        }
    }
}

/// The mean payoff of one player in this seat among random ones.
fn against_random<G: ManyGame>(game: &G, seat: usize, games: u64) -> f32 {
    let mut rng = ChaCha8Rng::seed_from_u64(seat as u64);
    let mut others = RandomPlayer::new(3);
    let mut results = Vec::new();
    let mut sum = 0.0;
    for number in 0..games {
        let mut state = game.start(number as usize % G::PLAYERS);
        sum += loop {
            if let Some(payoffs) = game.payoffs(&state) {
                break payoffs[seat];
            }
            let roll = game.rolls(&state).then(|| game.roll(&mut rng));
            results.clear();
            game.results(&state, roll, &mut results);
            let chosen = match game.on_roll(&state) == seat {
                true => RuleBasedPlayer.choose(game, &state, &results),
                false => others.choose(game, &state, &results),
            };
            state = results.swap_remove(chosen);
        };
    }
    sum / games as f32
}

#[test]
fn in_every_seat_the_player_of_rules_wins_more_than_a_random_one() {
    for seat in 0..4 {
        let mean = against_random(&FourSeasons::STANDARD, seat, 24);
        assert!(mean > 1.0, "seat {seat}: {mean}");
    }
    for seat in 0..7 {
        let mean = against_random(&Astronomy::STANDARD, seat, 14);
        assert!(mean > 0.0, "seat {seat}: {mean}");
    }
}

#[test]
fn bad_positions_and_rolls_are_refused_with_the_reason() {
    let refused = |text: &str| FourSeasons::STANDARD.parse_state(text).unwrap_err().to_string();
    assert!(refused("1:1 / hand:12").contains("4 players"));
    assert!(refused("1:13 / hand:12 / hand:12 / hand:12").contains("0 to 12"));
    assert!(refused("7:2 hand:10 / 1:1 hand:11 / hand:12 / hand:12").contains("taken"));
    assert!(refused("19:2 / hand:12 / hand:12 / hand:12").contains("1 to 18"));
    assert!(FourSeasons::STANDARD.parse_roll("7-1-1").unwrap_err().to_string().contains("1 to 6"));
    assert!(Astronomy::STANDARD.parse_roll("7-1-1").is_ok());
    let error = Astronomy::STANDARD.parse_state("0:8").unwrap_err().to_string();
    assert!(error.contains("7 players"), "{error}");
}
