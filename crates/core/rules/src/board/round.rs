//! Round boards for more than two players: a ring of cells in equal sectors, one for each player.

use std::f64::consts::TAU;
use std::fmt::{self, Write};

use super::text::Pen;
use super::{Charset, Color, Theme};

/// A player at a round board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundPlayer {
    /// The name, such as that of a season or a planet; its first letter, and where two begin with
    /// the same one the next that is free, stands for the checkers in text.
    pub name: &'static str,
    /// The color of the checkers, as CSS writes it.
    pub color: &'static str,
    /// What is said of the player: checkers beside the board, captures.
    pub note: String,
    /// What is counted beside the board, such as the checkers of the hand, each by its name.
    pub beside: Vec<(&'static str, u8)>,
}

/// What a round board shows.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundView {
    /// The players in the order of their seats, which is the order of the sectors.
    pub players: Vec<RoundPlayer>,
    /// The seat that decides next.
    pub on_roll: usize,
    /// For each cell, from the first of the first sector on, the seat of who stands there and how
    /// many checkers.
    pub cells: Vec<(usize, u8)>,
    /// The name of the game.
    pub title: String,
    /// The roll, or what else is to be said of the moment.
    pub status: String,
}

impl RoundView {
    /// The letters of the players.
    fn letters(&self) -> Vec<char> {
        let mut letters: Vec<char> = Vec::new();
        for player in &self.players {
            let free = player.name.chars().find(|c| !letters.contains(c));
            letters.push(free.unwrap_or('?'));
        }
        letters
    }

    /// Cells of a sector.
    fn sector(&self) -> usize {
        self.cells.len() / self.players.len().max(1)
    }

    /// Draws the board as lines without a newline at the end: one for each sector, its cells from
    /// the first on, with the player whose sector it is.
    pub(super) fn text(&self, charset: Charset, color: Color) -> String {
        let pen = Pen::new(charset, color);
        let (letters, sector) = (self.letters(), self.sector());
        let edge = pen.vertical();
        let mut lines = vec![[self.title.as_str(), &self.status].join("  ").trim_end().to_owned()];
        for (seat, player) in self.players.iter().enumerate() {
            let first = seat * sector;
            let mut line = format!("{first:>3} {edge}");
            for &(owner, count) in &self.cells[first..first + sector] {
                match count {
                    0 => line.push_str("   ·"),
                    _ => line.push_str(&format!("{:>3}{}", count, letters[owner])),
                }
            }
            let on_roll = if seat == self.on_roll { ", on roll" } else { "" };
            let note = if player.note.is_empty() { "" } else { ": " };
            line.push_str(&format!(
                " {edge} {} {}{note}{}{on_roll}",
                letters[seat], player.name, player.note
            ));
            lines.push(line);
        }
        let text = lines.join("\n");
        if charset == Charset::Ascii { text.replace('·', ".") } else { text }
    }

    /// Draws the board as a self-contained SVG image: a ring, its cells as wedges, the checkers on
    /// them, and the players around it.
    pub(super) fn svg(&self, theme: &Theme) -> String {
        let mut image = String::with_capacity(16384);
        self.draw(theme, &mut image).expect("writing to a string doesn't fail");
        image
    }

    fn draw(&self, theme: &Theme, out: &mut String) -> fmt::Result {
        let Theme { background, board, frame, ink, light_point, dark_point, .. } = theme;
        write!(
            out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="Georgia, 'Times New Roman', serif" fill="{ink}"><rect width="{WIDTH}" height="{HEIGHT}" fill="{background}"/><circle cx="{MIDDLE}" cy="{MIDDLE}" r="{:.1}" fill="{frame}"/><circle cx="{MIDDLE}" cy="{MIDDLE}" r="{OUTER}" fill="{board}"/>"#,
            OUTER + 10.0,
        )?;
        let sector = self.sector().max(1);
        for (at, &(owner, count)) in self.cells.iter().enumerate() {
            let fill = if at % 2 == 0 { light_point } else { dark_point };
            let [from, to] = [at as f64, at as f64 + 1.0].map(|edge| self.angle(edge));
            let (a, b) = (place(from, OUTER), place(to, OUTER));
            let (c, d) = (place(to, INNER), place(from, INNER));
            write!(
                out,
                r#"<path d="M{:.1} {:.1}A{OUTER} {OUTER} 0 0 0 {:.1} {:.1}L{:.1} {:.1}A{INNER} {INNER} 0 0 1 {:.1} {:.1}Z" fill="{fill}" fill-opacity="0.5" stroke="{frame}"/>"#,
                a.0, a.1, b.0, b.1, c.0, c.1, d.0, d.1
            )?;
            if at % sector == 0 {
                let (x, y) = place(from, INNER - 40.0);
                write!(
                    out,
                    r#"<path d="M{x:.1} {y:.1}L{:.1} {:.1}" stroke="{frame}" stroke-width="4"/>"#,
                    a.0, a.1
                )?;
            }
            self.draw_stack(theme, at, owner, count, out)?;
        }
        for (seat, player) in self.players.iter().enumerate() {
            // The name stands inside of its sector, what is said of the player in the list.
            let (x, y) = place(self.angle((seat * sector) as f64 + sector as f64 / 2.0), 92.0);
            let weight = if seat == self.on_roll { " font-weight=\"bold\"" } else { "" };
            write!(
                out,
                r#"<text x="{x:.1}" y="{:.1}" font-size="13" text-anchor="middle"{weight}>{}</text>"#,
                y + 4.0,
                player.name
            )?;
            let y = 40.0 + 40.0 * seat as f64;
            write!(
                out,
                r#"<circle cx="{:.1}" cy="{y:.1}" r="9" fill="{}" stroke="{ink}" stroke-width="1.5"/><text x="{:.1}" y="{:.1}" font-size="14"{weight}>{}</text><text x="{:.1}" y="{:.1}" font-size="12">{}</text>"#,
                LIST,
                player.color,
                LIST + 16.0,
                y + 5.0,
                player.name,
                LIST + 16.0,
                y + 20.0,
                player.note
            )?;
        }
        write!(
            out,
            r#"<text x="{MIDDLE}" y="{:.1}" font-size="15" text-anchor="middle">{}</text><text x="{MIDDLE}" y="{:.1}" font-size="13" text-anchor="middle">{}</text></svg>"#,
            MIDDLE - 2.0,
            self.title,
            MIDDLE + 18.0,
            self.status
        )
    }

    /// Up to four checkers from the edge inwards, with their number.
    fn draw_stack(
        &self,
        theme: &Theme,
        at: usize,
        owner: usize,
        count: u8,
        out: &mut String,
    ) -> fmt::Result {
        let angle = self.angle(at as f64 + 0.5);
        let room = TAU * (OUTER - 60.0) / self.cells.len() as f64;
        let radius = (room / 2.0 - 1.0).min(16.0);
        for nth in 0..count.min(4) {
            let (x, y) = place(angle, OUTER - 6.0 - radius - 1.6 * radius * f64::from(nth));
            write!(
                out,
                r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius:.1}" fill="{}" stroke="{}" stroke-width="1.2"/>"#,
                self.players[owner].color, theme.ink
            )?;
        }
        if count > 4 {
            let (x, y) = place(angle, OUTER - 6.0 - 7.6 * radius);
            write!(
                out,
                r#"<text x="{x:.1}" y="{:.1}" font-size="13" text-anchor="middle">{count}</text>"#,
                y + 4.0
            )?;
        }
        Ok(())
    }

    /// The angle of the edge of a cell: the first sector begins at the right, and the seats follow
    /// counter-clockwise.
    fn angle(&self, cell: f64) -> f64 {
        -TAU * cell / self.cells.len().max(1) as f64
    }
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 560.0;
/// Of the ring, from the left and from the top.
const MIDDLE: f64 = 280.0;
const OUTER: f64 = 250.0;
const INNER: f64 = 120.0;
/// Where the list of the players begins.
const LIST: f64 = 570.0;

fn place(angle: f64, radius: f64) -> (f64, f64) {
    (MIDDLE + radius * angle.cos(), MIDDLE + radius * angle.sin())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view() -> RoundView {
        let player = |name, note: &str| RoundPlayer {
            name,
            color: "#888",
            note: note.to_owned(),
            beside: Vec::new(),
        };
        let mut cells = vec![(0, 0); 6];
        (cells[1], cells[5]) = ((0, 12), (1, 2));
        let players = vec![player("summer", "hand 3"), player("sun", ""), player("moon", "")];
        let (title, status) = ("a game".to_owned(), "roll 3-2-1".to_owned());
        RoundView { players, on_roll: 1, cells, title, status }
    }

    #[test]
    fn a_line_for_each_sector_has_its_cells_and_its_player() {
        let text = view().text(Charset::Ascii, Color::Never);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "a game  roll 3-2-1");
        assert_eq!(lines[1], "  0 |   . 12s | s summer: hand 3");
        assert_eq!(lines[2], "  2 |   .   . | u sun, on roll");
        assert_eq!(lines[3], "  4 |   .  2u | m moon");
    }

    #[test]
    fn the_picture_is_round_and_has_every_cell_and_checker() {
        let svg = view().svg(&Theme::WOOD);
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>"));
        assert_eq!(svg.matches("<path d=\"M").count(), 6 + 3);
        // The board and its frame, the list of three, four and two checkers.
        assert_eq!(svg.matches("<circle").count(), 2 + 3 + 4 + 2);
        assert!(svg.contains(">12</text>"));
    }
}
