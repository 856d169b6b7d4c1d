//! One module per subcommand.

use std::io::Write;

use crate::args::Verb;
use crate::failure::Outcome;

pub mod analyse;
pub mod batch;
pub mod bearoff;
pub mod bench;
pub mod best;
pub mod completions;
pub mod convert;
pub mod cube;
pub mod dataset;
pub mod duel;
pub mod eval;
pub mod external;
pub mod fleet;
pub mod grade;
pub mod ladder;
pub mod legal;
pub mod man;
pub mod met;
pub mod model;
pub mod perft;
pub mod play;
pub mod profile;
pub mod quiz;
pub mod rollout;
pub mod seats;
pub mod serve;
pub mod show;
pub mod solve;
pub mod stats;
pub mod train;
pub mod ubgi;
pub mod worker;

/// Runs the command and writes its result to `out`.
pub fn run(verb: Verb, out: &mut dyn Write) -> Outcome {
    match verb {
        Verb::Best(args) => best::run(&args, out),
        Verb::Eval(args) => eval::run(&args, out),
        Verb::Cube(args) => cube::run(&args, out),
        Verb::Rollout(args) => rollout::run(&args, out),
        Verb::Legal(args) => legal::run(&args, out),
        Verb::Show(args) => show::run(&args, out),
        Verb::Convert(args) => convert::run(&args, out),
        Verb::Analyse(args) => analyse::run(&args, out),
        Verb::Play(args) => play::run(&args, out),
        Verb::Quiz(args) => quiz::run(&args, out),
        Verb::Serve(args) => serve::run(&args, out),
        Verb::Batch(args) => batch::run(&args, out),
        Verb::Ubgi(args) => ubgi::run(&args, out),
        Verb::External(args) => external::run(&args, out),
        Verb::Train(args) => train::run(&args, out),
        Verb::Dataset(args) => dataset::run(&args, out),
        Verb::Worker(args) => worker::run(&args, out),
        Verb::Fleet(args) => fleet::run(&args, out),
        Verb::Duel(args) => duel::run(&args, out),
        Verb::Stats(args) => stats::run(&args, out),
        Verb::Seats(args) => seats::run(&args, out),
        Verb::Grade(args) => grade::run(&args, out),
        Verb::Ladder(args) => ladder::run(&args, out),
        Verb::Profile(args) => profile::run(&args, out),
        Verb::Met(args) => met::run(&args, out),
        Verb::Bearoff(args) => bearoff::run(&args, out),
        Verb::Perft(args) => perft::run(&args, out),
        Verb::Solve(args) => solve::run(&args, out),
        Verb::Model(args) => model::run(&args, out),
        Verb::Bench(args) => bench::run(&args, out),
        Verb::Completions(args) => completions::run(&args, out),
        Verb::Man(args) => man::run(&args, out),
    }
}
