//! What a table covers.

use std::fmt;

use crate::index::positions;
use tavola_files::Failure;

/// The fewest points a one-sided table may cover: the home.
pub const MIN_POINTS: u8 = 6;
/// The most points a one-sided table may cover. The next would be the winner's home, where a loser
/// can be backgammoned.
pub const MAX_POINTS: u8 = 18;
/// The most checkers a side that a two-sided table may cover.
pub const MAX_TWO_SIDED_CHECKERS: u8 = 10;
/// The most positions that a one-sided table may hold. Generating takes some 200 bytes for each.
pub const MAX_POSITIONS: u32 = 1 << 23;

/// Which table: its kind, and what it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableSpec {
    kind: TableKind,
    points: u8,
    checkers: u8,
}

/// The kinds of table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub(crate) enum TableKind {
    /// Each side alone.
    OneSided = 1,
    /// Both sides together.
    TwoSided = 2,
}

impl TableSpec {
    /// Fifteen checkers on the six home points, each side alone: 54,264 positions.
    pub const ONE_SIDED_DEFAULT: Self = Self { kind: TableKind::OneSided, points: 6, checkers: 15 };
    /// Six checkers a side on the six home points, both sides together: 924 x 924 positions.
    pub const TWO_SIDED_DEFAULT: Self = Self { kind: TableKind::TwoSided, points: 6, checkers: 6 };

    /// Up to `checkers` checkers on the first `points` points, each side alone.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the numbers are out of range or make more than [`MAX_POSITIONS`].
    pub fn one_sided(points: u8, checkers: u8) -> Result<Self, Failure> {
        if !(MIN_POINTS..=MAX_POINTS).contains(&points) {
            return Err(Failure::input(format!(
                "a table of {points} points, expected {MIN_POINTS} to {MAX_POINTS}"
            )));
        }
        if !(1..=15).contains(&checkers) {
            return Err(other_checkers("one-sided", checkers, 15));
        }
        let found = positions(points, checkers);
        if found > MAX_POSITIONS {
            return Err(Failure::input(format!(
                "{checkers} checkers on {points} points are {found} positions, expected at most \
                 {MAX_POSITIONS}; take fewer points or checkers"
            )));
        }
        Ok(Self { kind: TableKind::OneSided, points, checkers })
    }

    /// Up to `checkers` checkers a side on the six home points, both sides together.
    ///
    /// # Errors
    ///
    /// [`Failure`] if there are no checkers or more than [`MAX_TWO_SIDED_CHECKERS`].
    pub fn two_sided(checkers: u8) -> Result<Self, Failure> {
        if !(1..=MAX_TWO_SIDED_CHECKERS).contains(&checkers) {
            return Err(other_checkers("two-sided", checkers, MAX_TWO_SIDED_CHECKERS));
        }
        Ok(Self { kind: TableKind::TwoSided, points: 6, checkers })
    }

    /// How many points of a side the table covers, from the ace point on.
    pub const fn points(self) -> u8 {
        self.points
    }

    /// How many checkers a side may have on the board.
    pub const fn checkers(self) -> u8 {
        self.checkers
    }

    /// Whether the table knows both sides together.
    pub const fn is_two_sided(self) -> bool {
        matches!(self.kind, TableKind::TwoSided)
    }

    /// Positions in the table: of a side, or for a two-sided table of both sides together.
    pub fn positions(self) -> u64 {
        let side = u64::from(positions(self.points, self.checkers));
        if self.is_two_sided() { side * side } else { side }
    }

    /// The name of the table's file in the cache directory.
    pub fn file_name(self) -> String {
        let Self { points, checkers, .. } = self;
        let sides = if self.is_two_sided() { "two" } else { "one" };
        format!("{sides}-sided-{points}-{checkers}.{EXTENSION}")
    }

    /// The table that a file name promises; `None` if it is no such name.
    pub fn of_file_name(name: &str) -> Option<Self> {
        let stem = name.strip_suffix(EXTENSION)?.strip_suffix('.')?;
        let (kind, rest) = stem.split_once("-sided-")?;
        let (points, checkers) = rest.split_once('-')?;
        let (points, checkers) = (points.parse().ok()?, checkers.parse().ok()?);
        let spec = match kind {
            "one" => Self::one_sided(points, checkers).ok()?,
            "two" => Self::two_sided(checkers).ok()?,
            _ => return None,
        };
        // Only the exact name: no leading zeros or signs.
        (spec.file_name() == name).then_some(spec)
    }

    pub(crate) const fn kind(self) -> TableKind {
        self.kind
    }
}

/// How the names of table files end.
const EXTENSION: &str = "bearoff";

fn other_checkers(kind: &str, found: u8, most: u8) -> Failure {
    Failure::input(format!("a {kind} table of {found} checkers a side, expected 1 to {most}"))
}

impl fmt::Display for TableSpec {
    /// `one-sided, 15 checkers on 6 points`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { points, checkers, .. } = self;
        match self.kind {
            TableKind::OneSided => write!(f, "one-sided, {checkers} checkers on {points} points"),
            TableKind::TwoSided => {
                write!(f, "two-sided, {checkers} checkers a side on {points} points")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_tell_the_table_and_nothing_else_does() {
        for spec in [
            TableSpec::ONE_SIDED_DEFAULT,
            TableSpec::TWO_SIDED_DEFAULT,
            TableSpec::one_sided(18, 5).unwrap(),
            TableSpec::two_sided(10).unwrap(),
        ] {
            assert_eq!(TableSpec::of_file_name(&spec.file_name()), Some(spec));
        }
        for name in [
            "",
            ".bearoff",
            "one-sided-06-15.bearoff",
            "one-sided-6-16.bearoff",
            "two-sided-7-6.bearoff",
            "two-sided-6-11.bearoff",
            "one-sided-6-15.bearoff.tmp",
            "three-sided-6-6.bearoff",
        ] {
            assert_eq!(TableSpec::of_file_name(name), None, "{name}");
        }
    }

    #[test]
    fn impossible_tables_are_refused_with_what_was_expected() {
        let error = |spec: Result<TableSpec, Failure>| spec.unwrap_err().to_string();
        assert!(error(TableSpec::one_sided(5, 15)).contains("expected 6 to 18"));
        assert!(error(TableSpec::one_sided(19, 1)).contains("expected 6 to 18"));
        assert!(error(TableSpec::one_sided(6, 16)).contains("expected 1 to 15"));
        assert!(error(TableSpec::one_sided(18, 15)).contains("1037158320 positions"));
        assert!(error(TableSpec::two_sided(11)).contains("expected 1 to 10"));
        assert!(error(TableSpec::two_sided(0)).contains("expected 1 to 10"));
        assert_eq!(TableSpec::ONE_SIDED_DEFAULT.positions(), 54_264);
        assert_eq!(TableSpec::TWO_SIDED_DEFAULT.positions(), 924 * 924);
    }
}
