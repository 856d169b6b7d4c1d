//! A running game in words: what is played, the score, how it ended.

use super::{Awaited, Live, Setup, many_games};
use crate::terms::of_money;

impl Live {
    /// What is played, in a line.
    pub fn headline(&self) -> String {
        let Setup { game, length, names, seat, strength, seed, .. } = self.setup();
        let rules = self.cubed().map(|table| table.options());
        let what = match (*length, rules) {
            _ if self.setup().is_many() => {
                let seats = many_games();
                let own = seats.iter().find(|known| known.game == *game);
                let own = own.map_or("in a seat", |known| known.seats[*seat]);
                return format!("{game}: you are {own}, the others {strength}, seed {seed}");
            }
            (0, Some(_)) if names.len() > 2 => format!("chouette of {}", names.len()),
            (0, Some(_)) => "money session".to_owned(),
            (length, Some(_)) => format!("match to {length}"),
            (0, None) => "games".to_owned(),
            (1, None) => "a game".to_owned(),
            (length, None) => format!("games to {length} points"),
        };
        let rules = rules.map_or_else(String::new, of_money);
        let people = self.setup().people.len() + 1;
        let players = match (people, names.len()) {
            (1, 2) => format!("{} against {} ({strength})", names[0], names[1]),
            (people, seats) if people == seats => names.join(", "),
            _ => format!("{} (engine {strength})", names.join(", ")),
        };
        format!("{what} of {game}{rules}: {players}, seed {seed}")
    }

    /// The score in a line.
    pub fn score_in_words(&self) -> String {
        let crawford = self.cubed().is_some_and(|table| table.is_crawford());
        let crawford = if crawford { ", Crawford game" } else { "" };
        let seats = self.setup().names.iter().zip(self.score());
        let mark = if seats.len() > 2 { ": " } else { " " };
        let score: Vec<String> =
            seats.map(|(name, score)| format!("{name}{mark}{score}")).collect();
        let order = self.chouette().map_or_else(String::new, |table| {
            let order: Vec<&str> =
                table.settled().order().iter().map(|&seat| self.name(seat)).collect();
            format!("; box {}, captain {}, then {}", order[0], order[1], order[2..].join(", "))
        });
        format!("game {}, score {}{crawford}{order}", self.game_number(), score.join(", "))
    }

    /// How the game ended, in a line.
    pub fn result_in_words(&self) -> Option<String> {
        let (end, over) = match self.awaited() {
            Awaited::GameOver(end) => (end, "game"),
            Awaited::MatchOver(end) => (end, "match"),
            _ => return None,
        };
        let score: Vec<String> = self.score().iter().map(f64::to_string).collect();
        let names = self.setup().names.iter();
        let gained = || names.zip(&end.gains).map(|(name, gain)| format!("{name} {gain:+}"));
        let result = match end.winner {
            Some(winner) => {
                let points = match end.points() {
                    1.0 => "1 point".to_owned(),
                    points => format!("{points} points"),
                };
                let how = if end.how.is_empty() { String::new() } else { format!(" {}", end.how) };
                format!("{}: wins {points}{how} and the {over}", self.name(winner))
            }
            None if end.how.is_empty() => gained().collect::<Vec<_>>().join(", "),
            None => end.how.clone(),
        };
        Some(format!("{result}; score {}", score.join("-")))
    }
}
