//! Prints positions, rolls and all their afterstates as GNU Position IDs, for comparison with
//! another program: `scripts/compare-gnubg.py`.
//!
//!     cargo run -p tavola-rules --example result_pairs -- 2000 7 > pairs.txt
//!
//! The arguments are the number of pairs and the seed. A line reads
//! `<kind> <Position ID> <die> <die> <result> <result> ...`; the afterstates are sorted and seen by
//! the opponent, who is then on roll. The positions come from random play, as many of each kind.

use std::io::Write as _;
use std::process::ExitCode;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_rules::notation::encode_position_id;
use tavola_rules::{Backgammon, Dice, Game, Position, movegen};

/// A name for positions of a kind, and whether a position after this number of plies is one.
type Kind = (&'static str, fn(&Position, u32) -> bool);

/// What makes a position worth comparing; the first kind that fits counts.
const KINDS: [Kind; 7] = [
    ("two-on-bar", |position, _| position.bar() > 1),
    ("bar", |position, _| position.bar() == 1),
    ("bear-off-contact", |position, _| outside(position) == 0 && position.has_contact()),
    ("bear-off", |position, _| outside(position) == 0),
    ("coming-home", |position, _| outside(position) == 1),
    ("opening", |_, ply| ply < 6),
    ("contact", |position, _| position.has_contact()),
];

/// Checkers of the player on roll that are on points outside their home.
fn outside(position: &Position) -> i32 {
    (7..=24).map(|point| i32::from(position.point(point).max(0))).sum()
}

fn main() -> ExitCode {
    let numbers: Option<Vec<u64>> = std::env::args().skip(1).map(|arg| arg.parse().ok()).collect();
    let Some(&[pairs, seed]) = numbers.as_deref() else {
        eprintln!("expected two numbers: how many pairs, and a seed");
        return ExitCode::from(2);
    };
    match print_pairs(pairs, seed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cannot write the pairs: {error}");
            ExitCode::FAILURE
        }
    }
}

fn print_pairs(pairs: u64, seed: u64) -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut left = [pairs.div_ceil(KINDS.len() as u64); KINDS.len()];
    let mut afterstates = Vec::new();
    // The games of fifteen checkers, since a Position ID doesn't say how many there are.
    let games = [Backgammon::Standard, Backgammon::Nackgammon, Backgammon::Longgammon];
    while left.iter().any(|&left| left > 0) {
        let game = games[rng.random_range(0..games.len())];
        let mut position = game.start();
        let mut dice = game.opening_roll(&mut rng);
        for ply in 0.. {
            if game.outcome(&position).is_some() {
                break;
            }
            let kind = KINDS.iter().position(|(_, fits)| fits(&position, ply));
            // One position in ten, so that a single game does not fill a kind.
            if let Some(kind) = kind
                && left[kind] > 0
                && rng.random_range(0..10) == 0
            {
                left[kind] -= 1;
                write_pair(&mut out, KINDS[kind].0, &position, Dice::roll(&mut rng))?;
            }
            afterstates.clear();
            game.afterstates(&position, dice, &mut afterstates);
            position = afterstates[rng.random_range(0..afterstates.len())];
            dice = game.roll(&mut rng);
        }
    }
    out.flush()
}

fn write_pair(
    out: &mut impl std::io::Write,
    kind: &str,
    position: &Position,
    dice: Dice,
) -> std::io::Result<()> {
    let mut afterstates = Vec::new();
    movegen::afterstates(position, dice, &mut afterstates);
    let mut ids: Vec<String> = afterstates.iter().map(encode_position_id).collect();
    ids.sort_unstable();
    write!(out, "{kind} {} {} {}", encode_position_id(position), dice.high(), dice.low())?;
    for id in ids {
        write!(out, " {id}")?;
    }
    writeln!(out)
}
