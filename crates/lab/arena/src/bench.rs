//! How fast a network moves, evaluates, decides and plays, and the signature of its behavior.

mod corpus;
mod figures;
mod rate;
mod signature;
mod sizes;

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tavola_bearoff::Tables;
use tavola_engine::{EngineError, Network};
use tavola_evaluator::rollout::RolloutError;
use tavola_evaluator::{NetEvaluator, PlayableGame};
use tavola_net::WeightsError;
use tavola_play::SelfPlayError;

use self::corpus::Players;
pub use self::figures::{Figure, Scaling};
use self::signature::signature;
pub use self::sizes::SizeFigures;

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The network can't evaluate the game.
    #[error("cannot use {name}")]
    Network {
        /// What the network is called.
        name: String,
        /// Why not.
        source: WeightsError,
    },
    /// The pruning network can't be used.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// No games were played.
    #[error("self-play failed")]
    Games(#[from] SelfPlayError),
    /// Rollouts can't be measured.
    #[error("the rollout is impossible")]
    Rollout(#[from] RolloutError),
    /// The positions can't be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl BenchError {
    /// Whether the question is at fault, and not the work.
    pub const fn is_input(&self) -> bool {
        matches!(self, Self::Network { .. } | Self::Engine(_) | Self::Write { .. })
    }
}

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub struct BenchSettings<'a> {
    /// Time for each figure.
    pub budget: Duration,
    /// Threads of the figure for all threads.
    pub threads: NonZeroUsize,
    /// Whether networks of other sizes are measured too.
    pub sizes: bool,
    /// A file for the positions measured.
    pub positions: Option<&'a Path>,
}

/// What was measured; rates are per second of processor time on one thread, for all threads per
/// second on the wall.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Rates.
    pub figures: Vec<Figure>,
    /// Processor time of a choice at 2-ply, normal preset, in milliseconds; the mean.
    pub decision_2ply_ms: f64,
    /// What a second thread brings; not measured where there is to be one thread alone.
    pub scaling: Option<Scaling>,
    /// A hash over chosen plays and counted evaluations on fixed positions.
    pub signature: String,
    /// Networks of other sizes, if they are measured.
    pub sizes: Vec<SizeFigures>,
}

/// Measures a network; `tables` loads the bear-off databases that rollouts ask.
///
/// # Errors
///
/// [`BenchError`].
pub fn measure<G: PlayableGame>(
    game: &G,
    network: &Network,
    settings: &BenchSettings<'_>,
    tables: &dyn Fn() -> Tables,
) -> Result<Measured, BenchError> {
    let BenchSettings { budget, threads, .. } = *settings;
    let mut evaluator = NetEvaluator::new(network.weights(), game.clone())
        .map_err(|source| BenchError::Network { name: network.name().to_owned(), source })?;
    let (pairs, turns_a_game) = corpus::pairs(game, &Players::Evaluate(&evaluator))?;
    if let Some(path) = settings.positions {
        corpus::write(path, game, &pairs)
            .map_err(|source| BenchError::Write { path: path.to_owned(), source })?;
    }
    let mut figures =
        figures::of_decisions(budget, game, network.weights(), &mut evaluator, &pairs)?;
    figures.extend(figures::of_rollouts(budget, game, &evaluator, tables)?);
    let decision_2ply_ms = figures::decision_2ply_ms(budget, game, &evaluator, &pairs)?;
    let games = figures::games(budget, game, &evaluator, threads)?;
    figures.extend(games.figures(threads));
    let sizes = match settings.sizes {
        // Seven networks, three figures each: less time for each keeps the whole near a minute.
        true => sizes::measure(budget / 3, game, &pairs, turns_a_game)?,
        false => Vec::new(),
    };
    Ok(Measured {
        figures,
        decision_2ply_ms,
        scaling: games.scaling(),
        signature: signature(game, &mut evaluator),
        sizes,
    })
}
