//! `tavola bench`: speed figures and the behaviour signature.

use crate::args::{ModelArg, OutputArgs, ThreadArgs, example_short, seconds};
use clap::Args;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tavola_engine::Network;
use tavola_evaluator::{NetEvaluator, PlayableGame};
use tavola_games::with_game;
use tavola_net::Weights;

use self::corpus::Players;
use self::figures::Figure;
use self::signature::signature;
use self::sizes::SizeFigures;
use crate::failure::{Blame, Outcome};
use crate::networks;
use crate::report::format;
use crate::report::provenance::Provenance;
use crate::report::table::{Align, Table};
use crate::report::warning;

mod corpus;
mod figures;
mod rate;
mod signature;
mod sizes;

/// Arguments of `bench`.
#[derive(Debug, Args)]
#[command(
    about = "Measure speed and print the behaviour signature",
    long_about = "Measure speed and print the behaviour signature, in about a minute.\n\n\
        Rates are per second of processor time on one thread, for all threads per second on the \
        wall, each the median of several repetitions. Positions are those of games that the network \
        plays, and some of random games.\n\n\
        The signature is a hash of the plays chosen and the evaluations counted on fixed \
        positions: it changes when the engine plays otherwise, and only then.",
    after_help = example_short(
        "  tavola bench\n  tavola bench --json --seconds 1\n  \
         tavola bench --sizes                     also other sizes of network\n  \
         tavola bench --write-positions p.txt     for comparison with another program"
    )
)]
pub struct BenchArgs {
    /// The network that is measured.
    #[command(flatten)]
    pub model: ModelArg,
    /// Seconds to spend on each figure
    #[arg(long, value_name = "S", default_value_t = 3.0, value_parser = seconds)]
    pub seconds: f64,
    /// Also measure networks of several sizes, with random weights
    #[arg(long)]
    pub sizes: bool,
    /// Write the positions measured to this file, a position and its dice a line
    #[arg(long, value_name = "FILE")]
    pub write_positions: Option<PathBuf>,
    /// Threads of the figure for all threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What was measured; rates are per second of processor time on one thread, for all threads per
/// second on the wall.
struct Report {
    figures: Vec<Figure>,
    /// Processor time of a choice at 2-ply, normal preset, in milliseconds; the mean.
    decision_2ply_ms: f64,
    /// Threads of the figure for all threads.
    threads: NonZeroUsize,
    /// What a second thread brings; not measured where there is to be one thread alone.
    scaling: Option<figures::Scaling>,
    /// See [`signature()`].
    signature: String,
    sizes: Vec<SizeFigures>,
}

/// Measures and reports.
pub fn run(args: &BenchArgs, out: &mut dyn Write) -> Outcome {
    let (network, game) = networks::network_and_game(args.model.model.as_deref(), None)?;
    let report = with_game!(&game, |game| measure(game, args, &network))?;
    if args.output.json {
        let checksum = (network.name(), network.weights().checksum());
        Provenance::of(args.threads.count(), [checksum])
            .write_json(&report.to_json(network.weights())?, out)?;
    } else {
        report.write_text(network.weights(), out)?;
    }
    Ok(())
}

fn measure<G: PlayableGame>(game: &G, args: &BenchArgs, network: &Network) -> Outcome<Report> {
    let mut evaluator = NetEvaluator::new(network.weights(), game.clone())
        .or_input_in(format_args!("cannot use {}", network.name()))?;
    if cfg!(debug_assertions) {
        warning::warn(&warning::UNOPTIMISED);
    }
    let budget = Duration::from_secs_f64(args.seconds);
    let (pairs, turns_a_game) = corpus::pairs(game, &Players::Evaluate(&evaluator))?;
    if let Some(path) = &args.write_positions {
        corpus::write(path, game, &pairs)?;
    }
    let mut figures =
        figures::of_decisions(budget, game, network.weights(), &mut evaluator, &pairs)?;
    figures.extend(figures::of_rollouts(budget, game, &evaluator)?);
    let decision_2ply_ms = figures::decision_2ply_ms(budget, game, &evaluator, &pairs)?;
    let threads = args.threads.count();
    let games = figures::games(budget, game, &evaluator, threads)?;
    figures.extend(games.figures(threads));
    let sizes = match args.sizes {
        // Seven networks, three figures each: less time for each keeps the whole near a minute.
        true => sizes::measure(budget / 3, game, &pairs, turns_a_game)?,
        false => Vec::new(),
    };
    Ok(Report {
        figures,
        decision_2ply_ms,
        threads,
        scaling: games.scaling(),
        signature: signature(game, &mut evaluator),
        sizes,
    })
}

impl Report {
    /// The figures by their keys.
    fn to_json(&self, weights: &Weights) -> Outcome<Value> {
        let mut report = Map::new();
        for Figure { key, per_s, .. } in &self.figures {
            report.insert((*key).to_owned(), json!(per_s));
        }
        report.insert("decision_2ply_ms".to_owned(), json!(self.decision_2ply_ms));
        report.insert("threads".to_owned(), json!(self.threads));
        if let Some(scaling) = self.scaling {
            report.insert("scaling_2_threads".to_owned(), json!(scaling.by_wall));
            report.insert("scaling_2_threads_by_cpu".to_owned(), json!(scaling.by_cpu));
        }
        report.insert("hidden".to_owned(), json!(weights.arch.hidden));
        report.insert("parameters".to_owned(), json!(weights.arch.parameters()));
        report.insert("signature".to_owned(), json!(self.signature));
        if !self.sizes.is_empty() {
            report.insert("sizes".to_owned(), serde_json::to_value(&self.sizes)?);
        }
        Ok(Value::Object(report))
    }

    fn write_text(&self, weights: &Weights, out: &mut dyn Write) -> Outcome {
        let mut table = Table::new([Align::Left, Align::Right]);
        for Figure { name, per_s, .. } in &self.figures {
            table.row([name.clone(), format::rate(*per_s)]);
        }
        table.write(out)?;
        writeln!(out)?;
        writeln!(
            out,
            "network    {} hidden, {} parameters",
            layers(&weights.arch.hidden),
            format::count(weights.arch.parameters() as u64)
        )?;
        writeln!(
            out,
            "2-ply      {:.2} ms a decision, {:.0} a second",
            self.decision_2ply_ms,
            1000.0 / self.decision_2ply_ms
        )?;
        if let Some(figures::Scaling { by_wall, by_cpu }) = self.scaling {
            writeln!(
                out,
                "2 threads  {by_wall:.2} times the games of one, {by_cpu:.2} by processor time"
            )?;
        }
        writeln!(out, "signature  {}", self.signature)?;
        if !self.sizes.is_empty() {
            writeln!(out, "\nnetworks of other sizes, random weights\n")?;
            sizes::table(&self.sizes).write(out)?;
        }
        Ok(())
    }
}

/// Widths of layers: `512-32-32`.
fn layers(widths: &[usize]) -> String {
    widths.iter().map(ToString::to_string).collect::<Vec<_>>().join("-")
}
