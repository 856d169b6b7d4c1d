//! The board on the screen: the user moves from 24 to 1, with the home at the lower right.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use tavola_engine::live::Awaited;
use tavola_rules::{Cube, CubeOwner, CubeUse, Offer, PartialPlay, Position};

use super::draw::{Palette, Target};
use super::{ENGINE, Game, USER};

/// The width of the tray at the right.
const TRAY: u16 = 5;

/// Where the parts of the board are.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    x: u16,
    y: u16,
    /// The width of a point and of the bar.
    point: u16,
    /// The rows of a half.
    rows: u16,
}

impl Layout {
    /// The largest board for a screen that leaves room for players and words.
    pub fn of(area: Rect) -> Self {
        let point = if area.width >= 110 { 6 } else { 4 };
        let rows = ((area.height - 14) / 2).clamp(5, 8);
        Self { x: 1, y: 1, point, rows }
    }

    /// The first row.
    pub const fn top(&self) -> u16 {
        self.y
    }

    /// The row between the halves.
    pub const fn middle(&self) -> u16 {
        self.y + self.rows + 1
    }

    /// The last row.
    pub const fn bottom(&self) -> u16 {
        self.y + 2 * self.rows + 2
    }

    /// The column behind the board.
    pub const fn right(&self) -> u16 {
        self.tray() + TRAY + 1
    }

    /// The first column of the tray.
    const fn tray(&self) -> u16 {
        self.x + 13 * self.point + 4
    }

    /// The first column of the bar.
    const fn bar(&self) -> u16 {
        self.x + 6 * self.point + 2
    }

    /// The first column of a point of the user.
    const fn column(&self, point: u8) -> u16 {
        let place = if point > 12 { point as u16 - 13 } else { 12 - point as u16 };
        let bar = if place < 6 { 1 } else { self.point + 3 };
        self.x + bar + place * self.point
    }

    /// The row of a checker of this height on the upper or lower edge.
    const fn row(&self, upper: bool, height: u16) -> u16 {
        if upper { self.y + 1 + height } else { self.bottom() - 1 - height }
    }
}

impl Game<'_> {
    /// Draws board, dice and cube, and notes where clicks go.
    pub fn draw_board(&mut self, frame: &mut Frame<'_>, layout: &Layout, palette: Palette) {
        let position = self.position();
        let buffer = frame.buffer_mut();
        let pen = Pen { layout, palette, ascii: self.session.ascii };
        pen.frame(buffer);
        let marked = self.marked_points();
        let movable = self.partial.as_ref().map(PartialPlay::movable).unwrap_or_default();
        for point in 1..=24_u8 {
            pen.point(buffer, point, position.point(point.into()));
            let number = match () {
                () if marked.contains(&point) => {
                    palette.player(ENGINE).add_modifier(Modifier::REVERSED)
                }
                () if movable.contains(&point) => palette.alert(),
                () => palette.frame(),
            };
            pen.number(buffer, point, number);
            let upper = point > 12;
            let top = if upper { layout.top() } else { layout.middle() };
            let area = Rect::new(layout.column(point), top, layout.point, layout.rows + 2);
            self.targets.add(area, Target::Point(point));
        }
        pen.bar(buffer, &position);
        let bar = Rect::new(layout.bar(), layout.top(), layout.point, 2 * layout.rows + 3);
        self.targets.add(bar, Target::Point(25));
        self.draw_dice(buffer, &pen);
        self.draw_tray(buffer, &pen, &position);
    }

    /// The points on which the last play of the engine has left a checker, as the user numbers
    /// them.
    fn marked_points(&self) -> Vec<u8> {
        match self.table().last_play() {
            Some((ENGINE, play)) if self.animation.is_none() => {
                let landed = play.steps().iter().map(|step| step.to);
                landed.filter(|&to| to > 0).map(|to| 25 - to).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The dice in the middle of the half of the player who rolled them.
    fn draw_dice(&mut self, buffer: &mut Buffer, pen: &Pen<'_>) {
        let Awaited::Play(seat) = self.session.live.awaited() else { return };
        let typed = self.partial.as_ref().filter(|_| seat == USER);
        let shown = typed.or(self.animation.as_ref().map(|animation| &animation.play));
        let dice: Vec<(u8, bool)> = match (shown, self.table().dice()) {
            (Some(play), _) => play.dice().collect(),
            (None, Some(dice)) if dice.is_double() => vec![(dice.high(), false); 4],
            (None, Some(dice)) => vec![(dice.high(), false), (dice.low(), false)],
            (None, None) => return,
        };
        let half = 6 * pen.layout.point;
        let width = 4 * dice.len() as u16;
        let left = match seat {
            USER => pen.layout.bar() + pen.layout.point + 1,
            _ => pen.layout.x + 1,
        };
        let x = left + half.saturating_sub(width) / 2;
        let y = pen.layout.middle();
        for (i, (die, used)) in (0..).zip(dice) {
            let (text, style) = match used {
                true => (format!(" {die} "), pen.palette.faint()),
                false => (format!("[{die}]"), pen.palette.player(seat)),
            };
            buffer.set_string(x + 4 * i, y, text, style);
        }
        self.targets.first(Rect::new(x, y, width, 1), Target::Dice);
    }

    /// Checkers borne off, and the cube beside its owner.
    fn draw_tray(&mut self, buffer: &mut Buffer, pen: &Pen<'_>, position: &Position) {
        let layout = pen.layout;
        let x = layout.tray();
        for (player, off) in [(USER, position.off()), (ENGINE, position.opponent_off())] {
            if off > 0 {
                let row = layout.row(player == ENGINE, 0);
                let style = pen.palette.player(player);
                buffer.set_string(x, row, format!("off{off:>2}"), style);
            }
        }
        let (live, table) = (&self.session.live, self.table());
        let situation = table.seen_by(USER);
        let cube = situation.cube.unwrap_or(Cube::START);
        let (row, text) = match (table.cube_use(), live.awaited()) {
            (Some(CubeUse::Crawford), _) => (layout.middle(), "Crawf".to_owned()),
            (Some(CubeUse::Dead), _) => (layout.middle(), " dead".to_owned()),
            (_, Awaited::Answer(player, offer)) => {
                let turns = match offer {
                    Offer::Double => 1,
                    Offer::Beaver => 2,
                    Offer::Raccoon => 3,
                };
                let value = cube.value() << turns;
                (layout.row(player == ENGINE, layout.rows / 2), format!("[{value}]?"))
            }
            _ => {
                let row = match cube.owner() {
                    CubeOwner::Center => layout.middle(),
                    CubeOwner::Player => layout.row(false, layout.rows / 2),
                    CubeOwner::Opponent => layout.row(true, layout.rows / 2),
                };
                (row, format!("[{}]", cube.value()))
            }
        };
        buffer.set_string(x, row, format!("{text:^5}"), pen.palette.strong());
        self.targets.add(Rect::new(x, row, TRAY, 1), Target::Cube);
    }
}

/// What draws.
struct Pen<'a> {
    layout: &'a Layout,
    palette: Palette,
    ascii: bool,
}

impl Pen<'_> {
    fn frame(&self, buffer: &mut Buffer) {
        let Layout { x, point, .. } = *self.layout;
        let style = self.palette.frame();
        let (dash, side, corners) = match self.ascii {
            true => ("-", "|", [["+", "+", "+"], ["+", "+", "+"]]),
            false => ("─", "│", [["┌", "┬", "┐"], ["└", "┴", "┘"]]),
        };
        let edges = [x, self.layout.bar() - 1, self.layout.bar() + point, self.layout.tray() - 1];
        let last = self.layout.right() - 1;
        for (row, [left, tee, right]) in
            [(self.layout.top(), corners[0]), (self.layout.bottom(), corners[1])]
        {
            buffer.set_string(x, row, dash.repeat(usize::from(last - x)), style);
            buffer.set_string(x, row, left, style);
            for column in &edges[1..] {
                buffer.set_string(*column, row, tee, style);
            }
            buffer.set_string(last, row, right, style);
        }
        for row in self.layout.top() + 1..self.layout.bottom() {
            for column in edges.into_iter().chain([last]) {
                buffer.set_string(column, row, side, style);
            }
        }
    }

    fn number(&self, buffer: &mut Buffer, point: u8, style: Style) {
        let row = if point > 12 { self.layout.top() } else { self.layout.bottom() };
        let x = self.layout.column(point) + (self.layout.point - 2) / 2;
        let text = format!("{point:>2}");
        let skip = text.len() - text.trim_start().len();
        buffer.set_string(x + skip as u16, row, text.trim_start(), style);
    }

    fn point(&self, buffer: &mut Buffer, point: u8, count: i8) {
        let (x, dark) = (self.layout.column(point), point.is_multiple_of(2));
        self.stack(buffer, x, point > 12, count, Some(dark));
    }

    fn bar(&self, buffer: &mut Buffer, position: &Position) {
        let x = self.layout.bar();
        // Where they will enter.
        self.stack(buffer, x, true, position.bar() as i8, None);
        self.stack(buffer, x, false, -(position.opponent_bar() as i8), None);
        let middle = x + (self.layout.point - 3) / 2;
        buffer.set_string(middle, self.layout.middle(), "BAR", self.palette.faint());
    }

    /// Checkers of the user where the count is positive; `dark` is the shade of an empty point.
    fn stack(&self, buffer: &mut Buffer, x: u16, upper: bool, count: i8, dark: Option<bool>) {
        let height = u16::from(count.unsigned_abs());
        let player = if count > 0 { USER } else { ENGINE };
        let style = self.palette.player(player);
        let checker = match (self.ascii, player) {
            (true, USER) => "X",
            (true, _) => "O",
            (false, USER) => "●",
            (false, _) => "○",
        };
        let x = x + (self.layout.point - 2) / 2;
        for row in 0..self.layout.rows {
            let y = self.layout.row(upper, row);
            if row < height {
                if height > self.layout.rows && row + 1 == self.layout.rows {
                    buffer.set_string(x, y, format!("{height:>2}"), style);
                } else {
                    buffer.set_string(x + 1, y, checker, style);
                }
            } else if let Some(dark) = dark {
                let shade = match (self.ascii, dark) {
                    (true, true) => ":",
                    (true, false) => ".",
                    (false, true) => "┊",
                    (false, false) => "·",
                };
                buffer.set_string(x + 1, y, shade, self.palette.faint());
            }
        }
    }
}
