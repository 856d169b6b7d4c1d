//! What players count in a race: expected rolls, the effective pip count, and the pips wasted.

use schemars::JsonSchema;
use serde::Serialize;
use tavola_rules::Position;

use crate::tables::Tables;

/// The mean of the pips of a roll, doubles played four times.
const PIPS_A_ROLL: f64 = 49.0 / 6.0;

/// A side of a race, by the bear-off databases.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RaceSide {
    /// Pips that are left.
    pub pips: u32,
    /// Rolls to bear off everything, on average.
    pub rolls: f64,
    /// Their standard deviation.
    pub rolls_sd: f64,
    /// The effective pip count: 49/6 pips a roll.
    pub epc: f64,
    /// The effective pip count less the pips.
    pub wastage: f64,
}

impl RaceSide {
    /// The player on roll; `None` if no table covers their checkers.
    pub fn of(tables: &Tables, position: &Position) -> Option<Self> {
        let rolls = tables.one_sided(position)?.rolls_to_finish(position)?;
        let (pips, rolls, rolls_sd) =
            (position.pip_count(), rolls.mean(), rolls.standard_deviation());
        let epc = PIPS_A_ROLL * rolls;
        Some(Self { pips, rolls, rolls_sd, epc, wastage: epc - f64::from(pips) })
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
        assert!((one.wastage - (49.0 / 6.0 - 1.0)).abs() < 1e-12);
        // Ten on the ace point: 5 rolls less what doubles save, an EPC of some 7 n / 2 + 2 for n checkers.
        let stack = side(&[(1, 10)]).unwrap();
        assert!((stack.epc - 36.0).abs() < 1.0, "{stack:?}");
        assert_eq!(side(&[(7, 1)]), None);
    }
}
