//! Which rounds' records are trained on.

use serde::{Deserialize, Serialize};

/// A replay window: training uses the records of the latest few rounds.
///
/// A wide window repeats what weaker networks played, a narrow one forgets and overfits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct ReplayWindow(u32);

/// A replay window that holds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a replay window of 0 rounds, expected at least 1")]
pub struct EmptyWindow;

impl ReplayWindow {
    /// The latest `rounds` rounds.
    ///
    /// # Errors
    ///
    /// [`EmptyWindow`] for 0.
    pub const fn new(rounds: u32) -> Result<Self, EmptyWindow> {
        if rounds == 0 { Err(EmptyWindow) } else { Ok(Self(rounds)) }
    }

    /// How many rounds it holds.
    pub const fn rounds(self) -> u32 {
        self.0
    }

    /// The part of `rounds`, given from the oldest to the latest, that is trained on: all of
    /// them while there are fewer than the window holds.
    pub fn of<T>(self, rounds: &[T]) -> &[T] {
        &rounds[rounds.len().saturating_sub(self.0 as usize)..]
    }
}

impl TryFrom<u32> for ReplayWindow {
    type Error = EmptyWindow;

    fn try_from(rounds: u32) -> Result<Self, EmptyWindow> {
        Self::new(rounds)
    }
}

impl From<ReplayWindow> for u32 {
    fn from(window: ReplayWindow) -> Self {
        window.rounds()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_holds_the_latest_rounds_and_no_more() {
        let window = ReplayWindow::new(3).unwrap();
        assert_eq!(window.of(&[1, 2, 3, 4, 5]), [3, 4, 5]);
        assert_eq!(window.of(&[1, 2]), [1, 2]);
        assert_eq!(window.of::<u8>(&[]), []);
        assert_eq!(ReplayWindow::new(0), Err(EmptyWindow));
    }
}
