//! `tavola worker`: plays games for learners on other machines.

use std::time::Duration;

use clap::Args;
use tavola_fleet::{WorkerEvent, WorkerSettings, default_name, run_worker};

use crate::args::{FleetConnection, ThreadArgs};
use crate::cancel;
use crate::failure::{Failure, Outcome};
use crate::report::format;
use crate::report::table::Out;
use crate::report::warning;

/// Play games for training runs on other machines.
///
/// The worker takes packets of games from a NATS server with JetStream, plays them and sends them
/// back, until Ctrl-C. Rules, settings and networks come from the learner, which must be of the
/// same version. Workers may join, leave and be killed at any time: the network that a run makes
/// does not depend on them. Without a server it ends with exit code 2. docs/fleet.md has more.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        nats-server -js -a 127.0.0.1 &                                a server\n  \
        tavola worker nats://localhost &                              a worker on all cores\n  \
        tavola train configs/smoke.toml --fleet nats://localhost      the learner")]
pub struct WorkerArgs {
    /// Address of the NATS server, as nats://HOST:4222, nats://USER:PASSWORD@HOST or tls://HOST
    #[arg(value_name = "URL")]
    pub url: String,
    /// Name of the worker in `tavola fleet status`, unique in the fleet: letters, digits, - and _
    /// [default: the host and a number]
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub name: Option<String>,
    /// How to connect.
    #[command(flatten)]
    pub fleet: FleetConnection,
    /// Threads, each with a packet of its own.
    #[command(flatten)]
    pub threads: ThreadArgs,
}

/// A name that can be a part of a subject.
fn name(text: &str) -> Result<String, String> {
    match tavola_fleet::wire::is_name(text) {
        true => Ok(text.to_owned()),
        false => Err("expected 1 to 64 letters, digits, - and _".to_owned()),
    }
}

/// Plays packets until Ctrl-C.
pub fn run(args: &WorkerArgs, out: &mut dyn Out) -> Outcome {
    let settings = WorkerSettings {
        address: args.fleet.address(&args.url),
        threads: args.threads.count(),
        name: args.name.clone().unwrap_or_else(default_name),
    };
    let canceled = cancel::on_interrupt("returning unfinished packets")?;
    let tell = |event: &WorkerEvent| match event {
        WorkerEvent::Connected => {
            let shown = settings.address.shown();
            let threads = format::plural(settings.threads.get(), "thread");
            warning::note(&format!("{} is connected to {shown}, {threads}", settings.name));
        }
        WorkerEvent::Job { kind, round, checksum } => {
            warning::detail(&format!("{kind}, round {round}: job {checksum:.12}"));
        }
        WorkerEvent::Trouble(what) => warning::note(&format!("{what}; trying again")),
        _ => {}
    };
    let report =
        run_worker(&settings, &tell, canceled).map_err(Failure::of_fleet("cannot work"))?;
    let time = Duration::try_from_secs_f64(report.seconds).unwrap_or_default();
    let items = format::count(report.items);
    writeln!(out, "{items} items in {}", format::duration(time))?;
    Ok(())
}
