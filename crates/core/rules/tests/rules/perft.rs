//! Counts of the tree of afterstates against tables in `data/*.txt`, which state their source.
//!
//! A line is `name; checkers; board; D<depth> <nodes> <weighted>; ...`. The board has the 26
//! characters of an XGID: the opponent's bar, points 1 to 24, own bar; `-` is empty, `A` is one
//! checker of the player on roll, `B` two, `a` one of the opponent. What is counted is defined
//! in the docs of `tavola_rules::perft`.

use crate::slow;

use tavola_rules::perft::{Perft, perft, perft_by_roll};
use tavola_rules::{Backgammon, Dice, Game, Outcome, Position};

/// Counts above this are left to `deep_counts_agree_too`.
const NODE_LIMIT: u64 = 400_000;
/// The slow generator takes part up to this many nodes.
const SLOW_LIMIT: u64 = 30_000;

const TABLES: [(&str, &str); 3] = [
    ("starts.txt", include_str!("data/starts.txt")),
    ("tricky.txt", include_str!("data/tricky.txt")),
    ("bearoff.txt", include_str!("data/bearoff.txt")),
];

struct Line {
    /// File and name, for messages.
    name: String,
    position: Position,
    /// Depth and counts.
    counts: Vec<(u32, Perft)>,
}

fn lines() -> Vec<Line> {
    let parse = |file: &str, line: &str| {
        let mut fields = line.split(';').map(str::trim);
        let mut field = || fields.next().unwrap_or_else(|| panic!("{file}: {line}"));
        let name = format!("{file}: {}", field());
        let checkers = field().parse().unwrap();
        let position = read_board(field(), checkers);
        let counts = fields
            .map(|text| {
                let numbers: Vec<u64> = text
                    .trim_start_matches('D')
                    .split_whitespace()
                    .map(|number| number.parse().unwrap())
                    .collect();
                let [depth, nodes, weighted] = numbers[..] else { panic!("{name}: {text}") };
                (depth as u32, Perft { nodes, weighted })
            })
            .collect();
        Line { name, position, counts }
    };
    TABLES
        .iter()
        .flat_map(|&(file, table)| {
            let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
            lines.map(move |line| parse(file, line))
        })
        .collect()
}

fn read_board(board: &str, checkers: u8) -> Position {
    let counts: Vec<i8> = board
        .bytes()
        .map(|byte| match byte {
            b'-' => 0,
            b'A'..=b'O' => (byte - b'A') as i8 + 1,
            b'a'..=b'o' => -((byte - b'a') as i8) - 1,
            _ => panic!("{board}"),
        })
        .collect();
    Position::from_counts(&counts.try_into().unwrap(), checkers).unwrap()
}

/// [`perft`] once more with the slow generator, without a limit.
fn slow_perft(position: &Position, depth: u32) -> Perft {
    let mut total = Perft::default();
    if depth == 0 {
        return Perft { nodes: 1, weighted: 1 };
    }
    if Outcome::of(position).is_some() {
        return total;
    }
    for (dice, weight) in Dice::ALL {
        for next in slow::afterstates_or_pass(position, dice) {
            let below = slow_perft(&next, depth - 1);
            total += Perft { weighted: below.weighted * u64::from(weight), ..below };
        }
    }
    total
}

/// The start position does not matter: all variants play by the same rules.
const GAME: Backgammon = Backgammon::Standard;

#[test]
fn counts_agree_with_the_tables() {
    let (mut compared, mut compared_slowly) = (0, 0);
    for Line { name, position, counts } in lines() {
        for (depth, expected) in counts {
            if expected.nodes > NODE_LIMIT {
                continue;
            }
            let found = perft(&GAME, &position, depth, NODE_LIMIT);
            assert_eq!(found, Some(expected), "{name}, depth {depth}");
            compared += 1;
            if expected.nodes <= SLOW_LIMIT {
                assert_eq!(slow_perft(&position, depth), expected, "{name}, depth {depth}, slow");
                compared_slowly += 1;
            }
        }
    }
    assert!(compared >= 40, "{compared} lines compared");
    assert!(compared_slowly >= 30, "{compared_slowly} lines compared with the slow generator");
}

#[test]
#[ignore = "slow unless optimized: cargo test --release -- --ignored deep"]
fn deep_counts_agree_too() {
    for Line { name, position, counts } in lines() {
        for (depth, expected) in counts {
            let found = perft(&GAME, &position, depth, u64::MAX);
            assert_eq!(found, Some(expected), "{name}, depth {depth}");
        }
    }
}

/// Prints the lines of the tables anew, from the slow generator, with the depths that they have.
#[test]
#[ignore = "prints the tables: cargo test --release -- --ignored --nocapture print"]
fn print_the_tables_from_the_slow_generator() {
    for Line { name, position, counts } in lines() {
        print!("{name}");
        for (depth, _) in counts {
            let Perft { nodes, weighted } = slow_perft(&position, depth);
            print!("; D{depth} {nodes} {weighted}");
        }
        println!();
    }
}

#[test]
fn the_counts_of_the_first_rolls_add_up() {
    let start = Position::STANDARD;
    for (depth, nodes) in [(1, 447), (2, perft(&GAME, &start, 2, u64::MAX).unwrap().nodes)] {
        let (mut sum, mut rolls) = (Perft::default(), Vec::new());
        let total = perft_by_roll(&GAME, &start, depth, nodes, |roll, below| {
            rolls.push(roll);
            sum += below;
        });
        assert_eq!(total, perft(&GAME, &start, depth, nodes));
        assert_eq!(total, Some(sum));
        assert!(rolls.iter().eq(GAME.rolls().iter().map(|(roll, _)| roll)));
        assert_eq!(perft_by_roll(&GAME, &start, depth, nodes - 1, |_, _| ()), None);
    }
}

#[test]
fn a_count_stops_at_its_limit() {
    let start = Position::STANDARD;
    assert_eq!(perft(&GAME, &start, 1, 446), None);
    assert_eq!(perft(&GAME, &start, 1, 447).map(|perft| perft.nodes), Some(447));
    assert_eq!(perft(&GAME, &start, 9, 10_000), None);
}

#[test]
fn depth_0_is_the_position_itself_and_finished_games_have_no_rolls() {
    let start = Position::STANDARD;
    assert_eq!(perft(&GAME, &start, 0, 1), Some(Perft { nodes: 1, weighted: 1 }));
    let finished = read_board("------A-------------------", 15);
    assert_eq!(Outcome::of(&finished), Some(Outcome::LoseSingle));
    assert_eq!(perft(&GAME, &finished, 1, 100), Some(Perft::default()));
}

#[test]
fn a_pass_is_a_result_and_weighs_as_often_as_its_rolls_fall() {
    // No checker enters a closed board.
    let closed = read_board("------F-C---cE-----bbbbbbA", 15);
    assert_eq!(perft(&GAME, &closed, 1, 100), Some(Perft { nodes: 21, weighted: 36 }));
}
