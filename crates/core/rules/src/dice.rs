//! A roll of two dice, and the 21 rolls with their weights.

use std::fmt;
use std::str::FromStr;

use rand::{Rng, RngExt};

use crate::notation::Quoted;

/// Two dice, the larger first; the order in which they fell does not matter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dice {
    high: u8,
    low: u8,
}

/// Why a text or a pair of numbers is not a roll.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} is not a roll, expected two dice from 1 to 6 such as 31, 3-1 or 3,1",
    Quoted::from(.input.as_str())
)]
pub struct DiceError {
    input: String,
}

impl Dice {
    /// The 21 different rolls, each with its number of ways out of 36.
    pub const ALL: [(Self, u8); 21] = {
        let mut all = [(Self { high: 1, low: 1 }, 1); 21];
        let (mut i, mut high) = (0, 1);
        while high <= 6 {
            let mut low = 1;
            while low <= high {
                all[i] = (Self { high, low }, if high == low { 1 } else { 2 });
                i += 1;
                low += 1;
            }
            high += 1;
        }
        all
    };

    /// A roll from its two numbers in any order.
    ///
    /// # Errors
    ///
    /// [`DiceError`] if a number is not 1 to 6.
    pub fn new(a: u8, b: u8) -> Result<Self, DiceError> {
        if (1..=6).contains(&a) && (1..=6).contains(&b) {
            Ok(Self { high: a.max(b), low: a.min(b) })
        } else {
            Err(DiceError { input: format!("{a}-{b}") })
        }
    }

    /// Two fair dice.
    pub fn roll(rng: &mut impl Rng) -> Self {
        let (a, b) = (rng.random_range(1..=6), rng.random_range(1..=6));
        Self { high: u8::max(a, b), low: u8::min(a, b) }
    }

    /// The opening roll: one die a player, repeated while they are equal, so never a double.
    /// The thrower of the larger die starts, each player with probability 1/2.
    pub fn roll_opening(rng: &mut impl Rng) -> Self {
        loop {
            let dice = Self::roll(rng);
            if !dice.is_double() {
                return dice;
            }
        }
    }

    /// The number of each step that it allows, the larger first: two, or four equal ones.
    pub fn steps(self) -> Vec<u8> {
        if self.is_double() { vec![self.high; 4] } else { vec![self.high, self.low] }
    }

    /// The larger number.
    #[inline]
    pub const fn high(self) -> u8 {
        self.high
    }

    /// The smaller number.
    #[inline]
    pub const fn low(self) -> u8 {
        self.low
    }

    /// Whether both dice show the same, so that the number is played four times.
    #[inline]
    pub const fn is_double(self) -> bool {
        self.high == self.low
    }
}

impl fmt::Display for Dice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.high, self.low)
    }
}

impl fmt::Debug for Dice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Dice {
    type Err = DiceError;

    /// Two [digits](dice_digits).
    fn from_str(text: &str) -> Result<Self, DiceError> {
        let dice = match dice_digits(text).as_deref() {
            Some(&[a, b]) => Self::new(a, b).ok(),
            _ => None,
        };
        dice.ok_or_else(|| DiceError { input: text.to_owned() })
    }
}

/// The digits of a roll, together or with single separators between them: `31`, `3-1`, `3,1`, `3 1`,
/// `3/1`, `3:1`.
pub fn dice_digits(text: &str) -> Option<Vec<u8>> {
    let characters: Vec<char> = text.trim().chars().collect();
    let is_separated = characters.len() % 2 == 1
        && characters.iter().skip(1).step_by(2).all(|c| "-, /:".contains(*c));
    let digits = characters.into_iter().step_by(if is_separated { 2 } else { 1 });
    digits.map(|c| c.to_digit(10).map(|digit| digit as u8)).collect()
}

impl serde::Serialize for Dice {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.high, self.low].serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for Dice {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let [a, b] = <[u8; 2]>::deserialize(deserializer)?;
        Self::new(a, b).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;

    #[test]
    fn the_21_rolls_weigh_36_together() {
        assert_eq!(Dice::ALL.iter().map(|&(_, weight)| u32::from(weight)).sum::<u32>(), 36);
    }

    #[test]
    fn rolls_are_read_in_every_customary_form() {
        for text in ["31", "13", "3-1", "3,1", "1 3", " 3/1 "] {
            assert_eq!(text.parse(), Dice::new(3, 1), "{text:?}");
        }
        for text in ["", "3", "37", "0-1", "3--1", "abc", "3-1-1"] {
            let error = text.parse::<Dice>().unwrap_err();
            assert!(error.to_string().contains("expected two dice"), "{error}");
        }
    }

    #[test]
    fn opening_rolls_are_the_15_non_doubles_alike_often() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut seen = std::collections::BTreeMap::new();
        for _ in 0..15_000 {
            *seen.entry(Dice::roll_opening(&mut rng)).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), 15);
        // Five standard deviations of a count with mean 1,000.
        assert!(seen.values().all(|&n| (847..=1153).contains(&n)), "{seen:?}");
    }
}
