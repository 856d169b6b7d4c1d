//! What is done in a match, in the words of players.

use std::fmt;

use tavola_matches::Act;
use tavola_rules::WinKind;

use super::{Choice, Done, LiveMatch, Step};

impl LiveMatch {
    /// A step of the game in words, such as `tavola rolls 3-1`.
    pub fn step_in_words(&self, index: usize) -> Option<String> {
        let Done { player, step } = *self.done.get(index)?;
        let name = self.name(player);
        Some(match step {
            Step::Act(act) => format!("{name}: {}", words_of(&act)),
            Step::Play(play) if play.is_pass() => format!("{name}: no legal play"),
            Step::Play(play) => format!("{name}: {play}"),
        })
    }
}

/// What a player does, in the words of players.
fn words_of(act: &Act) -> String {
    match act {
        Act::Roll(dice, _) => format!("rolls {dice}"),
        Act::Double => "doubles".to_owned(),
        Act::Take => "takes".to_owned(),
        Act::Drop => "drops".to_owned(),
        Act::Beaver => "beavers".to_owned(),
        Act::Raccoon => "raccoons".to_owned(),
        Act::Resign(win) => format!("offers to lose {}", words_of_win(*win)),
        Act::Accept => "accepts the resignation".to_owned(),
        Act::Refuse => "refuses the resignation".to_owned(),
        Act::SetUp(..) => "sets up a position".to_owned(),
    }
}

/// The size of a win.
pub fn words_of_win(win: WinKind) -> &'static str {
    match win {
        WinKind::Single => "a single game",
        WinKind::Gammon => "a gammon",
        WinKind::Backgammon => "a backgammon",
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Roll(None) => f.write_str("roll"),
            Self::Roll(Some(dice)) => write!(f, "roll {dice}"),
            Self::Opening(user, engine) => write!(f, "opening roll {user}-{engine}"),
            Self::Double => f.write_str("double"),
            Self::Play(play) => play.fmt(f),
            Self::Take => f.write_str("take"),
            Self::Drop => f.write_str("drop"),
            Self::Beaver => f.write_str("beaver"),
            Self::Raccoon => f.write_str("raccoon"),
            Self::Resign(win) => write!(f, "resign {}", words_of_win(*win)),
            Self::Accept => f.write_str("accept"),
            Self::Refuse => f.write_str("refuse"),
        }
    }
}
