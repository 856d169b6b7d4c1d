//! Who evaluates the luck of a duel.

use std::path::PathBuf;

use clap::Args;
use tavola_engine::Network;
use tavola_evaluator::{Evaluator, PlayableGame, Pruning};
use tavola_net::Weights;
use tavola_play::LuckEvaluator;
use tavola_rules::Game;

use crate::failure::Outcome;
use crate::networks;
use crate::report::warning;

/// How the pruning network thins out the results that the evaluator looks at. Between two networks
/// at 0-ply (docs/arena.md), evaluating all results takes twice as long for a quarter fewer games,
/// and evaluating the best one alone a quarter more games for a twentieth less time.
const PRUNING: Pruning = Pruning { keep: 2, within: 0.08 };

/// Who evaluates the luck.
#[derive(Debug, Args)]
pub struct LuckArgs {
    /// Weights file of the network that evaluates the luck [default: the built-in network]
    #[arg(long, alias = "luck-judge", value_name = "FILE")]
    pub luck_network: Option<PathBuf>,
    /// Leave the luck in: several times the games for the same certainty, but between two
    /// networks many more games a second
    #[arg(long, conflicts_with = "luck_network")]
    pub no_luck: bool,
}

impl LuckArgs {
    /// Whether anything was said about luck.
    pub const fn is_given(&self) -> bool {
        self.luck_network.is_some() || self.no_luck
    }
}

/// The evaluator of luck.
pub struct LoadedLuckEvaluator<G: Game> {
    evaluator: Box<dyn Evaluator<G>>,
    pruning: Option<Box<dyn Evaluator<G>>>,
    /// Everything that its evaluations depend on.
    pub identity: String,
    /// The same with what people call it.
    pub name: String,
    /// The checksum of its network.
    pub checksum: String,
}

impl<G: Game> LoadedLuckEvaluator<G> {
    /// The evaluator as a duel wants it.
    pub fn evaluator(&self) -> LuckEvaluator<'_, G> {
        let pruning = self.pruning.as_deref().map(|network| (network, PRUNING));
        LuckEvaluator { evaluator: &*self.evaluator, pruning }
    }
}

fn identity(weights: &Weights, pruning: Option<Pruning>) -> String {
    let pruned = pruning
        .map_or_else(String::new, |Pruning { keep, .. }| format!(" of {keep} results a roll"));
    format!("{}, 0-ply{pruned}", networks::version(weights))
}

/// What evaluates the luck: the network asked for, or the built-in one if it can.
pub fn of<G: PlayableGame>(args: &LuckArgs, game: &G) -> Outcome<Option<LoadedLuckEvaluator<G>>> {
    if args.no_luck {
        return Ok(None);
    }
    let file = args.luck_network.as_deref();
    let network = Network::load_for(file, &game.id())?;
    let weights = network.weights();
    if file.is_none() && game.trained_as(&weights.game).is_none() {
        warning::note(&format!(
            "no variance reduction: the built-in network can't evaluate {}; name one that can with \
             --luck-network",
            game.id()
        ));
        return Ok(None);
    }
    // A player may have been warned of the built-in network already.
    let evaluator = match file {
        Some(_) => networks::evaluator(&network, game)?,
        None => network.evaluator(game)?.0,
    };
    let pruning = Network::pruning_evaluator(game)?;
    let how = pruning.as_ref().map(|_| PRUNING);
    let identity = identity(weights, how);
    let name = format!("{}, {identity}", network.name());
    let identity = networks::pruned(identity, how);
    let checksum = weights.checksum();
    Ok(Some(LoadedLuckEvaluator { evaluator, pruning, identity, name, checksum }))
}
