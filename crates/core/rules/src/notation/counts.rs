//! Positions as 26 numbers: the opponent's bar, points 1 to 24, the bar of the player on roll;
//! positive for the checkers of the player on roll, negative for the opponent's.

use super::{Input, NotationError};
use crate::position::{MAX_CHECKERS, Position};

const FORM: &str = "a list of 26 numbers";
const EXPECTED: &str = "26 numbers: the opponent's bar (not above 0), points 1 to 24 \
                        (positive for the player on roll), own bar (not below 0)";

/// The 26 numbers in brackets, which is also JSON.
pub fn write_counts(position: &Position) -> String {
    let numbers: Vec<String> = position.counts().iter().map(i8::to_string).collect();
    format!("[{}]", numbers.join(","))
}

/// Reads 26 numbers separated by commas or whitespace, with or without brackets, with fifteen
/// checkers a side.
///
/// # Errors
///
/// [`NotationError`] if these are not 26 numbers, or no position.
pub fn parse_counts(text: &str) -> Result<Position, NotationError> {
    parse_counts_with_checkers(text, MAX_CHECKERS)
}

/// As [`parse_counts`], with `checkers` a side: 3 for hypergammon.
///
/// # Errors
///
/// [`NotationError`] if these are not 26 numbers, or no position.
pub fn parse_counts_with_checkers(text: &str, checkers: u8) -> Result<Position, NotationError> {
    let input = Input { form: FORM, text };
    let error = |field, found: &str| input.field(field, found, EXPECTED);
    let inner = text.trim();
    let inner = inner.strip_prefix('[').unwrap_or(inner);
    let inner = inner.strip_suffix(']').unwrap_or(inner);
    let mut counts = [0; 26];
    let mut found = 0;
    for word in inner.split(|c: char| c == ',' || c.is_whitespace()).filter(|w| !w.is_empty()) {
        let number: i8 = word.parse().map_err(|_| error("one of the numbers", word))?;
        if let Some(count) = counts.get_mut(found) {
            *count = number;
        }
        found += 1;
    }
    if found != counts.len() {
        return Err(error("the length", &found.to_string()));
    }
    Position::from_counts(&counts, checkers).map_err(|reason| input.checkers(reason))
}
