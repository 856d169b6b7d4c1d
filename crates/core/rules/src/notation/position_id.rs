//! GNU Position IDs: 14 characters for the checkers of both sides.
//!
//! For each side, the points 1 to 24 as that side numbers them and then its bar: as many ones as
//! there are checkers, and a zero. The player *not* on roll comes first. GNU Backgammon's manual
//! says the reverse; the start position, being symmetric, doesn't tell.

use super::bits::Bits;
use super::{Input, NotationError};
use crate::position::{MAX_CHECKERS, Position};

const FORM: &str = "a GNU Position ID";
const BYTES: usize = 10;

/// The GNU Position ID of a position.
pub fn encode_position_id(position: &Position) -> String {
    let mut bits = Bits::new();
    for side in [position.flip(), *position] {
        for &count in &side.cells()[1..=25] {
            let checkers = count.max(0) as u32;
            bits.put((1 << checkers) - 1, checkers + 1);
        }
    }
    bits.encode(BYTES)
}

/// The position of a GNU Position ID with fifteen checkers a side.
///
/// # Errors
///
/// [`NotationError`] if the text is no ID, or its checkers are no position.
pub fn decode_position_id(text: &str) -> Result<Position, NotationError> {
    decode_position_id_with_checkers(text, MAX_CHECKERS)
}

/// The position of a GNU Position ID with `checkers` a side: 3 for hypergammon.
///
/// # Errors
///
/// [`NotationError`] if the text is no ID, or its checkers are no position.
pub fn decode_position_id_with_checkers(
    text: &str,
    checkers: u8,
) -> Result<Position, NotationError> {
    let input = Input { form: FORM, text };
    let mut bits = Bits::decode(text, BYTES, FORM)?;
    let mut counts = [0_i8; 26];
    // Bit strings with too many ones are caught by the check of the position: 80 ones at most.
    for i in 1..=25 {
        while bits.take(1) == 1 {
            counts[25 - i] -= 1;
        }
    }
    for (i, count) in counts.iter_mut().enumerate().skip(1) {
        while bits.take(1) == 1 {
            if *count < 0 {
                return Err(input.field("a point", &i.to_string(), "checkers of one side on it"));
            }
            *count += 1;
        }
    }
    if !bits.rest_is_zero() {
        let field = "what follows the 50 counts";
        return Err(input.field(field, "not zero", "zero bits to the end"));
    }
    Position::from_counts(&counts, checkers).map_err(|reason| input.checkers(reason))
}
