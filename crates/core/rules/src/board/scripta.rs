//! The board of ludus duodecim scriptorum: three rows of twelve cells, in groups of six.
//!
//! The upper row and the lower one are the track of both players: from left to right above, and back
//! below. The entry cells are in the middle row, those of the player on roll at the left.

use std::fmt::{self, Write};

use super::text::{Pen, beside};
use super::{Charset, Color, Orientation, Side, Stack, Theme};

/// What a board of three rows shows, seen from the player on roll.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptaView {
    /// Checkers on the entry cells 1 to 6 of the player on roll, and of the opponent.
    pub entry: [[u8; 6]; 2],
    /// The stacks on the cells 7 to 30, in this order.
    pub track: [Stack; 24],
    /// Checkers on the bar, of the player on roll and of the opponent.
    pub bar: [u8; 2],
    /// What is said in words of the player on roll and of the opponent.
    pub notes: [String; 2],
    /// The name of the game, and the moment.
    pub title: String,
    /// From where the board is seen.
    pub orientation: Orientation,
}

/// Three rows of twelve letters, as they stand on a board that was found in Rome: rise, give up your
/// place; you do not know how to play; fool, withdraw.
const LETTERS: [&str; 3] = ["LEVATEDALOCV", "LVDERENESCIS", "IDIOTARECEDE"];

/// A cell: its number, and what stands there.
struct Cell {
    number: usize,
    stack: Stack,
}

impl ScriptaView {
    /// A cell of a row, both from the top left.
    fn cell(&self, row: usize, column: usize) -> Cell {
        let Orientation { clockwise, flipped } = self.orientation;
        let column = if clockwise { 11 - column } else { column };
        let row = if flipped { 2 - row } else { row };
        let on_track = |number: usize| Cell { number, stack: self.track[number - 7] };
        match (row, column) {
            (0, _) => on_track(7 + column),
            (1, 0..6) => {
                let stack = Stack::plain(self.entry[0][column] as i8);
                Cell { number: column + 1, stack }
            }
            (1, _) => {
                let stack = Stack::plain(-(self.entry[1][11 - column] as i8));
                Cell { number: 12 - column, stack }
            }
            _ => on_track(30 - column),
        }
    }

    /// Draws the board in seven lines without a newline at the end.
    pub(super) fn text(&self, charset: Charset, color: Color) -> String {
        let pen = Pen::new(charset, color);
        let six = |from: usize, what: &dyn Fn(usize) -> String| -> String {
            (from..from + 6).map(what).collect()
        };
        let mut lines = Vec::new();
        for row in 0..3 {
            let number = |column| pen.numbered(self.cell(row, column).number);
            let (left, tee, right) = pen.corners(row);
            let rule = pen.dash().repeat(3);
            lines.push(format!(
                "{left}{}{tee}{rule}{tee}{}{right}",
                six(0, &number),
                six(6, &number)
            ));
            let stack = |column| pen.counted(self.cell(row, column).stack);
            let middle = if row == 1 { "BAR" } else { "   " };
            let edge = pen.vertical();
            lines.push(format!(
                "{edge}{}{edge}{middle}{edge}{}{edge}",
                six(0, &stack),
                six(6, &stack)
            ));
        }
        let (left, tee, right) = pen.corners(3);
        let rule = |width| pen.dash().repeat(width);
        lines.push(format!("{left}{}{tee}{}{tee}{}{right}", rule(24), rule(3), rule(24)));
        let (mine, theirs) = if self.orientation.flipped { (1, 5) } else { (5, 1) };
        let side = |side| pen.checker(side, false);
        let notes = [
            (theirs, format!("{} {}", side(Side::Opponent), self.notes[1])),
            (3, self.title.clone()),
            (mine, format!("{} {}, on roll", side(Side::Player), self.notes[0])),
        ];
        for (line, note) in notes {
            beside(&mut lines, line, &note);
        }
        lines.join("\n")
    }

    /// Draws the board as a self-contained SVG image.
    pub(super) fn svg(&self, theme: &Theme) -> String {
        let mut image = String::with_capacity(8192);
        self.draw(theme, &mut image).expect("writing to a string doesn't fail");
        image
    }

    fn draw(&self, theme: &Theme, out: &mut String) -> fmt::Result {
        let Theme { background, board, frame, ink, .. } = theme;
        write!(
            out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="Georgia, 'Times New Roman', serif" fill="{ink}"><rect width="{WIDTH}" height="{HEIGHT}" fill="{background}"/><rect x="12" y="34" width="{:.1}" height="{:.1}" rx="4" fill="{frame}"/><rect x="22" y="44" width="{:.1}" height="{:.1}" fill="{board}"/>"#,
            WIDTH - 24.0,
            HEIGHT - 68.0,
            WIDTH - 44.0,
            HEIGHT - 88.0,
        )?;
        for row in 0..3 {
            for column in 0..12 {
                self.draw_cell(theme, row, column, out)?;
            }
            // The ornament between the groups.
            let (x, y) = (WIDTH / 2.0, row_y(row));
            write!(
                out,
                r#"<g fill="none" stroke="{}" stroke-width="1.5"><circle cx="{x:.1}" cy="{y:.1}" r="20"/>"#,
                theme.frame
            )?;
            for petal in 0..6 {
                let angle = std::f64::consts::TAU * f64::from(petal) / 6.0;
                let (dx, dy) = (20.0 * angle.cos(), 20.0 * angle.sin());
                write!(
                    out,
                    r#"<path d="M{x:.1} {y:.1}Q{:.1} {:.1} {:.1} {:.1}Q{:.1} {:.1} {x:.1} {y:.1}"/>"#,
                    x + 0.5 * dx - 0.3 * dy,
                    y + 0.5 * dy + 0.3 * dx,
                    x + dx,
                    y + dy,
                    x + 0.5 * dx + 0.3 * dy,
                    y + 0.5 * dy - 0.3 * dx,
                )?;
            }
            out.push_str("</g>");
        }
        let (mine, theirs) = if self.orientation.flipped { (0, 2) } else { (2, 0) };
        for (row, count) in [(mine, self.bar[0] as i8), (theirs, -(self.bar[1] as i8))] {
            if count != 0 {
                draw_stack(theme, (WIDTH / 2.0, row_y(row)), Stack::plain(count), out)?;
            }
        }
        let (mine, theirs) =
            if self.orientation.flipped { (24.0, HEIGHT - 14.0) } else { (HEIGHT - 14.0, 24.0) };
        for (y, note, side) in
            [(mine, &self.notes[0], Side::Player), (theirs, &self.notes[1], Side::Opponent)]
        {
            draw_disc(theme, (30.0, y - 5.0), 7.0, side, out)?;
            write!(out, r#"<text x="44" y="{y:.1}" font-size="14">{note}</text>"#)?;
        }
        write!(
            out,
            r#"<text x="{:.1}" y="24" font-size="14" text-anchor="end">{}</text></svg>"#,
            WIDTH - 16.0,
            self.title
        )
    }

    fn draw_cell(&self, theme: &Theme, row: usize, column: usize, out: &mut String) -> fmt::Result {
        let (x, y) = (column_x(column), row_y(row));
        let letter = &LETTERS[row][column..=column];
        let Cell { number, stack } = self.cell(row, column);
        let fill = if row == 1 { theme.dark_point } else { theme.light_point };
        write!(
            out,
            r#"<rect x="{:.1}" y="{:.1}" width="{SIDE}" height="{SIDE}" rx="3" fill="{fill}" fill-opacity="0.45" stroke="{}" stroke-width="1.5"/><text x="{x:.1}" y="{:.1}" font-size="26" text-anchor="middle" fill="{}" fill-opacity="0.55">{letter}</text><text x="{x:.1}" y="{:.1}" font-size="11" text-anchor="middle">{number}</text>"#,
            x - SIDE / 2.0,
            y - SIDE / 2.0,
            theme.frame,
            y + 9.0,
            theme.frame,
            y + SIDE / 2.0 + 14.0,
        )?;
        if stack.height() == 0 { Ok(()) } else { draw_stack(theme, (x, y), stack, out) }
    }
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 340.0;
/// Of a cell.
const SIDE: f64 = 48.0;

/// The middle of a column.
fn column_x(column: usize) -> f64 {
    let gap = if column < 6 { 0.0 } else { 58.0 };
    58.0 + 53.0 * column as f64 + gap
}

/// The middle of a row.
fn row_y(row: usize) -> f64 {
    84.0 + 80.0 * row as f64
}

fn draw_disc(
    theme: &Theme,
    (x, y): (f64, f64),
    radius: f64,
    side: Side,
    out: &mut String,
) -> fmt::Result {
    write!(
        out,
        r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{}" stroke="{}" stroke-width="1.5"/>"#,
        theme.checkers(side),
        theme.ink
    )
}

/// Checkers upon each other, with their number.
fn draw_stack(theme: &Theme, (x, y): (f64, f64), stack: Stack, out: &mut String) -> fmt::Result {
    let shown = stack.height().min(4);
    for nth in 0..shown {
        draw_disc(theme, (x, y + 3.0 - 3.5 * f64::from(nth)), 18.0, stack.side, out)?;
    }
    if stack.height() > 1 {
        write!(
            out,
            r#"<text x="{x:.1}" y="{:.1}" font-size="17" font-weight="bold" text-anchor="middle" fill="{}">{}</text>"#,
            y + 9.0 - 3.5 * f64::from(shown - 1),
            theme.checkers(stack.side.flip()),
            stack.height()
        )?;
    }
    Ok(())
}
