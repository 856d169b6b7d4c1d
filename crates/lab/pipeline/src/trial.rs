//! What a run would do and how fast, measured on this machine before it begins.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use tavola_files::{Failure, locked};

use crate::config::Plan;
use crate::events::RunEvent;
use crate::manifest::Tool;
use crate::names::NAMES;
use crate::run::{RunOptions, run_from};
use crate::run_dir::{Begin, io_error};

/// What a run would do.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// About how many bytes of memory it takes.
    pub memory: u64,
    /// Games of all rounds.
    pub games: u64,
    /// Rounds and games that were played and learned in the time.
    pub rounds_measured: u32,
    /// The games of these rounds, or those that were played of the first.
    pub games_measured: u64,
    /// Seconds that these took.
    pub seconds: f64,
    /// The same of the last round alone, if there were several: the first games take the longest.
    pub last_round: Option<(u64, f64)>,
}

impl Trial {
    /// Begins the run of a plan, without evaluations, in a folder for a moment, for this time or a
    /// little more, and forgets it.
    ///
    /// # Errors
    ///
    /// [`Failure`], as for a run.
    pub fn measure(
        plan: &Plan,
        threads: NonZeroUsize,
        tool: Tool,
        time: Duration,
    ) -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("tavola-dry-run-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(io_error("create", &folder))?;
        let trial = Self::measure_in(&folder.join("run"), plan, threads, tool, time);
        // What stays is in the folder for temporary files.
        let _ = std::fs::remove_dir_all(&folder);
        trial
    }

    fn measure_in(
        directory: &std::path::Path,
        plan: &Plan,
        threads: NonZeroUsize,
        tool: Tool,
        time: Duration,
    ) -> Result<Self, Failure> {
        let games = plan.games_of(plan.config().rounds).end;
        let nothing = Self {
            memory: 0,
            games,
            rounds_measured: 0,
            games_measured: 0,
            seconds: 0.0,
            last_round: None,
        };
        let (found, began) = (Mutex::new(nothing), Mutex::new(Instant::now()));
        let observer = |event: &RunEvent| {
            let mut found = locked(&found);
            match event {
                RunEvent::Started { memory, .. } => {
                    found.memory = *memory;
                    *locked(&began) = Instant::now();
                }
                RunEvent::GamesPlayed { round: 1, done, .. } if found.rounds_measured == 0 => {
                    found.games_measured = found.games_measured.max(*done);
                    found.seconds = locked(&began).elapsed().as_secs_f64();
                }
                RunEvent::RoundFinished(round) => {
                    let seconds = locked(&began).elapsed().as_secs_f64();
                    if found.rounds_measured > 0 {
                        let games = round.games.saturating_sub(found.games_measured);
                        found.last_round = Some((games, seconds - found.seconds));
                    }
                    found.rounds_measured = round.round;
                    found.games_measured = round.games;
                    found.seconds = seconds;
                }
                _ => {}
            }
        };
        let cancel = AtomicBool::new(false);
        let (is_over, over) = (Mutex::new(false), Condvar::new());
        let plan = plan.without_evaluations();
        let options =
            RunOptions { directory: directory.to_owned(), begin: Begin::New, threads, tool };
        let report = std::thread::scope(|scope| {
            scope.spawn(|| {
                let is_over = locked(&is_over);
                // A poisoned lock ends the wait as well.
                let _waited = over.wait_timeout_while(is_over, time, |is_over| !*is_over);
                cancel.store(true, Ordering::Relaxed);
            });
            let report = run_from(&plan, &options, None, &observer, &cancel);
            *locked(&is_over) = true;
            over.notify_all();
            report
        });
        report.map(|_| found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// Seconds that all rounds take at this speed; `None` if no game was played.
    pub fn seconds_in_all(&self) -> Option<f64> {
        let (games, seconds) = self.last_round.unwrap_or((self.games_measured, self.seconds));
        (games > 0).then(|| seconds * self.games as f64 / games as f64)
    }

    /// The names of what a run writes in its directory.
    pub const FILES: &'static [&'static str] = &NAMES;
}
