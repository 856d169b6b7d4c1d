//! `tavola fleet`: what a fleet of workers is doing.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use tavola_files::printable;
use tavola_fleet::wire::LearnerBeat;
use tavola_fleet::{FleetStatus, fleet_status};

use crate::args::{FleetConnection, OutputArgs};
use crate::ask;
use crate::failure::{Failure, Outcome};
use crate::report::format;
use crate::report::table::Out;

/// Say what a fleet of workers is doing.
///
/// A NATS server connects learners and workers, and has packets of work in its queue. docs/fleet.md
/// has more.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        tavola fleet status nats://localhost\n  \
        tavola fleet status nats://localhost --metrics    for Prometheus, as text")]
pub struct FleetCommand {
    /// What to say.
    #[command(subcommand)]
    pub verb: FleetVerb,
}

/// What `fleet` says.
#[derive(Debug, Subcommand)]
pub enum FleetVerb {
    /// Listen for two seconds, then print learners, workers and the queue
    Status(StatusArgs),
}

/// Arguments of `fleet status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Address of the NATS server
    #[arg(value_name = "URL", default_value = "nats://localhost")]
    pub url: String,
    /// Print metrics in the text format of Prometheus, for a collector of text files
    #[arg(long)]
    pub metrics: bool,
    /// How to connect.
    #[command(flatten)]
    pub fleet: FleetConnection,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Says what the fleet is doing.
pub fn run(args: &FleetCommand, out: &mut dyn Out) -> Outcome {
    let FleetVerb::Status(args) = &args.verb;
    let status = fleet_status(&args.fleet.address(&args.url))
        .map_err(Failure::of_fleet("cannot ask the fleet"))?;
    if args.output.json {
        ask::write_json(&status, out)?;
    } else if args.metrics {
        write!(out, "{}", status.metrics())?;
    } else {
        write!(out, "{}", text(&status))?;
    }
    Ok(())
}

fn text(status: &FleetStatus) -> String {
    let unit = status.unit();
    let mut text = format!("server   {}, nats-server {}\n", status.server, status.server_version);
    // A string takes every line.
    let mut line = |line: String| {
        let _ = writeln!(text, "{line}");
    };
    for learner in &status.learners {
        let kind = if learner.kind.is_empty() { "task" } else { &learner.kind };
        let [run, kind] = [learner.run.as_str(), kind].map(printable);
        let [done, of] = [learner.done, learner.of].map(format::count);
        let LearnerBeat { round, reissued, checked, dead, excluded, .. } = learner;
        line(format!(
            "learner  {run}: {kind} {round}, {done} of {of} {unit}; {reissued} packets reissued, \
             {checked} checked, {dead} dead, {} workers excluded",
            excluded.len()
        ));
    }
    for worker in &status.workers {
        let (name, items) = (printable(&worker.worker), format::count(worker.items));
        let threads = format::plural(worker.threads as usize, "thread");
        let rate = worker.items as f64 / worker.seconds.max(1e-9);
        let thread_seconds = worker.seconds * f64::from(worker.threads.max(1));
        let busy = 100.0 * worker.busy_seconds / thread_seconds.max(1e-9);
        let each = worker.sent_bytes as f64 / 1000.0 / worker.items.max(1) as f64;
        line(format!(
            "worker   {name}: {threads}, {items} {unit}, {rate:.1} a second, busy {busy:.0} %, \
             {each:.1} kB each"
        ));
    }
    let learners = format::plural(status.learners.len(), "learner");
    let workers = format::plural(status.workers.len(), "worker");
    line(format!("in all   {learners}, {workers}, {:.1} {unit} a second", status.items_per_second));
    line(match &status.queue {
        Some(queue) => format!(
            "queue    {} packets waiting, {} in work, {} delivered again, {} dead",
            queue.waiting, queue.in_work, queue.redelivered, queue.dead
        ),
        None => "queue    none yet: a learner makes it".to_owned(),
    });
    text
}
