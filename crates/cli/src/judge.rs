//! The network that judges on behalf of a command.

use std::path::Path;

use tavola_evaluator::NetEvaluator;
use tavola_net::Weights;
use tavola_rules::Backgammon;

use crate::builtin;
use crate::failure::{Blame, Failure, Outcome};
use crate::report::warning::Warning;

/// A network with the variant of backgammon that it was trained for.
pub struct Judge {
    /// Judges positions of every variant with as many checkers a side.
    pub evaluator: NetEvaluator<Backgammon>,
    trained_for: Backgammon,
    name: String,
}

impl Judge {
    /// The network of a weights file, or the built-in one.
    pub fn load(model: Option<&Path>) -> Outcome<Self> {
        Self::new(&load_weights(model)?, &name(model))
    }

    /// The judge that `weights` make; `name` is for messages.
    pub fn new(weights: &Weights, name: &str) -> Outcome<Self> {
        let trained_for: Backgammon = weights
            .game
            .parse()
            .or_input_in(format_args!("{name} judges a game that this command does not know"))?;
        let evaluator = NetEvaluator::new(weights, trained_for)
            .or_input_in(format_args!("cannot use {name}"))?;
        Ok(Self { evaluator, trained_for, name: name.to_owned() })
    }

    /// Whether the network may judge positions of `game`: with as many checkers a side every
    /// position of one variant can arise in the other, but a network has seen few of them.
    pub fn suits(&self, game: Backgammon) -> Result<Option<Warning>, Failure> {
        let (network, game_name) = (self.trained_for.name(), game.name());
        if self.trained_for == game {
            Ok(None)
        } else if self.trained_for.checkers() == game.checkers() {
            Ok(Some(Warning::OtherStart {
                network: network.to_owned(),
                game: game_name.to_owned(),
            }))
        } else {
            Err(Failure::input(format_args!(
                "{} was trained for {network} and can't judge {game_name}, which has {} checkers a \
                 side; name a network for it with --model",
                self.name,
                game.checkers()
            )))
        }
    }
}

/// The weights of a file, or the built-in ones, which also go by their name.
pub fn load_weights(model: Option<&Path>) -> Outcome<Weights> {
    match model {
        Some(path) if path != Path::new(builtin::NAME) => Weights::load(path).or_input(),
        _ => builtin::weights().or_work_in("the built-in network is unusable"),
    }
}

/// What messages call the network.
pub fn name(model: Option<&Path>) -> String {
    match model {
        Some(path) if path != Path::new(builtin::NAME) => path.display().to_string(),
        _ => "the built-in network".to_owned(),
    }
}

/// The first digits of the weights' checksum: enough to tell networks apart.
pub fn version(weights: &Weights) -> String {
    const DIGITS: usize = 12;
    format!("sha256 {:.DIGITS$}", weights.checksum())
}
