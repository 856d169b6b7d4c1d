//! From the learner to a network that plays.

use std::collections::BTreeMap;

use tavola_net::Weights;

use crate::learner::Learner;

impl Learner {
    /// The network as it is now. `training` says how it came about, see [`Weights::training`].
    pub fn weights(&self, training: BTreeMap<String, String>) -> Weights {
        Weights {
            game: self.game.clone(),
            encoder: self.encoder.kind(),
            arch: self.arch.clone(),
            layers: self.home.layers(),
            training,
        }
    }
}
