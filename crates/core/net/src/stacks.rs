//! Layer stacks: later layers that are there several times, one stack of them for each kind of
//! position.
//!
//! As in the NNUE networks of chess engines, the first layer is shared and only one of the stacks
//! is computed for a position. So there is room for more at the same number of operations: a race and
//! a prime need not share their weights. Chess chooses by the number of pieces; here it is who still
//! has checkers behind the other's lines. Blocks of positions that share a stack are as fast as without
//! stacks; where the stack changes, a block ends early.

use tavola_rules::Cell;

use crate::patterns;
use crate::side::BAR;
use crate::weights::{Layer, Weights};

/// The kinds of positions, each with a stack of its own.
pub const STACKS: usize = 5;

/// The last point of the opponent's home board, as its owner counts.
const HOME: usize = 6;

/// Whether states with this layout have kinds: those of a backgammon board do.
pub(crate) fn fit(layout: &[Cell]) -> bool {
    patterns::fit(layout)
}

/// The stack for a position on a backgammon board: 0 without contact, else 1 if both sides have
/// checkers in the other's home board or on the bar, 2 if only the player on roll has, 3 if only the
/// opponent has, 4 if neither has.
///
/// # Panics
///
/// If there are fewer cells than a backgammon board has.
pub fn stack_of(cells: &[i8]) -> usize {
    let cells: &[i8; BAR + 1] = cells.first_chunk().expect("a backgammon board");
    let (mut own, mut other) = (0_u32, 0_u32);
    for (place, &count) in cells.iter().enumerate() {
        own |= u32::from(count > 0) << place;
        other |= u32::from(count < 0) << place;
    }
    // The place of the player's last checker, and of the opponent's, both as the player counts.
    let last = own.checked_ilog2().unwrap_or(0) as usize;
    let others_last = other.trailing_zeros() as usize;
    if last < others_last {
        return 0;
    }
    match (last >= BAR - HOME, others_last <= HOME) {
        (true, true) => 1,
        (true, false) => 2,
        (false, true) => 3,
        (false, false) => 4,
    }
}

impl Layer {
    /// The part of a layer that belongs to one of its stacks: columns that stand together.
    fn part(&self, stack: usize, stacks: usize) -> Self {
        let outputs = self.outputs / stacks;
        let columns = stack * outputs..(stack + 1) * outputs;
        let rows = self.weights.chunks(self.outputs);
        Self {
            inputs: self.inputs,
            outputs,
            weights: rows.flat_map(|row| &row[columns.clone()]).copied().collect(),
            biases: self.biases[columns.clone()].to_vec(),
        }
    }

    /// The layer that has these parts, at least one, which have the same shape.
    pub fn joined(parts: &[Self]) -> Self {
        let (inputs, each) = (parts[0].inputs, parts[0].outputs);
        let row = |k: usize| parts.iter().flat_map(move |part| &part.weights[k * each..][..each]);
        Self {
            inputs,
            outputs: each * parts.len(),
            weights: (0..inputs).flat_map(row).copied().collect(),
            biases: parts.iter().flat_map(|part| &part.biases).copied().collect(),
        }
    }

    /// The parts of a layer behind the first, one for each stack.
    pub fn parts(&self, stacks: usize) -> Vec<Self> {
        (0..stacks).map(|stack| self.part(stack, stacks)).collect()
    }
}

impl Weights {
    /// For each stack the layers behind the first; one list without stacks.
    pub(crate) fn stacks(&self) -> Vec<Vec<Layer>> {
        let stacks = self.arch.stack_count();
        let of = |stack| self.layers.iter().skip(1).map(move |layer| layer.part(stack, stacks));
        (0..stacks).map(|stack| of(stack).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use tavola_rules::{Backgammon, Game, Position};

    use super::*;

    fn stack(checkers: &[(usize, i8)]) -> usize {
        let mut cells = vec![0; Backgammon::Standard.layout().len()];
        checkers.iter().for_each(|&(place, count)| cells[place] = count);
        stack_of(&cells)
    }

    #[test]
    fn positions_are_told_apart_by_contact_and_last_checkers() {
        assert_eq!(stack_of(Backgammon::cells(&Position::STANDARD)), 1);
        assert_eq!(stack(&[(6, 2), (1, 2), (19, -2), (24, -2)]), 0);
        assert_eq!(stack(&[(25, 1), (6, 2), (19, -2), (24, -2)]), 2);
        assert_eq!(stack(&[(19, 1), (6, 2), (13, -2), (24, -2)]), 2);
        assert_eq!(stack(&[(8, 2), (6, 2), (0, -1), (24, -2)]), 3);
        assert_eq!(stack(&[(18, 2), (6, 2), (7, -1), (24, -2)]), 4);
        // All borne off on either side: no contact.
        assert_eq!(stack(&[(6, 2)]), 0);
        assert_eq!(stack(&[(20, -2)]), 0);
    }

    #[test]
    fn parts_make_the_layer_again() {
        let layer = Layer {
            inputs: 3,
            outputs: 10,
            weights: (0..30).map(|x| x as f32).collect(),
            biases: (0..10).map(|x| x as f32).collect(),
        };
        let parts = layer.parts(5);
        assert_eq!(parts[1].weights, [2.0, 3.0, 12.0, 13.0, 22.0, 23.0]);
        assert_eq!(parts[4].biases, [8.0, 9.0]);
        assert_eq!(Layer::joined(&parts), layer);
    }
}
