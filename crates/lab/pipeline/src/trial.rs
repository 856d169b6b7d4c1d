//! What a run would do and how fast, measured on this machine before it begins.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use tavola_evaluator::{Level, NetEvaluator};
use tavola_files::{Failure, locked, unlocked};
use tavola_games::many::ManyEvaluator;
use tavola_games::{NamedGame, PlayableGame, with_game, with_many_game};
use tavola_net::Weights;
use tavola_play::{SelfPlaySettings, SelfPlayer};

use crate::config::Plan;
use crate::events::RunEvent;
use crate::manifest::Tool;
use crate::many;
use crate::names::{LOCK, NAMES};
use crate::run::{RunOptions, run};
use crate::run_dir::{Begin, io_error};

/// How the folders of trials begin.
const PREFIX: &str = "tavola-dry-run-";

/// Games of a network that has learned, which tell how long games get.
const LEARNED_GAMES: u64 = 100;

/// What a run would do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trial {
    /// About how many bytes of memory it takes.
    pub memory: u64,
    /// Games of all rounds.
    pub games: u64,
    /// Rounds that were played and learned in the time.
    pub rounds_measured: u32,
    /// The games of these rounds, or those that were played of the first.
    pub games_measured: u64,
    /// Seconds that these took.
    pub seconds: f64,
    /// Turns of a game in these rounds; `None` before the end of the first.
    pub turns: Option<f64>,
    /// Turns of a game of a network that has learned, for a run that begins with random weights.
    pub learned_turns: Option<f64>,
    /// Games and turns after each round, and the time.
    rounds: Vec<(u64, u64, f64)>,
}

impl Trial {
    /// Begins the run of a plan, without evaluations, in a folder for a moment, for this time or a
    /// little more, and forgets it. `learned` is a network of the game, if there is one: games will be
    /// as long as its own. `cancel` ends the trial sooner, and is set when it has ended.
    ///
    /// # Errors
    ///
    /// [`Failure`], as for a run.
    pub fn measure(
        plan: &Plan,
        threads: NonZeroUsize,
        tool: Tool,
        learned: Option<&Weights>,
        (time, cancel): (Duration, &AtomicBool),
    ) -> Result<Self, Failure> {
        let parent = std::env::temp_dir();
        remove_abandoned(&parent);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(&parent);
        let folder = folder.map_err(io_error("create a folder in", &parent))?;
        let directory = folder.path().join("run");
        let config = plan.config();
        let nothing = Self { games: plan.games_of(config.rounds).end, ..Self::default() };
        let (found, began) = (Mutex::new(nothing), Mutex::new(Instant::now()));
        let observer = |event: &RunEvent| {
            let mut found = locked(&found);
            match event {
                RunEvent::Started { memory, games_per_round, .. } => {
                    found.memory = *memory;
                    if config.dataset.is_some() {
                        found.games = u64::from(*games_per_round) * u64::from(config.rounds);
                    }
                    *locked(&began) = Instant::now();
                }
                RunEvent::GamesPlayed { round: 1, done, .. } if found.rounds_measured == 0 => {
                    found.games_measured = found.games_measured.max(*done);
                    found.seconds = locked(&began).elapsed().as_secs_f64();
                }
                RunEvent::RoundFinished(round) => {
                    let seconds = locked(&began).elapsed().as_secs_f64();
                    found.rounds.push((round.games, round.positions, seconds));
                    found.rounds_measured = round.round;
                    found.games_measured = round.games;
                    found.turns = Some(round.positions as f64 / round.games as f64);
                    found.seconds = seconds;
                }
                _ => {}
            }
        };
        let (is_over, over) = (Mutex::new(false), Condvar::new());
        let without_evaluations = plan.without_evaluations();
        let options = RunOptions { directory, begin: Begin::New, threads, tool };
        let report = std::thread::scope(|scope| {
            scope.spawn(|| {
                let is_over = locked(&is_over);
                // A poisoned lock ends the wait as well.
                let _waited = over.wait_timeout_while(is_over, time, |is_over| !*is_over);
                cancel.store(true, Ordering::Relaxed);
            });
            let report = run(&without_evaluations, &options, None, &observer, cancel);
            *locked(&is_over) = true;
            over.notify_all();
            report
        });
        report?;
        let learned_turns = learned.and_then(|network| learned_turns(plan, network));
        Ok(Self { learned_turns, ..unlocked(found) })
    }

    /// Seconds that all rounds take at this speed; `None` if no game was played. Time goes by turns:
    /// those of the later half of the time tell how many a second, and games get as short as those of
    /// a network that has learned.
    pub fn seconds_in_all(&self) -> Option<f64> {
        let left = self.games.saturating_sub(self.games_measured) as f64;
        let Some(&(games, turns, seconds)) = self.rounds.last() else {
            let games = self.games_measured as f64;
            return (games > 0.0).then(|| self.seconds * (1.0 + left / games));
        };
        let half = self.rounds.iter().rev().find(|round| round.2 <= seconds / 2.0);
        let (games_before, turns_before, before) = half.copied().unwrap_or_default();
        let turns = turns.saturating_sub(turns_before) as f64;
        let a_turn = (seconds - before) / turns.max(1.0);
        let of_game = turns / games.saturating_sub(games_before).max(1) as f64;
        Some(
            self.seconds + left * a_turn * self.learned_turns.map_or(of_game, |it| it.min(of_game)),
        )
    }

    /// The names of what a run writes in its directory.
    pub const FILES: &'static [&'static str] = &NAMES;
}

/// Removes the folders of trials that were killed: the lock of their runs is free.
fn remove_abandoned(parent: &Path) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_trial = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if is_trial && tavola_files::lock(&entry.path().join("run").join(LOCK)).is_ok() {
            // What stays is in the folder for temporary files.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Turns of a game of this network; `None` for a run that does not begin with random weights.
fn learned_turns(plan: &Plan, network: &Weights) -> Option<f64> {
    let config = plan.config();
    if config.start.is_some() || config.target_network.is_some() || config.dataset.is_some() {
        return None;
    }
    let turns: Vec<usize> = match plan.game() {
        NamedGame::Two(game) => with_game!(game, |game| {
            let trained = game.trained_as(&network.game)?;
            let (network, starts) = (NetEvaluator::new(network, trained).ok()?, plan.starts(game));
            // Games of any level are about as long.
            let settings = SelfPlaySettings { level: Level::ZeroPly, ..config.selfplay };
            let mut player = SelfPlayer::new(game, &network, None, &settings, config.seed, &starts);
            let games = (0..LEARNED_GAMES).filter_map(|index| player.play(index));
            games.map(|game| game.turns.len()).collect()
        }),
        NamedGame::Many(game) => with_many_game!(game, |game| {
            let network = ManyEvaluator::new(network, game).ok()?;
            many::lengths(game, network, config, LEARNED_GAMES)
        }),
    };
    let sum = turns.iter().sum::<usize>() as f64;
    (!turns.is_empty()).then(|| sum / turns.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds of 100 games at a thousand turns a second, whose games get shorter.
    fn trial(turns_of_rounds: &[u64], learned_turns: Option<f64>) -> Trial {
        let mut trial = Trial { games: 10_000, learned_turns, ..Trial::default() };
        let mut sum = 0;
        for (number, turns) in (1..).zip(turns_of_rounds) {
            sum += 100 * turns;
            trial.rounds.push((100 * number, sum, sum as f64 / 1000.0));
            (trial.rounds_measured, trial.games_measured) = (number as u32, 100 * number);
            trial.seconds = sum as f64 / 1000.0;
        }
        trial
    }

    #[test]
    fn the_time_is_that_of_games_as_long_as_those_of_a_network_that_has_learned() {
        let near = |trial: Trial, expected: f64| {
            let found = trial.seconds_in_all().unwrap();
            assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
        };
        // 9,800 games of 50 turns, not of 1,000.
        near(trial(&[2000, 1000], Some(50.0)), 300.0 + 490.0);
        // The later half of the time tells how long games are that got shorter than that.
        near(trial(&[40, 40], Some(50.0)), 8.0 + 392.0);
        near(trial(&[2000, 1000], None), 300.0 + 14_700.0);
        near(trial(&[2000], None), 200.0 + 19_800.0);
    }

    #[test]
    fn before_the_first_round_ends_games_tell() {
        let early = Trial { games: 100, games_measured: 10, seconds: 2.0, ..Trial::default() };
        assert_eq!(early.seconds_in_all(), Some(20.0));
        assert_eq!(Trial { games: 100, ..Trial::default() }.seconds_in_all(), None);
    }

    #[test]
    fn what_a_killed_trial_left_is_removed_and_a_running_one_stays() {
        let parent = tempfile::tempdir().unwrap();
        let run = |name: &str| {
            let run = parent.path().join(name).join("run");
            std::fs::create_dir_all(&run).unwrap();
            std::fs::write(run.join(LOCK), "").unwrap();
            run
        };
        let (killed, running, other) =
            (run("tavola-dry-run-1"), run("tavola-dry-run-2"), run("tavola-2"));
        let _lock = crate::run_dir::lock(&running).unwrap();
        remove_abandoned(parent.path());
        assert_eq!([killed, running, other].map(|it| it.exists()), [false, true, true]);
    }
}
