//! The score sheet of a chouette: a line for each game, and the accounts.

use std::fmt;

use serde::Serialize;

use super::{ChouetteRules, SettledGame};

/// The score sheet: as JSON by its fields, as a text by its display, as CSV by
/// [`to_csv`](Self::to_csv).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScoreSheet<'a> {
    /// Names by seat.
    pub players: &'a [String],
    /// What is played by.
    pub rules: &'a ChouetteRules,
    /// The seats of the next game: the box, the captain, and those in line.
    pub order: &'a [usize],
    /// The games; who joined later is missing at the end of the payments.
    pub games: &'a [SettledGame],
    /// What each seat has won in sum; the sum over all is 0.
    pub accounts: Vec<i64>,
}

impl ScoreSheet<'_> {
    /// The lines of the sheet: number, box and captain, then the points of each seat; the last one
    /// has the accounts.
    pub fn rows(&self) -> Vec<([String; 3], &[i64])> {
        let name = |seat: usize| self.players[seat].clone();
        let game = |(number, game): (usize, &'_ SettledGame)| {
            [number.to_string(), name(game.box_seat), name(game.captain)]
        };
        let games = self.games.iter();
        let mut rows: Vec<_> =
            (1..).zip(games).map(|one| (game(one), &one.1.payments[..])).collect();
        rows.push((["sum".to_owned(), String::new(), String::new()], &self.accounts[..]));
        rows
    }

    /// The sheet as comma-separated values: a head, a line for each game, and the sums.
    pub fn to_csv(&self) -> String {
        let quoted = |cell: &str| match cell.contains(['"', ',', '\n', '\r']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.to_owned(),
        };
        let mut lines = vec![vec!["game".to_owned(), "box".to_owned(), "captain".to_owned()]];
        lines[0].extend(self.players.iter().map(|name| quoted(name)));
        lines.extend(self.rows().into_iter().map(|(head, points)| {
            let points = points.iter().map(i64::to_string);
            head.iter().map(|cell| quoted(cell)).chain(points).collect()
        }));
        lines.into_iter().map(|line| line.join(",") + "\n").collect()
    }
}

impl fmt::Display for ScoreSheet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.players.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(7);
        let points = self.rows().into_iter().flat_map(|(_, points)| points.to_vec());
        let digits = points.map(|points| format!("{points:+}").len()).max().unwrap_or(0);
        let wide = |seat: usize| self.players[seat].chars().count().max(digits);
        let line = |f: &mut fmt::Formatter<'_>, head: [&str; 3], cells: &[String]| {
            write!(f, "{:>4}  {:width$}  {:width$}", head[0], head[1], head[2])?;
            let mut cells = cells.iter().enumerate();
            cells.try_for_each(|(seat, cell)| write!(f, "  {cell:>0$}", wide(seat)))?;
            writeln!(f)
        };
        let signed = |points: &[i64]| points.iter().map(|n| format!("{n:+}")).collect::<Vec<_>>();
        line(f, ["game", "box", "captain"], self.players)?;
        for ([number, owner, captain], points) in self.rows() {
            line(f, [&number, &owner, &captain], &signed(points))?;
        }
        Ok(())
    }
}
