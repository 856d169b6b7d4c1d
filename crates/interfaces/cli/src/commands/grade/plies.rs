//! `tavola grade plies`: what players are worth at several plies, in states and in decisions.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use tavola_arena::Estimate;
use tavola_arena::grade::states::Band;
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
/// five chances, and both by band of equity; of the decisions of --reference what the plays lose,
/// and the spread of the errors within the siblings of a roll.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        tavola grade plies default --states benches/grade/tuning.states\n  \
        tavola grade plies a.safetensors b.safetensors --plies 0,1 --states tuning.states --reference benches/grade/tuning.jsonl")]
pub struct PliesArgs {
    /// Networks, as `tavola duel` names players, without plies
    #[arg(value_name = "PLAYER", required = true)]
    pub players: Vec<String>,
    /// File of rolled-out states
    #[arg(long, value_name = "FILE")]
    pub states: PathBuf,
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
    let promise = "stopping after the answers that are being made";
    let report = networks::run_job(promise, args.threads.count(), TIMEOUT, |job, _| {
        PliesReport::of(states, reference.as_deref(), players, plies, job)
    })?;
    if args.output.json {
        let networks = report.networks.clone();
        return Provenance::of(args.threads.count(), networks).write_json(&report, out);
    }
    write_text(args, &report, out)
}

fn write_text(args: &PliesArgs, report: &PliesReport<'_>, out: &mut dyn Out) -> Outcome {
    let players = &report.players;
    writeln!(
        out,
        "{} for {}, {}",
        format::plural(report.number_of_states, "state"),
        report.purpose.name(),
        report.states
    )?;
    if let Some(path) = &report.reference {
        writeln!(out, "decisions: {path}")?;
    }
    for player in players {
        if player.ply == args.plies[0] {
            writeln!(out, "{}", format::named(player.player, &player.version))?;
        }
    }
    let name = |player: &PlyGrades<'_>| format!("{}@{}", short(player.player), player.ply);
    let headings = ["millipoints", ">lost a decision", ">siblings s", ">RMSE", ">bias"];
    let mut table = Table::new(headings);
    for player in players {
        let all = &player.states.all;
        table.row([
            name(player),
            player.loss.map_or_else(String::new, millipoints),
            player.siblings.map_or_else(String::new, |siblings| millipoints(siblings.spread)),
            format!("{:.1} ± {:.1}", 1000.0 * all.rmse, 1960.0 * all.rmse_se),
            signed_millipoints(all.bias),
        ]);
    }
    table.write_apart(out)?;
    let mut table = Table::new(["bias, %"].iter().chain(&format::CHANCE_HEADINGS));
    for player in players {
        let mut row = vec![name(player)];
        let percent = |chance: &Estimate| format!("{:+.2}", 100.0 * chance.mean);
        row.extend(player.states.chances.iter().map(percent));
        table.row(row);
    }
    table.write_apart(out)?;
    let mut headings = vec!["RMSE, bias".to_owned(), ">states".to_owned()];
    headings.extend(players.iter().map(|player| format!(">{}", name(player))));
    let mut table = Table::new(headings);
    for band in Band::all() {
        let of_band = |player: &PlyGrades<'_>| {
            player.states.bands.iter().find(|found| found.from == band.from()).copied()
        };
        let Some(first) = players.first().and_then(of_band) else { continue };
        let mut row = vec![band.to_string(), format::count(first.sums.states)];
        row.extend(players.iter().map(|player| {
            of_band(player).map_or_else(String::new, |found| {
                let (rmse, bias) = (found.sums.rmse, found.sums.bias.mean);
                format!("{:.0} {:+.0}", 1000.0 * rmse, 1000.0 * bias)
            })
        }));
        table.row(row);
    }
    table.write_apart(out)?;
    writeln!(
        out,
        "\n± is the 95 % interval; a bias above zero overrates the player on roll;\n\
         RMSE less the rollouts' own variance; lost a decision: as in play;\n\
         siblings s: standard deviation of the errors within the plays of a roll,\n\
         {}",
        match players.iter().all(|player| player.siblings.is_none_or(|found| found.is_noise_known))
        {
            true => "less the grader's own",
            false => "the grader's own included",
        }
    )?;
    Ok(())
}

/// A player's name without the folders of its file.
fn short(player: &str) -> &str {
    let file = player.rsplit('/').next().unwrap_or(player);
    file.strip_suffix(".safetensors").unwrap_or(file)
}
