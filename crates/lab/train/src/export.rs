//! From the learner to a network that plays.

use std::collections::BTreeMap;

use tavola_net::{Layer, Weights};

use crate::learner::Learner;

impl Learner {
    /// The network that learning has come to: the running mean of the weights if the settings
    /// ask for one, else the weights after the last step. `training` says how it came about, see
    /// [`Weights::training`].
    pub fn weights(&self, training: BTreeMap<String, String>) -> Weights {
        let layers = self.mean.as_ref().map_or(self.store.layers(), |mean| mean.layers());
        self.with_layers(layers.to_vec(), training)
    }

    /// These layers, in the shape of the network.
    pub(crate) fn with_layers(
        &self,
        layers: Vec<Layer>,
        training: BTreeMap<String, String>,
    ) -> Weights {
        Weights {
            game: self.game.clone(),
            encoder: self.encoder.kind(),
            arch: self.arch.clone(),
            layers,
            training,
        }
    }
}
