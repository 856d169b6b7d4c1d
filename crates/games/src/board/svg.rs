//! The board as an SVG image.

use std::fmt::{self, Write};

use tavola_rules::Game;
use tavola_rules::board::Theme;

use super::{Side, Stack};
use crate::dice::TablesDice;
use crate::engine::Tables;
use crate::state::{BAR, HAND, OPPONENT_BAR, OPPONENT_HAND, TablesState};

const WIDTH: f64 = 660.0;
const HEIGHT: f64 = 500.0;
/// Left edge of the twelve points and the bar; the hands lie left of it.
const LEFT: f64 = 90.0;
/// Width of a point, and of the bar.
const COLUMN: f64 = 40.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 450.0;
const POINT_HEIGHT: f64 = 165.0;
const RADIUS: f64 = 17.5;
/// Checkers drawn on a point; a higher stack carries its number.
const STACK: u8 = 5;

impl Tables {
    /// Draws a position as a self-contained SVG image, seen from the player on roll: hands at the
    /// left, those on the bar in the middle, a dot on marked checkers, and a bar along the points
    /// on which each side enters.
    pub fn board_svg(&self, state: &TablesState, dice: Option<TablesDice>) -> String {
        let mut image = String::with_capacity(16_384);
        Canvas { out: &mut image, theme: Theme::default() }
            .draw(self, state, dice)
            .expect("writing to a string doesn't fail");
        image
    }
}

/// Which way a stack grows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Upper,
    Lower,
}

/// Centre of the column of a point, and its half.
fn column(point: usize) -> (f64, Half) {
    let (columns, half) = match point {
        1..=6 => (13 - point, Half::Lower),
        7..=12 => (12 - point, Half::Lower),
        13..=18 => (point - 13, Half::Upper),
        _ => (point - 12, Half::Upper),
    };
    (LEFT + (columns as f64 + 0.5) * COLUMN, half)
}

struct Canvas<'a> {
    out: &'a mut String,
    theme: Theme,
}

impl Canvas<'_> {
    fn draw(
        &mut self,
        game: &Tables,
        state: &TablesState,
        dice: Option<TablesDice>,
    ) -> fmt::Result {
        let theme = self.theme;
        write!(
            self.out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" font-family="Helvetica, Arial, sans-serif" fill="{}">"#,
            theme.ink
        )?;
        self.rect((0.0, 0.0, WIDTH, HEIGHT), theme.background)?;
        self.rect((20.0, TOP - 8.0, WIDTH - 40.0, BOTTOM - TOP + 16.0), theme.frame)?;
        for left in [LEFT, LEFT + 7.0 * COLUMN] {
            self.rect((left, TOP, 6.0 * COLUMN, BOTTOM - TOP), theme.board)?;
        }
        self.rect((30.0, TOP, 50.0, BOTTOM - TOP), theme.board)?;
        for point in 1..=24 {
            self.point(point)?;
        }
        for side in [Side::Opponent, Side::Player] {
            self.entry(game, side)?;
        }
        for point in 1..=24 {
            let (x, half) = column(point);
            self.stack((x, half), game.stack(state, point))?;
        }
        let cells = state.cells();
        let is_marked = game.rules().marked > 0;
        let waiting = [
            (Side::Player, cells[BAR], LEFT + 6.5 * COLUMN, is_marked),
            (Side::Opponent, cells[OPPONENT_BAR], LEFT + 6.5 * COLUMN, is_marked),
            (Side::Player, cells[HAND], 55.0, false),
            (Side::Opponent, cells[OPPONENT_HAND], 55.0, false),
        ];
        for (side, count, x, is_marked) in waiting {
            let count = count.unsigned_abs();
            let (marked, plain) = if is_marked { (count, 0) } else { (0, count) };
            let half = if side == Side::Player { Half::Lower } else { Half::Upper };
            self.stack((x, half), Stack { side, marked, plain })?;
        }
        let opponent = format!("Opponent: {}", game.side_notes(&game.flip(state)));
        let player = format!("On roll: {}", game.side_notes(state));
        self.label((LEFT, 18.0), "start", 14.0, &opponent)?;
        self.label((LEFT, HEIGHT - 8.0), "start", 14.0, &player)?;
        self.label((WIDTH - 20.0, HEIGHT - 8.0), "end", 14.0, &game.title(dice))?;
        self.out.push_str("</svg>\n");
        Ok(())
    }

    fn rect(&mut self, (x, y, width, height): (f64, f64, f64, f64), fill: &str) -> fmt::Result {
        write!(
            self.out,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="{fill}"/>"#
        )
    }

    /// Text without characters that XML reserves: names of games and options, and numbers.
    fn label(&mut self, (x, y): (f64, f64), anchor: &str, size: f64, text: &str) -> fmt::Result {
        write!(
            self.out,
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" text-anchor="{anchor}">{text}</text>"#
        )
    }

    fn point(&mut self, point: usize) -> fmt::Result {
        let (x, half) = column(point);
        let (base, tip, number) = match half {
            Half::Upper => (TOP, TOP + POINT_HEIGHT, TOP - 13.0),
            Half::Lower => (BOTTOM, BOTTOM - POINT_HEIGHT, BOTTOM + 23.0),
        };
        let fill =
            if point.is_multiple_of(2) { self.theme.light_point } else { self.theme.dark_point };
        let half = COLUMN / 2.0;
        write!(
            self.out,
            r#"<path d="M{:.1} {base}L{x:.1} {tip}L{:.1} {base}Z" fill="{fill}"/>"#,
            x - half,
            x + half
        )?;
        self.label((x, number), "middle", 12.0, &point.to_string())
    }

    /// A line in the colour of a side along its points 1 to 6.
    fn entry(&mut self, game: &Tables, side: Side) -> fmt::Result {
        let ends = [1, 6].map(|point| match side {
            Side::Player => point,
            Side::Opponent => game.opposite(point),
        });
        let [(a, half), (b, _)] = ends.map(column);
        let (left, right) = (a.min(b) - COLUMN / 2.0, a.max(b) + COLUMN / 2.0);
        // The two may enter on the same points.
        let inset = if side == Side::Player { 1.0 } else { 4.0 };
        let y = match half {
            Half::Upper => TOP - 1.0 - inset - 2.0,
            Half::Lower => BOTTOM + inset,
        };
        let fill = self.fill(side);
        self.rect((left, y, right - left, 2.5), fill)
    }

    fn fill(&self, side: Side) -> &'static str {
        match side {
            Side::Player => self.theme.player,
            Side::Opponent => self.theme.opponent,
        }
    }

    fn stack(&mut self, (x, half): (f64, Half), stack: Stack) -> fmt::Result {
        let other = match stack.side {
            Side::Player => Side::Opponent,
            Side::Opponent => Side::Player,
        };
        let (fill, contrast, ink) = (self.fill(stack.side), self.fill(other), self.theme.ink);
        let height = stack.height();
        let y = |nth: u8| {
            let from_edge = RADIUS + 1.0 + f64::from(nth) * 2.0 * (RADIUS + 0.5);
            if half == Half::Upper { TOP + from_edge } else { BOTTOM - from_edge }
        };
        for nth in 0..height.min(STACK) {
            write!(
                self.out,
                r#"<circle cx="{x:.1}" cy="{:.1}" r="{RADIUS}" fill="{fill}" stroke="{ink}" stroke-width="1.5"/>"#,
                y(nth)
            )?;
            if nth < stack.marked {
                write!(
                    self.out,
                    r#"<circle cx="{x:.1}" cy="{:.1}" r="6" fill="{contrast}"/>"#,
                    y(nth)
                )?;
            }
        }
        if height > STACK {
            write!(
                self.out,
                r#"<text x="{x:.1}" y="{:.1}" font-size="16" font-weight="bold" text-anchor="middle" fill="{contrast}">{height}</text>"#,
                y(STACK - 1) + 5.5
            )?;
        }
        Ok(())
    }
}
