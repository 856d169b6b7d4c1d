//! Who evaluates the luck of a duel.

use std::path::{Path, PathBuf};

use tavola_engine::{EngineError, LoadedNetwork, Warning};
use tavola_evaluator::{Evaluator, PlayableGame, Pruning};
use tavola_files::Failure;
use tavola_play::LuckEvaluator;
use tavola_rules::Game;

use crate::job::{JobContext, JobWarning};
use crate::strength::player::{pruned, version};

/// How the pruning network thins out the results that the evaluator looks at. Between two networks
/// at 0-ply (docs/arena.md), evaluating all results takes twice as long for a quarter fewer games,
/// and evaluating the best one alone a quarter more games for a twentieth less time.
const PRUNING: Pruning = Pruning { keep: 2, within: 0.08 };

/// What evaluates the luck of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LuckNetwork<'a> {
    /// The built-in network of the game, except where a player is a baseline.
    #[default]
    BuiltIn,
    /// The network of a weights file.
    File(&'a Path),
    /// Nothing: there is no variance reduction.
    Off,
}

impl LuckNetwork<'_> {
    /// The evaluator; `None` if there is to be none, or the built-in network can't evaluate the
    /// game, which is a warning.
    pub(crate) fn load<G: PlayableGame>(
        self,
        game: &G,
        job: &JobContext<'_>,
    ) -> Result<Option<LoadedLuckEvaluator<G>>, Failure> {
        let file = match self {
            Self::BuiltIn => None,
            Self::File(path) => Some(path),
            Self::Off => return Ok(None),
        };
        let found = LoadedLuckEvaluator::load(file, game)?;
        match &found {
            None => (job.warn)(&JobWarning::NoLuck { game: game.id() }),
            // A player may have been warned of the built-in network already.
            Some(found) => {
                if let (Some(_), Some(warning)) = (file, &found.warning) {
                    (job.players.warn)(warning);
                }
            }
        }
        Ok(found)
    }
}

/// The evaluator of luck.
pub struct LoadedLuckEvaluator<G: Game> {
    evaluator: Box<dyn Evaluator<G>>,
    pruning: Option<Box<dyn Evaluator<G>>>,
    /// Everything that its evaluations depend on.
    pub identity: String,
    /// Its identity with what people call it.
    pub name: String,
    /// The checksum of its network.
    pub checksum: String,
    /// What a user should know of the network.
    pub warning: Option<Warning>,
    /// The weights file; `None` is the built-in network.
    pub(crate) file: Option<PathBuf>,
}

impl<G: PlayableGame> LoadedLuckEvaluator<G> {
    /// The network of a weights file, or without one the built-in network; `None` if that can't
    /// evaluate the game.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if the network can't be used.
    pub fn load(file: Option<&Path>, game: &G) -> Result<Option<Self>, EngineError> {
        let network = LoadedNetwork::load_for(file, &game.id())?;
        let weights = network.weights();
        if file.is_none() && game.trained_as(&weights.game).is_none() {
            return Ok(None);
        }
        let (evaluator, warning) = network.evaluator(game)?;
        let pruning = LoadedNetwork::pruning_evaluator(game)?;
        let how = pruning.as_ref().map(|_| PRUNING);
        let pruned_to = how.map_or_else(String::new, |Pruning { keep, .. }| {
            format!(" of {keep} afterstates a roll")
        });
        let identity = format!("{}, 0-ply{pruned_to}", version(weights));
        let name = format!("{}, {identity}", network.name());
        let (identity, checksum) = (pruned(identity, how), weights.checksum());
        let file = file.map(Path::to_owned);
        Ok(Some(Self { evaluator, pruning, identity, name, checksum, warning, file }))
    }

    /// The evaluator as a duel wants it.
    pub fn evaluator(&self) -> LuckEvaluator<'_, G> {
        let pruning = self.pruning.as_deref().map(|network| (network, PRUNING));
        LuckEvaluator { evaluator: &*self.evaluator, pruning }
    }
}
