//! Who evaluates the luck of a duel.

use std::path::PathBuf;

use clap::Args;
use tavola_arena::LoadedLuckEvaluator;
use tavola_evaluator::PlayableGame;

use crate::failure::Outcome;
use crate::report::warning;

/// Who evaluates the luck.
#[derive(Debug, Args)]
pub struct LuckArgs {
    /// Weights file of the network that evaluates the luck [default: the built-in network]
    #[arg(long, value_name = "FILE")]
    pub luck_network: Option<PathBuf>,
    /// Disable variance reduction: several times the games for the same certainty, but between two
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

/// What evaluates the luck: the network of the option, or the built-in one if it can.
pub fn of<G: PlayableGame>(args: &LuckArgs, game: &G) -> Outcome<Option<LoadedLuckEvaluator<G>>> {
    if args.no_luck {
        return Ok(None);
    }
    let file = args.luck_network.as_deref();
    let found = LoadedLuckEvaluator::load(file, game)?;
    match &found {
        None => warning::note(&format!(
            "no variance reduction: the built-in network can't evaluate {}; name one that can with \
             --luck-network",
            game.id()
        )),
        // A player may have been warned of the built-in network already.
        Some(found) => {
            if let (Some(_), Some(warning)) = (file, &found.warning) {
                warning::warn(warning);
            }
        }
    }
    Ok(found)
}
