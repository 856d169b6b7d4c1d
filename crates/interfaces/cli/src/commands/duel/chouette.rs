//! `tavola duel --chouette`: A and B in turn around one board.

use clap::Args;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde::Serialize;
use tavola_arena::Player;
use tavola_engine::named;
use tavola_play::{CubeTerms, play_chouette};
use tavola_rules::chouette::{
    BoxPasses, Chouette, ChouetteRules, DiceOrder, Extras, FEWEST, ScoreSheet, TeamCubes,
};

use super::DuelArgs;
use super::stakes::HEADING;
use crate::failure::{Blame, Outcome};
use crate::report::table::{Out, Table};
use crate::{ask, networks};

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
    let money = terms.options().clone();
    let (game, (a, b)) = (money.start, args.names());
    let rules = ChouetteRules { cubes, box_passes, extras, money };
    let timeout = args.engine_timeout.get();
    let (mut names, mut agents) = (Vec::new(), Vec::new());
    for seat in 0..usize::from(players) {
        let (side, player) = if seat % 2 == 0 { ("A", a) } else { ("B", b) };
        let made = networks::player(Player::with_cube, player, &game, timeout)?;
        names.push(format!("{side}{}", seat / 2 + 1));
        agents.push(made.agent);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(args.seed);
    let order = DiceOrder::throw(names.len(), 6, &mut rng);
    let mut chouette = Chouette::new(rules, names, order.seats.clone()).or_input()?;
    let games = u32::try_from(args.games).unwrap_or(u32::MAX);
    play_chouette(&mut chouette, &mut agents, games, args.seed)
        .or_work_in("the chouette was not played to its end")?;
    let sheet = chouette.sheet();
    if args.output.json {
        return ask::write_json(&Answer { seed: args.seed, order: &order, sheet }, out);
    }
    let names = sheet.players.iter().map(|name| format!(">{name}"));
    let mut table =
        Table::new(["game", "box", "captain"].map(str::to_owned).into_iter().chain(names));
    for (head, points) in sheet.rows() {
        table.row(head.into_iter().chain(points.iter().map(|points| format!("{points:+}"))));
    }
    table.write(out)?;
    let of = |start: usize| sheet.accounts.iter().skip(start).step_by(2).sum::<i64>();
    writeln!(
        out,
        "\n{games} games of a chouette of {players}, seed {}: A {:+}, B {:+} points",
        args.seed,
        of(0),
        of(1)
    )?;
    Ok(())
}
