//! Many positions of backgammon at 0-ply, as arrays of counts, for doors that hold arrays.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::thread;

use tavola_equity::OutcomeProbs;
use tavola_evaluator::Evaluator;
use tavola_files::{locked, unlocked};
use tavola_rules::{Backgammon, Position};

use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind, Result};
use crate::watch::Watch;

/// Numbers of a position: the opponent's bar, points 1 to 24, own bar, as in
/// [`Position::counts`](tavola_rules::Position::counts).
pub const COUNTS: usize = 26;

/// Positions that are evaluated together; a thread that is to stop stops after them.
const BLOCK: usize = 256;

/// The numbers that are written for each position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    /// Win, win gammon, win backgammon, lose gammon, lose backgammon.
    Cumulative,
    /// The six classes of [`tavola_rules::Outcome`]: lose a single game, a gammon, a backgammon,
    /// win likewise.
    Outcomes,
}

impl Columns {
    /// How many there are.
    pub const fn width(self) -> usize {
        match self {
            Self::Cumulative => 5,
            Self::Outcomes => 6,
        }
    }

    fn write(self, probs: &OutcomeProbs, row: &mut [f32]) {
        match self {
            Self::Cumulative => row.copy_from_slice(&probs.cumulative().to_array()),
            Self::Outcomes => row.copy_from_slice(&probs.0),
        }
    }
}

/// The position of one row of counts.
///
/// # Errors
///
/// [`EngineError`] of kind `position` that names the row.
///
/// # Panics
///
/// If the row has not [`COUNTS`] numbers.
pub fn position_of(game: Backgammon, row: usize, counts: &[i8]) -> Result<Position> {
    let counts = counts.try_into().expect("a row has 26 numbers");
    Position::from_counts(counts, game.checkers()).map_err(|error| {
        EngineError::new(
            ErrorKind::Position,
            format_args!("row {row} is not a position of {}: {error}", game.name()),
        )
    })
}

/// Evaluates rows of counts at 0-ply, each from its player on roll and before the roll. The answers
/// do not depend on the number of threads.
///
/// # Shapes
///
/// `counts`: `[rows, 26]`; `out`: `[rows, columns]`, overwritten.
///
/// # Errors
///
/// [`EngineError`] of kind `position` for a row that is not a position of the game, of kind
/// `request` if the shapes do not fit, and of kind `canceled`; `out` then holds anything.
pub fn evaluate(
    evaluator: &mut dyn Evaluator<Backgammon>,
    game: Backgammon,
    counts: &[i8],
    columns: Columns,
    out: &mut [f32],
    threads: NonZeroUsize,
    cancel: &AtomicBool,
) -> Result<()> {
    let rows = counts.len() / COUNTS;
    if rows * COUNTS != counts.len() || rows * columns.width() != out.len() {
        return Err(EngineError::request(format_args!(
            "{} counts and {} places for figures, expected {COUNTS} counts and {} places a position",
            counts.len(),
            out.len(),
            columns.width()
        )));
    }
    let share = rows.div_ceil(threads.get()).next_multiple_of(BLOCK).max(BLOCK);
    let parts = counts.chunks(share * COUNTS).zip(out.chunks_mut(share * columns.width()));
    let mut parts = parts.enumerate().map(|(part, (counts, out))| (part * share, counts, out));
    if rows <= share {
        // Without a fork: what a short array costs counts.
        return parts.try_for_each(|(first, counts, out)| {
            part(evaluator, game, first, counts, columns, out, cancel)
        });
    }
    let failure = Mutex::new(None);
    thread::scope(|scope| {
        for (first, counts, out) in parts {
            let (mut forked, failure) = (evaluator.fork(), &failure);
            scope.spawn(move || {
                if let Err(error) = part(&mut *forked, game, first, counts, columns, out, cancel) {
                    locked(failure).get_or_insert(error);
                }
            });
        }
    });
    unlocked(failure).map_or(Ok(()), Err)
}

/// Evaluates the rows from number `first` on.
fn part(
    evaluator: &mut dyn Evaluator<Backgammon>,
    game: Backgammon,
    first: usize,
    counts: &[i8],
    columns: Columns,
    out: &mut [f32],
    cancel: &AtomicBool,
) -> Result<()> {
    let (mut positions, mut evaluated) = (Vec::with_capacity(BLOCK), Vec::with_capacity(BLOCK));
    let blocks = counts.chunks(BLOCK * COUNTS).zip(out.chunks_mut(BLOCK * columns.width()));
    for (block, (counts, out)) in blocks.enumerate() {
        Watch { cancel, ..Watch::default() }.check()?;
        positions.clear();
        for (row, counts) in counts.chunks_exact(COUNTS).enumerate() {
            positions.push(position_of(game, first + block * BLOCK + row, counts)?);
        }
        evaluator.evaluate(&positions, &mut evaluated);
        for (probs, row) in evaluated.iter().zip(out.chunks_exact_mut(columns.width())) {
            columns.write(probs, row);
        }
    }
    Ok(())
}

impl Engine {
    /// Evaluates rows of counts as [`evaluate`](crate::arrays::evaluate) does, by the network of a
    /// weights file (`None`: the built-in one) and the bear-off databases of the engine, on its
    /// threads.
    ///
    /// # Errors
    ///
    /// As [`evaluate`](crate::arrays::evaluate), and of kind `model` if the network can't be used.
    pub fn evaluate_counts(
        &self,
        game: Backgammon,
        model: Option<&PathBuf>,
        counts: &[i8],
        columns: Columns,
        out: &mut [f32],
        watch: &Watch<'_>,
    ) -> Result<()> {
        self.sessions.with(self, model, &game, watch, |session| {
            let main = &mut *session.main;
            evaluate(main, game, counts, columns, out, self.threads(), watch.cancel)
        })?
    }
}

#[cfg(test)]
mod tests {
    use tavola_evaluator::PipCountEvaluator;
    use tavola_rules::{Dice, movegen};

    use super::*;

    /// More rows than one block has.
    fn rows() -> Vec<i8> {
        let mut positions = vec![Position::STANDARD];
        for (dice, _) in Dice::ALL {
            movegen::afterstates(&Position::STANDARD, dice, &mut positions);
        }
        let counts: Vec<i8> = positions.iter().flat_map(Position::counts).collect();
        counts.repeat(3)
    }

    #[test]
    fn figures_do_not_depend_on_threads_and_are_those_of_the_evaluator() {
        let (game, counts) = (Backgammon::Standard, rows());
        let rows = counts.len() / COUNTS;
        assert!(rows > 3 * BLOCK);
        let evaluate = |columns: Columns, threads| {
            let mut out = vec![f32::NAN; rows * columns.width()];
            let threads = NonZeroUsize::new(threads).unwrap();
            let never = AtomicBool::new(false);
            let evaluator = &mut PipCountEvaluator::new(game);
            super::evaluate(evaluator, game, &counts, columns, &mut out, threads, &never).unwrap();
            out
        };
        let six = evaluate(Columns::Outcomes, 1);
        assert_eq!(six, evaluate(Columns::Outcomes, 3));
        let five = evaluate(Columns::Cumulative, 2);
        let mut expected = Vec::new();
        PipCountEvaluator::new(game).evaluate(&[Position::STANDARD], &mut expected);
        assert_eq!((&six[..6], five[0]), (&expected[0].0[..], expected[0].cumulative().win));
    }

    #[test]
    fn a_wrong_row_is_named_and_wrong_shapes_are_refused() {
        let engine = Engine::without_tables();
        let mut counts = rows();
        counts[300 * COUNTS + 6] = 15;
        let mut out = vec![0.0; counts.len() / COUNTS * 5];
        let mut ask = |counts: &[i8]| {
            let watch = Watch::default();
            let columns = Columns::Cumulative;
            engine.evaluate_counts(Backgammon::Standard, None, counts, columns, &mut out, &watch)
        };
        let error = ask(&counts).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Position);
        assert!(
            error.to_string().starts_with("row 300 is not a position of backgammon"),
            "{error}"
        );
        assert_eq!(ask(&counts[1..]).unwrap_err().kind(), ErrorKind::Request);
    }

    #[test]
    fn a_caller_that_cancels_gets_an_error() {
        let (mut evaluator, counts) = (PipCountEvaluator::new(Backgammon::Standard), rows());
        let mut out = vec![0.0; counts.len() / COUNTS * 5];
        let (game, columns) = (Backgammon::Standard, Columns::Cumulative);
        let one = NonZeroUsize::MIN;
        let found =
            evaluate(&mut evaluator, game, &counts, columns, &mut out, one, &AtomicBool::new(true));
        assert_eq!(found.unwrap_err().kind(), ErrorKind::Canceled);
    }
}
