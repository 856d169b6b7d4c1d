//! Networks and bear-off databases for commands that play.

use std::path::Path;

use tavola_bearoff::{Store, Tables};
use tavola_engine::{BUILT_IN, Network, Warning};
use tavola_evaluator::{Evaluator, PlayableGame, Pruning};
use tavola_games::AnyGame;
use tavola_net::Weights;

use crate::args::TableArgs;
use crate::failure::{Blame, Outcome};
use crate::report::progress::TableProgress;
use crate::report::warning::warn;

/// The evaluator of positions of `game`, with a warning if the network was trained for a variant
/// with another start.
pub fn evaluator<G: PlayableGame>(network: &Network, game: &G) -> Outcome<Box<dyn Evaluator<G>>> {
    let (evaluator, trained) = network.evaluator(game)?;
    if trained.id() != game.id() {
        warn(&Warning::OtherStart { network: trained.id(), game: game.id() });
    }
    Ok(evaluator)
}

/// The game that is named, or else the one that the network was trained for.
pub fn game(asked: Option<&AnyGame>, network: &Network) -> Outcome<AnyGame> {
    let trained = || {
        let unknown = format!("{} evaluates a game that is not known", network.name());
        network.weights().game.parse().or_input_in(unknown)
    };
    asked.cloned().map_or_else(trained, Ok)
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
    let progress = TableProgress::new();
    let (tables, warnings) = Store::of_user().load_all(&|so_far| progress.generated(&so_far));
    progress.finish();
    for warning in warnings {
        warn(&tavola_files::chain(&warning));
    }
    tables
}

/// `identity` with what tells one way to prune from others, if there is one: the built-in network
/// that does it, and what it leaves.
pub fn pruned(identity: String, how: Option<Pruning>) -> String {
    let Some(Pruning { keep, within }) = how else { return identity };
    let network = Network::pruning().map(|network| version(network.weights())).unwrap_or_default();
    format!("{identity}, pruned to {keep} within {within} by {network}")
}

/// What messages call the network.
pub fn name(model: Option<&Path>) -> String {
    match model {
        Some(path) if path != Path::new(BUILT_IN) => path.display().to_string(),
        _ => "the built-in network".to_owned(),
    }
}

/// The first digits of the weights' checksum: enough to tell networks apart.
pub fn version(weights: &Weights) -> String {
    const DIGITS: usize = 12;
    format!("sha256 {:.DIGITS$}", weights.checksum())
}
