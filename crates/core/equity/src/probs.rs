//! Outcome probabilities in their two customary forms.

use serde::{Deserialize, Serialize};
use tavola_rules::{Outcome, WinKind};

/// Probabilities of the six exclusive outcomes, in the order of [`Outcome`], from the player on
/// roll.
///
/// They sum to one up to rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OutcomeProbs(pub [f32; 6]);

impl OutcomeProbs {
    /// The outcome is known. A draw, which has no class of its own, is a single game won and
    /// lost with equal probabilities: worth nothing to either side.
    pub const fn certain(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Draw => Self::single(0.5),
            decided => {
                let mut probabilities = [0.0; 6];
                probabilities[decided as usize] = 1.0;
                Self(probabilities)
            }
        }
    }

    /// A single game that the player on roll wins with this probability.
    pub const fn single(win: f32) -> Self {
        let mut probabilities = [0.0; 6];
        probabilities[Outcome::WinSingle as usize] = win;
        probabilities[Outcome::LoseSingle as usize] = 1.0 - win;
        Self(probabilities)
    }

    /// The probability of one outcome; zero for a draw, which has no class of its own.
    #[inline]
    pub const fn of(&self, outcome: Outcome) -> f32 {
        match outcome {
            Outcome::Draw => 0.0,
            decided => self.0[decided as usize],
        }
    }

    /// These probabilities as the other side sees them.
    #[inline]
    #[must_use]
    pub const fn flip(&self) -> Self {
        let [a, b, c, d, e, f] = self.0;
        Self([d, e, f, a, b, c])
    }

    /// These probabilities where player and opponent can't lose by more than this: what is
    /// above counts as lost by as much.
    #[must_use]
    pub fn within(&self, [player, opponent]: [WinKind; 2]) -> Self {
        let cut = |[single, gammon, backgammon]: [f32; 3], most| match most {
            WinKind::Single => [single + gammon + backgammon, 0.0, 0.0],
            WinKind::Gammon => [single, gammon + backgammon, 0.0],
            WinKind::Backgammon => [single, gammon, backgammon],
        };
        let [l1, l2, l3, w1, w2, w3] = self.0;
        let ([l1, l2, l3], [w1, w2, w3]) = (cut([l1, l2, l3], player), cut([w1, w2, w3], opponent));
        Self([l1, l2, l3, w1, w2, w3])
    }

    /// Cubeless money equity: expected points with the cube at 1.
    #[inline]
    pub fn equity(&self) -> f32 {
        let [l1, l2, l3, w1, w2, w3] = self.0;
        (w1 - l1) + 2.0 * (w2 - l2) + 3.0 * (w3 - l3)
    }

    /// The five customary cumulative numbers.
    pub fn cumulative(&self) -> Probs {
        let [_, l2, l3, w1, w2, w3] = self.0;
        Probs {
            win: w1 + w2 + w3,
            win_gammon: w2 + w3,
            win_backgammon: w3,
            lose_gammon: l2 + l3,
            lose_backgammon: l3,
        }
    }
}

/// The five customary cumulative probabilities, from the player on roll: a gammon counts as a win
/// too, a backgammon as a gammon too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Probs {
    /// Wins of any kind.
    pub win: f32,
    /// Wins by a gammon or backgammon. Not per win: see [`Self::equity`].
    pub win_gammon: f32,
    /// Wins by a backgammon.
    pub win_backgammon: f32,
    /// Losses by a gammon or backgammon.
    pub lose_gammon: f32,
    /// Losses by a backgammon.
    pub lose_backgammon: f32,
}

impl Probs {
    /// Cubeless money equity, 2w - 1 + wg + wbg - lg - lbg.
    pub fn equity(&self) -> f32 {
        2.0 * self.win - 1.0 + self.win_gammon + self.win_backgammon
            - self.lose_gammon
            - self.lose_backgammon
    }

    /// The five in their customary order: win, win gammon, win backgammon, lose gammon, lose
    /// backgammon.
    pub const fn to_array(&self) -> [f32; 5] {
        [self.win, self.win_gammon, self.win_backgammon, self.lose_gammon, self.lose_backgammon]
    }

    /// Those of five in this order.
    pub const fn from_array(five: [f32; 5]) -> Self {
        let [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon] = five;
        Self { win, win_gammon, win_backgammon, lose_gammon, lose_backgammon }
    }

    /// These probabilities as the other side sees them.
    #[must_use]
    pub fn flip(&self) -> Self {
        Self {
            win: 1.0 - self.win,
            win_gammon: self.lose_gammon,
            win_backgammon: self.lose_backgammon,
            lose_gammon: self.win_gammon,
            lose_backgammon: self.win_backgammon,
        }
    }
}

impl From<OutcomeProbs> for Probs {
    fn from(probs: OutcomeProbs) -> Self {
        probs.cumulative()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_forms_agree_on_equity_and_flip(raw in prop::array::uniform6(0.0f32..1.0)) {
            let sum: f32 = raw.iter().sum();
            prop_assume!(sum > 0.01);
            let probs = OutcomeProbs(raw.map(|p| p / sum));
            let five = probs.cumulative();
            prop_assert!((probs.equity() - five.equity()).abs() < 1e-5);
            prop_assert!((probs.flip().equity() + probs.equity()).abs() < 1e-5);
            prop_assert!((five.flip().equity() + five.equity()).abs() < 1e-5);
            prop_assert!(five.win_backgammon <= five.win_gammon && five.win_gammon <= five.win);
            prop_assert_eq!(probs.flip().flip(), probs);
        }
    }

    #[test]
    fn certain_outcomes_are_worth_their_points() {
        for outcome in Outcome::ALL.into_iter().chain([Outcome::Draw]) {
            let probs = OutcomeProbs::certain(outcome);
            assert_eq!(probs.equity(), outcome.points() as f32);
            assert_eq!(probs.flip(), OutcomeProbs::certain(outcome.flip()));
        }
    }
}
