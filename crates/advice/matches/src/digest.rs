//! By what a match is known in whatever file and format it stands.

use std::fmt::Write as _;

use tavola_rules::notation::encode_position_id;

use crate::playback::Playback;
use crate::record::{Act, Game, Match};

impl Match {
    /// The SHA-256 of what every format keeps: names, length, and of each game the rolls, the
    /// positions after the plays, what was done with the cube, and the result.
    ///
    /// Comments, dates, clocks and the spelling of plays have no influence, nor has a last game that
    /// was not finished, unless it is the only one.
    pub fn digest(&self) -> String {
        let mut text = String::new();
        for name in &self.players {
            // Formats differ in the blanks and signs that a name may have.
            text.extend(name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase));
            text.push('\n');
        }
        let _ = writeln!(text, "{}", self.length);
        let begun = |game: &&Game| !game.actions.is_empty() || game.result.is_some();
        let mut games: Vec<&Game> = self.games.iter().filter(begun).collect();
        if let [_, .., last] = &games[..]
            && last.result.is_none()
        {
            games.pop();
        }
        for game in games {
            self.put_game(game, &mut text);
        }
        tavola_files::sha256(text.as_bytes())
    }

    /// A line for each action that every format keeps, as far as the game can be followed, and the
    /// result.
    fn put_game(&self, game: &Game, text: &mut String) {
        text.push_str("game\n");
        if let Ok(mut playback) = Playback::of_game(self, game) {
            for action in &game.actions {
                let player = action.player.index();
                if playback.act(action.player, &action.act).is_err() {
                    break;
                }
                let _ = match action.act {
                    Act::Roll(dice, Some(_)) => {
                        let after = encode_position_id(playback.position());
                        writeln!(text, "{player} {}{} {after}", dice.high(), dice.low())
                    }
                    Act::SetUp(..) => {
                        writeln!(text, "{player} {}", encode_position_id(playback.position()))
                    }
                    Act::Double | Act::Take | Act::Drop | Act::Beaver | Act::Raccoon => {
                        writeln!(text, "{player} {:?}", action.act)
                    }
                    // Some formats have the end that it leads to alone.
                    Act::Roll(_, None) | Act::Resign(_) | Act::Accept | Act::Refuse => Ok(()),
                };
            }
        }
        if let Some(result) = &game.result {
            let _ = writeln!(text, "{} wins {}", result.winner.index(), result.points);
        }
    }
}
