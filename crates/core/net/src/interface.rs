//! What the networks of a game take and give.

use tavola_rules::{Cell, Game};

use crate::arch::OUTPUTS;
use crate::encode::{Encoder, EncoderKind};
use crate::weights::{Weights, WeightsError};

/// What the networks of a game take and give: all that weights, forward pass and learner know of
/// it. Games for two make it by [`Interface::of`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The id of the game and its options.
    pub game: String,
    /// What each number of a state means.
    pub layout: &'static [Cell],
    /// Numbers of the softmax: [`OUTPUTS`] in games for two, the players in games for more.
    pub outputs: usize,
}

impl Interface {
    /// That of a game for two.
    pub fn of<G: Game>(game: &G) -> Self {
        Self { game: game.id(), layout: game.layout(), outputs: OUTPUTS }
    }

    /// The encoder of this kind.
    ///
    /// # Errors
    ///
    /// [`WeightsError::Encoder`] if it does not fit the game.
    pub fn encoder(&self, kind: EncoderKind) -> Result<Encoder, WeightsError> {
        if !kind.fits(self.layout) {
            return Err(WeightsError::Encoder { encoder: kind, game: self.game.clone() });
        }
        Ok(Encoder::new(kind, self.layout))
    }

    /// Whether the weights fit the game; gives the encoder that they were trained with.
    ///
    /// # Errors
    ///
    /// [`WeightsError`] says what does not fit.
    pub fn check(&self, weights: &Weights) -> Result<Encoder, WeightsError> {
        if weights.game != self.game {
            let (found, expected) = (weights.game.clone(), self.game.clone());
            return Err(WeightsError::OtherGame { found, expected });
        }
        weights.check_shapes()?;
        weights.check_bounds()?;
        let encoder = self.encoder_of(weights)?;
        let outputs = "number of outputs".to_owned();
        WeightsError::check_shape(outputs, weights.arch.outputs, self.outputs)?;
        Ok(encoder)
    }

    /// The encoder that the weights name, if they have its number of inputs: a file may say one
    /// encoder and have the inputs of another.
    pub(crate) fn encoder_of(&self, weights: &Weights) -> Result<Encoder, WeightsError> {
        let encoder = self.encoder(weights.encoder)?;
        let inputs = format!("number of inputs for the {} encoder", weights.encoder.name());
        WeightsError::check_shape(inputs, weights.arch.inputs, encoder.inputs())?;
        Ok(encoder)
    }
}
