//! The board as an SVG image.

use std::f64::consts::TAU;
use std::fmt::{self, Write};

use super::{Side, side_line, status_lines};
use crate::cube::{Cube, CubeOwner};
use crate::dice::Dice;
use crate::moves::{FROM_BAR, Play, TO_OFF, moved};
use crate::notation::Situation;
use crate::position::Position;

/// The colours of an SVG board, each as CSS writes it; they are put into the image as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Behind everything.
    pub background: &'static str,
    /// The surface that is played on.
    pub board: &'static str,
    /// Frame, bar and trays.
    pub frame: &'static str,
    /// Every other point.
    pub light_point: &'static str,
    /// The points between.
    pub dark_point: &'static str,
    /// Checkers of the player on roll, and his dice.
    pub player: &'static str,
    /// Checkers of the opponent.
    pub opponent: &'static str,
    /// Text on the background, and outlines.
    pub ink: &'static str,
    /// Arrows of a play.
    pub arrow: &'static str,
}

impl Theme {
    /// Brown and green, for a screen.
    pub const WOOD: Self = Self {
        background: "#ffffff",
        board: "#e9dcc3",
        frame: "#7a5230",
        light_point: "#c9a877",
        dark_point: "#5f7f63",
        player: "#fbf7ee",
        opponent: "#3a2b27",
        ink: "#2a1f1a",
        arrow: "#c0392b",
    };

    /// Black, white and greys, for paper.
    pub const PRINT: Self = Self {
        background: "#ffffff",
        board: "#ffffff",
        frame: "#b0b0b0",
        light_point: "#eeeeee",
        dark_point: "#c8c8c8",
        player: "#ffffff",
        opponent: "#202020",
        ink: "#000000",
        arrow: "#000000",
    };
}

impl Default for Theme {
    fn default() -> Self {
        Self::WOOD
    }
}

const WIDTH: f64 = 660.0;
const HEIGHT: f64 = 500.0;
/// Left edge of the twelve points and the bar.
const LEFT: f64 = 60.0;
/// Width of a point, and of the bar.
const COLUMN: f64 = 40.0;
const RIGHT: f64 = LEFT + 13.0 * COLUMN;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 450.0;
const MIDDLE: f64 = (TOP + BOTTOM) / 2.0;
const POINT_HEIGHT: f64 = 165.0;
const RADIUS: f64 = 17.5;
/// Checkers drawn on a point; a higher stack carries its number.
const STACK: u8 = 5;

/// Draws a situation as a self-contained SVG image, seen from the player on roll; with `play`,
/// an arrow for every step of it, from where the checker stands to where it will.
///
/// `play` belongs to the position of the situation, before it is played.
pub fn svg(situation: &Situation, play: Option<&Play>) -> String {
    svg_with_theme(situation, play, &Theme::default())
}

/// As [`svg`], in other colours.
pub fn svg_with_theme(situation: &Situation, play: Option<&Play>, theme: &Theme) -> String {
    let play = play.map(|play| (play, theme.arrow));
    svg_of_plays(situation, play.as_slice(), theme)
}

/// As [`svg_with_theme`], with the arrows of several plays of the same roll, each in a colour of
/// its own. A later play's arrows lie upon those of an earlier one.
pub fn svg_of_plays(
    situation: &Situation,
    plays: &[(&Play, &'static str)],
    theme: &Theme,
) -> String {
    let mut image = String::with_capacity(16_384);
    Canvas { out: &mut image, theme }
        .draw(situation, plays)
        .expect("writing to a string doesn't fail");
    image
}

/// A place where checkers stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Point(usize),
    Bar(Side),
}

/// Which way a stack grows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Upper,
    Lower,
}

/// Centre of the column of a point.
fn column(point: usize) -> f64 {
    let columns = match point {
        1..=6 => 13 - point,
        7..=12 => 12 - point,
        13..=18 => point - 13,
        _ => point - 12,
    };
    LEFT + (columns as f64 + 0.5) * COLUMN
}

/// Centre of the `nth` checker of a stack, from 0.
fn spot(place: Place, nth: u8) -> (f64, f64) {
    let (x, half) = match place {
        Place::Point(point) => (column(point), if point > 12 { Half::Upper } else { Half::Lower }),
        // Where they will enter.
        Place::Bar(side) => {
            (LEFT + 6.5 * COLUMN, if side == Side::Player { Half::Upper } else { Half::Lower })
        }
    };
    let from_edge = RADIUS + 1.0 + f64::from(nth.min(STACK - 1)) * 2.0 * (RADIUS + 0.5);
    (x, if half == Half::Upper { TOP + from_edge } else { BOTTOM - from_edge })
}

struct Canvas<'a> {
    out: &'a mut String,
    theme: &'a Theme,
}

impl Canvas<'_> {
    fn draw(&mut self, situation: &Situation, plays: &[(&Play, &'static str)]) -> fmt::Result {
        let theme = *self.theme;
        let position = &situation.position;
        write!(
            self.out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" font-family="Helvetica, Arial, sans-serif" fill="{}">"#,
            theme.ink
        )?;
        self.rect((0.0, 0.0, WIDTH, HEIGHT, 0.0), theme.background, "none")?;
        self.rect(
            (LEFT - 50.0, TOP - 8.0, WIDTH - 20.0, BOTTOM - TOP + 16.0, 6.0),
            theme.frame,
            "none",
        )?;
        for left in [LEFT, LEFT + 7.0 * COLUMN] {
            self.rect((left, TOP, 6.0 * COLUMN, BOTTOM - TOP, 0.0), theme.board, "none")?;
        }
        self.rect((RIGHT + 10.0, TOP, 50.0, BOTTOM - TOP, 0.0), theme.board, "none")?;
        for point in 1..=24 {
            self.point(point)?;
        }
        for point in 1..=24 {
            self.stack(Place::Point(point), position.point(point))?;
        }
        self.stack(Place::Bar(Side::Player), position.bar() as i8)?;
        self.stack(Place::Bar(Side::Opponent), -(position.opponent_bar() as i8))?;
        self.off(Side::Player, position.off())?;
        self.off(Side::Opponent, position.opponent_off())?;
        if let Some(cube) = super::cube(situation) {
            self.cube(cube)?;
        }
        if let Some(dice) = situation.dice {
            self.dice(dice)?;
        }
        for (play, color) in plays {
            self.arrows(position, play, color)?;
        }
        let opponent = format!("Opponent: {}", side_line(situation, Side::Opponent));
        let player = format!("On roll: {}", side_line(situation, Side::Player));
        self.label((LEFT, 20.0), "start", 14.0, &opponent)?;
        self.label((LEFT, HEIGHT - 10.0), "start", 14.0, &player)?;
        let mut status = status_lines(situation);
        status.extend(plays.iter().map(|(play, _)| play.to_string()));
        self.label((RIGHT, HEIGHT - 10.0), "end", 14.0, &status.join(", "))?;
        self.out.push_str("</svg>\n");
        Ok(())
    }

    fn rect(
        &mut self,
        (x, y, width, height, corner): (f64, f64, f64, f64, f64),
        fill: &str,
        stroke: &str,
    ) -> fmt::Result {
        write!(
            self.out,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="{corner}" fill="{fill}" stroke="{stroke}"/>"#
        )
    }

    /// Text without characters that XML reserves.
    fn label(&mut self, (x, y): (f64, f64), anchor: &str, size: f64, text: &str) -> fmt::Result {
        write!(
            self.out,
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" text-anchor="{anchor}">{text}</text>"#
        )
    }

    fn point(&mut self, point: usize) -> fmt::Result {
        let x = column(point);
        let (base, tip, number) = if point > 12 {
            (TOP, TOP + POINT_HEIGHT, TOP - 13.0)
        } else {
            (BOTTOM, BOTTOM - POINT_HEIGHT, BOTTOM + 23.0)
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

    fn fill(&self, side: Side) -> &'static str {
        match side {
            Side::Player => self.theme.player,
            Side::Opponent => self.theme.opponent,
        }
    }

    fn stack(&mut self, place: Place, count: i8) -> fmt::Result {
        let (side, other) =
            if count > 0 { (Side::Player, Side::Opponent) } else { (Side::Opponent, Side::Player) };
        let (fill, ink) = (self.fill(side), self.theme.ink);
        let count = count.unsigned_abs();
        for nth in 0..count.min(STACK) {
            let (x, y) = spot(place, nth);
            write!(
                self.out,
                r#"<circle cx="{x:.1}" cy="{y:.1}" r="{RADIUS}" fill="{fill}" stroke="{ink}" stroke-width="1.5"/>"#
            )?;
        }
        if count > STACK {
            let (x, y) = spot(place, STACK - 1);
            let number = self.fill(other);
            write!(
                self.out,
                r#"<text x="{x:.1}" y="{:.1}" font-size="16" font-weight="bold" text-anchor="middle" fill="{number}">{count}</text>"#,
                y + 5.5
            )?;
        }
        Ok(())
    }

    /// Borne-off checkers, lying on their edges in the tray.
    fn off(&mut self, side: Side, count: u8) -> fmt::Result {
        let (fill, ink) = (self.fill(side), self.theme.ink);
        for nth in 0..count {
            let depth = f64::from(nth) * 12.0;
            let y = match side {
                Side::Player => BOTTOM - 12.0 - depth,
                Side::Opponent => TOP + 1.0 + depth,
            };
            self.rect((RIGHT + 15.0, y, 40.0, 11.0, 2.0), fill, ink)?;
        }
        Ok(())
    }

    fn cube(&mut self, cube: Cube) -> fmt::Result {
        let y = match cube.owner() {
            CubeOwner::Center => MIDDLE,
            CubeOwner::Player => BOTTOM - 25.0,
            CubeOwner::Opponent => TOP + 25.0,
        };
        let value = cube.value();
        let x = LEFT - 25.0;
        self.rect((x - 18.0, y - 18.0, 36.0, 36.0, 5.0), "#ffffff", self.theme.ink)?;
        // Five figures still fit.
        let size = if value > 999 { 12.0 } else { 18.0 };
        self.label((x, y + size * 0.36), "middle", size, &value.to_string())
    }

    fn dice(&mut self, dice: Dice) -> fmt::Result {
        for (die, x) in [(dice.high(), RIGHT - 4.0 * COLUMN), (dice.low(), RIGHT - 3.0 * COLUMN)] {
            let (fill, ink) = (self.theme.player, self.theme.ink);
            self.rect((x - 16.0, MIDDLE - 16.0, 32.0, 32.0, 5.0), fill, ink)?;
            const CORNERS: [(f64, f64); 4] = [(-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (1.0, 1.0)];
            const SIDES: [(f64, f64); 2] = [(-1.0, 0.0), (1.0, 0.0)];
            let even = usize::from(die / 2);
            let mut pips: Vec<(f64, f64)> = CORNERS[..(even * 2).min(4)].to_vec();
            pips.extend(if die == 6 { &SIDES[..] } else { &[] });
            pips.extend((die % 2 == 1).then_some((0.0, 0.0)));
            for (dx, dy) in pips {
                write!(
                    self.out,
                    r#"<circle cx="{:.1}" cy="{:.1}" r="3" fill="{ink}"/>"#,
                    x + dx * 9.0,
                    MIDDLE + dy * 9.0
                )?;
            }
        }
        Ok(())
    }

    /// One arrow a step, each from the outermost checker to the next free spot.
    fn arrows(&mut self, position: &Position, play: &Play, color: &str) -> fmt::Result {
        let place = |at: u8| {
            if at == FROM_BAR { Place::Bar(Side::Player) } else { Place::Point(usize::from(at)) }
        };
        let count = |position: &Position, at: u8| position.cells()[usize::from(at)].max(0) as u8;
        let mut now = *position;
        for step in play.steps() {
            // A play of another position has steps that don't fit; they are left out.
            let here = count(&now, step.from);
            if here == 0 {
                continue;
            }
            let from = spot(place(step.from), here - 1);
            let to = if step.to == TO_OFF {
                (RIGHT + 35.0, BOTTOM - 6.0 - 12.0 * f64::from(now.off()))
            } else {
                spot(place(step.to), count(&now, step.to))
            };
            now = moved(&now, step.from, step.to);
            self.arrow(from, to, color)?;
        }
        Ok(())
    }

    fn arrow(&mut self, from: (f64, f64), to: (f64, f64), color: &str) -> fmt::Result {
        let angle = (to.1 - from.1).atan2(to.0 - from.0);
        let at = |turn: f64, length: f64| {
            (to.0 + length * (angle + turn).cos(), to.1 + length * (angle + turn).sin())
        };
        let ((neck_x, neck_y), (a_x, a_y), (b_x, b_y)) =
            (at(TAU / 2.0, 9.0), at(TAU * 0.42, 14.0), at(TAU * 0.58, 14.0));
        write!(
            self.out,
            r#"<path d="M{:.1} {:.1}L{neck_x:.1} {neck_y:.1}" stroke="{color}" stroke-width="3.5" stroke-opacity="0.85" stroke-linecap="round"/>"#,
            from.0, from.1
        )?;
        write!(
            self.out,
            r#"<path d="M{:.1} {:.1}L{a_x:.1} {a_y:.1}L{b_x:.1} {b_y:.1}Z" fill="{color}"/>"#,
            to.0, to.1
        )
    }
}
