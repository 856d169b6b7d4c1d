//! Ludus duodecim scriptorum: the golden cases of the rules, and a slow reading of them that must
//! find the same results.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use tavola_games::ludus::state::{BAR, HAND, OFF, OPPONENT_BAR, OPPONENT_ENTRY, WAIT};
use tavola_games::{OldGame, OldState, PlayableGame, TablesDice};
use tavola_rules::board::{Charset, Color, Orientation, Theme};
use tavola_rules::notation::Situation;
use tavola_rules::{Game, Outcome};

fn game(id: &str) -> OldGame {
    OldGame::new(id.parse().unwrap())
}

fn dice(text: &str) -> TablesDice {
    text.parse().unwrap()
}

fn afterstates(game: &OldGame, position: &str, roll: &str) -> Vec<OldState> {
    let mut afterstates = Vec::new();
    game.afterstates(&game.parse_position(position).unwrap(), dice(roll), &mut afterstates);
    afterstates
}

/// What the mover has after each result, sorted.
fn own(game: &OldGame, position: &str, roll: &str) -> Vec<String> {
    let side = |state: &OldState| {
        let text = game.write_position(&game.flip(state));
        text.split_once(" / ").unwrap().0.to_owned()
    };
    let mut sides: Vec<String> = afterstates(game, position, roll).iter().map(side).collect();
    sides.sort_unstable();
    sides
}

#[track_caller]
fn check(position: &str, roll: &str, expected: &[&str]) {
    let mut expected: Vec<String> = expected.iter().map(|text| (*text).to_owned()).collect();
    expected.sort_unstable();
    assert_eq!(own(&game("ludus"), position, roll), expected, "{position} with {roll}");
}

#[test]
fn a_search_ahead_has_a_limit_of_afterstates_and_a_sample_of_rolls_keeps_it() {
    use tavola_equity::OutcomeProbs;
    use tavola_evaluator::search::MOST_AFTERSTATES;
    use tavola_evaluator::{FakeEvaluator, Preset, Search, SearchWatch};

    let ludus = game("ludus");
    let by_pips = move |state: &OldState| {
        let lead = ludus.pips(&ludus.flip(state)) as f32 - ludus.pips(state) as f32;
        let win = 1.0 / (1.0 + (-0.02 * lead).exp());
        OutcomeProbs([1.0 - win, 0.0, 0.0, win, 0.0, 0.0])
    };
    let fake = FakeEvaluator::new(ludus, by_pips);
    let mut search = Search::new(ludus, Box::new(fake.clone()), None, Preset::Normal.at(2));
    // With all 56 rolls after each reply this takes more.
    let position = "3:4 15:2 27:9 / 3:2 17:13";
    let state = ludus.parse_position(position).unwrap();
    let ranking = search.rank(&state, dice("644"), SearchWatch::default());
    assert_eq!((ranking[0].ply, ranking[1].ply), (2, 2), "compared ahead");
    assert!(ranking.last().unwrap().ply < 2);
    let most = ranking.len() + 2 * MOST_AFTERSTATES;
    assert!(fake.evaluated() <= most as u64, "{} of {most}", fake.evaluated());
    // The same answer, whatever was searched before and by how many.
    let mut four = Search::new(ludus, Box::new(fake), None, Preset::Normal.at(2))
        .on_threads(4.try_into().unwrap());
    assert_eq!(ranking, four.rank(&state, dice("644"), SearchWatch::default()));
}

#[test]
fn golden_1_no_sum_of_two_sixes_and_a_five_enters() {
    check("start", "665", &["5:1 6:2 hand:12"]);
}

#[test]
fn golden_2_dice_enter_alone_or_added_up() {
    let expected =
        ["1:1 2:1 3:1 hand:12", "2:1 4:1 hand:13", "1:1 5:1 hand:13", "3:2 hand:13", "6:1 hand:14"];
    check("start", "123", &expected);
}

#[test]
fn golden_3_checkers_leave_by_exact_count() {
    check("27:1 30:1 off:13 / 7:15", "166", &["27:1", "28:1 30:1"]);
}

#[test]
fn golden_4_several_leave_together() {
    let expected = ["28:2 30:2", "28:2 30:1", "28:2", "28:1 29:1 30:3", "29:2 30:3"];
    check("28:2 30:3 / 7:15", "166", &expected);
}

#[test]
fn golden_5_a_sum_jumps_over_closed_points() {
    check("10:1 / 12:2 13:2 14:2 15:2 17:2 18:1 19:4", "234", &["16:1"]);
}

#[test]
fn golden_6_three_equal_dice_give_another_roll() {
    let game = game("ludus");
    for after in afterstates(&game, "start", "444") {
        assert_eq!(after.cells()[WAIT], 1);
        let mut next = Vec::new();
        game.afterstates(&after, dice("621"), &mut next);
        let again = OldState::clone(&next[0]);
        assert_eq!(next.len(), 1);
        assert_eq!(game.write_position(&again), "4:3 hand:12 / hand:15");
        assert!(!game.is_whole_turn(&after) && game.is_whole_turn(&again));
    }
    // Also where nothing could be played.
    let stuck = "30:1 off:14 / 7:15";
    assert!(afterstates(&game, stuck, "444").iter().all(|after| after.cells()[WAIT] == 1));
}

#[test]
fn golden_7_a_stack_hits_like_a_single_checker() {
    let game = game("ludus");
    let state = game.parse_position("7:3 20:12 / 9:1 25:14").unwrap();
    let plays = game.plays(&state, dice("266"));
    for count in ["7-9*", "7-9(2)*", "7-9(3)*"] {
        let hits =
            plays.iter().filter(|(play, _)| play.steps().iter().any(|s| s.to_string() == count));
        let mut found = 0;
        for (_, after) in hits {
            assert_eq!(after.cells()[BAR], 1);
            found += 1;
        }
        assert!(found > 0, "{count}");
    }
}

#[test]
fn golden_8_nothing_leaves_before_all_are_home() {
    let found = own(&game("ludus"), "24:1 26:14 / 7:15", "551");
    assert!(found.iter().any(|side| side.starts_with("25:1 26:")), "{found:?}");
    let free = own(&game("ludus:home_needed=false"), "24:1 26:14 / 7:15", "551");
    assert!(free.iter().any(|side| side.contains("24:1")) && free.len() > found.len());
    assert!(found.iter().all(|side| !side.contains("24:1")), "{found:?}");
}

#[test]
fn options_limit_how_many_move_together() {
    let position = "8:3 20:12 / 7:2 9:13";
    let count = |id: &str| own(&game(id), position, "662").len();
    let (any, pair, one) =
        (count("ludus"), count("ludus:stack_move=pair"), count("ludus:stack_move=off"));
    assert!(any > pair && pair > one && one > 0, "{any} {pair} {one}");
    let exits = |id: &str| own(&game(id), "30:3 / 7:15", "166").len();
    assert_eq!((exits("ludus"), exits("ludus:stack_exit=one")), (3, 1));
    let error = "ludus:stack_move=some".parse::<tavola_games::AnyGame>().unwrap_err().to_string();
    assert!(error.contains("`pair`"), "{error}");
}

// The slow reading: what a side has as a map from places to numbers, and every order of every
// partition of the dice tried to its end.

/// A position of two sides: numbers on 1 to 30, and beside the board.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Slow {
    mine: [u8; 31],
    theirs: [u8; 31],
    my_hand: u8,
    my_bar: u8,
    their_bar: u8,
    my_off: u8,
}

impl Slow {
    fn new(state: &OldState) -> Self {
        let cells = state.cells();
        let mut slow = Self {
            mine: [0; 31],
            theirs: [0; 31],
            my_hand: cells[HAND] as u8,
            my_bar: cells[BAR] as u8,
            their_bar: (-cells[OPPONENT_BAR]) as u8,
            my_off: cells[OFF] as u8,
        };
        for point in 1..=30 {
            slow.mine[point] = cells[point].max(0) as u8;
            slow.theirs[point] = (-cells[point]).max(0) as u8;
            if point <= 6 {
                slow.theirs[point] = (-cells[OPPONENT_ENTRY + point - 1]) as u8;
            }
        }
        slow
    }

    /// Everything that one move of `pips` may lead to.
    fn moves(&self, pips: usize) -> Vec<Self> {
        let mut found = Vec::new();
        if self.my_bar > 0 {
            if pips <= 6 {
                let mut after = self.clone();
                after.my_bar -= 1;
                after.mine[pips] += 1;
                found.push(after);
            }
            return found;
        }
        if self.my_hand > 0 && pips <= 6 {
            let mut after = self.clone();
            after.my_hand -= 1;
            after.mine[pips] += 1;
            found.push(after);
        }
        for from in 1..=30 {
            for together in 1..=self.mine[from] {
                let to = from + pips;
                let mut after = self.clone();
                after.mine[from] -= together;
                if to <= 30 {
                    if to > 6 && (self.my_hand > 0 || self.theirs[to] >= 2) {
                        continue;
                    }
                    if to > 6 && self.theirs[to] == 1 {
                        after.theirs[to] = 0;
                        after.their_bar += 1;
                    }
                    after.mine[to] += together;
                } else {
                    let outside: u8 = self.mine[1..25].iter().sum();
                    if to != 31 || outside > 0 || self.my_hand > 0 {
                        continue;
                    }
                    after.my_off += together;
                }
                found.push(after);
            }
        }
        found
    }

    /// Every way to use some of the dice, with how many of them and with how many pips.
    fn use_dice(
        &self,
        dice: &[u8],
        used: (usize, usize),
        ends: &mut BTreeSet<((usize, usize), Self)>,
    ) {
        if !ends.insert((used, self.clone())) {
            return;
        }
        for set in 1..1u32 << dice.len() {
            let chosen = |i: &usize| set & 1 << i != 0;
            let sum: usize = (0..dice.len()).filter(chosen).map(|i| usize::from(dice[i])).sum();
            let left: Vec<u8> = (0..dice.len()).filter(|i| !chosen(i)).map(|i| dice[i]).collect();
            for after in self.moves(sum) {
                after.use_dice(&left, (used.0 + dice.len() - left.len(), used.1 + sum), ends);
            }
        }
    }

    fn results(&self, dice: &[u8]) -> BTreeSet<Self> {
        let mut ends = BTreeSet::new();
        self.use_dice(dice, (0, 0), &mut ends);
        let best = ends.iter().map(|(used, _)| *used).max().unwrap();
        let counts = |used, slow: &Self| used == best || slow.my_off == 15;
        ends.into_iter().filter(|(used, slow)| counts(*used, slow)).map(|(_, slow)| slow).collect()
    }
}

/// Compares the rolls of random games, of which only those with few results are tried slowly.
fn compare(seed: u64, rolls: usize, most: usize) {
    let game = game("ludus");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut afterstates, mut compared) = (Vec::new(), 0);
    while compared < rolls {
        let mut state = game.start();
        while game.outcome(&state).is_none() && compared < rolls {
            let roll = game.roll(&mut rng);
            afterstates.clear();
            game.afterstates(&state, roll, &mut afterstates);
            let distinct: std::collections::HashSet<_> = afterstates.iter().collect();
            assert_eq!(distinct.len(), afterstates.len(), "{}", game.write_position(&state));
            if state.cells()[WAIT] == 0 && afterstates.len() <= most {
                let found: BTreeSet<Slow> =
                    afterstates.iter().map(|after| Slow::new(&game.flip(after))).collect();
                let expected = Slow::new(&state).results(roll.numbers());
                assert_eq!(found, expected, "{} with {roll}", game.write_position(&state));
                compared += 1;
            }
            state = *afterstates.choose(&mut rng).unwrap();
        }
    }
}

/// The 4 takes the last checker off; 2 and 1 could be played in its place.
#[test]
fn a_play_that_wins_counts_with_fewer_dice() {
    let game = game("ludus");
    let state = game.parse_position("27:1 off:14 / 12:15").unwrap();
    let mut afterstates = Vec::new();
    game.afterstates(&state, dice("421"), &mut afterstates);
    let won = afterstates.iter().filter(|after| game.outcome(after).is_some()).count();
    assert_eq!((won, afterstates.len()), (1, 2));
}

/// More than 20,000 rolls; those with thousands of results take the slow reading long.
#[test]
fn the_generator_agrees_with_the_slow_one() {
    compare(5, 20_000, 80);
    compare(6, 300, 100_000);
}

#[test]
fn random_games_end_and_have_as_many_checkers_all_the_time() {
    let game = game("ludus");
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut afterstates = Vec::new();
    for _ in 0..10 {
        let mut state = game.start();
        for turn in 0.. {
            assert!(turn < 2000, "a game goes on");
            if let Some(outcome) = game.outcome(&state) {
                assert_eq!(outcome, Outcome::LoseSingle);
                break;
            }
            afterstates.clear();
            game.afterstates(&state, game.roll(&mut rng), &mut afterstates);
            state = *afterstates.choose(&mut rng).unwrap();
            for side in [state, game.flip(&state)] {
                let text = game.write_position(&side);
                assert_eq!(game.parse_position(&text), Ok(side), "{text}");
                let cells = side.cells();
                let on_board: i8 = cells[1..=30].iter().map(|count| count.max(&0)).sum();
                assert_eq!(on_board + cells[HAND] + cells[BAR] + cells[OFF], 15, "{text}");
            }
        }
    }
}

#[test]
fn every_play_in_words_leads_where_it_says() {
    let game = game("ludus");
    let state = game.parse_position("3:2 7:3 12:1 20:9 / 9:1 14:2 25:12").unwrap();
    let roll = dice("532");
    let plays = game.plays(&state, roll);
    let words: BTreeSet<String> = plays.iter().map(|(play, _)| play.to_string()).collect();
    assert_eq!(words.len(), plays.len());
    for (play, after) in plays.iter().step_by(17) {
        let (found, state) = game.parse_play(&play.to_string(), &state, roll).unwrap();
        assert_eq!((found, state), (*play, *after));
    }
    assert!(game.parse_roll("65").is_err());
}

#[test]
fn the_board_has_three_rows_and_turns_around() {
    let game = game("ludus");
    let state = game.parse_position("3:2 7:3 12:1 20:8 bar:1 / 9:1 14:2 25:12").unwrap();
    let board = game.board_view(&Situation::of(state), &[]);
    let text = board.text(Charset::Ascii, Color::Never);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 7, "{text}");
    assert!(lines[0].starts_with("+--7---8---9--10--11--12-+---+-13-"), "{text}");
    assert!(lines[1].starts_with("| X3   .   O   .   .   X |"), "{text}");
    assert!(lines[5].ends_with("bar 1") && lines[6].ends_with("on roll"), "{text}");
    let svg = board.svg(&Theme::WOOD);
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>"));
    let turned = board.turned(Orientation { clockwise: true, flipped: true });
    let text = turned.text(Charset::Ascii, Color::Never);
    assert!(text.starts_with("+-19--20-"), "{text}");
}

proptest! {
    #[test]
    fn arbitrary_text_is_read_or_refused(
        text in "((([0-9]{1,2})|hand|bar|off|wait)(:[0-9]{1,3})?[ ,/]){0,9}",
    ) {
        let game = game("ludus");
        if let Ok(state) = game.parse_position(&text) {
            prop_assert_eq!(game.parse_position(&game.write_position(&state)), Ok(state), "{}", text);
        }
    }
}
