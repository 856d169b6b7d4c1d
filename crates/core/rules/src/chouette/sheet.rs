//! The score sheet of a chouette: a line for each game, and the accounts.

use std::fmt;

use serde::Serialize;

use super::{ChouetteRules, SettledGame};

/// The score sheet: as JSON by its fields, as a text by its display.
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

impl fmt::Display for ScoreSheet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.players.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(7);
        let line = |f: &mut fmt::Formatter<'_>, head: [&str; 3], cells: &[String]| {
            write!(f, "{:>4}  {:width$}  {:width$}", head[0], head[1], head[2])?;
            cells.iter().try_for_each(|cell| write!(f, "  {cell:>width$}"))?;
            writeln!(f)
        };
        let signed = |points: &[i64]| points.iter().map(|n| format!("{n:+}")).collect::<Vec<_>>();
        line(f, ["game", "box", "captain"], self.players)?;
        for (number, game) in (1..).zip(self.games) {
            let name = |seat: usize| self.players[seat].as_str();
            let (number, payments) = (format!("{number}"), signed(&game.payments));
            line(f, [&number, name(game.box_seat), name(game.captain)], &payments)?;
        }
        line(f, ["sum", "", ""], &signed(&self.accounts))
    }
}
