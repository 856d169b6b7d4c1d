//! `tavola train`: a training run from one configuration file.

use std::io::Write;
use std::path::Path;

use serde::Serialize;
use tavola_pipeline::{
    Begin, Ending, EvaluationMetrics, Plan, RunError, RunOptions, RunReport, Tool,
    default_directory,
};

use crate::args::TrainArgs;
use crate::cancel;
use crate::failure::{Blame, Failure, Outcome};
use crate::report::format;
use crate::report::progress::TrainProgress;

/// What became of the run, as JSON.
#[derive(Serialize)]
struct Answer<'a> {
    directory: &'a Path,
    finished: bool,
    rounds_done: u32,
    rounds: u32,
    games: u64,
    positions: u64,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    weights: Option<&'a Path>,
    evaluations: &'a [EvaluationMetrics],
}

/// Trains to the end of the run, or until Ctrl-C.
pub fn run(args: &TrainArgs, out: &mut dyn Write) -> Outcome {
    let plan = Plan::load(&args.config).or_input()?;
    let directory = args.out.clone().unwrap_or_else(|| default_directory(&args.config));
    let options = RunOptions {
        directory: directory.clone(),
        begin: if args.resume { Begin::Resume } else { Begin::New },
        threads: args.threads.count(),
        tool: Tool {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: option_env!("TAVOLA_COMMIT").map(str::to_owned),
        },
    };
    let cancelled = cancel::on_interrupt("stopping when the current round is saved")?;
    let progress = TrainProgress::new();
    let result = tavola_pipeline::run(&plan, &options, &progress, cancelled);
    progress.finish();
    let report = result.map_err(|error| blame(error, args))?;
    if args.output.json {
        serde_json::to_writer(&mut *out, &answer(&report))?;
        writeln!(out)?;
    } else if let Ending::Finished { weights } = &report.ending {
        write_text(&report, weights, out)?;
    }
    match report.ending {
        Ending::Finished { .. } => Ok(()),
        Ending::Stopped => Err(Failure::stopped(format_args!(
            "stopped after round {} of {}; go on with: tavola train {} --out {} --resume",
            report.rounds.0,
            report.rounds.1,
            args.config.display(),
            directory.display()
        ))),
    }
}

/// Says whose fault it was that a run ended, and how to go on where an option does it.
fn blame(error: RunError, args: &TrainArgs) -> Failure {
    let unusable = error.is_unusable_input();
    let context = format!("cannot train from {}", args.config.display());
    let result: Result<(), RunError> = Err(error);
    let failure = if unusable { result.or_input_in(context) } else { result.or_work_in(context) };
    failure.expect_err("made from an error")
}

fn answer(report: &RunReport) -> Answer<'_> {
    Answer {
        directory: &report.directory,
        finished: matches!(report.ending, Ending::Finished { .. }),
        rounds_done: report.rounds.0,
        rounds: report.rounds.1,
        games: report.games,
        positions: report.positions,
        seconds: report.seconds,
        weights: match &report.ending {
            Ending::Finished { weights } => Some(weights),
            Ending::Stopped => None,
        },
        evaluations: &report.evaluations,
    }
}

fn write_text(report: &RunReport, weights: &Path, out: &mut dyn Write) -> Outcome {
    let time = std::time::Duration::try_from_secs_f64(report.seconds).unwrap_or_default();
    writeln!(
        out,
        "{} rounds, {} games, {} positions in {}",
        format::count(report.rounds.0.into()),
        format::count(report.games),
        format::count(report.positions),
        format::duration(time)
    )?;
    for evaluation in &report.evaluations {
        writeln!(out, "{}", format::evaluation(evaluation))?;
    }
    writeln!(out)?;
    writeln!(out, "weights  {}", weights.display())?;
    writeln!(out, "curve    {}", report.directory.join("learning-curve.svg").display())?;
    writeln!(out, "ask it   tavola best --roll 31 --model {}", weights.display())?;
    Ok(())
}
