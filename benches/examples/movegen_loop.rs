//! Lists the afterstates of 4,000 pairs a number of times, for counting instructions:
//!
//!     cargo build --release -p tavola-benches --example movegen_loop
//!     tavola bench --seconds 0.1 --write-positions p
//!     valgrind --tool=callgrind --callgrind-out-file=/dev/null \
//!         target/release/examples/movegen_loop p 1
//!
//! The first argument is a file of lines `<GNU Position ID> <die> <die>`, or `random` for
//! positions of random play; the second is the number of rounds. The instructions of two counts
//! of rounds, subtracted, are those of the generator alone: what came before has canceled out.

use std::hint::black_box;
use std::process::ExitCode;

use tavola_benches::random_play;
use tavola_rules::notation::decode_position_id;
use tavola_rules::{Dice, Position, movegen};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<String, String> {
    let [corpus, rounds] = arguments else {
        return Err("expected a file of positions or `random`, and a number of rounds".to_owned());
    };
    let rounds: u32 =
        rounds.parse().map_err(|_| format!("{rounds:?} is not a number of rounds"))?;
    let pairs = match corpus.as_str() {
        "random" => random_play(4_000),
        file => {
            let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
            text.lines().map(pair).collect::<Result<_, _>>()?
        }
    };
    let (mut afterstates, mut total) = (Vec::new(), 0);
    for _ in 0..rounds {
        for (position, dice) in &pairs {
            afterstates.clear();
            movegen::afterstates(black_box(position), *dice, &mut afterstates);
            total += black_box(&afterstates).len();
        }
    }
    Ok(format!("{rounds} rounds of {} pairs, {total} afterstates", pairs.len()))
}

/// A line of a file of pairs.
fn pair(line: &str) -> Result<(Position, Dice), String> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [position, first, second] = fields[..] else {
        return Err(format!("{line:?} is not a pair, expected a Position ID and two dice"));
    };
    let position = decode_position_id(position).map_err(|error| error.to_string())?;
    let dice = format!("{first}{second}").parse().map_err(|error| format!("{error}"))?;
    Ok((position, dice))
}
