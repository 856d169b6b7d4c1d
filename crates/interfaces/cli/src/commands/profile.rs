//! `tavola profile`: what a network does, and how it differs from another.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use tavola_arena::profile::{ProfileReport, ProfileSettings, ProfiledNetwork};
use tavola_engine::BUILT_IN;
use tavola_games::AnyGame;

use crate::args::{OutputArgs, ThreadArgs, example, game};
use crate::failure::{Failure, Outcome};
use crate::networks::{self, NOT_COUNTED};
use crate::outputs::{Content, OutputFile, writes};
use crate::report::format;
use crate::report::provenance::Provenance;
use crate::report::table::Out;

/// Show what a network does, or where two differ, as a page.
///
/// The networks play against themselves and against each other, 0-ply and without a cube. The page
/// has their opening plays and replies side by side, how long their games are and how they are won,
/// by phase of the game how far they are apart, and the positions in which they are furthest apart,
/// with boards: in what to play and in what the position is worth. It is one HTML file that needs
/// no other.
///
/// A and B are weights files, or `default` for the built-in network. The same seed gives the same
/// page on any number of threads.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola profile default --out profile.html\n  \
         tavola profile runs/mine/final.safetensors default --games 4000 --out mine.html\n  \
         tavola profile tabula.safetensors --json --games 500"
    )
)]
pub struct ProfileArgs {
    /// The network: a weights file, or `default`
    #[arg(value_name = "A")]
    pub a: String,
    /// The network that it is compared with
    #[arg(value_name = "B")]
    pub b: Option<String>,
    /// The game, with options as in puff:cap=none [default: the game of A]
    #[arg(long, value_parser = game())]
    pub game: Option<AnyGame>,
    /// Games of each network against itself, and of both against each other; an even number
    #[arg(long, short = 'n', value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(4..=10_000_000))]
    pub games: u64,
    /// Seed of the dice
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Positions to show of each phase and kind of disagreement
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=20))]
    pub positions: u8,
    /// The page to write
    #[arg(long, short = 'o', value_name = "FILE", required_unless_present = "json",
          value_parser = writes(Content::Page))]
    pub out: Option<OutputFile>,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Gathers the profile and writes it.
pub fn run(args: &ProfileArgs, out: &mut dyn Out) -> Outcome {
    if args.games % 2 == 1 {
        return Err(Failure::input(format_args!(
            "--games is {}, expected an even number, because games against each other come in pairs",
            args.games
        )));
    }
    let (first, game) = load(&args.a, args.game.as_ref())?;
    let second = args.b.as_ref().map(|b| load(b, Some(&game))).transpose()?.map(|(b, _)| b);
    let ProfileArgs { games, seed, positions, .. } = *args;
    let settings = ProfileSettings { games, seed, per_phase: positions.into() };
    let threads = args.threads.count();
    let report = networks::run_job(NOT_COUNTED, threads, Duration::ZERO, |job, _| {
        ProfileReport::of(&game, (&first, second.as_ref()), command(args), &settings, job)
    })?;
    if let Some(file) = &args.out {
        file.write(report.page().as_bytes())?;
    }
    if args.output.json {
        let networks = [Some(first), second].into_iter().flatten();
        let checksums = networks.map(|one| (one.name, one.network.weights().checksum()));
        return Provenance::of(threads, checksums).write_json(&report, out).map(drop);
    }
    report.document().write(out)?;
    if let Some(page) = args.out.as_deref() {
        writeln!(out, "\npage  {}", page.display())?;
    }
    Ok(())
}

/// The network and the game that is named, or else the one that it was trained for.
fn load<'a>(name: &'a str, game: Option<&AnyGame>) -> Outcome<(ProfiledNetwork<'a>, AnyGame)> {
    let path = Path::new(name);
    if name != BUILT_IN && !path.exists() {
        return Err(Failure::input(format_args!(
            "unknown network {name:?}, expected {BUILT_IN} or a weights file; a profile is of \
             networks alone, at 0-ply"
        )));
    }
    let (network, game) = networks::network_and_game(Some(path), game)?;
    Ok((ProfiledNetwork { name, network }, game))
}

/// The command that makes this profile again.
fn command(args: &ProfileArgs) -> String {
    let ProfileArgs { a, b, game, games, seed, positions, out, .. } = args;
    let options = [
        ("--game", game.as_ref().map(AnyGame::id)),
        ("--games", Some(games.to_string())),
        ("--seed", Some(seed.to_string())),
        ("--positions", Some(positions.to_string())),
        ("--out", out.as_deref().map(|path| path.display().to_string())),
    ];
    let mut command = "tavola profile".to_owned();
    for network in [Some(a), b.as_ref()].into_iter().flatten() {
        command += &format!(" {}", format::shell_word(network));
    }
    for (option, value) in options {
        command.extend(value.map(|value| format!(" {option} {}", format::shell_word(value))));
    }
    command
}
