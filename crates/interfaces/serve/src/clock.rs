//! The clock of a game between two people.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest reserve and delay of a clock.
pub(crate) const MOST_SECONDS: u32 = 36_000;

/// Each turn has a delay, then the reserve of its player runs; whose is used up loses the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClockRules {
    /// Seconds of each player for the match.
    #[schemars(range(min = 1, max = 36000))]
    pub(crate) reserve: u32,
    /// Seconds of each turn before the reserve runs.
    #[schemars(range(max = 36000))]
    pub(crate) delay: u32,
}

/// The clock as it runs.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Clock {
    pub(crate) rules: ClockRules,
    /// What is left of the reserve of each seat.
    pub(crate) left: [Duration; 2],
    /// Which seats want it switched off.
    pub(crate) off: [bool; 2],
    /// Whose time was up.
    pub(crate) lost: Option<usize>,
    /// Whose turn it is, and since when; a server that starts again begins the turn anew.
    #[serde(skip)]
    pub(crate) turn: Option<(usize, Instant)>,
}

impl Clock {
    /// What a turn has taken of the reserve.
    pub(crate) fn used(&self, since: Instant) -> Duration {
        since.elapsed().saturating_sub(Duration::from_secs(self.rules.delay.into()))
    }

    /// Looks at whose time is up.
    pub(crate) fn look(&mut self) {
        let Some((seat, since)) = self.turn else { return };
        if self.lost.is_none() && self.used(since) >= self.left[seat] {
            (self.left[seat], self.lost, self.turn) = (Duration::ZERO, Some(seat), None);
        }
    }

    /// Lets the time of who acts next run; a turn that `ended` is paid for.
    pub(crate) fn press(&mut self, next: Option<usize>, ended: bool) {
        if self.lost.is_some() || (!ended && self.turn.map(|(seat, _)| seat) == next) {
            return;
        }
        if let Some((seat, since)) = self.turn {
            self.left[seat] = self.left[seat].saturating_sub(self.used(since));
        }
        self.turn = next.map(|seat| (seat, Instant::now()));
    }

    /// The clock as clients see it.
    pub(crate) fn view(&self) -> ClockView {
        let mut left = self.left;
        let delay = Duration::from_secs(self.rules.delay.into());
        let mut delay_left = delay;
        if let Some((seat, since)) = self.turn {
            left[seat] = left[seat].saturating_sub(self.used(since));
            delay_left = delay.saturating_sub(since.elapsed());
        }
        ClockView {
            rules: self.rules,
            left: left.map(milliseconds),
            delay_left: milliseconds(delay_left),
            runs: self.turn.map(|(seat, _)| seat + 1),
            lost: self.lost.map(|seat| seat + 1),
            off: (1..).zip(self.off).filter(|(_, off)| *off).map(|(seat, _)| seat).collect(),
        }
    }
}

// The clock as clients see it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ClockView {
    #[serde(flatten)]
    rules: ClockRules,
    /// What is left of the reserve of each seat, in milliseconds, the running turn paid for.
    left: [u64; 2],
    /// What is left of the delay of the turn, in milliseconds.
    delay_left: u64,
    /// Whose time runs, from 1.
    runs: Option<usize>,
    /// Whose time was up, from 1: the match is lost.
    lost: Option<usize>,
    /// Which seats want it switched off, from 1.
    off: Vec<usize>,
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
