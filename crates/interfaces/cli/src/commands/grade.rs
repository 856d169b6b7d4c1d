//! `tavola grade`: how much equity a player's decisions lose, phase by phase.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use tavola_arena::Estimate;
use tavola_arena::grade::{
    BenchmarkReport, Draw, GradeReport, GradedPlayer, GraderError, Plan, Purpose, Rated, Rating,
    Rmse, Summary, file_name,
};
use tavola_engine::{LoadedNetwork, named};
use tavola_evaluator::{Phase, Z_95};
use tavola_games::AnyGame;

use self::plies::PliesArgs;
use self::rollout::GradeRolloutArgs;
use self::sample::SampleArgs;
use self::states::StatesArgs;
use crate::args::{EngineTimeout, FormArgs, ModelArg, ThreadArgs};
use crate::failure::{Failure, Outcome};
use crate::networks;
use crate::outputs::{Content, OutputFile, writes};
use crate::report::format::{self, millipoints};
use crate::report::provenance::Provenance;
use crate::report::table::{Out, Table};

mod plies;
mod rollout;
mod sample;
mod states;

/// Tell how much equity a player's decisions lose, phase by phase.
///
/// A reference file has decisions of every phase of the game with the equities of their plays as a
/// grader sees them. The player chooses a play in each. Its loss is the value of the grader's best
/// play less that of the choice, in millipoints (a thousandth of a point). PR, the performance
/// rating, is 500 times the mean loss in points: 0 is perfect.
///
/// PLAYER and PLAYER2 are whatever `tavola duel` knows as a player. With --against both are
/// compared decision by decision, which shows differences far smaller than the intervals of the
/// two.
///
/// FILE may also be Open Sage's money benchmark (benchmark.json.gz): the players' PR stands beside
/// the published ones of gnubg, Raccoon and Sage.
///
/// docs/arena.md has the phases, and how references are made.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  \
        tavola grade default --reference benches/grade/tuning.jsonl\n  \
        tavola grade runs/a/final.safetensors --reference benches/grade/tuning.jsonl --against default\n  \
        tavola grade gnubg:0 --reference benches/grade/reporting.jsonl --threads 8 --json\n  \
        tavola grade default@2 --reference benches/grade/rollouts.jsonl --against default\n  \
        tavola grade sample --games 20000 --seed 1 --per-phase 100 --out sample.jsonl\n  \
        tavola grade rollout sample.jsonl --out reference.jsonl\n  \
        tavola grade states --of back-games --games 20000 --per-group 5 --out back-games.states\n  \
        tavola grade plies default --states tuning.states --reference benches/grade/tuning.jsonl",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub struct GradeArgs {
    /// Make a new reference.
    #[command(subcommand)]
    pub command: Option<GradeCommand>,
    /// The player to be graded
    #[arg(value_name = "PLAYER", required = true)]
    pub player: Option<String>,
    /// File of graded decisions
    #[arg(long, value_name = "FILE", required = true)]
    pub reference: Option<PathBuf>,
    /// Another player, to be compared with
    #[arg(long, value_name = "PLAYER2")]
    pub against: Option<String>,
    /// Time of other engines.
    #[command(flatten)]
    pub engine_timeout: EngineTimeout,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: FormArgs,
}

/// What else there is to do.
#[derive(Debug, Subcommand)]
pub enum GradeCommand {
    /// Draws decisions.
    Sample(SampleArgs),
    /// Rates their plays by rollouts.
    Rollout(GradeRolloutArgs),
    /// Draws states and rolls them out.
    States(StatesArgs),
    /// Grades players at several plies, states and decisions.
    Plies(PliesArgs),
}

/// What is drawn from self-play, and where it goes.
#[derive(Debug, Args)]
struct DrawArgs {
    /// The game, with options as in puff:cap=none [default: the game of the network]
    #[arg(long)]
    game: Option<AnyGame>,
    /// Seed of the games, of the draw and of the dice
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// What it may be used for: tuning to choose between settings and networks, reporting to report
    /// strength and for no choice
    #[arg(long, default_value_t = Purpose::Tuning, value_parser = named::<Purpose>())]
    purpose: Purpose,
    /// File that was drawn before, and what is not to be drawn again
    #[arg(long, value_name = "FILE")]
    exclude: Vec<PathBuf>,
    /// The file to write
    #[arg(long, short = 'o', value_name = "FILE", value_parser = writes(Content::Graded))]
    out: OutputFile,
    /// The network that plays.
    #[command(flatten)]
    model: ModelArg,
    /// Threads.
    #[command(flatten)]
    threads: ThreadArgs,
}

impl DrawArgs {
    fn network_and_game(&self) -> Outcome<(LoadedNetwork, AnyGame)> {
        networks::network_and_game(self.model.model.as_deref(), self.game.as_ref())
    }

    /// What is drawn, which this command draws again.
    fn draw<'a>(&'a self, network: &'a LoadedNetwork, command: String) -> Draw<'a> {
        let Self { exclude, out, purpose, .. } = self;
        Draw { network, exclude, purpose: *purpose, command, out }
    }

    /// The command that draws the same from this number of games, each of this size; `settings` are
    /// its other options, and files have their names alone.
    fn command(&self, name: &str, games: u64, each: (&str, u32), settings: &str) -> String {
        let Self { seed, purpose, .. } = self;
        let mut command = format!(
            "tavola grade {name} --games {games} --seed {seed} --{} {} --purpose {purpose}{settings}",
            each.0, each.1
        );
        command.extend(self.game.iter().map(|game| format!(" --game {game}")));
        let model = self.model.model.iter().map(|path| ("model", path));
        for (option, path) in self.exclude.iter().map(|path| ("exclude", path)).chain(model) {
            command += &format!(" --{option} {}", format::shell_word(file_name(path)));
        }
        command
    }
}

/// Writes the median and the largest of the standard errors of equities `of` something.
fn write_errors(rated: Rated, of: &str, out: &mut dyn Out) -> Outcome {
    let mut errors = rated.errors;
    errors.sort_by(f64::total_cmp);
    if let Some(most) = errors.last() {
        let [median, most] = [errors[errors.len() / 2], *most].map(|error| 1000.0 * error);
        write!(out, "standard error of the {of}equity in millipoints: ")?;
        write!(out, "median {median:.1}, at most {most:.1}; ")?;
    }
    Ok(())
}

/// Grades one player or two, or draws a sample.
pub fn run(args: &GradeArgs, out: &mut dyn Out) -> Outcome {
    match &args.command {
        Some(GradeCommand::Sample(args)) => return sample::run(args, out),
        Some(GradeCommand::Rollout(args)) => return rollout::run(args, out),
        Some(GradeCommand::States(args)) => return states::run(args, out),
        Some(GradeCommand::Plies(args)) => return plies::run(args, out),
        None => {}
    }
    let (Some(player), Some(path)) = (&args.player, &args.reference) else {
        return Err(Failure::input("no player or no --reference, expected both"));
    };
    let names: Vec<&str> =
        [Some(player), args.against.as_ref()].into_iter().flatten().map(String::as_str).collect();
    let (threads, timeout) = (args.threads.count(), args.engine_timeout.get());
    let promise = "stopping";
    let report =
        networks::run_job(promise, threads, timeout, |job, _| GradeReport::of(path, &names, job))?;
    let provenance = Provenance::of(threads, report.networks.clone());
    if args.output.json && provenance.write_json(&report, out)? {
        return Ok(());
    }
    write_text(&report, out)
}

/// The name of a phase in a table.
fn phase_name(phase: Option<Phase>) -> String {
    phase.map_or("all", Phase::in_words).to_owned()
}

/// An estimate in millipoints with its sign and half its 95 % interval.
fn signed_millipoints(estimate: Estimate) -> String {
    let sign = if estimate.mean >= 0.0 { "+" } else { "" };
    format!("{sign}{}", millipoints(estimate))
}

fn write_text(answer: &GradeReport<'_>, out: &mut dyn Out) -> Outcome {
    let letters = if answer.players.len() == 2 { ["A  ", "B  "] } else { [""; 2] };
    for (letter, player) in letters.iter().zip(&answer.players) {
        writeln!(out, "{letter}{}", format::named(player.player, &player.version))?;
    }
    let (grader, decisions) = (&answer.grader, format::count(answer.decisions as u64));
    let graded =
        format!("graded by {} ({}) in {decisions} decisions", grader.name, grader.settings);
    out.prose(&format!("{graded} for {}, {}", answer.purpose.name(), answer.reference))?;
    writeln!(out)?;
    match (&answer.players[..], &answer.difference) {
        ([a, b], Some(difference)) => write_comparison(a, b, difference, out)?,
        (players, _) => {
            for player in players {
                write_grades(player, out)?;
            }
        }
    }
    if let Some(benchmark) = &answer.benchmark {
        write_benchmark(benchmark, out)?;
    }
    for player in &answer.players {
        if player.unrated > 0 {
            let choices = format::plural(player.unrated as usize, "choice");
            let are = if player.unrated == 1 { "is" } else { "are" };
            write!(out, "{choices} of {} {are} not rated by the grader: ", player.player)?;
            writeln!(out, "what they lose is a lower bound")?;
        }
    }
    Ok(())
}

/// Ratings of the players beside those that others have published.
fn write_benchmark(benchmark: &BenchmarkReport, out: &mut dyn Out) -> Outcome {
    let text = |rating: Option<&Rating>| match rating {
        Some(Rating::Measured(pr)) => format!("{:.2} ± {:.2}", pr.mean, pr.half_width()),
        Some(Rating::Published(pr)) => format!("{pr:.2}"),
        None => String::new(),
    };
    writeln!(out, "\nPR in all decisions alike, ± over {} games", benchmark.games)?;
    let mut headings = vec!["player".to_owned(), ">all".to_owned()];
    headings.extend(Plan::ALL.map(|plan| format!(">{plan}")));
    let mut table = Table::new(headings);
    let published = &benchmark.published;
    for rating in benchmark.players.iter().chain(published).chain(&benchmark.published_cubeful) {
        let plans = Plan::ALL.map(|plan| text(rating.plans.get(&plan)));
        let all = text(Some(&rating.performance_rating));
        table.row([rating.player.clone(), all].into_iter().chain(plans));
    }
    table.write(out)?;
    if !published.is_empty() {
        out.prose(
            "Rows without an interval are published: those of Open Sage were measured with the \
             cube, by its own cubeful equities; all others by its cubeless ones.",
        )?;
    }
    if benchmark.cube_positions > 0 {
        let cubes = format::plural(benchmark.cube_positions as usize, "cube position");
        let are = if benchmark.cube_positions == 1 { "is" } else { "are" };
        writeln!(out, "{cubes} of the file {are} not graded")?;
    }
    Ok(())
}

fn write_grades(player: &GradedPlayer<'_>, out: &mut dyn Out) -> Outcome {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let rmse = |pick: &dyn Fn(&Rmse) -> (f64, f64)| {
        player.equity_rmse.as_ref().map_or_else(String::new, |rmse| {
            let (rmse, error) = pick(rmse);
            format!("{rmse:.3} ± {:.3}", Z_95 * error)
        })
    };
    let loss = &player.loss;
    let total: u64 = loss.phases.iter().map(|phase| phase.decisions).sum();
    let headings =
        ["phase", ">decisions", ">in play", ">millipoints lost", ">best", ">equity RMSE"];
    let mut table = Table::new(headings);
    for (index, phase) in loss.phases.iter().enumerate() {
        table.row([
            phase_name(phase.phase),
            format::count(phase.decisions),
            percent(phase.share),
            millipoints(phase.mean),
            percent(player.best.phases[index].mean.mean),
            rmse(&|rmse| (rmse.phases[index], rmse.phases_se[index])),
        ]);
    }
    let mut all = |name: &str, loss, best: Estimate, rmse| {
        let (name, share) = (name.to_owned(), String::new());
        let (loss, best) = (millipoints(loss), percent(best.mean));
        table.row([name, format::count(total), share, loss, best, rmse]);
    };
    // A game without phases has no other means than the one that is there already.
    if loss.phases.len() > 1 {
        let of_all = rmse(&|rmse| (rmse.in_play, rmse.in_play_se));
        all("all, as in play", loss.in_play, player.best.in_play, of_all);
        let alike = rmse(&|rmse| (rmse.phases_alike, rmse.phases_alike_se));
        all("all phases alike", loss.phases_alike, player.best.phases_alike, alike);
    }
    table.write(out)?;
    let half = 500.0 * loss.in_play.half_width();
    writeln!(
        out,
        "\nPR {:.2} ± {half:.2} (500 x points lost, as in play)\n\
         ± is the 95 % interval; in play: share of all decisions; best: the best play was chosen",
        player.performance_rating
    )?;
    if let Some(GraderError { in_play, phases_alike }) = player.grader_error {
        let [in_play, alike] = [in_play, phases_alike].map(|error| 1960.0 * error);
        writeln!(
            out,
            "the grader's own standard errors, which the intervals of the losses include,\n\
             would alone make ± {in_play:.1} as in play and ± {alike:.1} with all phases alike"
        )?;
    }
    Ok(())
}

fn write_comparison(
    a: &GradedPlayer<'_>,
    b: &GradedPlayer<'_>,
    difference: &Summary,
    out: &mut dyn Out,
) -> Outcome {
    let headings = ["millipoints lost (95 % CI)", ">decisions", ">A", ">B", ">A - B"];
    let mut table = Table::new(headings);
    for ((a, b), difference) in a.loss.phases.iter().zip(&b.loss.phases).zip(&difference.phases) {
        table.row([
            phase_name(a.phase),
            format::count(a.decisions),
            millipoints(a.mean),
            millipoints(b.mean),
            signed_millipoints(difference.mean),
        ]);
    }
    let total: u64 = difference.phases.iter().map(|phase| phase.decisions).sum();
    type Pick = fn(&Summary) -> Estimate;
    let means: [(&str, Pick); 2] = [
        ("all, as in play", |summary| summary.in_play),
        ("all phases alike", |summary| summary.phases_alike),
    ];
    for (name, pick) in means.into_iter().filter(|_| difference.phases.len() > 1) {
        table.row([
            name.to_owned(),
            format::count(total),
            millipoints(pick(&a.loss)),
            millipoints(pick(&b.loss)),
            signed_millipoints(pick(difference)),
        ]);
    }
    table.write(out)?;
    let verdict = match difference.in_play {
        difference if difference.low > 0.0 => "B decides better",
        difference if difference.high < 0.0 => "A decides better",
        difference if difference.standard_error == 0.0 => "no decision differs in what it loses",
        _ => "the interval of the difference holds zero",
    };
    let [a, b] = [a.performance_rating, b.performance_rating];
    Ok(writeln!(out, "\nPR of A {a:.2}, of B {b:.2}: {verdict}")?)
}
