//! The board as lines of text.

use std::ops::Range;

use super::{BoardView, Half, Orientation, Side, Stack, Trays};
use crate::cube::CubeOwner;

/// The characters of a text board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Charset {
    /// Box drawing and round checkers; marked ones are diamonds.
    #[default]
    Unicode,
    /// ASCII only: `X` is the player on roll, `O` the opponent; marked ones are `M` and `W`.
    Ascii,
}

/// Whether a text board is colored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    /// Plain text.
    #[default]
    Never,
    /// ANSI escapes around checkers, points and numbers.
    Always,
}

/// Checkers shown on a point; a higher stack shows its number in the last place.
const HEIGHT: u8 = 5;

impl BoardView {
    /// Draws the board in 13 lines without a newline at the end, with the words of the view at the
    /// right.
    ///
    /// A finished position is drawn like any other.
    pub fn text(&self, charset: Charset, color: Color) -> String {
        let pen = Pen::new(charset, color);
        let point = |half, column| self.orientation.point(half, column);
        let stack = |half, column| self.points[point(half, column) - 1];
        let [mut upper, mut lower] = self.bar;
        if self.orientation.half(self.bar_half) == Half::Lower {
            (upper, lower) = (lower, upper);
        }
        let mut lines = vec![pen.edge(Half::Upper, |column| point(Half::Upper, column))];
        for row in 0..HEIGHT {
            lines.push(pen.row(|column| stack(Half::Upper, column), upper, row));
        }
        lines.push(pen.middle());
        for row in (0..HEIGHT).rev() {
            lines.push(pen.row(|column| stack(Half::Lower, column), lower, row));
        }
        lines.push(pen.edge(Half::Lower, |column| point(Half::Lower, column)));

        let cube = |owner| match self.cube {
            Some(cube) if cube.owner() == owner => pen.number(&format!("cube {}", cube.value())),
            _ => String::new(),
        };
        let (player, opponent) =
            (pen.checker(Side::Player, false), pen.checker(Side::Opponent, false));
        let off = |side: usize| match self.trays {
            Trays::Off(off) if off[side] > 0 => format!(", off {}", off[side]),
            _ => String::new(),
        };
        let entry = self.entry.map_or_else(String::new, |[mine, theirs]| {
            let [mine, theirs] = [mine, theirs].map(|(first, last)| format!("{first}-{last}"));
            format!("{player} enters on {mine}, {opponent} on {theirs}")
        });
        let on_roll = |side| if self.on_roll == side { ", on roll" } else { "" };
        let [player_rolls, opponent_rolls] = [on_roll(Side::Player), on_roll(Side::Opponent)];
        let notes = [
            (1, format!("{opponent} {}{}{opponent_rolls}", self.notes[1], off(1))),
            (2, cube(CubeOwner::Opponent)),
            (6, cube(CubeOwner::Center)),
            (6, self.title.clone()),
            (7, entry),
            (7, self.status.clone()),
            (10, cube(CubeOwner::Player)),
            (11, format!("{player} {}{}{player_rolls}", self.notes[0], off(0))),
        ];
        for (line, note) in notes {
            // What is said of a side stands beside it.
            let is_of_a_side = !matches!(line, 6 | 7);
            let line = if self.orientation.flipped && is_of_a_side { 12 - line } else { line };
            if !note.is_empty() {
                beside(&mut lines, line, &note);
            }
        }
        lines.join("\n")
    }
}

impl Orientation {
    /// The point in a column of a half, from the left.
    const fn point(self, half: Half, column: usize) -> usize {
        let column = if self.clockwise { 11 - column } else { column };
        match self.half(half) {
            Half::Upper => 13 + column,
            Half::Lower => 12 - column,
        }
    }
}

/// Writes a note behind a line, and what of it does not fit eighty columns behind the next one.
pub(super) fn beside(lines: &mut [String], line: usize, note: &str) {
    // Orders to the terminal take no room.
    let width = |text: &str| {
        let mut parts = text.split('\x1b');
        let first = parts.next().map_or(0, |part| part.chars().count());
        let rest = parts.filter_map(|part| part.split_once('m'));
        first + rest.map(|(_, text)| text.chars().count()).sum::<usize>()
    };
    let room = 78_usize.saturating_sub(width(&lines[line]));
    let ends = note.match_indices(", ").map(|(at, _)| at).chain([note.len()]);
    let end = ends.filter(|&end| width(&note[..end]) <= room).last().unwrap_or(note.len());
    lines[line] += &format!("  {}", &note[..end]);
    if let (Some(rest), Some(next)) = (note.get(end + 2..), lines.get_mut(line + 1)) {
        *next += &format!("  {rest}");
    }
}

/// The characters and colors in use.
#[derive(Clone, Copy)]
pub(super) struct Pen {
    charset: Charset,
    color: Color,
}

impl Pen {
    pub(super) const fn new(charset: Charset, color: Color) -> Self {
        Self { charset, color }
    }

    fn paint(self, code: &str, text: &str) -> String {
        match self.color {
            Color::Always => format!("\x1b[{code}m{text}\x1b[0m"),
            Color::Never => text.to_owned(),
        }
    }

    fn number(self, text: &str) -> String {
        self.paint("33", text)
    }

    /// The edge of a half of the board with the numbers of its twelve points.
    fn edge(self, half: Half, point: impl Fn(usize) -> usize) -> String {
        let (dash, left, tee, right) = match (self.charset, half) {
            (Charset::Unicode, Half::Upper) => ("─", "┌", "┬", "┐"),
            (Charset::Unicode, Half::Lower) => ("─", "└", "┴", "┘"),
            (Charset::Ascii, _) => ("-", "+", "+", "+"),
        };
        let six = |columns: Range<usize>| -> String {
            columns
                .map(|column| {
                    let point = point(column);
                    let pad = if point < 10 { dash } else { "" };
                    format!("{pad}{}{dash}", self.number(&point.to_string()))
                })
                .collect()
        };
        format!("{left}{}{tee}{}{tee}{}{right}", six(0..6), dash.repeat(3), six(6..12))
    }

    /// The line between the halves.
    fn middle(self) -> String {
        let (edge, six) = (self.vertical(), " ".repeat(18));
        format!("{edge}{six}{edge}BAR{edge}{six}{edge}")
    }

    pub(super) fn vertical(self) -> &'static str {
        match self.charset {
            Charset::Unicode => "│",
            Charset::Ascii => "|",
        }
    }

    /// A row of a half: its twelve columns and the bar between them.
    fn row(self, stack: impl Fn(usize) -> Stack, bar: Stack, row: u8) -> String {
        let edge = self.vertical();
        let six = |columns: Range<usize>| -> String {
            columns.map(|column| self.cell(stack(column), row)).collect()
        };
        format!("{edge}{}{edge}{}{edge}{}{edge}", six(0..6), self.cell(bar, row), six(6..12))
    }

    /// Three columns: what stands in `row`, 0 at the edge of the board.
    fn cell(self, stack: Stack, row: u8) -> String {
        let height = stack.height();
        if row >= height {
            "   ".to_owned()
        } else if height > HEIGHT && row == HEIGHT - 1 {
            self.paint(side_color(stack.side), &format!("{height:>2} "))
        } else {
            format!(" {} ", self.checker(stack.side, row < stack.marked))
        }
    }

    /// What stands at the left, inside and at the right of the line above a row of three.
    pub(super) fn corners(self, row: usize) -> (&'static str, &'static str, &'static str) {
        match (self.charset, row) {
            (Charset::Ascii, _) => ("+", "+", "+"),
            (Charset::Unicode, 0) => ("┌", "┬", "┐"),
            (Charset::Unicode, 1 | 2) => ("├", "┼", "┤"),
            (Charset::Unicode, _) => ("└", "┴", "┘"),
        }
    }

    pub(super) fn dash(self) -> &'static str {
        match self.charset {
            Charset::Unicode => "─",
            Charset::Ascii => "-",
        }
    }

    /// The number of a cell, in four columns of a line.
    pub(super) fn numbered(self, number: usize) -> String {
        let dash = self.dash();
        let pad = dash.repeat(if number < 10 { 2 } else { 1 });
        format!("{pad}{}{dash}", self.number(&number.to_string()))
    }

    /// A stack in four columns: a checker, and how many there are.
    pub(super) fn counted(self, stack: Stack) -> String {
        let checker = self.checker(stack.side, false);
        match stack.height() {
            0 => format!("  {} ", if self.charset == Charset::Ascii { "." } else { "·" }),
            1 => format!("  {checker} "),
            count => {
                let count = self.paint(side_color(stack.side), &count.to_string());
                let space = if stack.height() < 10 { " " } else { "" };
                format!(" {checker}{count}{space}")
            }
        }
    }

    pub(super) fn checker(self, side: Side, is_marked: bool) -> String {
        let checker = match (self.charset, side, is_marked) {
            (Charset::Unicode, Side::Player, false) => "●",
            (Charset::Unicode, Side::Opponent, false) => "○",
            (Charset::Unicode, Side::Player, true) => "◆",
            (Charset::Unicode, Side::Opponent, true) => "◇",
            (Charset::Ascii, Side::Player, false) => "X",
            (Charset::Ascii, Side::Opponent, false) => "O",
            (Charset::Ascii, Side::Player, true) => "M",
            (Charset::Ascii, Side::Opponent, true) => "W",
        };
        self.paint(side_color(side), checker)
    }
}

fn side_color(side: Side) -> &'static str {
    match side {
        Side::Player => "1;36",
        Side::Opponent => "1;31",
    }
}
