//! The board as lines of text.

use tavola_rules::Game;
use tavola_rules::board::{Charset, Color};

use super::{Side, Stack};
use crate::dice::TablesDice;
use crate::engine::Tables;
use crate::state::{BAR, OPPONENT_BAR, TablesState};

/// Checkers shown on a point; a higher stack shows its number in the last place.
const HEIGHT: u8 = 5;

impl Tables {
    /// Draws a position in 13 lines without a newline at the end, seen from the player on roll,
    /// with what the rules count beside it. Marked checkers have a shape of their own: `◆` and `◇`,
    /// in ASCII `M` and `W`.
    ///
    /// A finished position is drawn like any other.
    pub fn board_text(
        &self,
        state: &TablesState,
        dice: Option<TablesDice>,
        charset: Charset,
        color: Color,
    ) -> String {
        let pen = Pen { charset, color };
        let (cells, is_marked) = (state.cells(), self.rules().marked > 0);
        let on_bar = |side, count: i8| {
            let count = count.unsigned_abs();
            match is_marked {
                true => Stack { side, marked: count, plain: 0 },
                false => Stack { side, marked: 0, plain: count },
            }
        };
        let stack = |point| self.stack(state, point);
        let mut lines = vec![pen.edge(true)];
        for row in 0..HEIGHT {
            let bar = on_bar(Side::Opponent, cells[OPPONENT_BAR]);
            lines.push(pen.row(|column| stack(13 + column), bar, row));
        }
        lines.push(pen.middle());
        for row in (0..HEIGHT).rev() {
            let bar = on_bar(Side::Player, cells[BAR]);
            lines.push(pen.row(|column| stack(12 - column), bar, row));
        }
        lines.push(pen.edge(false));
        let (player, opponent) =
            (pen.checker(Side::Player, false), pen.checker(Side::Opponent, false));
        let notes = [
            (1, format!("{opponent} {}", self.side_notes(&self.flip(state)))),
            (6, self.title(dice)),
            (7, self.entry_note(&player, &opponent)),
            (11, format!("{player} {}, on roll", self.side_notes(state))),
        ];
        for (line, note) in notes {
            lines[line].push_str("  ");
            lines[line].push_str(&note);
        }
        lines.join("\n")
    }
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

    /// The upper or lower edge with the numbers of its twelve points.
    fn edge(self, is_upper: bool) -> String {
        let (dash, left, tee, right) = match (self.charset, is_upper) {
            (Charset::Unicode, true) => ("─", "┌", "┬", "┐"),
            (Charset::Unicode, false) => ("─", "└", "┴", "┘"),
            (Charset::Ascii, _) => ("-", "+", "+", "+"),
        };
        let half = |columns: std::ops::Range<usize>| -> String {
            columns
                .map(|column| {
                    let point = if is_upper { 13 + column } else { 12 - column };
                    let pad = if point < 10 { dash } else { "" };
                    format!("{pad}{}{dash}", self.paint("33", &point.to_string()))
                })
                .collect()
        };
        format!("{left}{}{tee}{}{tee}{}{right}", half(0..6), dash.repeat(3), half(6..12))
    }

    fn vertical(self) -> &'static str {
        match self.charset {
            Charset::Unicode => "│",
            Charset::Ascii => "|",
        }
    }

    fn middle(self) -> String {
        let (edge, half) = (self.vertical(), " ".repeat(18));
        format!("{edge}{half}{edge}BAR{edge}{half}{edge}")
    }

    fn row(self, stack: impl Fn(usize) -> Stack, bar: Stack, row: u8) -> String {
        let edge = self.vertical();
        let half = |columns: std::ops::Range<usize>| -> String {
            columns.map(|column| self.cell(stack(column), row)).collect()
        };
        format!("{edge}{}{edge}{}{edge}{}{edge}", half(0..6), self.cell(bar, row), half(6..12))
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

    fn checker(self, side: Side, is_marked: bool) -> String {
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
