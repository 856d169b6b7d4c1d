//! `tavola perft`: the tree of legal plays, counted.

use clap::Args;
use tavola_arena::perft::{BelowRoll, PerftDepth, PerftReport, PerftSettings};

use crate::args::{FormArgs, PositionArgs, example};
use crate::failure::{Blame, Outcome};
use crate::report::format;
use crate::report::progress::Stages;
use crate::report::table::{Out, Table};

/// Count the positions that legal plays lead to.
///
/// The counts compare move generators.
///
/// A node of depth N is a position after N rolls: every different roll counts once, and so does
/// every distinct position that it leads to. The weighted count has each node as often as its rolls
/// fall. A roll without a legal play leads to one position, a finished game to none.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola perft --depth 2\n  \
         tavola perft 4HPwATDgc/ABMA --depth 3 --by-roll\n  \
         tavola perft --game tabula --depth 1 --json"
    )
)]
pub struct PerftArgs {
    /// Position and game.
    #[command(flatten)]
    pub position: PositionArgs,
    /// Rolls to look ahead; all smaller depths are counted too
    #[arg(long, short, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=6))]
    pub depth: u32,
    /// List the nodes of the last depth below each first roll
    #[arg(long)]
    pub by_roll: bool,
    /// Text or JSON.
    #[command(flatten)]
    pub output: FormArgs,
}

/// Counts and reports.
pub fn run(args: &PerftArgs, out: &mut dyn Out) -> Outcome {
    let PerftArgs { depth, by_roll, .. } = *args;
    let position = args.position.position.as_deref();
    let settings = PerftSettings { position, depth, by_roll };
    let stages = Stages::default();
    let report = PerftReport::of(args.position.game.two().or_input()?, settings, &stages)?;
    drop(stages);
    if args.output.answered(&report, out)? {
        return Ok(());
    }
    let rows = report.depths.iter().map(|&PerftDepth { depth, nodes, weighted }| {
        [depth.to_string(), format::count(nodes), format::count(weighted)]
    });
    Table::of([">depth", ">nodes", ">weighted"], rows).write(out)?;
    if !report.rolls.is_empty() {
        let rows = report.rolls.iter().map(|BelowRoll { roll, nodes, weighted }| {
            [roll.clone(), format::count(*nodes), format::count(*weighted)]
        });
        Table::of(["roll", ">nodes", ">weighted"], rows).write_apart(out)?;
    }
    Ok(())
}
