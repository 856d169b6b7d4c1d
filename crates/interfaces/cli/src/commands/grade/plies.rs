//! `tavola grade plies`: what players are worth at several plies, in states and in decisions.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use tavola_arena::grade::states::{
    Band, StateGrades, StateGradingError, StateHeader, StateReference, grade_states,
};
use tavola_arena::grade::{GradeError, Grades, Reference, SiblingGrades, grade, grade_siblings};
use tavola_arena::{Estimate, Player};
use tavola_evaluator::PlayableGame;
use tavola_evaluator::search::MAX_PLY;
use tavola_games::{AnyGame, with_game};
use tavola_play::Workers;

use super::{blame, read, signed_millipoints};
use crate::args::{FormArgs, ThreadArgs};
use crate::cancel;
use crate::failure::{Blame, Failure, Outcome};
use crate::networks;
use crate::report::format::{self, millipoints};
use crate::report::progress::CountProgress;
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

/// What a player is worth at a depth.
#[derive(Serialize)]
struct AtPlies {
    player: String,
    version: String,
    ply: u8,
    states: StateGrades,
    /// Equity lost a decision as in play, in points.
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<Estimate>,
    /// How far the errors within the siblings of a roll spread, in points.
    #[serde(skip_serializing_if = "Option::is_none")]
    siblings: Option<SiblingGrades>,
}

/// The result as JSON, in points.
#[derive(Serialize)]
struct Answer<'a> {
    states: String,
    settings: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    players: &'a [AtPlies],
}

/// Grades each player at each depth.
pub fn run(args: &PliesArgs, out: &mut dyn Out) -> Outcome {
    let header = StateHeader::read(&args.states).or_input()?;
    let game: AnyGame = header.game.parse().or_input_in(args.states.display())?;
    with_game!(&game, |game| grade_all(game, args, out))
}

fn grade_all<G: PlayableGame>(game: &G, args: &PliesArgs, out: &mut dyn Out) -> Outcome {
    let states = StateReference::read(game, &args.states).or_input()?;
    let decisions: Option<Reference<G>> = match &args.reference {
        None => None,
        Some(path) => Some(read(path, |file| Reference::read(game, file))?),
    };
    let mut asked = Vec::new();
    // All of them first: a second one that is misspelled should not cost the time of the first.
    for name in &args.players {
        for &ply in &args.plies {
            let at = if ply == 0 { name.clone() } else { format!("{name}@{ply}") };
            asked.push((name, ply, networks::player(Player::new, &at, game, TIMEOUT)?));
        }
    }
    let canceled = cancel::on_interrupt("stopping after the answers that are being made")?;
    let threads = args.threads.count();
    // Each decision is asked for a choice, and for its siblings.
    let each = states.states.len() + decisions.as_ref().map_or(0, |some| 2 * some.decisions.len());
    let progress = CountProgress::new((each * asked.len()) as u64, "answers");
    let mut players = Vec::with_capacity(asked.len());
    let mut checksums = Vec::new();
    for (name, ply, player) in asked {
        let question = Question { game, states: &states, decisions: decisions.as_ref() };
        let graded = question.ask(name, &player, threads, canceled, &|| progress.one_done());
        let (states, decided) = graded?;
        let (loss, siblings) = decided.unzip();
        checksums.extend(player.network.map(|checksum| (name.as_str(), checksum)));
        let (player, version) = (name.clone(), player.version);
        let siblings = siblings.flatten();
        players.push(AtPlies { player, version, ply, states, loss, siblings });
    }
    drop(progress);
    checksums.dedup();
    if args.output.json {
        let answer = Answer {
            states: args.states.display().to_string(),
            settings: &states.header.settings,
            reference: args.reference.as_ref().map(|path| path.display().to_string()),
            players: &players,
        };
        return Provenance::of(threads, checksums).write_json(&answer, out);
    }
    write_text(args, &states, &players, out)
}

/// What players are asked.
struct Question<'a, G: PlayableGame> {
    game: &'a G,
    states: &'a StateReference<G>,
    decisions: Option<&'a Reference<G>>,
}

impl<G: PlayableGame> Question<'_, G> {
    fn ask(
        &self,
        name: &str,
        player: &Player<G>,
        threads: NonZeroUsize,
        cancel: &AtomicBool,
        observer: &(dyn Fn() + Sync),
    ) -> Outcome<(StateGrades, Option<Decided>)> {
        let workers = Workers { threads, cancel };
        let agent = player.agent.as_ref();
        let states =
            grade_states(self.game, self.states, agent, workers, observer).map_err(|error| {
                let message = format!("{name}: {error}");
                match error {
                    StateGradingError::Canceled { .. } => Failure::stopped(message),
                    StateGradingError::NoEquity => Failure::input(message),
                    _ => Failure::work(message),
                }
            })?;
        let Some(reference) = self.decisions else { return Ok((states, None)) };
        let failed = |error: GradeError| blame(name, error);
        let graded = grade(self.game, reference, agent, workers, observer).map_err(failed)?;
        let siblings = grade_siblings(self.game, reference, agent, workers, observer);
        let loss = Grades::of(&reference.header, &graded).loss.in_play;
        Ok((states, Some((loss, siblings.map_err(failed)?))))
    }
}

/// What plays lose, and the spread within siblings.
type Decided = (Estimate, Option<SiblingGrades>);

fn write_text<G: PlayableGame>(
    args: &PliesArgs,
    states: &StateReference<G>,
    players: &[AtPlies],
    out: &mut dyn Out,
) -> Outcome {
    writeln!(
        out,
        "{} for {}, {}",
        format::plural(states.states.len(), "state"),
        states.header.purpose.name(),
        args.states.display()
    )?;
    if let Some(path) = &args.reference {
        writeln!(out, "decisions: {}", path.display())?;
    }
    for player in players {
        if player.ply == args.plies[0] {
            writeln!(out, "{}", format::named(&player.player, &player.version))?;
        }
    }
    let name = |player: &AtPlies| format!("{}@{}", short(&player.player), player.ply);
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
        let of_band = |player: &AtPlies| {
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
