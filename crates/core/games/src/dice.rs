//! Rolls of two or three dice.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use tavola_evaluator::TextError;
use tavola_rules::dice_digits;
use tavola_rules::notation::Quoted;

/// How many dice a game rolls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DiceCount {
    /// 21 different rolls; the default where it is an option.
    #[default]
    #[serde(rename = "2")]
    Two,
    /// 56 different rolls.
    #[serde(rename = "3")]
    Three,
}

impl DiceCount {
    /// As a number.
    pub const fn get(self) -> usize {
        match self {
            Self::Two => 2,
            Self::Three => 3,
        }
    }

    /// Reads a roll of this number of dice in the game of this name.
    pub(crate) fn parse(self, text: &str, game: &str) -> Result<TablesDice, TextError> {
        let dice: TablesDice = text.parse().map_err(TextError::new)?;
        let (found, expected) = (dice.count().get(), self.get());
        match found == expected {
            true => Ok(dice),
            false => Err(TextError::of(format_args!(
                "{text:?} has {found} dice, expected {expected} in {game}"
            ))),
        }
    }

    /// The different rolls with their weights, which sum to 216 for either number of dice.
    pub(crate) const fn rolls(self) -> &'static [(TablesDice, u8)] {
        match self {
            Self::Two => &TWO,
            Self::Three => &THREE,
        }
    }
}

/// A roll of two or three dice, the highest first; the order in which they fell does not matter. They
/// have six sides, in games for more than two players also seven.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "[u8; 3]", into = "[u8; 3]")]
pub struct TablesDice {
    /// Descending; the last is 0 where there are only two.
    numbers: [u8; 3],
}

/// A text that is no roll, or one with another number of dice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} is not a roll, expected two or three dice from 1 to 6 such as 31 or 6-5-5",
    Quoted::from(.input.as_str())
)]
pub struct TablesDiceError {
    input: String,
}

impl TablesDice {
    /// A roll from its numbers in any order.
    ///
    /// # Errors
    ///
    /// [`TablesDiceError`] unless there are two or three numbers from 1 to 6.
    pub fn new(numbers: &[u8]) -> Result<Self, TablesDiceError> {
        if !matches!(numbers.len(), 2 | 3) || numbers.iter().any(|n| !(1..=6).contains(n)) {
            let words: Vec<String> = numbers.iter().map(u8::to_string).collect();
            return Err(TablesDiceError { input: words.join("-") });
        }
        Ok(Self::sorted(numbers))
    }

    /// Two or three numbers in any order; a third that is 0 stands for no die.
    pub(crate) fn sorted(numbers: &[u8]) -> Self {
        let mut sorted = [0; 3];
        sorted[..numbers.len()].copy_from_slice(numbers);
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        Self { numbers: sorted }
    }

    /// Fair dice, two or three, with this number of sides.
    pub(crate) fn roll(count: usize, sides: u8, rng: &mut impl Rng) -> Self {
        let mut numbers = [0; 3];
        numbers[..count].fill_with(|| rng.random_range(1..=sides));
        Self::sorted(&numbers)
    }

    /// Every roll of such dice, each with the number of ways in which they fall so.
    pub(crate) fn all(count: usize, sides: u8) -> Vec<(Self, u32)> {
        let mut ways = BTreeMap::new();
        let third = if count == 3 { 1..=sides } else { 0..=0 };
        for a in 1..=sides {
            for b in 1..=sides {
                for c in third.clone() {
                    *ways.entry(Self::sorted(&[a, b, c])).or_default() += 1;
                }
            }
        }
        ways.into_iter().collect()
    }

    /// The numbers, highest first.
    pub fn numbers(&self) -> &[u8] {
        &self.numbers[..self.count().get()]
    }

    /// How many dice these are.
    pub const fn count(&self) -> DiceCount {
        if self.numbers[2] == 0 { DiceCount::Two } else { DiceCount::Three }
    }

    /// Whether two dice show the same and there is no third.
    pub const fn is_double(&self) -> bool {
        self.numbers[2] == 0 && self.numbers[0] == self.numbers[1]
    }
}

static TWO: [(TablesDice, u8); 21] = rolls(DiceCount::Two);

static THREE: [(TablesDice, u8); 56] = rolls(DiceCount::Three);

const fn rolls<const N: usize>(count: DiceCount) -> [(TablesDice, u8); N] {
    let mut all = [(TablesDice { numbers: [0; 3] }, 0); N];
    let (mut i, mut a) = (0, 1);
    while a <= 6 {
        let mut b = 1;
        while b <= a {
            let (mut c, last) = if matches!(count, DiceCount::Two) { (0, 0) } else { (1, b) };
            while c <= last {
                // Of two dice in twelfths of a sixth, so that the weights sum to 216 as of three.
                let weight = match (a == b, b == c) {
                    (true, true) => 1,
                    (true, false) if c == 0 => 6,
                    (false, false) if c == 0 => 12,
                    (true, false) | (false, true) => 3,
                    (false, false) => 6,
                };
                all[i] = (TablesDice { numbers: [a, b, c] }, weight);
                i += 1;
                c += 1;
            }
            b += 1;
        }
        a += 1;
    }
    all
}

impl fmt::Display for TablesDice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, number) in self.numbers().iter().enumerate() {
            write!(f, "{}{number}", if i == 0 { "" } else { "-" })?;
        }
        Ok(())
    }
}

impl fmt::Debug for TablesDice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for TablesDice {
    type Err = TablesDiceError;

    /// Two or three [digits](dice_digits).
    fn from_str(text: &str) -> Result<Self, TablesDiceError> {
        let dice = dice_digits(text).and_then(|numbers| Self::new(&numbers).ok());
        dice.ok_or_else(|| TablesDiceError { input: text.to_owned() })
    }
}

impl From<TablesDice> for [u8; 3] {
    fn from(dice: TablesDice) -> Self {
        dice.numbers
    }
}

impl TryFrom<[u8; 3]> for TablesDice {
    type Error = TablesDiceError;

    fn try_from(numbers: [u8; 3]) -> Result<Self, TablesDiceError> {
        Self::new(if numbers[2] == 0 { &numbers[..2] } else { &numbers })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rolls_are_different_and_weigh_216_together() {
        for (count, expected) in [(DiceCount::Two, 21), (DiceCount::Three, 56)] {
            let rolls = count.rolls();
            let mut seen: Vec<_> = rolls.iter().map(|(dice, _)| *dice).collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!((seen.len(), rolls.len()), (expected, expected));
            assert_eq!(rolls.iter().map(|&(_, weight)| u32::from(weight)).sum::<u32>(), 216);
            assert!(rolls.iter().all(|(dice, _)| dice.count() == count));
        }
    }

    #[test]
    fn rolls_are_read_in_every_customary_form_and_nothing_else_is() {
        let dice = TablesDice::new(&[5, 6, 5]).unwrap();
        for text in ["655", "565", "6-5-5", "5,5,6", " 5 6 5 "] {
            assert_eq!(text.parse(), Ok(dice), "{text:?}");
        }
        assert_eq!(dice.to_string(), "6-5-5");
        assert_eq!("31".parse(), TablesDice::new(&[3, 1]));
        assert_eq!("3-1".parse(), TablesDice::new(&[1, 3]));
        for text in ["", "3", "37", "0-1", "3--1", "abc", "3-1-1-1", "6-5-", "1111"] {
            let error = text.parse::<TablesDice>().unwrap_err();
            assert!(error.to_string().contains("expected two or three dice"), "{error}");
        }
    }
}
