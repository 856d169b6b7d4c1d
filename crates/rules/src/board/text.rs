//! The board as lines of text.

use super::{Side, side_line, status_lines};
use crate::cube::CubeOwner;
use crate::notation::Situation;

/// The characters of a text board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Charset {
    /// Box drawing and round checkers.
    #[default]
    Unicode,
    /// ASCII only: `X` is the player on roll, `O` the opponent.
    Ascii,
}

/// Whether a text board is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    /// Plain text.
    #[default]
    Never,
    /// ANSI escapes around checkers, points and numbers.
    Always,
}

/// Checkers shown on a point; a higher stack shows its number in the last place.
const HEIGHT: i8 = 5;

/// What stands in one cell of the board.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    Empty,
    Checker(Side),
    /// The number of checkers on a stack that is higher than shown.
    Count(Side, u8),
}

/// The cell in `row` (0 at the edge) of a stack of `count` checkers, positive for the player.
fn stack_cell(count: i8, row: i8) -> Cell {
    let side = if count > 0 { Side::Player } else { Side::Opponent };
    if row >= count.abs() {
        Cell::Empty
    } else if count.abs() > HEIGHT && row == HEIGHT - 1 {
        Cell::Count(side, count.unsigned_abs())
    } else {
        Cell::Checker(side)
    }
}

/// Draws a situation in 13 lines without a newline at the end, seen from the player on
/// roll, with score, pip count, cube and roll at the right where they are known.
///
/// A finished position is drawn like any other.
pub fn text(situation: &Situation, charset: Charset, color: Color) -> String {
    let pen = Pen { charset, color };
    let position = &situation.position;
    let bar = position.bar() as i8;
    let opponent_bar = -(position.opponent_bar() as i8);

    let mut lines = vec![pen.edge(Edge::Top)];
    for row in 0..HEIGHT {
        lines.push(pen.row(|point| position.point(point), 13..=18, 19..=24, bar, row));
    }
    lines.push(pen.middle());
    for row in (0..HEIGHT).rev() {
        lines.push(pen.row(
            |point| position.point(25 - point),
            13..=18,
            19..=24,
            opponent_bar,
            row,
        ));
    }
    lines.push(pen.edge(Edge::Bottom));

    let off = |off: u8| if off > 0 { format!(", off {off}") } else { String::new() };
    let cube = |owner| match super::cube(situation) {
        Some(cube) if cube.owner() == owner => pen.number(&format!("cube {}", cube.value())),
        _ => String::new(),
    };
    let side = |side: Side, off_count: u8| {
        format!("{} {}{}", pen.checker(side), side_line(situation, side), off(off_count))
    };
    let notes = [
        (1, side(Side::Opponent, position.opponent_off())),
        (2, cube(CubeOwner::Opponent)),
        (6, cube(CubeOwner::Center)),
        (7, status_lines(situation).join(", ")),
        (10, cube(CubeOwner::Player)),
        (11, format!("{}, on roll", side(Side::Player, position.off()))),
    ];
    for (line, note) in notes {
        if !note.is_empty() {
            lines[line].push_str("  ");
            lines[line].push_str(&note);
        }
    }
    lines.join("\n")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    Top,
    Bottom,
}

/// The characters and colours in use.
#[derive(Clone, Copy)]
struct Pen {
    charset: Charset,
    color: Color,
}

impl Pen {
    fn paint(self, code: &str, text: &str) -> String {
        match self.color {
            Color::Always => format!("\x1b[{code}m{text}\x1b[0m"),
            Color::Never => text.to_owned(),
        }
    }

    fn number(self, text: &str) -> String {
        self.paint("33", text)
    }

    /// An edge of the board with the numbers of its twelve points.
    fn edge(self, edge: Edge) -> String {
        let dash = match self.charset {
            Charset::Unicode => "─",
            Charset::Ascii => "-",
        };
        let (left, tee, right) = match (self.charset, edge) {
            (Charset::Unicode, Edge::Top) => ("┌", "┬", "┐"),
            (Charset::Unicode, Edge::Bottom) => ("└", "┴", "┘"),
            (Charset::Ascii, _) => ("+", "+", "+"),
        };
        let half = |columns: std::ops::Range<u8>| -> String {
            columns
                .map(|column| {
                    let point = match edge {
                        Edge::Top => 13 + column,
                        Edge::Bottom => 12 - column,
                    };
                    let pad = if point < 10 { dash } else { "" };
                    format!("{pad}{}{dash}", self.number(&point.to_string()))
                })
                .collect()
        };
        format!("{left}{}{tee}{}{tee}{}{right}", half(0..6), dash.repeat(3), half(6..12))
    }

    /// The line between the halves.
    fn middle(self) -> String {
        let edge = self.vertical();
        let half = " ".repeat(18);
        format!("{edge}{half}{edge}BAR{edge}{half}{edge}")
    }

    fn vertical(self) -> &'static str {
        match self.charset {
            Charset::Unicode => "│",
            Charset::Ascii => "|",
        }
    }

    fn row(
        self,
        count: impl Fn(usize) -> i8,
        left: std::ops::RangeInclusive<usize>,
        right: std::ops::RangeInclusive<usize>,
        bar: i8,
        row: i8,
    ) -> String {
        let edge = self.vertical();
        let half = |points: std::ops::RangeInclusive<usize>| -> String {
            points.map(|point| self.cell(stack_cell(count(point), row))).collect()
        };
        let bar = self.cell(stack_cell(bar, row));
        format!("{edge}{}{edge}{bar}{edge}{}{edge}", half(left), half(right))
    }

    /// Three columns.
    fn cell(self, cell: Cell) -> String {
        match cell {
            Cell::Empty => "   ".to_owned(),
            Cell::Checker(side) => format!(" {} ", self.checker(side)),
            Cell::Count(side, count) => self.paint(self.side_color(side), &format!("{count:>2} ")),
        }
    }

    fn checker(self, side: Side) -> String {
        let checker = match (self.charset, side) {
            (Charset::Unicode, Side::Player) => "●",
            (Charset::Unicode, Side::Opponent) => "○",
            (Charset::Ascii, Side::Player) => "X",
            (Charset::Ascii, Side::Opponent) => "O",
        };
        self.paint(self.side_color(side), checker)
    }

    fn side_color(self, side: Side) -> &'static str {
        match side {
            Side::Player => "1;36",
            Side::Opponent => "1;31",
        }
    }
}
