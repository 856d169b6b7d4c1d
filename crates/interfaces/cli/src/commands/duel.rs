//! `tavola duel`: which of two players is stronger, and by how much.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use tavola_arena::{
    DuelJob, DuelReport, DuelResult, DuelSettings, KeptPairs, PairFailure, SprtVerdict,
    without_cube,
};
use tavola_engine::time_limit;
use tavola_games::many::AnyManyGame;
use tavola_games::{AnyGame, NamedGame};
use tavola_play::{CubeTerms, DuelUnit, Format};
use tavola_rules::Backgammon;

use self::chouette::ChouetteArgs;
use self::luck::LuckArgs;
use self::merge::MergeArgs;
use self::sprt::SprtArgs;
use self::stakes::StakesArgs;
use crate::args::{EngineTimeout, FleetArgs, FormArgs, ThreadArgs, any_game, on_fleet};
use crate::failure::{Blame, Failure, Outcome, refuse_given};
use crate::networks::{self, NOT_COUNTED};
use crate::outputs::{Content, OutputFile, writes};
use crate::report::format;
use crate::report::progress::DuelProgress;
use crate::report::provenance::Provenance;
use crate::report::table::Out;
use crate::report::warning;

pub mod chouette;
pub mod luck;
mod many;
mod merge;
mod relative;
pub mod report;
pub mod sprt;
mod stakes;

/// Arguments of `duel`.
#[derive(Debug, Args)]
#[command(
    about = "Play two players against each other",
    long_about = "Play two players against each other and say which is stronger: without a cube, with \
        --cube for money, with --match at matches. With several players after A, A plays each of \
        them on the same dice, and a table says how far each is from A and from the next. \
        A and B are players as `tavola help players` lists them.\n\n\
        Games come in pairs on the same dice with the seats swapped. Variance reduction subtracts the \
        luck that is left: the value of each roll less the mean over all rolls. It narrows the \
        interval between players of similar strength; \
        duels with random, pip-count and rule-based go without unless --luck-network names a network. \
        The answer is A's gain in points per game (ppg) with its 95 % interval, and from 30 pairs on \
        a verdict.\n\n\
        With --cube the players double, take, drop and resign, and the answer is in points with the \
        cube; with --match it is A's probability to win a match. --cube --chouette 5 plays --games \
        of a chouette of five, A and B in alternate seats, and prints its score sheet.\n\n\
        With --save every pair goes to a file, with which --resume continues after a stop or a crash; \
        `tavola duel merge` merges such files. With --sprt the duel ends as soon as it is \
        decided between two strengths, at --games at the latest. See docs/arena.md.",
    after_help = "Examples:\n  \
        tavola duel default pip-count\n  \
        tavola duel default gnubg:0 --games 400 --threads 8\n  \
        tavola duel default models/small.safetensors default@1 pip-count --games 400\n  \
        tavola duel default gnubg:0 --cube --games 400 --threads 8\n  \
        tavola duel default@1 sage:2ply --games 400\n  \
        tavola duel default@1 default --match 5 --games 200\n  \
        tavola duel runs/a/final.safetensors runs/b/final.safetensors --games 20000 --seed 7 --json\n  \
        tavola duel new.safetensors default --sprt 0..5 --games 200000 --save new.pairs\n  \
        tavola duel new.safetensors default --sprt 0..5 --games 200000 --resume new.pairs\n  \
        tavola duel default gnubg --games 10 --save-games games.txt\n  \
        tavola duel default@1 default@1/full --start 4HPwATDgc/ABMA\n  \
        tavola duel merge part1.pairs part2.pairs --out all.pairs",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub struct DuelArgs {
    /// Merge duels.
    #[command(subcommand)]
    pub command: Option<DuelCommand>,
    /// The first player
    #[arg(value_name = "A", required = true)]
    pub a: Option<String>,
    /// The second player; with several, A plays each of them, and one table compares all
    #[arg(value_name = "B", required = true, num_args = 1..)]
    pub b: Vec<String>,
    /// Games to play; an even number from 4, because games come in pairs
    #[arg(long, short = 'n', value_name = "N", default_value_t = 2000, value_parser = games, allow_negative_numbers = true)]
    pub games: u64,
    /// Seed of the dice
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Number of the first pair, so that parts of a duel can be played apart and merged
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub first_pair: u64,
    /// Variance reduction.
    #[command(flatten)]
    pub luck: LuckArgs,
    /// Begin in this position, in any notation that carries one; may be given several times, then
    /// pairs begin in them in turn
    #[arg(long, value_name = "POSITION")]
    pub start: Vec<String>,
    /// Begin in the positions of this file, one a line; lines that begin with # are comments
    #[arg(long, value_name = "FILE", conflicts_with = "start")]
    pub book: Option<PathBuf>,
    /// Write every pair to this new file as it is played
    #[arg(long, value_name = "FILE", value_parser = writes(Content::Pairs))]
    pub save: Option<OutputFile>,
    /// Count the pairs of this file, play those that it lacks and write them to it
    #[arg(long, value_name = "FILE", conflicts_with = "save")]
    pub resume: Option<PathBuf>,
    /// Write the games of every pair to this file as readable text: dice, plays, actions with the
    /// cube, results. With --resume the file may exist, and pairs that it lacks are played again
    #[arg(long, value_name = "FILE", conflicts_with = "fleet",
          value_parser = writes(Content::DuelGames))]
    pub save_games: Option<OutputFile>,
    /// The sequential test.
    #[command(flatten)]
    pub sprt: SprtArgs,
    /// The cube.
    #[command(flatten)]
    pub stakes: StakesArgs,
    /// A chouette.
    #[command(flatten)]
    pub chouette: ChouetteArgs,
    /// Processor time that a decision of a network takes on average, such as 28ms: as deep as that
    /// allows, then rollouts of close plays; the report has the time of both sides
    #[arg(long, value_name = "TIME", value_parser = time_limit, conflicts_with_all = ["fleet", "chouette"])]
    pub time_per_decision: Option<Duration>,
    /// Time of other engines.
    #[command(flatten)]
    pub engine_timeout: EngineTimeout,
    /// The game, with options as in puff:cap=none; in four-seasons and astronomy A has every seat in
    /// turn among copies of B, on the same dice in each
    #[arg(long, default_value = "backgammon", value_parser = any_game())]
    pub game: NamedGame,
    /// The fleet that plays the pairs.
    #[command(flatten)]
    pub remote: FleetArgs,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Text, JSON, CSV or Markdown.
    #[command(flatten)]
    pub output: FormArgs,
}

impl DuelArgs {
    /// The players as typed.
    fn names(&self) -> [&str; 2] {
        let b = self.b.first().map_or("", String::as_str);
        [self.a.as_deref().unwrap_or_default(), b]
    }

    /// What is played for with a cube.
    fn terms(&self, game: &AnyGame) -> Outcome<CubeTerms> {
        self.stakes.terms(game.backgammon().ok_or_else(|| without_cube(game))?)
    }
}

/// What is done with the report of a duel.
type Show<'a> = &'a mut dyn FnMut(&DuelReport, &Provenance) -> Outcome;

/// A number of games.
fn games(text: &str) -> Result<u64, &'static str> {
    text.parse().ok().filter(|games| games % 2 == 0 && *games >= 4).ok_or(
        "expected an even number from 4, because games come in pairs and the spread between pairs \
         tells how sure the result is",
    )
}

/// What else there is to do.
#[derive(Debug, Subcommand)]
pub enum DuelCommand {
    /// Merge pair files.
    Merge(MergeArgs),
}

/// Plays the duel.
pub fn run(args: &DuelArgs, out: &mut dyn Out) -> Outcome {
    if let Some(DuelCommand::Merge(merge)) = &args.command {
        return merge::run(merge, out);
    }
    if args.b.len() > 1 {
        return relative::run(args, out);
    }
    if let Some(game) = args.game.many() {
        return in_every_seat(args, game, out);
    }
    if let Some(players) = args.chouette.chouette {
        let terms = args.terms(args.game.two().or_input()?)?;
        return chouette::run(args, players, &terms, out);
    }
    one(args, args.names()[1], &mut |played, provenance| {
        report::write(played, provenance, &args.output, out)
    })
}

/// The duel of A and this player.
fn one(args: &DuelArgs, b: &str, show: Show<'_>) -> Outcome {
    let game = args.game.two().or_input()?;
    let terms = args.stakes.has_cube().then(|| args.terms(game)).transpose()?;
    let unit = terms.as_ref().map_or(DuelUnit::Games, Format::<Backgammon>::unit);
    if unit == DuelUnit::Matches {
        if !args.start.is_empty() || args.book.is_some() {
            return Err(Failure::input(
                "--start and --book are for games, but --match plays matches from their start",
            ));
        }
        if args.sprt.sprt.is_some() {
            return Err(Failure::input(
                "--sprt tests points per game, which --match does not count; expected --cube or \
                 neither",
            ));
        }
    }
    let fleet = args.remote.connect(None)?;
    let duel = DuelJob {
        game,
        players: [args.names()[0], b],
        cube: terms.as_ref().map(|terms| (terms, args.stakes.met.as_str())),
        time_per_decision: args.time_per_decision,
        luck: args.luck.network(),
        starts: &args.start,
        book: args.book.as_deref(),
        settings: DuelSettings {
            pairs: args.games / 2,
            first: args.first_pair,
            seed: args.seed,
            ..DuelSettings::default()
        },
        sprt: args.sprt.test()?,
        pairs: match (&args.save, &args.resume) {
            (Some(path), _) => KeptPairs::New(path),
            (None, Some(path)) => KeptPairs::Resumed(path),
            (None, None) => KeptPairs::Nowhere,
        },
        games: args.save_games.as_deref(),
        on_fleet: on_fleet(&fleet),
    };
    if args.resume.is_none() {
        [&args.save, &args.save_games].into_iter().flatten().try_for_each(OutputFile::make_room)?;
    }
    let progress = DuelProgress::new(unit, duel.sprt);
    let (threads, timeout) = (args.threads.count(), args.engine_timeout.get());
    let played = networks::run_job(NOT_COUNTED, threads, timeout, |job, stages| {
        duel.run(job, &|pair| progress.pair_played(pair, stages))
    })?;
    if played.result.corrected.is_some() && duel.pairs != KeptPairs::Nowhere {
        warning::note("pairs of an excluded worker were corrected in the file");
    }
    let networks = played.networks.iter().map(|(name, sha256)| (name.as_str(), sha256.clone()));
    show(&played, &Provenance::of(threads, networks))?;
    conclude(args, &played.result)
}

/// The duel in a game for more than two players: rounds of games, A in every seat.
fn in_every_seat(args: &DuelArgs, game: AnyManyGame, out: &mut dyn Out) -> Outcome {
    let given = [
        ("--first-pair", args.first_pair > 0),
        ("--time-per-decision", args.time_per_decision.is_some()),
        ("--luck-network or --no-luck", args.luck.is_given()),
        ("--start or --book", !args.start.is_empty() || args.book.is_some()),
        ("--save or --resume", args.save.is_some() || args.resume.is_some()),
        ("--save-games", args.save_games.is_some()),
        ("--sprt", args.sprt.sprt.is_some()),
        ("--csv", args.output.csv.is_some()),
        ("--markdown", args.output.markdown),
        ("cube or match", args.stakes.has_cube()),
    ];
    refuse_given(given, |name| {
        format!(
            "{game} is for more than two players, where a duel knows no {name}, expected --games, \
             --seed, --threads and --json alone"
        )
    })?;
    many::run(args, game, out)
}

/// What is left to say when the result is told.
fn conclude(args: &DuelArgs, result: &DuelResult) -> Outcome {
    for PairFailure { pair, reason } in &result.failures {
        warning::note(&format!("pair {pair} does not count: {reason}"));
    }
    let decided = result.sprt.is_some_and(|sprt| sprt.verdict != SprtVerdict::Open);
    if result.played() < args.games && (!decided || !result.failures.is_empty()) {
        let (played, asked) = (format::count(result.played()), format::count(args.games));
        let how_far = format!("{played} of {asked} {}", result.unit.plural());
        return Err(match result.failures.len() {
            0 => Failure::stopped(format_args!("stopped after {how_far}")),
            failed => Failure::work(format_args!(
                "{} failed; the result is that of {how_far}",
                format::plural(failed, "pair")
            )),
        });
    }
    Ok(())
}
