//! Who evaluates the luck of a duel.

use std::path::PathBuf;

use clap::Args;
use tavola_arena::LuckNetwork;

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
    /// The network that is named.
    pub fn network(&self) -> LuckNetwork<'_> {
        match &self.luck_network {
            Some(path) => LuckNetwork::File(path),
            None if self.no_luck => LuckNetwork::Off,
            None => LuckNetwork::BuiltIn,
        }
    }

    /// Whether anything was said about luck.
    pub const fn is_given(&self) -> bool {
        self.luck_network.is_some() || self.no_luck
    }
}
