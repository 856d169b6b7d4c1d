//! Networks: those that are built in, and those of weights files.

use std::path::Path;
use std::sync::Arc;

use tavola_evaluator::{Evaluator, NetEvaluator, PlayableGame};
use tavola_net::Weights;

use crate::error::{EngineError, ErrorKind, Lacking, Result};
use crate::watch::Warning;

/// A value, and what its user should know of it.
pub type Warned<T> = (T, Option<Warning>);

/// The name of the built-in network.
pub const BUILT_IN: &str = "default";

/// The weights file of the built-in network.
#[cfg(not(target_family = "wasm"))]
const BYTES: &[u8] = tavola_models::DEFAULT;

/// The weights file of the built-in network: in a browser the fast one, which is a fifth to load.
#[cfg(target_family = "wasm")]
const BYTES: &[u8] = tavola_models::STUDENT;

/// The weights file of the pruning network.
const PRUNING_BYTES: &[u8] = tavola_models::PRUNE;

/// The weights files of the other games, by the game that each was trained for. What is not here
/// is evaluated by the network of backgammon, or by none. In a browser a page provides the bytes.
const OTHER_GAMES: &[(&str, Option<&[u8]>)] = tavola_models::GAMES;

/// A network with what messages call it.
#[derive(Clone, Debug)]
pub struct LoadedNetwork {
    weights: Arc<Weights>,
    name: String,
    is_built_in: bool,
}

/// The first digits of the weights' checksum: enough to tell networks apart.
pub fn version(weights: &Weights) -> String {
    const DIGITS: usize = 12;
    format!("sha256 {:.DIGITS$}", weights.checksum())
}

impl LoadedNetwork {
    /// The network of a weights file; without a file, or with the name [`BUILT_IN`], the built-in
    /// one of backgammon.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `model` if the file can't be used.
    pub fn load(file: Option<&Path>) -> Result<Self> {
        let Some(path) = file.filter(|_| !Self::is_default(file)) else {
            return Self::built_in(BYTES, "the built-in network");
        };
        let weights = Weights::load(path)
            .map_err(|error| EngineError::caused(ErrorKind::Model, "", &error))?;
        let (weights, name) = (Arc::new(weights), path.display().to_string());
        Ok(Self { weights, name, is_built_in: false })
    }

    /// As [`load`](Self::load), but the built-in network is the one for the game of this id,
    /// whatever its options, if there is one.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    pub fn load_for(file: Option<&Path>, game: &str) -> Result<Self> {
        match Self::built_in_for(file, game) {
            Some((name, Some(bytes))) => {
                Self::built_in(bytes, &format!("the built-in network of {name}"))
            }
            Some((name, None)) => Err(EngineError::new(
                ErrorKind::Model,
                format_args!(
                    "the network of {name} is not loaded, expected its weights file first"
                ),
            )),
            None => Self::load(file),
        }
    }

    /// The network of the bytes of a weights file, as one that came with the program.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `model` if they are unusable.
    pub fn provided(bytes: &[u8]) -> Result<Self> {
        let weights = Weights::from_bytes(bytes)
            .map_err(|error| EngineError::caused(ErrorKind::Model, "", &error))?;
        let name = format!("the provided network of {}", weights.game);
        Ok(Self { weights: Arc::new(weights), name, is_built_in: true })
    }

    /// The games that have a network of their own, which is built in or has to be provided.
    pub fn games() -> impl Iterator<Item = &'static str> {
        OTHER_GAMES.iter().map(|(name, _)| *name)
    }

    /// Whether this names the network that came with the program.
    pub(crate) fn is_default(file: Option<&Path>) -> bool {
        file.is_none_or(|path| path == Path::new(BUILT_IN))
    }

    /// The game whose built-in network [`load_for`](Self::load_for) loads; `None` for backgammon's
    /// and for files.
    pub(crate) fn other_game(file: Option<&Path>, game: &str) -> Option<&'static str> {
        Self::built_in_for(file, game).map(|(name, _)| name)
    }

    fn built_in_for(
        file: Option<&Path>,
        game: &str,
    ) -> Option<(&'static str, Option<&'static [u8]>)> {
        let (is_default, game) = (Self::is_default(file), Self::without_options(game));
        OTHER_GAMES.iter().copied().find(|(name, _)| is_default && *name == game)
    }

    /// The name in the id of a game, whose network evaluates it with other options too.
    pub(crate) fn without_options(id: &str) -> &str {
        id.split_once(':').map_or(id, |(name, _)| name)
    }

    /// The small built-in network that prunes the candidates inside a search.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if the program was built from an unusable file.
    pub fn pruning() -> Result<Self> {
        Self::built_in(PRUNING_BYTES, "the built-in pruning network")
    }

    fn built_in(bytes: &[u8], name: &str) -> Result<Self> {
        let weights = Weights::from_bytes(bytes).map_err(|error| {
            EngineError::caused(ErrorKind::Internal, format!("{name} is unusable"), &error)
        })?;
        Ok(Self { weights: Arc::new(weights), name: name.to_owned(), is_built_in: true })
    }

    /// The weights.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The first digits of the checksum of its weights: enough to tell networks apart.
    pub fn version(&self) -> String {
        version(&self.weights)
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it came with the program.
    pub const fn is_built_in(&self) -> bool {
        self.is_built_in
    }

    /// The evaluator of positions of `game`, with a warning if the network was trained for another
    /// variant or other options, or if no network is built in and the simple player evaluates.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `model` if a network that was named knows nothing of this game.
    pub fn evaluator<G: PlayableGame>(&self, game: &G) -> Result<Warned<Box<dyn Evaluator<G>>>> {
        let id = game.id();
        let network = self.weights.game.clone();
        let Some(trained) = game.trained_as(&network) else {
            if self.is_built_in {
                let warning = Warning::NoNetwork { game: id, player: G::BASELINE };
                return Ok((game.baseline(), Some(warning)));
            }
            let message = format!(
                "{} was trained for {network} and can't evaluate {id}, expected a network for it",
                self.name
            );
            return Err(EngineError::new(ErrorKind::Model, message).lacking(Lacking::Network));
        };
        let evaluator = NetEvaluator::new(&self.weights, trained).map_err(|error| {
            EngineError::caused(ErrorKind::Model, format!("cannot use {}", self.name), &error)
        })?;
        // There it is stronger than networks of their own (docs/games/README.md).
        let is_measured = self.is_built_in && matches!(&id[..], "nackgammon" | "longgammon");
        let warning =
            (network != id && !is_measured).then_some(Warning::OtherGame { network, game: id });
        Ok((Box::new(evaluator.by_rules_of(game.clone())), warning))
    }

    /// The pruning network as an evaluator of `game`; `None` for games that it was not trained for.
    /// It serves all variants with as many checkers.
    ///
    /// # Errors
    ///
    /// As [`pruning`](Self::pruning).
    pub fn pruning_evaluator<G: PlayableGame>(game: &G) -> Result<Option<Box<dyn Evaluator<G>>>> {
        let network = Self::pruning()?;
        if game.trained_as(&network.weights.game).is_none() {
            return Ok(None);
        }
        network.evaluator(game).map(|(evaluator, _)| Some(evaluator))
    }
}
