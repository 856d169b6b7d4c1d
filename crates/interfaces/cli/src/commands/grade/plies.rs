//! `tavola grade plies`: what players are worth at several plies, in states and in decisions.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use tavola_arena::Estimate;
use tavola_arena::grade::states::{Band, StateGrades, StateSums};
use tavola_arena::grade::{PliesReport, PlyGrades};
use tavola_evaluator::search::MAX_PLY;

use super::signed_millipoints;
use crate::args::{FormArgs, ThreadArgs};
use crate::failure::Outcome;
use crate::networks;
use crate::report::format::{self, millipoints};
use crate::report::provenance::Provenance;
use crate::report::table::{Out, Table};

/// How long a player may take to start. Networks answer at once.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Grade players at several plies, states and decisions in one table.
///
/// A network that chooses well at 0-ply may evaluate decided positions badly, and then its 2-ply
/// play and its cube suffer. Of the states of --states, which `tavola grade states` makes, the
/// report has the root mean square error of the equity (RMSE), its mean (bias), the bias of the
/// five chances, and both by band of equity, or by the groups of the file; of the decisions of
/// --reference what the plays lose, and the spread of the errors within the siblings of a roll.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        tavola grade plies default --states benches/grade/tuning.states\n  \
        tavola grade plies a.safetensors b.safetensors --plies 0,1 --states tuning.states --reference benches/grade/tuning.jsonl\n  \
        tavola grade plies default --states benches/grade/reporting.states --states runs/back-games.states")]
pub struct PliesArgs {
    /// Networks, as `tavola duel` names players, without plies
    #[arg(value_name = "PLAYER", required = true)]
    pub players: Vec<String>,
    /// File of rolled-out states; several are reported side by side
    #[arg(long, value_name = "FILE", required = true)]
    pub states: Vec<PathBuf>,
    /// File of graded decisions of the same game
    #[arg(long, value_name = "FILE")]
    pub reference: Option<PathBuf>,
    /// Plies
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = [0, 1, 2], value_parser = clap::value_parser!(u8).range(0..=i64::from(MAX_PLY)))]
    pub plies: Vec<u8>,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: FormArgs,
}

/// Grades each player at each depth.
pub fn run(args: &PliesArgs, out: &mut dyn Out) -> Outcome {
    let PliesArgs { players, states, reference, plies, .. } = args;
    let promise = "stopping";
    let report = networks::run_job(promise, args.threads.count(), TIMEOUT, |job, _| {
        PliesReport::of(states, reference.as_deref(), players, plies, job)
    })?;
    let provenance = Provenance::of(args.threads.count(), report.networks.clone());
    if args.output.json && provenance.write_json(&report, out)? {
        return Ok(());
    }
    write_text(args, &report, out)
}

fn write_text(args: &PliesArgs, report: &PliesReport<'_>, out: &mut dyn Out) -> Outcome {
    let PliesReport { players, states, .. } = report;
    for file in states {
        let number = format::plural(file.states, "state");
        writeln!(out, "{number} for {}, {}", file.purpose.name(), file.file)?;
    }
    if let Some(path) = &report.reference {
        writeln!(out, "decisions: {path}")?;
    }
    for player in players {
        if player.ply == args.plies[0] {
            writeln!(out, "{}", format::named(player.player, &player.version))?;
        }
    }
    // With one file, its name stands above.
    let of_file = |name: String, file: usize| match states.len() {
        1 => name,
        _ => format!("{name} {}", short(&states[file].file)),
    };
    let mut table =
        Table::new(["millipoints", ">lost a decision", ">siblings s", ">RMSE", ">bias", ">cubes"]);
    let mut chances = Table::new(["bias, %"].iter().chain(&format::CHANCE_HEADINGS));
    for player in players {
        for (file, grades) in player.states.iter().enumerate() {
            let name = of_file(name(player), file);
            // What the decisions say stands once.
            let first = |cell: Option<String>| cell.filter(|_| file == 0).unwrap_or_default();
            table.row([
                name.clone(),
                first(player.loss.map(millipoints)),
                first(player.siblings.map(|siblings| millipoints(siblings.spread))),
                format!("{:.1} ± {:.1}", 1000.0 * grades.all.rmse, 1960.0 * grades.all.rmse_se),
                signed_millipoints(grades.all.bias),
                grades.cube.map(millipoints).unwrap_or_default(),
            ]);
            let percent = |chance: &Estimate| format!("{:+.2}", 100.0 * chance.mean);
            chances.row([name].into_iter().chain(grades.chances.iter().map(percent)));
        }
    }
    table.write_apart(out)?;
    write_differences(report, &of_file, out)?;
    chances.write_apart(out)?;
    for (index, file) in states.iter().enumerate() {
        let mut headings = vec!["RMSE, bias".to_owned(), ">states".to_owned()];
        headings.extend(players.iter().map(|player| format!(">{}", name(player))));
        let mut table = Table::new(headings);
        let parts: Vec<_> = players.iter().map(|player| parts(&player.states[index])).collect();
        for (row, (group, sums)) in parts[0].iter().enumerate() {
            let mut cells = vec![group.clone(), format::count(sums.states)];
            cells.extend(parts.iter().map(|parts| {
                let (rmse, bias) = (parts[row].1.rmse, parts[row].1.bias.mean);
                format!("{:.0} {:+.0}", 1000.0 * rmse, 1000.0 * bias)
            }));
            table.row(cells);
        }
        if states.len() > 1 {
            write!(out, "\n{}", file.file)?;
        }
        table.write_apart(out)?;
    }
    let is_known =
        players.iter().all(|player| player.siblings.is_none_or(|found| found.is_noise_known));
    let noise = if is_known { "less the grader's own" } else { "the grader's own included" };
    writeln!(
        out,
        "\n± is the 95 % interval; a bias above zero overrates the player on roll;\n\
         RMSE less the rollouts' own variance; lost a decision: as in play;\n\
         cubes: lost a state by double and answer, for money, by the rolled-out chances;\n\
         siblings s: standard deviation of the errors within the plays of a roll,\n\
         {noise}"
    )?;
    Ok(())
}

/// What each player is worse by than the first one.
fn write_differences(
    report: &PliesReport<'_>,
    of_file: &dyn Fn(String, usize) -> String,
    out: &mut dyn Out,
) -> Outcome {
    let Some(first) = report.players.first() else { return Ok(()) };
    let heading = format!("worse than {} by", short(first.player));
    let mut table = Table::new([heading.as_str(), ">lost a decision", ">RMSE", ">cubes"]);
    let cell = |estimate: Option<Estimate>| estimate.map(signed_millipoints).unwrap_or_default();
    for player in &report.players {
        let Some(difference) = &player.worse_by else { continue };
        for (file, states) in difference.states.iter().enumerate() {
            table.row([
                of_file(name(player), file),
                cell(difference.loss.filter(|_| file == 0)),
                cell(Some(states.rmse)),
                cell(states.cube),
            ]);
        }
    }
    if report.players.iter().any(|player| player.worse_by.is_some()) {
        table.write_apart(out)?;
    }
    Ok(())
}

/// The groups of a file, or where it has none the bands of equity.
fn parts(grades: &StateGrades) -> Vec<(String, StateSums)> {
    let groups = grades.groups.iter().map(|found| (found.group.clone(), found.sums));
    let bands = grades.bands.iter().map(|found| (Band::of(found.from).to_string(), found.sums));
    if grades.groups.is_empty() { bands.collect() } else { groups.collect() }
}

fn name(player: &PlyGrades<'_>) -> String {
    format!("{}@{}", short(player.player), player.ply)
}

/// The name of a file without its folders, or of a player.
fn short(name: &str) -> &str {
    let file = name.rsplit('/').next().unwrap_or(name);
    [".safetensors", ".states"].iter().find_map(|end| file.strip_suffix(end)).unwrap_or(file)
}
