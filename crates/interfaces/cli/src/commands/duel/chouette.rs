//! `tavola duel --chouette`: A and B in turn around one board.

use clap::Args;
use serde::Serialize;
use tavola_arena::ChouetteJob;
use tavola_engine::named;
use tavola_play::CubeTerms;
use tavola_rules::chouette::{
    BoxPasses, ChouetteRules, DiceOrder, Extras, FEWEST, ScoreSheet, TeamCubes,
};

use super::DuelArgs;
use super::stakes::HEADING;
use crate::failure::Outcome;
use crate::networks::{self, NOT_COUNTED};
use crate::report::table::{Out, Table};

/// A chouette in place of games for two.
#[derive(Debug, Args)]
pub struct ChouetteArgs {
    /// Play a chouette of this many players for money, A and B in alternate seats
    #[arg(
        long,
        value_name = "PLAYERS",
        value_parser = clap::value_parser!(u8).range(FEWEST as i64..=20),
        conflicts_with_all = ["first_pair", "luck_network", "no_luck", "start", "book", "save",
            "resume", "save_games", "sprt", "fleet", "threads"],
        requires = "cube",
        help_heading = HEADING
    )]
    pub chouette: Option<u8>,
    /// What it is played by.
    #[command(flatten)]
    pub table: ChouetteTerms,
}

/// What a chouette is played by.
#[derive(Debug, Args)]
pub struct ChouetteTerms {
    /// Cubes of a chouette: one for the team, or each member has one
    #[arg(long, value_name = "CUBES", default_value_t, requires = "chouette", value_parser = named::<TeamCubes>(), help_heading = "In a chouette")]
    pub cubes: TeamCubes,
    /// Whether the box stays by the last game at the board or by its balance
    #[arg(long, value_name = "RULE", default_value_t, requires = "chouette", value_parser = named::<BoxPasses>(), help_heading = "In a chouette")]
    pub box_passes: BoxPasses,
    /// Whether those who drop may bet against a lone taker
    #[arg(long, value_name = "RULE", default_value_t, requires = "chouette", value_parser = named::<Extras>(), help_heading = "In a chouette")]
    pub extras: Extras,
}

/// The answer as JSON.
#[derive(Serialize)]
struct Answer<'a> {
    seed: u64,
    order: &'a DiceOrder,
    sheet: ScoreSheet<'a>,
}

/// Plays and settles.
pub fn run(args: &DuelArgs, players: u8, terms: &CubeTerms, out: &mut dyn Out) -> Outcome {
    let ChouetteTerms { cubes, box_passes, extras } = args.chouette.table;
    let games = u32::try_from(args.games).unwrap_or(u32::MAX);
    let job = ChouetteJob {
        rules: ChouetteRules { cubes, box_passes, extras, money: terms.options().clone() },
        players: args.names(),
        seats: players,
        games,
        seed: args.seed,
    };
    let (threads, timeout) = (args.threads.count(), args.engine_timeout.get());
    let (order, chouette) =
        networks::run_job(NOT_COUNTED, threads, timeout, |context, _| job.run(context))?;
    let sheet = chouette.sheet();
    let answer = Answer { seed: args.seed, order: &order, sheet: chouette.sheet() };
    if args.output.answered(&answer, out)? {
        return Ok(());
    }
    let names = sheet.players.iter().map(|name| format!(">{name}"));
    let headings = ["game", "box", "captain"].map(str::to_owned).into_iter().chain(names);
    let rows = sheet.rows().into_iter().map(|(head, points)| {
        head.into_iter().chain(points.iter().map(|points| format!("{points:+}")))
    });
    Table::of(headings, rows).write(out)?;
    let of = |start: usize| sheet.accounts.iter().skip(start).step_by(2).sum::<i64>();
    let (a, b, seed) = (of(0), of(1), args.seed);
    write!(out, "\n{games} games of a chouette of {players}, seed {seed}: ")?;
    Ok(writeln!(out, "A {a:+}, B {b:+} points")?)
}
