//! The three currencies of an expectation, kept apart by type.
//!
//! All of them are from the player on roll, and none is ever the cube's to scale silently: money
//! is per unit of the *current* cube, MWC is absolute, and EMG is MWC on the scale of a score and
//! cube, so that it needs an [`EmgScale`] to be made or read.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Money equity: expected points per unit of the current cube.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Equity(pub f64);

/// Match winning probability, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mwc(pub f64);

/// Equivalent to money game: MWC rescaled linearly so that losing the cube's stake now is -1 and
/// winning it is +1. It means something at one score and one cube only; see [`EmgScale`].
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Emg(pub f64);

impl Equity {
    /// This equity as the other side sees it.
    #[inline]
    #[must_use]
    pub const fn flip(self) -> Self {
        Self(-self.0)
    }
}

impl Mwc {
    /// The match is won.
    pub const WON: Self = Self(1.0);

    /// The match is lost.
    pub const LOST: Self = Self(0.0);

    /// This probability as the other side sees it.
    #[inline]
    #[must_use]
    pub const fn flip(self) -> Self {
        Self(1.0 - self.0)
    }
}

impl Emg {
    /// This equity as the other side sees it.
    #[inline]
    #[must_use]
    pub const fn flip(self) -> Self {
        Self(-self.0)
    }
}

/// Three decimals and always a sign, `+0.000` for what rounds to zero: `-0.000` would look like a
/// loss.
fn signed(points: f64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{:+.3}", (points * 1000.0).round() / 1000.0 + 0.0)
}

impl fmt::Display for Equity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        signed(self.0, f)
    }
}

impl fmt::Display for Emg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        signed(self.0, f)
    }
}

impl fmt::Display for Mwc {
    /// In percent, with the sign: `54.32 %`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} %", self.0 * 100.0)
    }
}

/// What ties MWC and EMG together at one score and cube: the probabilities after losing and after
/// winning the cube's stake.
///
/// ```
/// use tavola_equity::{Emg, EmgScale, Mwc};
///
/// let scale = EmgScale::new(Mwc(0.4), Mwc(0.6)).expect("winning is better than losing");
/// assert_eq!(scale.emg(Mwc(0.6)), Emg(1.0));
/// assert_eq!(scale.mwc(Emg(0.0)), Mwc(0.5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EmgScale {
    lose: Mwc,
    win: Mwc,
}

impl EmgScale {
    /// Where less than this is at stake, what is left is rounding: a player who trails by hundreds
    /// of points has no EMG.
    const LEAST_STAKE: f64 = 1e-9;

    /// The scale on which `lose` is -1 and `win` is +1; `None` unless `win` is the larger, by more
    /// than a billionth of a match.
    pub fn new(lose: Mwc, win: Mwc) -> Option<Self> {
        (win.0 - lose.0 > Self::LEAST_STAKE).then_some(Self { lose, win })
    }

    /// MWC as EMG.
    #[inline]
    pub fn emg(self, mwc: Mwc) -> Emg {
        let Self { lose, win } = self;
        Emg((2.0 * mwc.0 - win.0 - lose.0) / (win.0 - lose.0))
    }

    /// EMG as MWC.
    #[inline]
    pub fn mwc(self, emg: Emg) -> Mwc {
        let Self { lose, win } = self;
        Mwc((win.0 + lose.0 + emg.0 * (win.0 - lose.0)) / 2.0)
    }

    /// The MWC that one point of EMG is worth: half the distance between winning and losing.
    #[inline]
    pub fn unit(self) -> f64 {
        (self.win.0 - self.lose.0) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn emg_goes_there_and_back(lose in 0.0f64..0.5, width in 0.001f64..0.5, mwc in 0.0f64..1.0) {
            let scale = EmgScale::new(Mwc(lose), Mwc(lose + width)).unwrap();
            prop_assert!((scale.mwc(scale.emg(Mwc(mwc))).0 - mwc).abs() < 1e-12);
            prop_assert!((scale.emg(Mwc(lose)).0 + 1.0).abs() < 1e-9);
            prop_assert!((scale.emg(Mwc(lose + width)).0 - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_scale_without_width_is_none() {
        assert_eq!(EmgScale::new(Mwc(0.5), Mwc(0.5)), None);
        assert_eq!(EmgScale::new(Mwc(0.6), Mwc(0.5)), None);
    }
}
