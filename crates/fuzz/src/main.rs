//! Drives a fuzz target for a long time.

use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::Parser;
use tavola_fuzz::Cost;

/// Runs a fuzz target on mutated seed inputs.
#[derive(Parser)]
struct Arguments {
    /// The target; without one, their names are printed.
    target: Option<String>,
    /// How many inputs to try.
    #[arg(long, default_value_t = 1_000_000)]
    inputs: u64,
    /// Stop after this many seconds, whatever is left.
    #[arg(long)]
    seconds: Option<u64>,
    /// Repeat a part of each input until it has this many bytes.
    #[arg(long, default_value_t = 0)]
    length: usize,
    /// Seed of the mutations.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Try this file alone.
    #[arg(long)]
    file: Option<PathBuf>,
}

/// Time between two lines of progress.
const REPORT: Duration = Duration::from_secs(30);

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let Some(name) = arguments.target else {
        tavola_fuzz::targets().iter().for_each(|target| println!("{}", target.name));
        return Ok(());
    };
    let target = tavola_fuzz::target(&name).with_context(|| {
        format!("unknown target {name:?}, expected one of those that are listed without arguments")
    })?;
    if let Some(path) = arguments.file {
        let input = std::fs::read(&path).with_context(|| format!("cannot read {path:?}"))?;
        let Cost { bytes, work, seconds } = target.check(&input);
        let path = path.display();
        println!(
            "{name}: {path} holds every property, {seconds:.3} s, {bytes} bytes of memory, {work} \
             allocated in all"
        );
        return Ok(());
    }
    let mut mutator = target.mutator(arguments.seed).context("cannot read the corpus")?;
    let started = Instant::now();
    let limit = arguments.seconds.map(Duration::from_secs);
    let mut reported = started;
    let mut input = Vec::new();
    let mut done = 0;
    let mut dearest = Cost::default();
    let every = if arguments.length > 0 { 1 } else { 256 };
    while done < arguments.inputs {
        mutator.next_into(&mut input);
        mutator.lengthen(&mut input, arguments.length);
        let cost = panic::catch_unwind(AssertUnwindSafe(|| target.check(&input))).ok();
        // What is loaded once is no cost of the first input.
        let cost =
            cost.filter(|cost| done == 0 || cost.seconds <= target.most(input.len()).seconds);
        if let Some(cost) = cost {
            dearest = if done == 0 { dearest } else { dearest.max(cost) };
        } else {
            let path = PathBuf::from(format!("fuzz-{name}-{}-{done}.input", arguments.seed));
            std::fs::write(&path, &input).with_context(|| format!("cannot write {path:?}"))?;
            bail!(
                "input {done} of seed {} breaks a property or takes too long: {}",
                arguments.seed,
                path.display()
            );
        }
        done += 1;
        // The clock is read now and then: targets can be faster than it.
        if done % every == 0 {
            if limit.is_some_and(|limit| started.elapsed() >= limit) {
                break;
            }
            if reported.elapsed() >= REPORT {
                reported = Instant::now();
                eprintln!("{name}: {done} of {} inputs", arguments.inputs);
            }
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{name}: {done} inputs of seed {} hold every property, {seconds:.0} s; the dearest took \
         {:.3} s and {:.1} MiB",
        arguments.seed,
        dearest.seconds,
        dearest.bytes as f64 / f64::from(1 << 20)
    );
    Ok(())
}
