//! Networks and bear-off databases for commands that play.

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use tavola_arena::{JobContext, JobWarning, PlayerContext};
use tavola_bearoff::{Store, Tables};
use tavola_engine::{LoadedNetwork, Warning};
use tavola_evaluator::Workers;
use tavola_games::AnyGame;

use crate::cancel;
use crate::failure::{Blame, Outcome, option_of};
use crate::report::progress::{Stages, TableProgress};
use crate::report::warning::{note, warn};
pub use tavola_arena::player::version;

/// Warns as the engine does, with the option that would help.
pub fn warn_of(warning: &Warning) {
    match warning.lacks() {
        None => warn(warning),
        Some(lacking) => warn(&format_args!("{warning}; {} names another", option_of(lacking))),
    }
}

/// The network of a weights file, or the built-in one of the game that is named, and this game; or
/// else the game that the network was trained for.
pub fn network_and_game(
    model: Option<&Path>,
    asked: Option<&AnyGame>,
) -> Outcome<(LoadedNetwork, AnyGame)> {
    if let Some(game) = asked {
        return Ok((LoadedNetwork::load_for(model, &game.id())?, game.clone()));
    }
    let network = LoadedNetwork::load(model)?;
    let unknown = format!("{} evaluates a game that is not known", network.name());
    let game = network.weights().game.parse().or_input_in(unknown)?;
    Ok((network, game))
}

/// The message after an interrupt while games are played.
pub const NOT_COUNTED: &str = "stopping; the games that are being played do not count";

/// Runs a job of the arena with a bar for each of its stages; engines count as hung after
/// `timeout`. The first interrupt calls it off, of which `promise` tells.
pub fn run_job<T>(
    promise: &'static str,
    threads: NonZeroUsize,
    timeout: Duration,
    run: impl FnOnce(&JobContext<'_>, &Stages) -> Result<T, tavola_files::Failure>,
) -> Outcome<T> {
    let cancel = cancel::on_interrupt(promise)?;
    let stages = Stages::default();
    let job = JobContext {
        workers: Workers { threads, cancel },
        progress: &stages,
        players: PlayerContext {
            timeout,
            progress: &|so_far| stages.tables.generated(&so_far),
            warn: &warn,
            called_off: &cancel::INTERRUPTED,
        },
        warn: &|warning| match warning {
            JobWarning::Network(warning) => warn_of(warning),
            JobWarning::NoLuck { .. } => {
                note(&format!("{warning}; name one that can with --luck-network"));
            }
            JobWarning::OnLadder { .. } => note(&warning.to_string()),
            _ => warn(warning),
        },
    };
    Ok(run(&job, &stages)?)
}

/// The bear-off databases of the user, generated with a bar if they are not there yet.
pub fn load_tables() -> Tables {
    let progress = TableProgress::default();
    let (tables, warnings) = Store::of_user().load_all(&|so_far| progress.generated(&so_far));
    progress.finish();
    for warning in warnings {
        warn(&tavola_files::chain(&warning));
    }
    tables
}
