//! What players count in a race: expected rolls, the effective pip count, and the pips wasted.

use tavola_rules::Position;

use crate::tables::Tables;

/// The mean of the pips of a roll, doubles played four times.
const PIPS_A_ROLL: f64 = 49.0 / 6.0;

/// A side of a race, by a one-sided table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RaceSide {
    /// Pips that are left.
    pub pips: u32,
    /// Rolls to bear off all checkers, on average.
    pub rolls: f64,
    /// Their standard deviation.
    pub rolls_sd: f64,
}

impl RaceSide {
    /// The player on roll; `None` if no table covers their checkers.
    pub fn of(tables: &Tables, position: &Position) -> Option<Self> {
        let rolls = tables.one_sided(position)?.rolls_to_finish(position)?;
        let pips = position.pip_count();
        Some(Self { pips, rolls: rolls.mean(), rolls_sd: rolls.standard_deviation() })
    }

    /// The effective pip count: the pips of as many average rolls.
    pub fn epc(&self) -> f64 {
        PIPS_A_ROLL * self.rolls
    }

    /// The pips that will be wasted.
    pub fn wastage(&self) -> f64 {
        self.epc() - f64::from(self.pips)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Store, TableSpec};

    #[test]
    fn figures_are_those_of_the_books() {
        let specs = [TableSpec::one_sided(6, 10).unwrap()];
        let (tables, _) = Store::in_memory().load(&specs, &|_| {});
        let side = |points: &[(usize, u8)]| {
            let position = Position::from_points(points, &[(1, 1)], 15).unwrap();
            RaceSide::of(&tables, &position)
        };
        // One checker is off with any roll.
        let one = side(&[(1, 1)]).unwrap();
        assert_eq!((one.pips, one.rolls, one.rolls_sd), (1, 1.0, 0.0));
        assert!((one.wastage() - (49.0 / 6.0 - 1.0)).abs() < 1e-12);
        // Ten on the ace point: 5 rolls less what doubles save, an EPC of some 7 n / 2 + 2 for n checkers.
        let stack = side(&[(1, 10)]).unwrap();
        assert!((stack.epc() - 36.0).abs() < 1.0, "{stack:?}");
        assert_eq!(side(&[(7, 1)]), None);
    }
}
