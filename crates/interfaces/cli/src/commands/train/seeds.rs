//! `tavola train --seeds`: one run for each seed, and what they have in common.

use std::path::Path;

use tavola_evaluator::remote::Remote;
use tavola_pipeline::{Begin, Metrics, Override, Plan, RunOptions, read_metrics, write_seeds};

use super::{TrainArgs, blame};
use crate::cancel;
use crate::failure::{Blame, Failure, Outcome};
use crate::report::format::{self, shell_word};
use crate::report::progress::TrainProgress;
use crate::report::provenance::{Provenance, tool};
use crate::report::table::{Out, Table};

/// Trains with one seed after the other, each in a folder of the directory, and says how far they
/// are apart. Finished ones stay as they are.
pub fn run(args: &TrainArgs, directory: &Path, out: &mut dyn Out) -> Outcome {
    let seeds = &args.seeds;
    let folder = |seed: &i64| directory.join(format!("seed-{seed}"));
    let mut seen = std::collections::BTreeSet::new();
    if let Some(twice) = args.seeds.iter().find(|seed| !seen.insert(**seed)) {
        return Err(Failure::input(format_args!("--seeds has {twice} twice, expected each once")));
    }
    if let Some(there) = seeds.iter().map(folder).find(|folder| folder.exists())
        && !args.resume
    {
        return Err(Failure::input(format_args!(
            "{} exists already, expected --resume to go on, or another directory in --out",
            there.display()
        )));
    }
    let plan = |seed: &i64| {
        let mut overrides = args.overrides();
        overrides.push(Override::number("seed", *seed));
        Plan::load(args.config(), &overrides).or_input()
    };
    // What is wrong with one of them is known before the first begins.
    let plans: Vec<(i64, Plan)> =
        seeds.iter().map(|seed| Ok((*seed, plan(seed)?))).collect::<Outcome<_>>()?;
    let fleet = args.remote.connect(Some(directory))?;
    let canceled = cancel::on_interrupt("stopping when the round is learned, if that is soon")?;
    let (mut reports, mut metrics): (Vec<_>, Vec<Vec<Metrics>>) = (Vec::new(), Vec::new());
    let mut means = Vec::new();
    for (seed, plan) in &plans {
        let folder = folder(seed);
        let begin = if folder.exists() { Begin::Resume } else { Begin::New };
        let (threads, tool) = (args.threads.count(), tool());
        let options = RunOptions { directory: folder.clone(), begin, threads, tool };
        let remote = fleet.as_ref().map(|fleet| fleet as &dyn Remote);
        let progress = TrainProgress::new();
        let report = tavola_pipeline::run(plan, &options, remote, &progress, canceled);
        drop(progress);
        let report = report.map_err(|error| blame(error, args))?;
        if !report.finished {
            return Err(Failure::stopped(format_args!(
                "stopped after round {} of {} of seed {seed}; resume with the same command and \
                 --resume",
                report.rounds_done, report.rounds
            )));
        }
        let lines = read_metrics(&folder.join("metrics.jsonl"));
        metrics.push(lines.or_work_in(format_args!("cannot read {}", folder.display()))?);
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        means = write_seeds(directory, &name, &metrics)?;
        reports.push(report);
    }
    if args.output.json {
        let answer = serde_json::json!({ "runs": reports });
        return Provenance::of(args.threads.count(), []).write_json(&answer, out).map(drop);
    }
    let last = means.iter().map(|it| it.round).max().unwrap_or_default();
    let seeds = format::plural(reports.len(), "seed");
    writeln!(out, "{seeds} after round {last}:\n")?;
    let rows = means.iter().filter(|it| it.round == last).map(|it| {
        let [least, most] = it.range;
        // Points have a sign, a loss has none.
        let figure = |value: f64| match it.figure.starts_with("ppg") {
            true => format!("{value:+.3}"),
            false => format!("{value:.3}"),
        };
        let [mean, least, most] = [it.mean, least, most].map(figure);
        [it.figure.clone(), mean, least, most, format!("{:.3}", it.standard_deviation)]
    });
    Table::of(["figure", ">mean", ">least", ">most", ">SD"], rows).write(out)?;
    writeln!(out, "\ntable    {}", directory.join("seeds.csv").display())?;
    writeln!(out, "curve    {}", directory.join("seeds.svg").display())?;
    let first = shell_word(reports[0].directory.join("final.safetensors").display());
    writeln!(out, "test it  tavola duel {first} default --games 2000")?;
    Ok(())
}
