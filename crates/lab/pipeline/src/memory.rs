//! What a run takes of the memory, before it takes it.

use std::fs;

use tavola_net::Arch;

use crate::config::Config;

/// Bytes of a game, its samples included, measured with rounds of 500 to 5,000 games.
const BYTES_OF_A_GAME: u64 = 21_000;

/// How often the parameters are there: the learner's, its moments and gradients, and the copies
/// that play; measured with hidden layers of 2,048.
const COPIES_OF_THE_PARAMETERS: u64 = 15;

/// About how many bytes a run with a network of this shape takes. A run that learns from a dataset
/// has the states of `dataset_games` in memory.
pub(crate) fn estimate(config: &Config, dataset_games: Option<u64>, arch: &Arch) -> u64 {
    let own = u64::from(config.games_per_round) * u64::from(config.replay.window.max(1));
    let games = dataset_games.unwrap_or(own);
    let parameters = arch.parameters() as u64 * size_of::<f32>() as u64;
    games * BYTES_OF_A_GAME + parameters * COPIES_OF_THE_PARAMETERS
}

/// The memory of this system in bytes, where it tells in words.
pub(crate) fn of_system() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_and_parameters_count() {
        let config = Config { games_per_round: 1000, ..Config::default() };
        let arch = Arch::new(9, (&[10, 10]).into());
        let parameters = 10 * 10 + 11 * 10 + 11 * 6;
        assert_eq!(estimate(&config, None, &arch), 21_000_000 + 60 * parameters);
        assert_eq!(estimate(&config, Some(1), &arch), 21_000 + 60 * parameters);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_has_memory() {
        assert!(of_system().unwrap() > 1 << 24);
    }
}
