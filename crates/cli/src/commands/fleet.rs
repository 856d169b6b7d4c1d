//! `tavola fleet`: what a fleet of workers is doing.

use std::fmt::Write as _;
use std::io::Write;

use clap::{Args, Subcommand};
use tavola_fleet::{FleetError, FleetStatus, fleet_status};

use crate::args::{FleetArgs, OutputArgs};
use crate::failure::{Blame, Failure, Outcome};
use crate::report::format;

/// Arguments of `fleet`.
#[derive(Debug, Args)]
#[command(
    about = "Say what a fleet of workers is doing",
    long_about = "Say what a fleet of workers is doing: the learners and workers that a NATS server \
        connects, and the shards of games in its queue. docs/fleet.md tells more.",
    after_help = "Examples:\n  \
        tavola fleet status nats://localhost\n  \
        tavola fleet status nats://localhost --metrics    for Prometheus, as text"
)]
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
    #[arg(long, conflicts_with = "json")]
    pub metrics: bool,
    /// How to connect.
    #[command(flatten)]
    pub fleet: FleetArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Says what the fleet is doing.
pub fn run(args: &FleetCommand, out: &mut dyn Write) -> Outcome {
    let FleetVerb::Status(args) = &args.verb;
    let status = fleet_status(&args.fleet.address(&args.url))
        .map_err(|error| blame(error, "ask the fleet"))?;
    if args.output.json {
        let text = serde_json::to_string(&status).or_work_in("cannot write the status")?;
        writeln!(out, "{text}")?;
    } else if args.metrics {
        write!(out, "{}", metrics(&status))?;
    } else {
        write!(out, "{}", text(&status))?;
    }
    Ok(())
}

/// Says whose fault it was that a fleet does not work.
pub fn blame(error: FleetError, what: &str) -> Failure {
    let unusable = error.is_unusable_input();
    let result: Result<(), FleetError> = Err(error);
    let context = format!("cannot {what}");
    let failure = if unusable { result.or_input_in(context) } else { result.or_work_in(context) };
    failure.expect_err("made from an error")
}

fn text(status: &FleetStatus) -> String {
    let mut text = format!("server   {}, nats-server {}\n", status.server, status.server_version);
    // A string takes every line.
    let mut line = |line: String| {
        let _ = writeln!(text, "{line}");
    };
    for learner in &status.learners {
        line(format!(
            "learner  {}: round {}, {} of {} games; {} shards reissued, {} checked, {} dead, {} \
             workers excluded",
            tavola_files::printable(&learner.run),
            learner.round,
            format::count(learner.done),
            format::count(learner.of),
            learner.reissued,
            learner.checked,
            learner.dead,
            learner.excluded.len()
        ));
    }
    for worker in &status.workers {
        let thread_seconds = worker.seconds * f64::from(worker.threads.max(1));
        line(format!(
            "worker   {}: {} threads, {} games, {:.1} a second, busy {:.0} %, {:.1} kB a game",
            tavola_files::printable(&worker.worker),
            worker.threads,
            format::count(worker.games),
            worker.games as f64 / worker.seconds.max(1e-9),
            100.0 * worker.busy_seconds / thread_seconds.max(1e-9),
            worker.sent_bytes as f64 / 1000.0 / worker.games.max(1) as f64
        ));
    }
    line(format!(
        "in all   {} learners, {} workers, {:.1} games a second",
        status.learners.len(),
        status.workers.len(),
        status.games_per_second
    ));
    line(match &status.queue {
        Some(queue) => format!(
            "queue    {} shards waiting, {} in play, {} delivered again, {} dead",
            queue.waiting, queue.in_play, queue.redelivered, queue.dead
        ),
        None => "queue    none yet: a learner makes it".to_owned(),
    });
    text
}

fn metrics(status: &FleetStatus) -> String {
    let mut text = String::new();
    let mut metric = |name: &str, kind: &str, help: &str, value: f64| {
        // A string takes every line.
        let _ = writeln!(
            text,
            "# HELP tavola_fleet_{name} {help}\n# TYPE tavola_fleet_{name} {kind}\n\
             tavola_fleet_{name} {value}"
        );
    };
    let of_learners = |count: fn(&tavola_fleet::wire::LearnerBeat) -> u64| {
        status.learners.iter().map(count).sum::<u64>() as f64
    };
    metric("workers", "gauge", "Workers that were heard.", status.workers.len() as f64);
    metric("learners", "gauge", "Learners that were heard.", status.learners.len() as f64);
    metric("games_per_second", "gauge", "Games a second of all workers.", status.games_per_second);
    let games: u64 = status.workers.iter().map(|worker| worker.games).sum();
    metric("games", "gauge", "Games of the workers since they started.", games as f64);
    metric("reissued", "counter", "Shards put in the queue again.", of_learners(|b| b.reissued));
    metric("checked", "counter", "Shards played a second time.", of_learners(|b| b.checked));
    metric("excluded", "gauge", "Excluded workers.", of_learners(|b| b.excluded.len() as u64));
    if let Some(queue) = &status.queue {
        metric("shards_waiting", "gauge", "Shards that no worker has.", queue.waiting as f64);
        metric("shards_in_play", "gauge", "Shards that workers play.", queue.in_play as f64);
        metric("shards_redelivered", "gauge", "Shards in play again.", queue.redelivered as f64);
        metric("shards_dead", "gauge", "Shards delivered too often.", queue.dead as f64);
    }
    text
}
