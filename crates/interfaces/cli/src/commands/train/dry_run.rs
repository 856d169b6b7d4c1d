//! `tavola train --dry-run`: what a run would do, and how long it takes on this machine.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use tavola_engine::LoadedNetwork;
use tavola_pipeline::{Plan, Recipe, Trial};

use super::TrainArgs;
use crate::failure::{Failure, Outcome};
use crate::report::format;
use crate::report::provenance::tool;
use crate::report::table::{Out, Table};
use crate::{ask, cancel};

/// How long the speed is measured.
const TIME: Duration = Duration::from_secs(10);

/// How long Ctrl-C waits until the folder of the trial is removed.
const FAREWELL: Duration = Duration::from_secs(20);

/// Says what would be done, in text or as JSON. Of a recipe the first phase is measured.
pub fn write(
    args: &TrainArgs,
    recipe: Option<&Recipe>,
    plan: &Plan,
    directory: &Path,
    out: &mut dyn Out,
) -> Outcome {
    let phases: Vec<(&str, f64, &Plan)> = match recipe {
        Some(recipe) => {
            recipe.phases().iter().map(|it| (&*it.name, it.minutes, &it.plan)).collect()
        }
        None => vec![("run", 0.0, plan)],
    };
    let (_, minutes, first) = phases[0];
    let threads = args.threads.count();
    let canceled = cancel::on_interrupt_within(FAREWELL, "stopping after this round")?;
    let learned = LoadedNetwork::load_for(None, &first.config().game).ok();
    let learned = learned.as_ref().map(LoadedNetwork::weights);
    let trial = Trial::measure(first, threads, tool(), learned, (TIME, canceled))?;
    if cancel::INTERRUPTED.load(Ordering::Relaxed) {
        return Err(Failure::stopped("stopped before the speed was known; nothing was written"));
    }
    let seconds = trial.seconds_in_all();
    // As much faster or slower as the first phase is than its file says.
    let by_the_file: f64 = phases.iter().map(|phase| phase.1).sum();
    let in_all = match (seconds, minutes > 0.0) {
        (Some(seconds), true) => Some(seconds * by_the_file / minutes),
        (seconds, false) if phases.len() == 1 => seconds,
        _ => None,
    };
    let is_there = directory.exists();
    if args.output.json {
        let of = |&(name, minutes, plan): &(&str, f64, &Plan)| {
            let config = plan.config();
            json!({
                "name": name, "rounds": config.rounds, "games": plan.games_of(config.rounds).end,
                "minutes_by_the_file": minutes, "evaluations": evaluations(plan),
                "evaluation_games": config.evaluation.games,
                "opponents": config.evaluation.opponents,
            })
        };
        let answer = json!({
            "directory": directory, "exists": is_there, "phases": phases.iter().map(of).collect::<Vec<_>>(),
            "memory": trial.memory, "threads": threads, "measured_seconds": trial.seconds,
            "measured_rounds": trial.rounds_measured, "measured_games": trial.games_measured,
            "measured_turns_a_game": trial.turns, "turns_a_game": trial.learned_turns,
            "first_phase_seconds": seconds, "seconds": in_all, "files": Trial::FILES,
        });
        return ask::write_json(&answer, out).map(drop);
    }
    writeln!(out, "dry run of {}: nothing is written", args.config().display())?;
    let several = phases.len() > 1;
    let rows = phases.iter().map(|(name, minutes, plan)| {
        let config = plan.config();
        let number =
            evaluations(plan) * config.evaluation.opponents.iter().flatten().count() as u64;
        let games = if several { plan.games_of(config.rounds).end } else { trial.games };
        let cells = [
            (*name).to_owned(),
            format::count(config.rounds.into()),
            format::count(games),
            format::count(number * config.evaluation.games),
        ];
        cells.into_iter().chain(several.then(|| format!("{minutes}"))).collect::<Vec<_>>()
    });
    let headings = ["phase", ">rounds", ">games", ">games of evaluations"].into_iter();
    Table::of(headings.chain(several.then_some(">minutes by the file")), rows).write_apart(out)?;
    writeln!(out)?;
    let mut lines = vec![("memory", format!("about {} MB", format::count(trial.memory >> 20)))];
    let rounds = match trial.rounds_measured {
        0 => "no round".to_owned(),
        rounds => format::plural(rounds as usize, "round"),
    };
    let measured = format!("{rounds} in {:.0} s", trial.seconds);
    let games = format::plural(trial.games_measured as usize, "game");
    let threads = format::plural(threads.get(), "thread");
    lines.push(("speed", format!("{measured}, {games}, on {threads}")));
    let time =
        |seconds: f64| format::duration(Duration::try_from_secs_f64(seconds).unwrap_or_default());
    let long = match (trial.turns, trial.learned_turns) {
        (Some(measured), Some(learned)) if learned < measured => format!(
            "; games are counted with {learned:.0} turns, as the built-in network needs: with a \
             random network they had {measured:.0}"
        ),
        (None, Some(_)) => "; the games of a random network are long, so it will be less".into(),
        _ => String::new(),
    };
    let what = if several { "the first phase" } else { "the run" };
    let known = |seconds| format!("about {} for {what}, evaluations apart{long}", time(seconds));
    let unknown = || "unknown: no game was played in the time".to_owned();
    lines.push(("time", seconds.map_or_else(unknown, known)));
    if let (Some(seconds), true) = (in_all, several) {
        lines.push(("", format!("about {} for all phases", time(seconds))));
    }
    let there = if is_there { ", which exists: --resume or --out" } else { "" };
    lines.push(("folder", format!("{}{there}", directory.display())));
    lines.push(("files", Trial::FILES.join(", ")));
    for (what, text) in lines {
        let text = format::fold(&text, 70).join("\n          ");
        writeln!(out, "{what:<8}  {text}")?;
    }
    Ok(())
}

/// How often strength is measured: before the first round, after the last, and between.
fn evaluations(plan: &Plan) -> u64 {
    let config = plan.config();
    1 + u64::from(config.rounds.div_ceil(config.evaluation.every_rounds))
}
