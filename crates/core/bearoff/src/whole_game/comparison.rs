//! An evaluator of positions against the exact equities.

use rayon::prelude::*;
use tavola_rules::Position;

use super::moves::{Moves, Side, Sides};
use super::{Pair, WholeGame};
use crate::generate::rolls;

/// The error of an evaluator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WholeGameComparison {
    /// Over every position, whether games lead there or not.
    pub all: Errors,
    /// Over those that can arise from the start.
    pub reachable: Errors,
}

/// Errors over some positions, each counted alike.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Positions compared.
    pub positions: u64,
    /// Mean absolute error of the equity, in points.
    pub mean_error: f64,
    /// Root of the mean squared error of the equity, in points.
    pub root_mean_square: f64,
    /// The largest error; `None` of no positions.
    pub largest: Option<Worst>,
    /// The mean equity loss of a decision that follows the evaluator, in points: over all positions
    /// and the 36 rolls, those that leave no choice included.
    pub lost_a_decision: f64,
}

/// A position that was misevaluated most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worst {
    /// The position, from the player on roll.
    pub position: Position,
    /// Its equity.
    pub equity: f32,
    /// The evaluator's equity.
    pub evaluated: f32,
    /// The difference without its sign.
    pub error: f32,
}

/// Positions in one call of the evaluator.
const BATCH: usize = 4096;

/// Sums on the way to [`Errors`].
#[derive(Clone, Copy, Default)]
struct Sums {
    positions: u64,
    errors: f64,
    squares: f64,
    lost: f64,
    worst: Option<(f32, Pair)>,
}

impl Sums {
    fn add(&mut self, pair: Pair, error: f32, lost: f64) {
        let errors = f64::from(error);
        let worst = Some((error, pair));
        self.merge(&Self { positions: 1, errors, squares: errors.powi(2), lost, worst });
    }

    fn merge(&mut self, other: &Self) {
        self.positions += other.positions;
        self.errors += other.errors;
        self.squares += other.squares;
        self.lost += other.lost;
        if let Some((error, pair)) = other.worst
            && self.worst.is_none_or(|(most, _)| error > most)
        {
            self.worst = Some((error, pair));
        }
    }
}

/// The evaluator's equity of every position, beside the exact one.
pub(super) struct Evaluated<'a> {
    game: &'a WholeGame,
    /// As the equities of the game; the truth where the game is over.
    evaluated: Vec<f32>,
}

impl<'a> Evaluated<'a> {
    pub(super) fn new(
        game: &'a WholeGame,
        mut evaluate: impl FnMut(&[Position], &mut Vec<f32>),
    ) -> Self {
        let mut evaluated = game.equities.clone();
        let (mut positions, mut indices, mut out) = (Vec::new(), Vec::new(), Vec::new());
        let mut flush = |positions: &mut Vec<Position>, indices: &mut Vec<usize>| {
            out.clear();
            evaluate(positions, &mut out);
            assert_eq!(out.len(), positions.len(), "the evaluator answers for every position");
            for (index, &equity) in indices.iter().zip(&out) {
                evaluated[*index] = equity;
            }
            positions.clear();
            indices.clear();
        };
        for (mine, theirs) in game.pairs() {
            positions.push(game.sides.position(mine, theirs));
            indices.push(game.sides.index(mine, theirs));
            if positions.len() == BATCH {
                flush(&mut positions, &mut indices);
            }
        }
        flush(&mut positions, &mut indices);
        Self { game, evaluated }
    }

    pub(super) fn compare(&self, moves: &Moves, start: Pair) -> WholeGameComparison {
        let sides = &self.game.sides;
        let reachable = reachable(sides, moves, start);
        let rows: Vec<Side> = sides.unfinished().collect();
        let sums: Vec<[Sums; 2]> = rows
            .par_iter()
            .map(|&mine| {
                let mut sums = [Sums::default(); 2];
                for theirs in sides.unfinished().filter(|&theirs| sides.fit(mine, theirs)) {
                    let index = sides.index(mine, theirs);
                    let error = (self.evaluated[index] - self.game.equities[index]).abs();
                    let lost = self.lost(moves, mine, theirs);
                    sums[0].add((mine, theirs), error, lost);
                    if reachable[index] {
                        sums[1].add((mine, theirs), error, lost);
                    }
                }
                sums
            })
            .collect();
        // Rows are put together in their order, so threads have no influence.
        let mut total = [Sums::default(); 2];
        for row in &sums {
            total.iter_mut().zip(row).for_each(|(total, row)| total.merge(row));
        }
        let [all, reachable] = total.map(|sums| self.errors(&sums));
        WholeGameComparison { all, reachable }
    }

    /// The mean equity lost over the rolls of a position.
    fn lost(&self, moves: &Moves, mine: Side, theirs: Side) -> f64 {
        let sides = &self.game.sides;
        let hits = sides.hits(theirs);
        let list = moves.of(mine, sides.closed_to_opponent(theirs));
        let mut lost = 0.0;
        for (roll, (_, probability)) in rolls().enumerate() {
            // The opponent's equity: as evaluated and exact, of the play chosen; and the least.
            let mut chosen = (f32::INFINITY, 0.0);
            let mut least = f32::INFINITY;
            for &step in list.afterstates(roll) {
                let index = sides.index(hits.after(step.landings), step.side);
                let (evaluated, exact) = (self.evaluated[index], self.game.equities[index]);
                least = least.min(exact);
                if evaluated < chosen.0 {
                    chosen = (evaluated, exact);
                }
            }
            lost += probability * f64::from(chosen.1 - least);
        }
        lost
    }

    fn errors(&self, sums: &Sums) -> Errors {
        let of = sums.positions.max(1) as f64;
        Errors {
            positions: sums.positions,
            mean_error: sums.errors / of,
            root_mean_square: (sums.squares / of).sqrt(),
            largest: sums.worst.map(|(error, (mine, theirs))| {
                let index = self.game.sides.index(mine, theirs);
                Worst {
                    position: self.game.sides.position(mine, theirs),
                    equity: self.game.equities[index],
                    evaluated: self.evaluated[index],
                    error,
                }
            }),
            lost_a_decision: sums.lost / of,
        }
    }
}

/// Which positions can arise from the start.
fn reachable(sides: &Sides, moves: &Moves, start: Pair) -> Vec<bool> {
    let mut seen = vec![false; sides.count() * sides.count()];
    let mut open = vec![start];
    seen[sides.index(start.0, start.1)] = true;
    while let Some((mine, theirs)) = open.pop() {
        let hits = sides.hits(theirs);
        let list = moves.of(mine, sides.closed_to_opponent(theirs));
        for roll in 0..21 {
            for &step in list.afterstates(roll) {
                let left = hits.after(step.landings);
                let index = sides.index(left, step.side);
                if step.side != sides.finished() && !seen[index] {
                    seen[index] = true;
                    open.push((left, step.side));
                }
            }
        }
    }
    seen
}
