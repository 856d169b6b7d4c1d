//! How fast a network moves, evaluates, decides and plays, and the signature of its behavior.

mod corpus;
mod figures;
mod rate;
mod signature;
mod sizes;

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use tavola_bearoff::Tables;
use tavola_engine::LoadedNetwork;
use tavola_evaluator::NetEvaluator;
use tavola_files::Failure;
use tavola_games::{AnyGame, with_game};

pub use self::figures::{Figure, Scaling};
use self::signature::signature;
pub use self::sizes::SizeFigures;

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

/// Measures a network, which may be one for another game; `tables` loads the bear-off databases
/// that rollouts ask.
///
/// # Errors
///
/// The network can't be used, games or rollouts are not played, a file can't be written.
pub fn measure(
    game: &AnyGame,
    network: &LoadedNetwork,
    settings: &BenchSettings<'_>,
    tables: &dyn Fn() -> Tables,
) -> Result<Measured, Failure> {
    with_game!(game, |game| {
        let BenchSettings { budget, threads, .. } = *settings;
        let mut evaluator = NetEvaluator::new(network.weights(), *game)
            .map_err(Failure::input_in(format_args!("cannot use {}", network.name())))?;
        let (pairs, turns_a_game) = corpus::pairs(game, Some(&evaluator))?;
        if let Some(path) = settings.positions {
            corpus::write(path, game, &pairs)
                .map_err(Failure::input_in(format_args!("cannot write {}", path.display())))?;
        }
        let mut figures =
            figures::of_decisions(budget, game, network.weights(), &mut evaluator, &pairs)?;
        figures.extend(figures::of_rollouts(budget, game, &evaluator, tables)?);
        let decision_2ply_ms = figures::decision_2ply_ms(budget, game, &evaluator, &pairs)?;
        let (games, scaling) = figures::games(budget, game, &evaluator, threads)?;
        figures.extend(games);
        let sizes = match settings.sizes {
            // Seven networks, three figures each: less time for each keeps the whole near a minute.
            true => sizes::measure(budget / 3, game, &pairs, turns_a_game)?,
            false => Vec::new(),
        };
        Ok(Measured {
            figures,
            decision_2ply_ms,
            scaling,
            signature: signature(game, &mut evaluator),
            sizes,
        })
    })
}
