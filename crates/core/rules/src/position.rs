//! A backgammon position: the checkers of both sides, seen from the player on roll.

use std::fmt;
use std::hash::{Hash, Hasher};

/// Index of the opponent's bar in a [`Position`].
pub const OPPONENT_BAR: usize = 0;
/// Index of the bar of the player on roll in a [`Position`].
pub const BAR: usize = 25;
/// Index of the checkers that the player on roll has borne off.
pub const OFF: usize = 26;
/// Index of the checkers that the opponent has borne off.
pub const OPPONENT_OFF: usize = 27;
/// The largest number of checkers a side may have.
pub const MAX_CHECKERS: u8 = 15;

/// Where the checkers stand, from the side of the player on roll.
///
/// 28 small signed counts: positive for the player on roll, negative for the opponent.
/// Index 1 to 24 are the points as the player on roll numbers them: they move towards 1, and their
/// home is 1 to 6. [`OPPONENT_BAR`], [`BAR`], [`OFF`] and [`OPPONENT_OFF`] are the rest.
///
/// # Invariant
///
/// Both sides have the same number of checkers, between 1 and 15; own bar and off are never
/// negative, the opponent's never positive; at most one side has borne everything off. The
/// constructors check this and the move generator keeps it, so an illegal position can't exist.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Position {
    /// 28 counts and four bytes that stay zero, so that a position is one 32-byte register.
    cells: [i8; 32],
}

/// Why 26 counts are not a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PositionError {
    /// A side has more checkers on the board than it owns.
    #[error("{side} has {found} checkers on the board, expected at most {expected}")]
    TooManyCheckers {
        /// Which side.
        side: &'static str,
        /// Checkers found on points and bar.
        found: u32,
        /// Checkers the side owns.
        expected: u8,
    },
    /// A checker of the opponent stands where only the player's bar may be, or the reverse.
    #[error("{what} is {found}, expected {}: {sign}", -i16::from(*found))]
    WrongSign {
        /// Which of the two bars.
        what: &'static str,
        /// The count found.
        found: i8,
        /// Which sign its checkers have.
        sign: &'static str,
    },
    /// Neither side has a checker left: one side won before the other finished.
    #[error("both sides have borne off every checker, expected at least one checker on the board")]
    NobodyLeft,
    /// Both sides have checkers on one point.
    #[error("both sides have checkers on point {point}, expected one side")]
    SharedPoint {
        /// The point, as the player on roll numbers it.
        point: usize,
    },
    /// The number of checkers a side owns is not playable.
    #[error("{found} checkers a side, expected 1 to 15")]
    CheckerCount {
        /// The requested count.
        found: u8,
    },
}

impl Position {
    /// The usual start: 24:2, 13:5, 8:3, 6:5 for both sides.
    pub const STANDARD: Self = Self::symmetric(&[(24, 2), (13, 5), (8, 3), (6, 5)]);

    /// A start position in which both sides stand alike; `points` in own numbering.
    pub(crate) const fn symmetric(points: &[(usize, i8)]) -> Self {
        let mut cells = [0; 32];
        let mut i = 0;
        while i < points.len() {
            let (point, count) = points[i];
            cells[point] += count;
            cells[25 - point] -= count;
            i += 1;
        }
        Self { cells }
    }

    /// A position from the points of both sides as (point, checkers), each side in its own
    /// numbering with 25 for its bar; what is not named of `checkers` has been borne off.
    ///
    /// # Errors
    ///
    /// [`PositionError`] names the first rule that the points break.
    ///
    /// # Panics
    ///
    /// If a point is not 1 to 25.
    ///
    /// ```
    /// use tavola_rules::Position;
    ///
    /// let start = [(24, 2), (13, 5), (8, 3), (6, 5)];
    /// assert_eq!(Position::from_points(&start, &start, 15), Ok(Position::STANDARD));
    /// ```
    pub fn from_points(
        mine: &[(usize, u8)],
        theirs: &[(usize, u8)],
        checkers: u8,
    ) -> Result<Self, PositionError> {
        let mut counts = [0_i8; 26];
        // Counts too large for a cell stay too large for a side.
        let small = |count: u8| count.min(MAX_CHECKERS + 1) as i8;
        for &(point, count) in mine {
            assert!((1..=BAR).contains(&point), "a point is 1 to 25, not {point}");
            counts[point] = counts[point].saturating_add(small(count));
        }
        for &(point, count) in theirs {
            assert!((1..=BAR).contains(&point), "a point is 1 to 25, not {point}");
            let point = BAR - point;
            if counts[point] > 0 && count > 0 {
                return Err(PositionError::SharedPoint { point });
            }
            counts[point] = counts[point].saturating_sub(small(count));
        }
        Self::from_counts(&counts, checkers)
    }

    /// A position from 26 counts (indices as in [`Position`], without the borne-off checkers)
    /// and the number of checkers a side owns; what is not on the board has been borne off.
    ///
    /// # Errors
    ///
    /// [`PositionError`] names the first rule that the counts break.
    pub fn from_counts(counts: &[i8; 26], checkers: u8) -> Result<Self, PositionError> {
        if !(1..=MAX_CHECKERS).contains(&checkers) {
            return Err(PositionError::CheckerCount { found: checkers });
        }
        if counts[OPPONENT_BAR] > 0 {
            return Err(PositionError::WrongSign {
                what: "the opponent's bar (index 0)",
                found: counts[OPPONENT_BAR],
                sign: "the opponent's checkers are negative here, on the bar too (Open Sage \
                       counts them positive there)",
            });
        }
        if counts[BAR] < 0 {
            return Err(PositionError::WrongSign {
                what: "the bar of the player on roll (index 25)",
                found: counts[BAR],
                sign: "the checkers of the player on roll are positive here, on the bar too",
            });
        }
        let mine: u32 = counts.iter().filter(|&&n| n > 0).map(|&n| n.unsigned_abs() as u32).sum();
        let theirs: u32 = counts.iter().filter(|&&n| n < 0).map(|&n| n.unsigned_abs() as u32).sum();
        for (side, found) in [("the player on roll", mine), ("the opponent", theirs)] {
            if found > u32::from(checkers) {
                return Err(PositionError::TooManyCheckers { side, found, expected: checkers });
            }
        }
        if mine == 0 && theirs == 0 {
            return Err(PositionError::NobodyLeft);
        }
        let mut cells = [0; 32];
        cells[..26].copy_from_slice(counts);
        cells[OFF] = checkers as i8 - mine as i8;
        cells[OPPONENT_OFF] = theirs as i8 - checkers as i8;
        Ok(Self { cells })
    }

    /// The 28 counts: points, bars and borne-off checkers; four zeros follow them.
    #[inline]
    pub const fn cells(&self) -> &[i8; 32] {
        &self.cells
    }

    /// For the move generator, which keeps the invariant by moving one checker at a time.
    #[inline]
    pub(crate) fn cells_mut(&mut self) -> &mut [i8; 32] {
        &mut self.cells
    }

    /// The 26 counts that text forms use: the opponent's bar, points 1 to 24, own bar.
    pub fn counts(&self) -> [i8; 26] {
        std::array::from_fn(|i| self.cells[i])
    }

    /// Checkers on `point` (1 to 24): positive for the player on roll, negative for the opponent.
    ///
    /// # Panics
    ///
    /// If `point` is not a point.
    #[inline]
    pub fn point(&self, point: usize) -> i8 {
        assert!((1..=24).contains(&point), "a point is 1 to 24, not {point}");
        self.cells[point]
    }

    /// Checkers of the player on roll on the bar.
    #[inline]
    pub fn bar(&self) -> u8 {
        self.cells[BAR] as u8
    }

    /// Checkers of the opponent on the bar.
    #[inline]
    pub fn opponent_bar(&self) -> u8 {
        self.cells[OPPONENT_BAR].unsigned_abs()
    }

    /// Checkers that the player on roll has borne off.
    #[inline]
    pub fn off(&self) -> u8 {
        self.cells[OFF] as u8
    }

    /// Checkers that the opponent has borne off.
    #[inline]
    pub fn opponent_off(&self) -> u8 {
        self.cells[OPPONENT_OFF].unsigned_abs()
    }

    /// Checkers a side owns: 15, or 3 in hypergammon.
    pub fn checkers(&self) -> u8 {
        self.cells[1..=OFF].iter().filter(|&&n| n > 0).sum::<i8>() as u8
    }

    /// These checkers as the other side sees them, who is now on roll.
    #[inline]
    #[must_use]
    pub fn flip(&self) -> Self {
        let mut cells = [0; 32];
        for (i, cell) in cells.iter_mut().enumerate().take(26) {
            *cell = -self.cells[25 - i];
        }
        cells[OFF] = -self.cells[OPPONENT_OFF];
        cells[OPPONENT_OFF] = -self.cells[OFF];
        Self { cells }
    }

    /// Pips that the player on roll still has to go.
    pub fn pip_count(&self) -> u32 {
        (1..=25).filter(|&i| self.cells[i] > 0).map(|i| i as u32 * self.cells[i] as u32).sum()
    }

    /// Pips that the opponent still has to go.
    pub fn opponent_pip_count(&self) -> u32 {
        (0..=24)
            .filter(|&i| self.cells[i] < 0)
            .map(|i| (25 - i) as u32 * u32::from(self.cells[i].unsigned_abs()))
            .sum()
    }

    /// Whether a checker of one side can still meet one of the other.
    pub fn has_contact(&self) -> bool {
        let rearmost = (1..=25).rev().find(|&i| self.cells[i] > 0);
        let opponent_rearmost = (0..=24).find(|&i| self.cells[i] < 0);
        matches!((rearmost, opponent_rearmost), (Some(mine), Some(theirs)) if mine > theirs)
    }
}

impl Default for Position {
    fn default() -> Self {
        Self::STANDARD
    }
}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The 28th count and the padding follow from the rest.
        for chunk in self.cells[..OPPONENT_OFF].chunks(8) {
            let mut word = [0; 8];
            for (byte, &count) in word.iter_mut().zip(chunk) {
                *byte = count as u8;
            }
            state.write_u64(u64::from_le_bytes(word));
        }
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |f: &mut fmt::Formatter<'_>, sign: i8| -> fmt::Result {
            for i in (0..=25).rev() {
                if self.cells[i] * sign > 0 {
                    write!(f, " {i}:{}", self.cells[i].abs())?;
                }
            }
            Ok(())
        };
        write!(f, "Position {{ me")?;
        side(f, 1)?;
        write!(f, " off {}, opp", self.off())?;
        side(f, -1)?;
        write!(f, " off {} }}", self.opponent_off())
    }
}

impl serde::Serialize for Position {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts: [u8; 27] =
            std::array::from_fn(|i| if i < 26 { self.cells[i] as u8 } else { self.checkers() });
        counts.serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for Position {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = <[u8; 27]>::deserialize(deserializer)?;
        let counts: [i8; 26] = std::array::from_fn(|i| bytes[i] as i8);
        Self::from_counts(&counts, bytes[26]).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_position_has_167_pips_and_15_checkers_a_side() {
        let start = Position::STANDARD;
        assert_eq!((start.pip_count(), start.opponent_pip_count()), (167, 167));
        assert_eq!(start.checkers(), 15);
        assert_eq!(start.flip(), start);
        assert!(start.has_contact());
    }

    #[test]
    fn a_position_is_written_as_its_counts_and_read_back() {
        let position = Position::from_points(&[(24, 2), (6, 3)], &[(25, 1), (13, 5)], 15).unwrap();
        let words = "Position { me 24:2 6:3 off 10, opp 12:5 0:1 off 9 }";
        assert_eq!(format!("{position:?}"), words);
        let bytes = "[255,0,0,0,0,0,3,0,0,0,0,0,251,0,0,0,0,0,0,0,0,0,0,0,2,0,15]";
        assert_eq!(serde_json::to_string(&position).unwrap(), bytes);
        assert_eq!(serde_json::from_str::<Position>(bytes).unwrap(), position);
        assert!(serde_json::from_str::<Position>(&bytes.replace("15]", "4]")).is_err());
        let hash = |position: &Position| {
            let mut hasher = std::hash::DefaultHasher::new();
            position.hash(&mut hasher);
            hasher.finish()
        };
        assert_ne!(hash(&position), hash(&Position::STANDARD));
    }

    #[test]
    fn flip_twice_is_identity_on_an_asymmetric_position() {
        let position = Position::from_points(&[(25, 2), (6, 7)], &[(25, 1), (6, 4)], 15).unwrap();
        assert_ne!(position.flip(), position);
        assert_eq!(position.flip().flip(), position);
        assert_eq!(position.flip().bar(), 1);
        assert_eq!(position.flip().off(), 10);
        assert_eq!(position.flip().pip_count(), position.opponent_pip_count());
    }

    #[test]
    fn impossible_counts_are_refused() {
        let mut counts = [0; 26];
        assert_eq!(Position::from_counts(&counts, 15), Err(PositionError::NobodyLeft));
        counts[6] = 16;
        assert!(matches!(
            Position::from_counts(&counts, 15),
            Err(PositionError::TooManyCheckers { found: 16, .. })
        ));
        counts[6] = 1;
        counts[OPPONENT_BAR] = 1;
        assert!(matches!(Position::from_counts(&counts, 15), Err(PositionError::WrongSign { .. })));
        counts[OPPONENT_BAR] = 0;
        counts[BAR] = -1;
        assert!(matches!(Position::from_counts(&counts, 15), Err(PositionError::WrongSign { .. })));
        let shared = Position::from_points(&[(6, 1)], &[(19, 1)], 15);
        assert_eq!(shared, Err(PositionError::SharedPoint { point: 6 }));
        counts[BAR] = 0;
        assert_eq!(
            Position::from_counts(&counts, 16),
            Err(PositionError::CheckerCount { found: 16 })
        );
    }
}
