//! One module per subcommand.

use std::io::Write;

use crate::args::Command;
use crate::failure::Outcome;

pub mod batch;
pub mod bearoff;
pub mod bench;
pub mod best;
pub mod convert;
pub mod cube;
pub mod duel;
pub mod eval;
pub mod grade;
pub mod ladder;
pub mod legal;
pub mod met;
pub mod model;
pub mod perft;
pub mod profile;
pub mod rollout;
pub mod show;
pub mod solve;
pub mod stats;
pub mod train;

/// Runs the command and writes its result to `out`.
pub fn run(command: Command, out: &mut dyn Write) -> Outcome {
    match command {
        Command::Best(args) => best::run(&args, out),
        Command::Eval(args) => eval::run(&args, out),
        Command::Cube(args) => cube::run(&args, out),
        Command::Rollout(args) => rollout::run(&args, out),
        Command::Legal(args) => legal::run(&args, out),
        Command::Show(args) => show::run(&args, out),
        Command::Convert(args) => convert::run(&args, out),
        Command::Batch(args) => batch::run(&args, out),
        Command::Train(args) => train::run(&args, out),
        Command::Duel(args) => duel::run(&args, out),
        Command::Stats(args) => stats::run(&args, out),
        Command::Grade(args) => grade::run(&args, out),
        Command::Ladder(args) => ladder::run(&args, out),
        Command::Profile(args) => profile::run(&args, out),
        Command::Met(args) => met::run(&args, out),
        Command::Bearoff(args) => bearoff::run(&args, out),
        Command::Perft(args) => perft::run(&args, out),
        Command::Solve(args) => solve::run(&args, out),
        Command::Model(args) => model::run(&args, out),
        Command::Bench(args) => bench::run(&args, out),
    }
}
