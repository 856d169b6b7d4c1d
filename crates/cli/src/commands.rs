//! One module per subcommand.

use std::io::Write;

use crate::args::Command;
use crate::failure::Outcome;

mod batch;
mod bench;
mod best;
mod convert;
mod duel;
mod eval;
mod legal;
mod model;
mod show;
mod train;

/// Runs the command and writes its result to `out`.
pub fn run(command: Command, out: &mut dyn Write) -> Outcome {
    match command {
        Command::Best(args) => best::run(&args, out),
        Command::Eval(args) => eval::run(&args, out),
        Command::Legal(args) => legal::run(&args, out),
        Command::Show(args) => show::run(&args, out),
        Command::Convert(args) => convert::run(&args, out),
        Command::Batch(args) => batch::run(&args, out),
        Command::Train(args) => train::run(&args, out),
        Command::Duel(args) => duel::run(&args, out),
        Command::Model(args) => model::run(&args, out),
        Command::Bench(args) => bench::run(&args, out),
    }
}
