//! `tavola duel`: which of two players is stronger, and by how much.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use tavola_arena::{
    Clock, Duel, DuelError, DuelHeader, DuelSettings, DuelUnit, LoggedPair, PairFailure, PairLog,
    Sprt, Timed, Verdict,
};
use tavola_games::{AnyGame, PlayableGame};
use tavola_play::Workers;
use tavola_rules::notation::encode_position_id;
use tavola_rules::{Backgammon, Game, Position};

use self::luck::{CliLuckJudge, LuckArgs};
use self::merge::MergeArgs;
use self::player::Player;
use self::report::{Played, Session, Side};
use self::sprt::SprtArgs;
use self::stakes::StakesArgs;
use crate::args::{OutputArgs, ThreadArgs, seconds};
use crate::cancel;
use crate::failure::{Blame, Failure, Outcome};
use crate::report::format;
use crate::report::progress::DuelProgress;
use crate::report::warning;

mod cube;
pub mod luck;
mod merge;
pub mod player;
pub mod report;
pub mod sprt;
mod stakes;

/// Arguments of `duel`.
#[derive(Debug, Args)]
#[command(
    about = "Play two players against each other",
    long_about = "Play two players against each other and say which is stronger: without a cube, with \
        --cube for money, with --match at matches.\n\n\
        A and B are each one of\n  \
        default       the built-in network\n  \
        FILE          the network of a weights file\n  \
        NAME@PLY      either of these, looking so many rolls ahead (1 to 3), or with another\n  \
        \x20             preset than normal: NAME@PLY/PRESET\n  \
        NAME@0/full   the same without the pruning network, which at 0-ply, where there is no\n  \
        \x20             cube, else leaves it the best 16 results\n  \
        raw:NAME      any of these without the endgame tables, which all others consult, and at\n  \
        \x20             0-ply without the pruning network too\n  \
        random        plays at random\n  \
        pip-count     plays to lead the race (backgammon and its variants)\n  \
        rule-based    follows a few rules of thumb (the other games)\n  \
        gnubg[:PLY]   GNU Backgammon, if it is installed, 0-ply unless told otherwise\n  \
        exec:COMMAND  another engine, which docs/external-engines.md tells how to write\n\n\
        Games come in pairs on the same dice with the seats swapped, and a judge takes off the luck \
        that is left: the value of each roll less the mean over all rolls. That moves no result on \
        average, whoever judges, and makes the interval narrower between players that are near each \
        other; against random and pip-count nobody judges unless --luck-judge names somebody. The \
        answer is A's gain in points per game (ppg) with its 95 % interval.\n\n\
        With --cube the players double, take, drop and resign, and the answer is in points with the \
        cube; with --match it is A's chance to win a match.\n\n\
        With --save every pair goes to a file, with which --resume goes on after a stop or a crash; \
        `tavola duel merge` counts such files together. With --sprt the duel ends as soon as it is \
        decided between two strengths, at --games at the latest. docs/arena.md tells how.",
    after_help = "Examples:\n  \
        tavola duel default pip-count\n  \
        tavola duel default gnubg:0 --games 400 --threads 8\n  \
        tavola duel default gnubg:0 --cube --games 400 --threads 8\n  \
        tavola duel default@1 default --match 5 --games 200\n  \
        tavola duel runs/a/final.safetensors runs/b/final.safetensors --games 20000 --seed 7 --json\n  \
        tavola duel new.safetensors default --sprt 0..5 --games 200000 --save new.pairs\n  \
        tavola duel new.safetensors default --sprt 0..5 --games 200000 --resume new.pairs\n  \
        tavola duel default@1 default@1/full --start 4HPwATDgc/ABMA\n  \
        tavola duel merge part1.pairs part2.pairs --out all.pairs",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub struct DuelArgs {
    /// Count duels together.
    #[command(subcommand)]
    pub command: Option<DuelCommand>,
    /// The first player
    #[arg(value_name = "A", required = true)]
    pub a: Option<String>,
    /// The second player
    #[arg(value_name = "B", required = true)]
    pub b: Option<String>,
    /// Games to play; an even number, because games come in pairs
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(2..))]
    pub games: u64,
    /// Seed of the dice
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Number of the first pair, so that parts of a duel can be played apart and merged
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub first_pair: u64,
    /// Who judges the luck.
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
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Count the pairs of this file, play those that it lacks and write them to it
    #[arg(long, value_name = "FILE", conflicts_with = "save")]
    pub resume: Option<PathBuf>,
    /// The sequential test.
    #[command(flatten)]
    pub sprt: SprtArgs,
    /// The cube.
    #[command(flatten)]
    pub stakes: StakesArgs,
    /// Seconds that another engine may take to start, and for a play, before it counts as hung
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = seconds)]
    pub engine_timeout: f64,
    /// The game: backgammon, nackgammon, hypergammon, longgammon, tabula, puff, fallas, emperador or
    /// buffa, with options as in puff:cap=none
    #[arg(long, default_value = "backgammon")]
    pub game: AnyGame,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl DuelArgs {
    /// The players as typed.
    fn names(&self) -> (&str, &str) {
        (self.a.as_deref().unwrap_or_default(), self.b.as_deref().unwrap_or_default())
    }
}

/// What else there is to do.
#[derive(Debug, Subcommand)]
pub enum DuelCommand {
    /// Counts files of pairs together.
    Merge(MergeArgs),
}

/// Where games begin.
struct Starts<G: Game> {
    states: Vec<G::State>,
    /// The same, written so that files can be compared.
    names: Vec<String>,
}

/// Plays the duel.
pub fn run(args: &DuelArgs, out: &mut dyn Write) -> Outcome {
    if let Some(DuelCommand::Merge(merge)) = &args.command {
        return merge::run(merge, out);
    }
    if args.games % 2 == 1 || args.games < 4 {
        return Err(Failure::input(format_args!(
            "--games is {}, expected an even number from 4, because games come in pairs and the \
             spread between pairs tells how sure the result is",
            args.games
        )));
    }
    let names = args.names();
    match &args.game {
        &AnyGame::Backgammon(game) => {
            if let Some(terms) = args.stakes.terms(game)? {
                return cube::play(args, game, &terms, out);
            }
            let timeout = Duration::from_secs_f64(args.engine_timeout);
            let a = Player::new(names.0, game, timeout)?;
            let b = Player::new(names.1, game, timeout)?;
            let asked = args.luck.luck_judge.is_some() || !(a.is_baseline || b.is_baseline);
            let luck = if asked { luck::of_backgammon(&args.luck, game)? } else { None };
            play(args, &game, (a, b), luck, starts(args, game)?, out)
        }
        AnyGame::Tables(game) => {
            if args.stakes.cube || args.stakes.match_length.is_some() {
                return Err(Failure::input(format_args!(
                    "{} is played without a cube and without matches, expected backgammon or a \
                     variant of it",
                    game.id()
                )));
            }
            if !args.start.is_empty() || args.book.is_some() {
                return Err(Failure::input(format_args!(
                    "--start and --book are for backgammon and its variants, not for {}",
                    game.id()
                )));
            }
            let a = Player::of_family(names.0, game)?;
            let b = Player::of_family(names.1, game)?;
            let starts = Starts { states: Vec::new(), names: Vec::new() };
            play(args, game, (a, b), luck::of_family(&args.luck, game)?, starts, out)
        }
    }
}

/// The start positions asked for.
fn starts(args: &DuelArgs, game: Backgammon) -> Outcome<Starts<Backgammon>> {
    let parse = |text: &str| -> Outcome<Position> { game.parse_state(text).or_input() };
    let mut states = Vec::new();
    for text in &args.start {
        states.push(parse(text)?);
    }
    if let Some(path) = &args.book {
        let text = fs::read_to_string(path)
            .or_input_in(format_args!("cannot read the book {}", path.display()))?;
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                let position = game.parse(line).or_input_in(format_args!(
                    "line {} of the book {}",
                    index + 1,
                    path.display()
                ))?;
                states.push(position.position);
            }
        }
        if states.is_empty() {
            return Err(Failure::input(format_args!(
                "no position in the book {}, expected one a line",
                path.display()
            )));
        }
    }
    let names = states.iter().map(encode_position_id).collect();
    Ok(Starts { states, names })
}

/// A file of pairs, if there is one, and the pairs that it has.
type OpenLog<P> = (Option<Mutex<PairLog<P>>>, Vec<P>);

/// Opens the file of pairs that was asked for, with what is in it.
fn pair_log<P: LoggedPair>(args: &DuelArgs, header: &DuelHeader) -> Outcome<OpenLog<P>> {
    if let Some(path) = &args.save {
        let log = PairLog::create(path, header).or_input()?;
        return Ok((Some(Mutex::new(log)), Vec::new()));
    }
    let Some(path) = &args.resume else { return Ok((None, Vec::new())) };
    let (log, known) = PairLog::open(path, header)
        .or_input_in(format_args!("cannot go on with {}", path.display()))?;
    Ok((Some(Mutex::new(log)), known))
}

/// Which pairs, and how.
fn settings(args: &DuelArgs) -> DuelSettings {
    DuelSettings {
        pairs: args.games / 2,
        first: args.first_pair,
        seed: args.seed,
        ..DuelSettings::default()
    }
}

/// What the pairs of a duel without a cube depend on.
fn header(
    args: &DuelArgs,
    game: String,
    [a, b]: [&str; 2],
    luck_judge: Option<String>,
    starts: &[String],
) -> DuelHeader {
    DuelHeader {
        game,
        a: a.to_owned(),
        b: b.to_owned(),
        luck_judge,
        seed: args.seed,
        max_turns: settings(args).max_turns,
        starts: starts.to_vec(),
        terms: None,
        unit: Some(DuelUnit::Games),
    }
}

/// Plays pairs with everything around them: the file of pairs, the bar, the interrupt.
fn play_logged<P: LoggedPair, R>(
    args: &DuelArgs,
    header: &DuelHeader,
    unit: DuelUnit,
    sprt: Option<Sprt>,
    [a_clock, b_clock]: [&Clock; 2],
    play: impl FnOnce(&[P], Workers<'_>, &(dyn Fn(&P) + Sync)) -> Result<R, DuelError>,
) -> Outcome<(R, Session)> {
    let (log, known) = pair_log::<P>(args, header)?;
    let cancelled = cancel::on_interrupt("stopping after the games that are being played")?;
    let workers = Workers { threads: args.threads.count(), cancel: cancelled };
    let progress = DuelProgress::new(args.games, unit, sprt);
    known.iter().for_each(|pair| progress.pair_played(pair));
    let unwritten = Mutex::new(None);
    let games_now = Mutex::new(0_u64);
    let started = Instant::now();
    let result = play(&known, workers, &|pair: &P| {
        progress.pair_played(pair);
        *games_now.lock().unwrap_or_else(PoisonError::into_inner) += 2;
        if let Some(log) = &log
            && let Err(error) = log.lock().unwrap_or_else(PoisonError::into_inner).add(pair)
        {
            *unwritten.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            cancelled.store(true, Ordering::Relaxed);
        }
    });
    progress.finish();
    let session = Session {
        games: games_now.into_inner().unwrap_or_else(PoisonError::into_inner),
        time: started.elapsed(),
        a_thought: a_clock.elapsed(),
        b_thought: b_clock.elapsed(),
    };
    if let Some(log) = log {
        log.into_inner().unwrap_or_else(PoisonError::into_inner).sync().or_work_in("the duel")?;
    }
    if let Some(error) = unwritten.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error).or_work_in("the duel ends here");
    }
    let result = result.map_err(|error| match error {
        DuelError::Cancelled { .. } => Failure::stopped(error),
        DuelError::Failed { .. } => Failure::work(error),
        error => Failure::input(error),
    })?;
    Ok((result, session))
}

/// What is left to say when the result of so many games (or matches) is told.
fn conclude(args: &DuelArgs, games: u64, decided: bool, failures: &[PairFailure]) -> Outcome {
    for PairFailure { pair, reason } in failures {
        warning::note(&format!("pair {pair} does not count: {reason}"));
    }
    if games < args.games && (!decided || !failures.is_empty()) {
        let what = if args.stakes.match_length.is_some() { "matches" } else { "games" };
        let how_far = format!("{} of {} {what}", format::count(games), format::count(args.games));
        return Err(match failures.len() {
            0 => Failure::stopped(format_args!("stopped after {how_far}")),
            failed => Failure::work(format_args!(
                "{} failed; the result is that of {how_far}",
                format::plural(failed, "pair")
            )),
        });
    }
    Ok(())
}

/// Plays the duel of these two.
fn play<G: Game>(
    args: &DuelArgs,
    game: &G,
    (a, b): (Player<G>, Player<G>),
    luck_judge: Option<CliLuckJudge<G>>,
    starts: Starts<G>,
    out: &mut dyn Write,
) -> Outcome {
    let judge_identity = luck_judge.as_ref().map(|judge| judge.identity.clone());
    let identities = [a.identity.as_str(), b.identity.as_str()];
    let header = header(args, game.id(), identities, judge_identity, &starts.names);
    let sprt = args.sprt.test()?;
    let clocks = [&Clock::default(), &Clock::default()];
    let (timed_a, timed_b) = (Timed::new(a.agent, clocks[0]), Timed::new(b.agent, clocks[1]));
    let (result, session) =
        play_logged(args, &header, DuelUnit::Games, sprt, clocks, |known, workers, observer| {
            let duel = Duel {
                luck: luck_judge.as_ref().map(CliLuckJudge::judge),
                starts: &starts.states,
                known,
                sprt,
                ..Duel::new(game, &timed_a, &timed_b)
            };
            duel.play(&settings(args), workers, observer)
        })?;
    let (a_name, b_name) = args.names();
    let played = Played {
        result: &result,
        luck_judge: luck_judge.as_ref().map(|judge| judge.name.as_str()),
        a: Side { name: a_name, version: &a.version },
        b: Side { name: b_name, version: &b.version },
        starts: starts.states.len(),
        session: Some(session),
    };
    played.write(&args.output, out)?;
    let decided = result.sprt.is_some_and(|sprt| sprt.verdict != Verdict::Open);
    conclude(args, result.games, decided, &result.failures)
}
