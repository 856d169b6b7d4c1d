//! Networks and bear-off databases for commands that play.

use std::path::Path;
use std::time::Duration;

use tavola_arena::{Player, PlayerContext, PlayerError};
use tavola_bearoff::{Store, Tables};
use tavola_engine::{BUILT_IN, Network, Warning};
use tavola_evaluator::{Evaluator, PlayableGame};
use tavola_games::AnyGame;
use tavola_net::Weights;

use crate::args::TableArgs;
use crate::failure::{Blame, Failure, Outcome, option_of};
use crate::report::progress::TableProgress;
use crate::report::warning::warn;
pub use tavola_arena::player::version;

/// The evaluator of positions of `game`, with a warning if the network was trained for another one.
pub fn evaluator<G: PlayableGame>(network: &Network, game: &G) -> Outcome<Box<dyn Evaluator<G>>> {
    let (evaluator, warning) = network.evaluator(game)?;
    warning.iter().for_each(warn_of);
    Ok(evaluator)
}

/// Warns as the engine does, with the option that would help.
pub fn warn_of(warning: &Warning) {
    match warning.lacks() {
        None => warn(warning),
        Some(lacking) => warn(&format_args!("{warning}; {} names another", option_of(lacking))),
    }
}

/// The network of a weights file, or the built-in one of the game that is named, and this game; or
/// else the game that the network was trained for.
pub fn network_and_game(
    model: Option<&Path>,
    asked: Option<&AnyGame>,
) -> Outcome<(Network, AnyGame)> {
    if let Some(game) = asked {
        return Ok((Network::load_for(model, &game.id())?, game.clone()));
    }
    let network = Network::load(model)?;
    let unknown = format!("{} evaluates a game that is not known", network.name());
    let game = network.weights().game.parse().or_input_in(unknown)?;
    Ok((network, game))
}

/// How a player is made, with a cube or without.
pub type MakePlayer<G> = fn(&str, &G, &PlayerContext<'_>) -> Result<Player<G>, PlayerError>;

/// The player that `name` stands for; engines count as hung after `timeout`.
pub fn player<G: PlayableGame>(
    make: MakePlayer<G>,
    name: &str,
    game: &G,
    timeout: Duration,
) -> Outcome<Player<G>> {
    let progress = TableProgress::default();
    let context =
        PlayerContext { timeout, progress: &|so_far| progress.generated(&so_far), warn: &warn };
    make(name, game, &context).map_err(|error| match &error {
        PlayerError::OtherGame { found, .. } => {
            Failure::input(format_args!("{error}; add --game {found}"))
        }
        _ => Failure::input(tavola_files::chain(&error)),
    })
}

/// The weights of a file, or the built-in ones, which also go by their name.
pub fn load_weights(model: Option<&Path>) -> Outcome<Weights> {
    Ok(Network::load(model)?.weights().clone())
}

/// The bear-off databases of the user, generated with a bar if they are not there yet.
pub fn load_tables(args: &TableArgs) -> Tables {
    if args.no_tables {
        return Tables::default();
    }
    let progress = TableProgress::default();
    let (tables, warnings) = Store::of_user().load_all(&|so_far| progress.generated(&so_far));
    progress.finish();
    for warning in warnings {
        warn(&tavola_files::chain(&warning));
    }
    tables
}

/// What messages call the network.
pub fn name(model: Option<&Path>) -> String {
    match model {
        Some(path) if path != Path::new(BUILT_IN) => path.display().to_string(),
        _ => "the built-in network".to_owned(),
    }
}
