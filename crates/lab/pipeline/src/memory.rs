//! What a run takes of the memory, before it takes it.

use std::num::NonZeroUsize;
use std::path::Path;

use tavola_evaluator::Level;
use tavola_evaluator::search::CACHE_BYTES;
use tavola_files::Failure;
use tavola_files::limits::CONFIGURATION_BYTES;
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

/// The most bytes that searches of self-play take: every thread has one of its own.
pub(crate) const fn of_searches(config: &Config, threads: NonZeroUsize) -> u64 {
    match config.selfplay.level {
        Level::ZeroPly => 0,
        _ => (threads.get() * CACHE_BYTES) as u64,
    }
}

/// Whether this process may have this number of bytes, as far as the system tells.
///
/// # Errors
///
/// [`Failure`] if it may not.
pub(crate) fn check(needed: u64) -> Result<(), Failure> {
    match limit(Path::new("/")).filter(|&there| needed > there) {
        Some(there) => {
            let [needed, there] = [needed, there].map(|bytes| bytes as f64 / f64::from(1 << 30));
            Err(Failure::input(format!(
                "the run takes about {needed:.1} GB of memory, and this process may have \
                 {there:.1} GB: lower games_per_round, replay.window or the widths of the network"
            )))
        }
        None => Ok(()),
    }
}

/// The bytes that this process may have, where the system tells in words: the least of the memory of
/// the machine, of the limits of its control groups, and of that on its address space (`ulimit -v`).
fn limit(root: &Path) -> Option<u64> {
    let read = |path: &str| {
        tavola_files::read_text(&root.join(path), &CONFIGURATION_BYTES).unwrap_or_default()
    };
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let (memory, limits) = (read("proc/meminfo"), read("proc/self/limits"));
    let machine = memory.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let machine =
        machine.and_then(|rest| number(rest.trim().strip_suffix("kB")?)?.checked_mul(1024));
    let space = limits.lines().find_map(|line| line.strip_prefix("Max address space"));
    let space = space.and_then(|rest| number(rest.split_whitespace().next()?));
    // In a container the group of the process is often the root of what can be seen.
    let groups = read("proc/self/cgroup");
    let group = groups.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
    let groups = Path::new(group).ancestors().filter_map(|group| {
        let file = Path::new("sys/fs/cgroup").join(group).join("memory.max");
        number(&read(file.to_str()?))
    });
    let first_version = number(&read("sys/fs/cgroup/memory/memory.limit_in_bytes"));
    groups.chain(machine).chain(space).chain(first_version).min()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn games_and_parameters_count() {
        let config = Config { games_per_round: 1000, ..Config::default() };
        let arch = Arch::new(9, (&[10, 10]).into());
        let parameters = 10 * 10 + 11 * 10 + 11 * 6;
        assert_eq!(estimate(&config, None, &arch), 21_000_000 + 60 * parameters);
        assert_eq!(estimate(&config, Some(1), &arch), 21_000 + 60 * parameters);
        let two = NonZeroUsize::new(2).unwrap();
        assert_eq!(of_searches(&config, two), 0);
        let mut deep = config;
        deep.selfplay.level = Level::TwoPly;
        assert_eq!(of_searches(&deep, two), 128 << 20);
    }

    #[test]
    fn the_least_limit_counts() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert_eq!(limit(root), None);
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("proc/meminfo", "MemTotal:       8000 kB\nMemFree: 1 kB\n");
        assert_eq!(limit(root), Some(8_192_000));
        write(
            "proc/self/limits",
            "Max address space         unlimited            unlimited  bytes\n",
        );
        write("proc/self/cgroup", "0::/jobs/one\n");
        write("sys/fs/cgroup/jobs/one/memory.max", "max\n");
        assert_eq!(limit(root), Some(8_192_000));
        write("sys/fs/cgroup/jobs/memory.max", "7000000\n");
        assert_eq!(limit(root), Some(7_000_000));
        write("sys/fs/cgroup/memory.max", "6000000\n");
        assert_eq!(limit(root), Some(6_000_000));
        write(
            "proc/self/limits",
            "Max address space         5000000              unlimited  bytes\n",
        );
        assert_eq!(limit(root), Some(5_000_000));
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "4000000\n");
        assert_eq!(limit(root), Some(4_000_000));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_has_memory() {
        check(1 << 24).unwrap();
        let refused = check(u64::MAX).unwrap_err();
        assert!(refused.to_string().contains("GB of memory"), "{refused}");
    }
}
