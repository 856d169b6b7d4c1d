//! The lines of match text, each parsed once, and the columns of its rows.

use std::cell::OnceCell;
use std::rc::Rc;

use super::cells::{Cell, Row, rows};
use super::lines::{expand_tabs, score_line, written_score};

/// A single cell at this column or further right is the second player's, where no rows with two
/// cells say otherwise.
pub(super) const RIGHT: usize = 22;

/// A longer line is no row, but a comment: what some programs write behind a row has a few hundred
/// bytes.
pub(super) const LONGEST_ROW: usize = 4096;

/// The bytes of a text whose rows tell its columns: those of some twenty long matches.
pub(super) const LEARNED: usize = 1 << 18;

/// A line that is not empty, which is parsed once however many look at it.
pub(super) struct Line {
    /// Its number, from 1.
    pub(super) number: usize,
    pub(super) text: String,
    rows: OnceCell<Option<Vec<Row>>>,
}

impl Line {
    pub(super) fn new(number: usize, text: &str) -> Self {
        Self { number, text: expand_tabs(text), rows: OnceCell::new() }
    }

    /// Its rows; nothing if it is a sentence, or too long.
    pub(super) fn rows(&self) -> Option<&[Row]> {
        let parse = || (self.text.len() <= LONGEST_ROW).then(|| rows(&self.text)).flatten();
        self.rows.get_or_init(parse).as_deref()
    }

    /// Its number as a row with a roll or a turn of the cube.
    pub(super) fn rolls(&self) -> Option<u32> {
        let row = self.rows()?.first()?;
        let plays = |cell: &Cell| matches!(cell, Cell::Roll(..) | Cell::Double | Cell::Turn(_));
        row.number.filter(|_| row.cells.iter().any(|it| plays(&it.cell)))
    }

    /// Whether it is that of the score before a game.
    pub(super) fn is_score(&self) -> bool {
        let written = || written_score(&self.text).is_some() && self.rows().is_none();
        score_line(&self.text).is_some() || written()
    }
}

/// Where the first cell of most rows begins, if there are several, and the second; `None` where rows
/// have no columns.
pub(super) fn columns(lines: &[Rc<Line>]) -> (Option<usize>, Option<usize>) {
    let (mut firsts, mut columns): (Vec<usize>, Vec<usize>) = Default::default();
    for line in lines {
        if line.text.contains(|c: char| c.is_ascii_digit())
            && let Some([row @ Row { number: Some(_), .. }]) = line.rows()
            && let [first, second] = row.cells.as_slice()
            && !matches!(second.cell, Cell::Wins(_) | Cell::Loses(_))
        {
            firsts.push(first.column);
            columns.push(second.column);
        }
    }
    firsts.sort_unstable();
    columns.sort_unstable();
    let left = firsts.get(firsts.len() / 2).copied().filter(|_| firsts.len() > 3);
    let Some(&first) = columns.get(columns.len() / 8) else { return (left, Some(RIGHT)) };
    let near = columns.iter().filter(|column| column.abs_diff(first) <= 3).count();
    let aligned = columns.len() < 4 || 2 * near > columns.len();
    (left, aligned.then_some(first.clamp(11, RIGHT + 3) - 3))
}
