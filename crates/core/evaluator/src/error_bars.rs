//! How far a loss that a search finds may be off.
//!
//! The table is fitted to losses that were rolled out deeply, and checked on others: of these, 93
//! to 97 % lie within the interval at each depth. `scripts/error-bars.py` draws the decisions,
//! writes the table and those that it is checked on.

use crate::phase::Phase;

mod table;

use self::table::TABLE;

/// Up to which loss the columns of the table go; the last column has no limit.
const UP_TO: [f64; 3] = [0.0, 0.02, 0.08];

/// Half of the 95 % interval of a loss, in points or EMG: how far a deeper look may be from what a
/// search of this depth says the choice loses against its best one. 3-ply has that of 2-ply, which
/// holds for it too: `scripts/error-bars.py --levels 2,3`. The phase is that of the position before a
/// play; `None` for a double or its answer.
pub fn error_bar(ply: u8, phase: Option<Phase>, loss: f64) -> f64 {
    let rows = &TABLE[usize::from(ply).min(TABLE.len() - 1)];
    let row = phase.map_or(rows.len() - 1, |phase| phase as usize);
    let column = UP_TO.iter().filter(|limit| loss > **limit).count();
    rows[row][column] / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line for each loss: phase, what 0-, 1- and 2-ply say, and a rollout.
    const HELD_OUT: &str = include_str!("error_bars/held-out.txt");

    #[test]
    fn intervals_hold_on_losses_that_the_table_was_not_fitted_to() {
        let mut inside = [0; 3];
        for line in HELD_OUT.lines() {
            let (phase, figures) = line.split_once(' ').unwrap();
            let phase = (phase != "cube").then(|| phase.parse().unwrap());
            let figures: Vec<f64> = figures.split(' ').map(|it| it.parse().unwrap()).collect();
            for (ply, inside) in (0..).zip(&mut inside) {
                let off = (figures[usize::from(ply)] - figures[3]).abs();
                *inside +=
                    u32::from(off <= error_bar(ply, phase, figures[usize::from(ply)]) + 1e-4);
            }
        }
        let all = HELD_OUT.lines().count();
        for covered in inside.map(|inside| f64::from(inside) / all as f64) {
            assert!((0.93..=0.97).contains(&covered), "{inside:?} of {all}");
        }
    }

    #[test]
    fn larger_losses_and_less_depth_have_wider_intervals() {
        let bar = |ply, loss| error_bar(ply, Some(Phase::Middle), loss);
        assert!(
            bar(2, 0.0) < bar(2, 0.01) && bar(2, 0.01) < bar(2, 0.05) && bar(2, 0.05) < bar(2, 1.0)
        );
        assert!(bar(2, 0.05) < bar(1, 0.05) && bar(1, 0.05) < bar(0, 0.05));
        assert_eq!(bar(3, 0.05), bar(2, 0.05));
    }
}
