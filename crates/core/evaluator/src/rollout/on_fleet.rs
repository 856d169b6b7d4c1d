//! Trials that other processes play.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use tavola_files::locked;
use tavola_rules::Game;

use super::trial::{TrialResult, Trials};
use super::{Ended, LARGEST_STEP, MakePlayer, Rollout, RolloutWatch, next_check};
use crate::remote::{
    OnFleet, RemoteError, ShardRunner, Task, Work, check_items, collect, unbroken,
};

/// Numbers of a trial: seven parts, the equity, the equity without variance reduction.
const NUMBERS: usize = 9;

/// No equity is further from zero: a backgammon at the highest cube.
const FARTHEST: f64 = 1e9;

/// Plays trials of the candidates that are still rolled out. Its items are the numbers of trials;
/// its bytes are the numbers of each trial and candidate, little-endian.
pub struct TrialRunner {
    make: Mutex<MakePlayer>,
    running: Vec<usize>,
    idle: Mutex<Vec<Box<dyn Trials>>>,
}

impl ShardRunner for TrialRunner {
    fn run(&self, trials: Range<u64>, cancel: &AtomicBool) -> Result<Option<Vec<u8>>, RemoteError> {
        check_items(&trials)?;
        let waiting = locked(&self.idle).pop();
        let mut player = waiting.unwrap_or_else(|| locked(&self.make)());
        let mut bytes = Vec::new();
        for trial in trials {
            for &candidate in &self.running {
                let Some(result) = player.play(candidate, trial, cancel) else { return Ok(None) };
                let TrialResult { parts, equity, plain } = result;
                let numbers = parts.into_iter().chain([equity, plain]);
                bytes.extend(numbers.flat_map(f64::to_le_bytes));
            }
        }
        locked(&self.idle).push(player);
        Ok(Some(bytes))
    }
}

/// Reads the trials of a shard with this number of candidates.
fn read(bytes: &[u8], trials: usize, running: usize) -> Result<Vec<Vec<TrialResult>>, String> {
    let expected = trials * running * NUMBERS * size_of::<f64>();
    if bytes.len() != expected {
        return Err(format!("{} bytes of trials, expected {expected}", bytes.len()));
    }
    let (numbers, _) = bytes.as_chunks::<8>();
    let numbers: Vec<f64> = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    // NaN is no number between these either.
    if !numbers.iter().all(|number| (-FARTHEST..=FARTHEST).contains(number)) {
        return Err("a trial has a number that none has".to_owned());
    }
    let (results, _) = numbers.as_chunks::<NUMBERS>();
    let result = |&[a, b, c, d, e, f, g, equity, plain]: &[f64; NUMBERS]| TrialResult {
        parts: [a, b, c, d, e, f, g],
        equity,
        plain,
    };
    let trials = results.chunks(running).map(|trial| trial.iter().map(result).collect());
    Ok(trials.collect())
}

/// Other processes for a rollout.
pub struct TrialsOnFleet<'a> {
    /// Who they are.
    pub on_fleet: OnFleet<'a>,
    /// The rollout of these candidates as work, which makes a [`TrialRunner`].
    pub work: &'a dyn Fn(&[usize]) -> Result<Work, RemoteError>,
}

impl<G: Game> Rollout<G> {
    /// What plays trials of these candidates in another process.
    ///
    /// # Errors
    ///
    /// Candidates that there are not.
    pub fn into_runner(self, running: Vec<usize>) -> Result<TrialRunner, RemoteError> {
        if running.is_empty() || running.iter().any(|&number| number >= self.starts.len()) {
            let all = self.starts.len();
            return Err(format!("the candidates {running:?} of {all} in a rollout").into());
        }
        let (make, idle) = (Mutex::new(self.player), Mutex::default());
        Ok(TrialRunner { make, running, idle })
    }

    /// Runs the rollout as [`run`](Self::run) does, with trials from other processes.
    ///
    /// # Errors
    ///
    /// Why these can't be had.
    pub fn run_remote(
        &mut self,
        of: &TrialsOnFleet<'_>,
        watch: &mut RolloutWatch<'_, G>,
    ) -> Result<Ended, RemoteError> {
        self.run_by(watch, &mut |rollout, cancel| {
            let running: Vec<usize> = rollout.running().collect();
            let first = rollout.found.trials;
            let (OnFleet { remote, warn }, work) = (of.on_fleet, (of.work)(&running)?);
            let trials = first..rollout.next_stop();
            let task = Task::new(&work, vec![trials], cancel, warn);
            let read = |trials: &Range<u64>, bytes: &[u8]| {
                Ok(read(bytes, (trials.end - trials.start) as usize, running.len())?)
            };
            let shards = collect(remote, task, read, |_| ())?;
            // Once called off, what lies behind the first gap is lost.
            for (_, trials) in unbroken(shards, first) {
                trials.iter().for_each(|trial| rollout.add(&running, trial));
            }
            rollout.check();
            Ok(())
        })
    }

    /// The number of trials at which something may be decided, or progress is told.
    fn next_stop(&self) -> u64 {
        let rules = self.settings.stop;
        let is_free = rules.standard_error.is_none()
            && rules.lead.is_none()
            && rules.time.is_none()
            && (self.settings.drop.is_none() || self.running().count() < 2);
        let stop = match is_free {
            true => self.found.trials.saturating_add(LARGEST_STEP),
            false => next_check(self.found.trials, G::TOTAL_WEIGHT),
        };
        stop.min(self.settings.trials)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_trials_are_refused() {
        let trial: Vec<u8> = (0..NUMBERS).flat_map(|i| (i as f64).to_le_bytes()).collect();
        let two = [trial.clone(), trial.clone()].concat();
        let found = read(&two, 1, 2).unwrap();
        assert_eq!((found.len(), found[0].len(), found[0][1].plain), (1, 2, 8.0));
        assert_eq!(read(&two, 2, 1).unwrap().len(), 2);
        for (trials, running) in [(1, 1), (2, 2), (0, 1)] {
            assert!(read(&two, trials, running).is_err());
        }
        for wrong in [f64::NAN, f64::INFINITY, -1e300] {
            let mut bytes = trial.clone();
            bytes[16..24].copy_from_slice(&wrong.to_le_bytes());
            assert!(read(&bytes, 1, 1).is_err(), "{wrong}");
        }
    }
}
