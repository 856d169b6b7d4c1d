//! `tavola perft`: the tree of legal plays, counted.

use std::time::Instant;

use clap::Args;
use serde::Serialize;
use tavola_games::{PlayableGame, with_game};
use tavola_rules::perft::{Perft, perft_by_roll};

use crate::args::{FormArgs, PositionArgs, example, for_two};
use crate::ask;
use crate::failure::{Blame, Outcome};
use crate::report::format;
use crate::report::progress::CountProgress;
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

/// The counts as JSON.
#[derive(Serialize)]
struct Report {
    game: String,
    position: String,
    depths: Vec<Depth>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rolls: Vec<BelowRoll>,
    seconds: f64,
}

/// The nodes of one depth.
#[derive(Serialize)]
struct Depth {
    depth: u32,
    nodes: u64,
    weighted: u64,
}

/// The nodes of the last depth below a first roll.
#[derive(Serialize)]
struct BelowRoll {
    roll: String,
    nodes: u64,
    weighted: u64,
}

/// Counts and reports.
pub fn run(args: &PerftArgs, out: &mut dyn Out) -> Outcome {
    let report = with_game!(for_two(&args.position.game)?, |game| count(game, args))?;
    if args.output.json {
        return ask::write_json(&report, out);
    }
    let rows = report.depths.iter().map(|&Depth { depth, nodes, weighted }| {
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

/// Counts in a game.
fn count<G: PlayableGame>(game: &G, args: &PerftArgs) -> Outcome<Report> {
    let state = match &args.position.position {
        Some(text) => game.parse_state(text).or_input()?,
        None => game.start(),
    };
    let bar = CountProgress::new(u64::from(args.depth) * game.rolls().len() as u64, "rolls");
    let begin = Instant::now();
    let (mut depths, mut rolls) = (Vec::new(), Vec::new());
    for depth in 1..=args.depth {
        let count = |roll: G::Roll, Perft { nodes, weighted }| {
            bar.one_done();
            if args.by_roll && depth == args.depth {
                rolls.push(BelowRoll { roll: roll.to_string(), nodes, weighted });
            }
        };
        let Perft { nodes, weighted } = perft_by_roll(game, &state, depth, u64::MAX, count)
            .expect("no count reaches the largest number");
        depths.push(Depth { depth, nodes, weighted });
    }
    let seconds = begin.elapsed().as_secs_f64();
    Ok(Report { game: game.id(), position: game.write_state(&state), depths, rolls, seconds })
}
