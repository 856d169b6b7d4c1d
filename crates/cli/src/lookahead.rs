//! How far a command looks ahead, and what it shows while that takes long.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use tavola_evaluator::search::{MAX_PLY, SearchProgress};
use tavola_evaluator::{Preset, SearchSettings, SearchWatch};

use crate::args::ThreadArgs;

/// What people want who don't say: they wait some hundredths of a second for it.
const DEFAULT_PLY: u8 = 2;

/// The longest time that may be asked for.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// How far to look ahead.
#[derive(Debug, Args)]
pub struct LookaheadArgs {
    /// Rolls to look ahead, 0 to 3; 0 is the bare network [default: 2, or as far as --time allows]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(..=i64::from(MAX_PLY)))]
    pub ply: Option<u8>,
    /// How wide to look: fast, normal, wide or full, which leaves nothing out
    #[arg(long, value_name = "NAME", default_value_t)]
    pub preset: Preset,
    /// Look deeper until the time is over, such as 200ms or 5s; what is reached depends on the
    /// machine, so the answer may differ from one time to the next
    #[arg(long, value_name = "TIME", value_parser = time_limit)]
    pub time: Option<Duration>,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
}

/// How far to look ahead, and how long at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lookahead {
    /// Depth and width.
    pub settings: SearchSettings,
    /// When to stop.
    pub limit: Option<Duration>,
}

impl Lookahead {
    /// What was asked for; without a depth `default`, or as deep as the time allows.
    pub fn new(ply: Option<u8>, preset: Preset, limit: Option<Duration>, default: u8) -> Self {
        let ply = ply.unwrap_or(if limit.is_some() { MAX_PLY } else { default });
        Self { settings: preset.at(ply), limit }
    }
}

impl LookaheadArgs {
    /// What the arguments say.
    pub fn lookahead(&self) -> Lookahead {
        Lookahead::new(self.ply, self.preset, self.time, DEFAULT_PLY)
    }

    /// Threads to use.
    pub fn threads(&self) -> NonZeroUsize {
        self.threads.count()
    }
}

/// A time such as 200ms, more than nothing and at most a day.
pub fn time_limit(text: &str) -> Result<Duration, String> {
    match text.parse::<humantime::Duration>() {
        Ok(time) if !time.is_zero() && *time <= LONGEST => Ok(*time),
        _ => Err("expected a time up to a day, such as 200ms or 5s".to_owned()),
    }
}

/// A bar on stderr for a search that takes longer than one wants to wait without one.
pub struct SearchBar {
    started: Instant,
    bar: Mutex<Option<ProgressBar>>,
}

impl SearchBar {
    /// Nothing is shown for so long.
    const PATIENCE: Duration = Duration::from_secs(2);

    /// A bar that is not shown yet.
    pub fn new() -> Self {
        Self { started: Instant::now(), bar: Mutex::new(None) }
    }

    /// Does a search, watched and limited.
    pub fn watch<T>(limit: Option<Duration>, search: impl FnOnce(SearchWatch<'_>) -> T) -> T {
        let bar = Self::new();
        let answer = search(SearchWatch { limit, cancel: None, progress: &|progress| bar.show(progress) });
        if let Some(bar) = bar.bar.into_inner().unwrap_or_else(PoisonError::into_inner) {
            bar.finish_and_clear();
        }
        answer
    }

    fn show(&self, progress: SearchProgress) {
        if self.started.elapsed() < Self::PATIENCE {
            return;
        }
        let mut bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        let bar = bar.get_or_insert_with(|| {
            let template = "looking {msg} ahead {bar:32} {pos}/{len} replies, {elapsed} gone";
            let style = ProgressStyle::with_template(template).expect("it is well formed");
            ProgressBar::new(0).with_style(style.progress_chars("━╸─"))
        });
        let rolls = if progress.ply == 1 { "1 roll" } else { &format!("{} rolls", progress.ply) };
        bar.set_message(rolls.to_owned());
        bar.set_length(progress.of as u64);
        // Threads report in any order.
        bar.set_position(progress.done as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_unusable_ones_refused() {
        assert_eq!(time_limit("200ms"), Ok(Duration::from_millis(200)));
        assert_eq!(time_limit("1s 500ms"), Ok(Duration::from_millis(1500)));
        for text in ["", "0s", "200", "soon", "-1s", "2days", "99999999999999999999s"] {
            assert!(time_limit(text).unwrap_err().contains("200ms"), "{text:?}");
        }
    }

    #[test]
    fn time_is_a_reason_to_look_deeper() {
        let second = Some(Duration::from_secs(1));
        let ply = |ply, limit| Lookahead::new(ply, Preset::Normal, limit, 0).settings.ply;
        assert_eq!(ply(None, None), 0);
        assert_eq!(ply(None, second), MAX_PLY);
        assert_eq!(ply(Some(1), second), 1);
    }
}
