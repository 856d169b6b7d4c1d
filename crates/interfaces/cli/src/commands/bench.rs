//! `tavola bench`: speed figures and the behavior signature.

use crate::args::{FormArgs, ModelArg, ThreadArgs, example, seconds};
use clap::Args;
use std::num::NonZeroUsize;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tavola_arena::bench::{self, BenchSettings, Figure, Measured, Scaling, SizeFigures};
use tavola_net::{Kernel, Weights};

use crate::failure::{Blame, Outcome};
use crate::networks;
use crate::outputs::{Content, OutputFile, writes};
use crate::report::format;
use crate::report::provenance::Provenance;
use crate::report::table::{Out, Table};
use crate::report::warning;

/// Measure speed and print the bench signature.
///
/// The line takes seconds and compares machines; --full prints all rates in about a minute.
///
/// Rates are per second of processor time on one thread, for all threads per second on the wall,
/// each the median of several repetitions; 2-ply and rollouts are means. Positions are those of games
/// that the network plays, and some of random games.
///
/// The signature is a hash of the plays chosen and the evaluations counted on fixed positions: it
/// changes when the engine plays otherwise, and only then.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola bench\n  tavola bench --full --threads 1\n  \
         tavola bench --sizes                     also other sizes of network\n  \
         tavola bench --write-positions p         for comparison with another program"
    )
)]
pub struct BenchArgs {
    /// The network that is measured.
    #[command(flatten)]
    pub model: ModelArg,
    /// Print all rates, measured longer
    #[arg(long)]
    pub full: bool,
    /// Seconds to spend on each figure [default: 0.3; with --full 3]
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub seconds: Option<Duration>,
    /// Also measure networks of several sizes, with random weights
    #[arg(long)]
    pub sizes: bool,
    /// Write the positions measured to this file, a position and its dice a line
    #[arg(long, value_name = "FILE", value_parser = writes(Content::Positions))]
    pub write_positions: Option<OutputFile>,
    /// Threads of the figure for all threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: FormArgs,
}

/// Measures and reports.
pub fn run(args: &BenchArgs, out: &mut dyn Out) -> Outcome {
    let (network, game) = networks::network_and_game(args.model.model.as_deref(), None)?;
    if cfg!(debug_assertions) {
        warning::warn(&warning::UNOPTIMIZED);
    }
    let settings = BenchSettings {
        budget: args.seconds.unwrap_or(Duration::from_millis(if args.full { 3000 } else { 300 })),
        threads: args.threads.count(),
        sizes: args.sizes,
        positions: args.write_positions.as_deref(),
    };
    let measured = bench::measure(&game, &network, &settings, &networks::load_tables)?;
    let report = Report { measured, threads: settings.threads };
    let checksum = (network.name(), network.weights().checksum());
    let provenance = Provenance::of(settings.threads, [checksum]);
    if args.output.json && provenance.write_json(&report.to_json(network.weights())?, out)? {
        return Ok(());
    }
    match args.full {
        true => report.write_full(network.weights(), out)?,
        false => report.write_line(out)?,
    }
    report.write_sizes(out)
}

/// What was measured, and on how many threads.
struct Report {
    measured: Measured,
    threads: NonZeroUsize,
}

impl Report {
    /// The figures by their keys.
    fn to_json(&self, weights: &Weights) -> Outcome<Value> {
        let mut report = Map::new();
        for Figure { key, per_s, .. } in &self.measured.figures {
            report.insert((*key).to_owned(), json!(per_s));
        }
        report.insert("decision_2ply_ms".to_owned(), json!(self.measured.decision_2ply_ms));
        report.insert("threads".to_owned(), json!(self.threads));
        report.insert("kernel".to_owned(), json!(kernel()?));
        if let Some(scaling) = self.measured.scaling {
            report.insert("scaling_2_threads".to_owned(), json!(scaling.by_wall));
            report.insert("scaling_2_threads_by_cpu".to_owned(), json!(scaling.by_cpu));
        }
        report.insert("hidden".to_owned(), json!(weights.arch.hidden));
        report.insert("parameters".to_owned(), json!(weights.arch.parameters()));
        report.insert("signature".to_owned(), json!(self.measured.signature));
        if !self.measured.sizes.is_empty() {
            report.insert("sizes".to_owned(), serde_json::to_value(&self.measured.sizes)?);
        }
        Ok(Value::Object(report))
    }

    /// The rate of decisions at 2-ply.
    fn two_ply(&self) -> String {
        format::rate(1000.0 / self.measured.decision_2ply_ms)
    }

    /// The rates that tell machines apart.
    fn write_line(&self, out: &mut dyn Out) -> Outcome {
        let rate = |key: &str| {
            let found = self.measured.figures.iter().find(|figure| figure.key == key);
            found.map_or_else(String::new, |figure| format::rate(figure.per_s))
        };
        let threads = format!(">on {}", format::plural(self.threads.get(), "thread"));
        let mut table = Table::new([
            ">evaluations",
            ">0-ply decisions",
            ">2-ply decisions",
            ">self-play games",
            &threads,
        ]);
        table.row([
            rate("evals_per_s"),
            rate("decisions_0ply_per_s"),
            self.two_ply(),
            rate("selfplay_games_per_s"),
            rate("selfplay_games_per_s_all_threads"),
        ]);
        table.write(out)?;
        writeln!(out, "\nkernel {}, signature {}", kernel()?, self.measured.signature)?;
        Ok(())
    }

    fn write_full(&self, weights: &Weights, out: &mut dyn Out) -> Outcome {
        let mut table = Table::plain(["", ">"]);
        for Figure { name, per_s, .. } in &self.measured.figures {
            table.row([name.clone(), format::rate(*per_s)]);
        }
        table.row(["2-ply decisions".to_owned(), self.two_ply()]);
        table.write(out)?;
        let parameters = format::count(weights.arch.parameters() as u64);
        let hidden = layers(&weights.arch.hidden);
        writeln!(out, "\nnetwork    {hidden} hidden, {parameters} parameters")?;
        if let Some(Scaling { by_wall, by_cpu }) = self.measured.scaling {
            write!(out, "2 threads  {by_wall:.2} times the games of one, ")?;
            writeln!(out, "{by_cpu:.2} by processor time")?;
        }
        writeln!(out, "kernel     {}", kernel()?)?;
        writeln!(out, "signature  {}", self.measured.signature)?;
        Ok(())
    }

    fn write_sizes(&self, out: &mut dyn Out) -> Outcome {
        if !self.measured.sizes.is_empty() {
            writeln!(out, "\nnetworks of other sizes, random weights\n")?;
            table_of_sizes(&self.measured.sizes).write(out)?;
        }
        Ok(())
    }
}

/// The kernel that networks are evaluated with.
fn kernel() -> Outcome<&'static str> {
    Kernel::in_use().map(Kernel::name).or_input()
}

/// Widths of layers: `512-32-32`.
fn layers(widths: &[usize]) -> String {
    widths.iter().map(ToString::to_string).collect::<Vec<_>>().join("-")
}

/// The table of all sizes.
fn table_of_sizes(sizes: &[SizeFigures]) -> Table {
    let headings =
        ["hidden layers", ">parameters", ">of siblings", ">0-ply decisions", ">self-play games"];
    let row = |size: &SizeFigures| {
        [
            layers(size.hidden),
            format::count(size.parameters as u64),
            format::rate(size.evals_siblings_per_s),
            format::rate(size.decisions_0ply_per_s),
            format::rate(size.selfplay_games_per_s),
        ]
    };
    Table::of(headings, sizes.iter().map(row))
}
