//! The networks of games for more than two players: what share of all stakes each will have.

use crate::encode::Encoder;
use crate::forward::FloatLayers;
use crate::interface::Interface;
use crate::softmax::softmax;
use crate::weights::{Weights, WeightsError};

/// A network whose softmax has a number for each player: the share of all stakes that each will
/// have at the end, first that of the player whom the state is seen from, then those of the
/// players after it in turn order. Computes in 32-bit floats.
///
/// ```
/// use tavola_net::{EncoderKind, Interface, ShareNetwork, initial_weights};
/// use tavola_rules::{Backgammon, Game};
///
/// let layout = Backgammon::Standard.layout();
/// let interface = Interface { game: "trio".to_owned(), layout, outputs: 3 };
/// let weights = initial_weights(&interface, EncoderKind::OneHot, &[16], 1)?;
/// let network = ShareNetwork::new(&weights, &interface)?;
/// let shares = network.evaluate(&vec![0; layout.len()], &mut Default::default()).to_vec();
/// assert_eq!(shares.len(), 3);
/// assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-5);
/// # Ok::<(), tavola_net::WeightsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ShareNetwork {
    encoder: Encoder,
    layers: FloatLayers,
}

/// Working memory of one thread for a [`ShareNetwork`]. It fits any network.
#[derive(Clone, Debug, Default)]
pub struct ShareScratch {
    all: Vec<i8>,
    values: Vec<f32>,
    next: Vec<f32>,
}

impl ShareNetwork {
    /// Prepares weights for a game.
    ///
    /// # Errors
    ///
    /// [`WeightsError`] if the network was trained for another game or its shapes do not fit.
    pub fn new(weights: &Weights, interface: &Interface) -> Result<Self, WeightsError> {
        let encoder = interface.check(weights)?;
        let layers = FloatLayers::new(weights, &encoder);
        Ok(Self { encoder, layers })
    }

    /// The shares of the players in a state.
    ///
    /// # Shapes
    ///
    /// `cells`: `[layout]`; result: `[players]`, not negative, their sum is 1
    pub fn evaluate<'a>(&self, cells: &[i8], scratch: &'a mut ShareScratch) -> &'a [f32] {
        let ShareScratch { all, values, next } = scratch;
        self.layers.logits(self.encoder.complete(cells, all), values, next);
        softmax(values);
        values
    }
}
