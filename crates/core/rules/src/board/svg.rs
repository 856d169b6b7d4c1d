//! The board as an SVG image.

use std::f64::consts::TAU;
use std::fmt::{self, Write};

use super::{BoardView, Half, Orientation, Side, Spot, Stack, Trays};
use crate::cube::{Cube, CubeOwner};

/// The colors of an SVG board, each as CSS writes it; they are put into the image as they are.
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
    /// Checkers of the player on roll, and their dice.
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

    /// Black, white and grays, for paper.
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

    /// The color of a side.
    pub(super) const fn checkers(&self, side: Side) -> &'static str {
        match side {
            Side::Player => self.player,
            Side::Opponent => self.opponent,
        }
    }
}

impl Default for Theme {
    fn default() -> Self {
        Self::WOOD
    }
}

const WIDTH: f64 = 660.0;
const HEIGHT: f64 = 500.0;
/// Width of a point, and of the bar.
const COLUMN: f64 = 40.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 450.0;
const MIDDLE: f64 = (TOP + BOTTOM) / 2.0;
const POINT_HEIGHT: f64 = 165.0;
const RADIUS: f64 = 17.5;
/// Checkers drawn on a point; a higher stack carries its number.
const STACK: u8 = 5;

/// What depends on the side at which the trays are.
struct Layout {
    /// Left edge of the twelve points and the bar.
    left: f64,
    /// Left edge and width of the frame.
    frame: (f64, f64),
    /// Radius of the corners of the frame, if the surfaces have a style of their own.
    corner: Option<f64>,
    /// Left edge of the trays.
    tray: f64,
    /// Right edge of the lower line of words.
    right: f64,
    /// Distance of the words from the upper and the lower edge of the image.
    margins: (f64, f64),
}

const TRAYS_RIGHT: Layout = Layout {
    left: 60.0,
    frame: (10.0, 640.0),
    corner: Some(6.0),
    tray: 590.0,
    right: 580.0,
    margins: (20.0, 10.0),
};

const TRAYS_LEFT: Layout = Layout {
    left: 90.0,
    frame: (20.0, 620.0),
    corner: None,
    tray: 30.0,
    right: 640.0,
    margins: (18.0, 8.0),
};

/// The style of a surface: the radius of its corners, and the color of its outline.
type Outline = Option<(f64, &'static str)>;

impl BoardView {
    /// Draws the board as a self-contained SVG image, with a dot on marked checkers and a bar
    /// along the points on which a side enters, where the view says so.
    pub fn svg(&self, theme: &Theme) -> String {
        let mut image = String::with_capacity(16_384);
        let layout = match self.trays {
            Trays::Off(_) => &TRAYS_RIGHT,
            Trays::Hand(_) => &TRAYS_LEFT,
        };
        let (bar_half, orientation) = (self.bar_half, self.orientation);
        Canvas { out: &mut image, theme, layout, bar_half, orientation }
            .draw(self)
            .expect("writing to a string doesn't fail");
        image
    }
}

struct Canvas<'a> {
    out: &'a mut String,
    theme: &'a Theme,
    layout: &'a Layout,
    bar_half: Half,
    orientation: Orientation,
}

impl Canvas<'_> {
    /// Where a place is drawn that the usual board has at `x`.
    fn x(&self, x: f64) -> f64 {
        if self.orientation.clockwise { WIDTH - x } else { x }
    }

    /// Where a place is drawn that the usual board has at `y`.
    fn y(&self, y: f64) -> f64 {
        if self.orientation.flipped { HEIGHT - y } else { y }
    }

    fn draw(&mut self, view: &BoardView) -> fmt::Result {
        let (theme, layout) = (*self.theme, self.layout);
        write!(
            self.out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" font-family="Helvetica, Arial, sans-serif" fill="{}">"#,
            theme.ink
        )?;
        let plain = layout.corner.map(|_| (0.0, "none"));
        self.rect((0.0, 0.0, WIDTH, HEIGHT), theme.background, plain)?;
        let (left, width) = layout.frame;
        let frame = layout.corner.map(|corner| (corner, "none"));
        self.rect((left, TOP - 8.0, width, BOTTOM - TOP + 16.0), theme.frame, frame)?;
        let surfaces = [
            (layout.left, 6.0 * COLUMN),
            (layout.left + 7.0 * COLUMN, 6.0 * COLUMN),
            (layout.tray, 50.0),
        ];
        for (left, width) in surfaces {
            let left = self.x(left + width / 2.0) - width / 2.0;
            self.rect((left, TOP, width, BOTTOM - TOP), theme.board, plain)?;
        }
        for point in 1..=24 {
            self.point(point)?;
        }
        if let Some([player, opponent]) = view.entry {
            self.entry(Side::Opponent, opponent)?;
            self.entry(Side::Player, player)?;
        }
        for (point, &stack) in (1..).zip(&view.points) {
            self.stack(self.point_column(point), stack)?;
        }
        for (side, stack) in [Side::Player, Side::Opponent].into_iter().zip(view.bar) {
            self.stack(self.bar_column(side), stack)?;
        }
        match view.trays {
            Trays::Off([player, opponent]) => {
                self.off(Side::Player, player)?;
                self.off(Side::Opponent, opponent)?;
            }
            Trays::Hand([player, opponent]) => {
                let x = self.x(layout.tray + 25.0);
                let [upper, lower] =
                    [Half::Upper, Half::Lower].map(|half| self.orientation.half(half));
                self.stack((x, lower), Stack::plain(player as i8))?;
                self.stack((x, upper), Stack::plain(-(opponent as i8)))?;
            }
        }
        if let Some(cube) = view.cube {
            self.cube(cube)?;
        }
        for (nth, &die) in (0u8..).zip(&view.dice) {
            self.die(die, self.x(layout.right - (4.0 - f64::from(nth)) * COLUMN))?;
        }
        for arrow in &view.arrows {
            self.arrow(self.spot(arrow.from), self.spot(arrow.to), arrow.color)?;
        }
        let [player, opponent] = &view.notes;
        let (upper, lower) = (layout.margins.0, HEIGHT - layout.margins.1);
        let mut notes = [format!("Opponent: {opponent}"), format!("On roll: {player}")];
        if self.orientation.flipped {
            notes.reverse();
        }
        self.label((layout.left, upper), "start", 14.0, &notes[0])?;
        self.label((layout.left, lower), "start", 14.0, &notes[1])?;
        let words = [&view.title, &view.status].into_iter().chain(&view.plays);
        let words: Vec<&str> =
            words.map(String::as_str).filter(|words| !words.is_empty()).collect();
        self.label((layout.right, lower), "end", 14.0, &words.join(", "))?;
        self.out.push_str("</svg>\n");
        Ok(())
    }

    /// Center of the column of a point, and its half.
    fn point_column(&self, point: usize) -> (f64, Half) {
        let (columns, half) = match point {
            1..=6 => (13 - point, Half::Lower),
            7..=12 => (12 - point, Half::Lower),
            13..=18 => (point - 13, Half::Upper),
            _ => (point - 12, Half::Upper),
        };
        let x = self.x(self.layout.left + (columns as f64 + 0.5) * COLUMN);
        (x, self.orientation.half(half))
    }

    /// Center of the bar, and the half in which the checkers of a side are.
    fn bar_column(&self, side: Side) -> (f64, Half) {
        let is_upper = (self.bar_half == Half::Upper) == (side == Side::Player);
        let half = if is_upper { Half::Upper } else { Half::Lower };
        (self.x(self.layout.left + 6.5 * COLUMN), self.orientation.half(half))
    }

    /// Center of a checker of the player on roll.
    fn spot(&self, spot: Spot) -> (f64, f64) {
        let ((x, half), nth) = match spot {
            Spot::Point(point, nth) => (self.point_column(point), nth),
            Spot::Bar(nth) => (self.bar_column(Side::Player), nth),
            Spot::Off(nth) => {
                let y = BOTTOM - 6.0 - 12.0 * f64::from(nth);
                return (self.x(self.layout.tray + 25.0), self.y(y));
            }
        };
        (x, height(half, nth))
    }

    fn rect(
        &mut self,
        (x, y, width, height): (f64, f64, f64, f64),
        fill: &str,
        outline: Outline,
    ) -> fmt::Result {
        write!(self.out, r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}""#)?;
        match outline {
            Some((corner, stroke)) => {
                write!(self.out, r#" rx="{corner}" fill="{fill}" stroke="{stroke}"/>"#)
            }
            None => write!(self.out, r#" fill="{fill}"/>"#),
        }
    }

    /// Text without characters that XML reserves: names of games and options, and numbers.
    fn label(&mut self, (x, y): (f64, f64), anchor: &str, size: f64, text: &str) -> fmt::Result {
        write!(
            self.out,
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" text-anchor="{anchor}">{text}</text>"#
        )
    }

    fn point(&mut self, point: usize) -> fmt::Result {
        let (x, half) = self.point_column(point);
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

    /// A line in the color of a side along the points on which it enters.
    fn entry(&mut self, side: Side, (first, last): (usize, usize)) -> fmt::Result {
        let ((a, half), (b, _)) = (self.point_column(first), self.point_column(last));
        let (left, right) = (a.min(b) - COLUMN / 2.0, a.max(b) + COLUMN / 2.0);
        // The two may enter on the same points.
        let inset = if side == Side::Player { 1.0 } else { 4.0 };
        let y = match half {
            Half::Upper => TOP - 1.0 - inset - 2.0,
            Half::Lower => BOTTOM + inset,
        };
        self.rect((left, y, right - left, 2.5), self.theme.checkers(side), None)
    }

    fn stack(&mut self, (x, half): (f64, Half), stack: Stack) -> fmt::Result {
        let (fill, ink) = (self.theme.checkers(stack.side), self.theme.ink);
        let contrast = self.theme.checkers(stack.side.flip());
        let count = stack.height();
        for nth in 0..count.min(STACK) {
            let y = height(half, nth);
            write!(
                self.out,
                r#"<circle cx="{x:.1}" cy="{y:.1}" r="{RADIUS}" fill="{fill}" stroke="{ink}" stroke-width="1.5"/>"#
            )?;
            if nth < stack.marked {
                write!(self.out, r#"<circle cx="{x:.1}" cy="{y:.1}" r="6" fill="{contrast}"/>"#)?;
            }
        }
        if count > STACK {
            let y = height(half, STACK - 1) + 5.5;
            write!(
                self.out,
                r#"<text x="{x:.1}" y="{y:.1}" font-size="16" font-weight="bold" text-anchor="middle" fill="{contrast}">{count}</text>"#
            )?;
        }
        Ok(())
    }

    /// Borne-off checkers, lying on their edges in the tray.
    fn off(&mut self, side: Side, count: u8) -> fmt::Result {
        let outline = Some((2.0, self.theme.ink));
        for nth in 0..count {
            let depth = f64::from(nth) * 12.0;
            let y = match (side == Side::Player) != self.orientation.flipped {
                true => BOTTOM - 12.0 - depth,
                false => TOP + 1.0 + depth,
            };
            let left = self.x(self.layout.tray + 25.0) - 20.0;
            self.rect((left, y, 40.0, 11.0), self.theme.checkers(side), outline)?;
        }
        Ok(())
    }

    fn cube(&mut self, cube: Cube) -> fmt::Result {
        let y = match cube.owner() {
            CubeOwner::Center => MIDDLE,
            CubeOwner::Player => BOTTOM - 25.0,
            CubeOwner::Opponent => TOP + 25.0,
        };
        let (x, y) = (self.x(self.layout.left - 25.0), self.y(y));
        let value = cube.value();
        let outline = Some((5.0, self.theme.ink));
        self.rect((x - 18.0, y - 18.0, 36.0, 36.0), "#ffffff", outline)?;
        // Five figures still fit.
        let size = if value > 999 { 12.0 } else { 18.0 };
        self.label((x, y + size * 0.36), "middle", size, &value.to_string())
    }

    fn die(&mut self, die: u8, x: f64) -> fmt::Result {
        const CORNERS: [(f64, f64); 4] = [(-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (1.0, 1.0)];
        const SIDES: [(f64, f64); 2] = [(-1.0, 0.0), (1.0, 0.0)];
        let (fill, ink) = (self.theme.player, self.theme.ink);
        self.rect((x - 16.0, MIDDLE - 16.0, 32.0, 32.0), fill, Some((5.0, ink)))?;
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

/// Center of the `nth` checker of a stack, from 0.
fn height(half: Half, nth: u8) -> f64 {
    let from_edge = RADIUS + 1.0 + f64::from(nth.min(STACK - 1)) * 2.0 * (RADIUS + 0.5);
    if half == Half::Upper { TOP + from_edge } else { BOTTOM - from_edge }
}
