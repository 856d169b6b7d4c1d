//! What is agreed before a game, what is awaited while it is played, and why something can't be done.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tavola_files::limits::SESSION_GAMES;
use tavola_games::NamedGame;
use tavola_matches::PlaybackError;
use tavola_rules::chouette::ChouetteRules;
use tavola_rules::notation::{Situation, parse_situation};
use tavola_rules::{Offer, Options, SessionError, WinKind, named};

use super::{Opponents, Strength};
use super::{many, two};
use crate::error::{EngineError, ErrorKind, Result};

/// Where dice come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DiceSource {
    /// The computer rolls for all seats, by the seed.
    #[default]
    Computer,
    /// The user types the rolls of all sides, which fall on a real board; not in a chouette.
    Typed,
}

named!(DiceSource, "source of dice": Computer => "computer", Typed => "typed");

/// A position of backgammon that is played on from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartPosition {
    /// Its XGID, seen by the player on roll: checkers, roll, cube and score.
    pub xgid: String,
    /// The seat on roll, from 0.
    pub on_roll: usize,
}

impl StartPosition {
    /// The position, seen by the player on roll.
    ///
    /// # Errors
    ///
    /// [`LiveError::Position`] for a text that is none, and for a game that is over.
    pub(super) fn situation(&self) -> Result<Situation, LiveError> {
        let situation =
            parse_situation(&self.xgid).map_err(|error| LiveError::Position(error.to_string()))?;
        let position = &situation.position;
        if [position.off(), position.opponent_off()].contains(&position.checkers()) {
            let xgid = &self.xgid;
            return Err(LiveError::Position(format!(
                "\"position\" is {xgid:?}, in which the game is over, expected one to be played on"
            )));
        }
        Ok(situation)
    }
}

/// What is agreed before a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The game with its options.
    pub game: String,
    /// The points that win; 0 plays for money, or as long as one likes.
    pub length: u16,
    /// The rules of backgammon and its variants, where one is played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Options>,
    /// The position that a match begins with in place of the opening roll.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<StartPosition>,
    /// What a chouette is played by, where one is; the options of money are those above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chouette: Option<ChouetteRules>,
    /// Whether plays against the rules may be made, which the opponent claims or condones.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub condone: bool,
    /// What the seats are called, in turn order.
    pub names: Vec<String>,
    /// The seat of the user, from 0.
    pub seat: usize,
    /// The seats of further people at the board, from 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<usize>,
    /// How well the engine plays.
    pub strength: Strength,
    /// The players of the other seats of a game for more than two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponents: Option<Opponents>,
    /// Where dice come from.
    pub dice: DiceSource,
    /// Gives the dice of the computer and the noise of weak play.
    pub seed: u64,
    /// The weights file of the network; `None` is the built-in one.
    pub model: Option<PathBuf>,
    /// Whether the user is warned before a mistake.
    #[serde(default)]
    pub tutor: bool,
}

impl Setup {
    /// Whether a game for more than two is played, each for themselves.
    pub fn is_many(&self) -> bool {
        self.names.len() > 2 && self.chouette.is_none()
    }

    /// How far advice on a game without a cube looks ahead.
    pub(super) fn advice_ply(&self) -> u8 {
        if self.is_many() { many::PLY } else { two::PLY }
    }

    /// Whether no engine plays in a seat.
    pub fn is_person(&self, seat: usize) -> bool {
        seat == self.seat || self.people.contains(&seat)
    }
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GameEnd {
    /// The seat that won, from 0 here and from 1 in JSON; `None` in a drawn game and in games in
    /// which each seat has a result of its own.
    #[serde(serialize_with = "super::view::from_one")]
    #[schemars(with = "Option<u8>")]
    pub winner: Option<usize>,
    /// What each seat gains.
    pub gains: Vec<f64>,
    /// How, in words, such as `by bearing off`; may be empty.
    pub how: String,
}

impl GameEnd {
    /// What the winner gains.
    pub fn points(&self) -> f64 {
        self.winner.map_or(0.0, |winner| self.gains[winner])
    }
}

/// What a seat of a chouette decides on beside the usual; seats are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CubeChoice {
    /// Whether to turn the cube between the box and this member.
    Turn {
        /// The member.
        member: usize,
    },
    /// Whether to give the only taker an extra, after a drop.
    GiveExtra {
        /// Who has taken.
        taker: usize,
    },
    /// Whether to take an extra.
    TakeExtra {
        /// Who gives it.
        giver: usize,
    },
}

impl CubeChoice {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Turn { .. } => "turn",
            Self::GiveExtra { .. } => "give_extra",
            Self::TakeExtra { .. } => "take_extra",
        }
    }

    /// The seat that it is about.
    pub const fn other(self) -> usize {
        match self {
            Self::Turn { member: seat }
            | Self::GiveExtra { taker: seat }
            | Self::TakeExtra { giver: seat } => seat,
        }
    }
}

/// What must happen next, and by which seat, from 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Awaited {
    /// The opening roll.
    Opening,
    /// The seat rolls, or doubles where that is allowed.
    Roll(usize),
    /// The seat decides on a cube of a chouette.
    Cube(usize, CubeChoice),
    /// The seat has decided to roll, and the roll is to be typed.
    Dice(usize),
    /// The seat plays the roll, or decides on dice that are offered.
    Play(usize),
    /// The seat answers the offer of a cube.
    Answer(usize, Offer),
    /// The seat answers a resignation.
    Resignation(usize, WinKind),
    /// The game is over, and another one follows.
    GameOver(GameEnd),
    /// Nothing follows.
    MatchOver(GameEnd),
}

impl Awaited {
    /// Which seat must act; `None` before the opening roll and after a game.
    pub(super) const fn seat(&self) -> Option<usize> {
        match *self {
            Self::Roll(seat)
            | Self::Cube(seat, _)
            | Self::Dice(seat)
            | Self::Play(seat)
            | Self::Answer(seat, _)
            | Self::Resignation(seat, _) => Some(seat),
            Self::Opening | Self::GameOver(_) | Self::MatchOver(_) => None,
        }
    }
}

/// Why an action can't be done.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError {
    /// The rules of backgammon forbid it.
    #[error(transparent)]
    Playback(#[from] PlaybackError),
    /// Options or score don't fit.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The position can't be played on from.
    #[error("{0}")]
    Position(String),
    /// The rules of the chouette forbid it.
    #[error("{0}")]
    Chouette(String),
    /// The text is not a play of the roll.
    #[error("{0}")]
    Play(String),
    /// The numbers are not a roll.
    #[error("{0}")]
    Dice(String),
    /// The dice are typed, and none were given.
    #[error("the dice are typed in this match, expected a roll, such as 31 of two")]
    NoDice,
    /// The computer rolls, and a roll was given.
    #[error("the computer rolls in this game, expected no dice")]
    ComputerRolls,
    /// The opening roll is missing.
    #[error("expected the opening roll, such as 31: the die of the user, then that of the engine")]
    NotOpened,
    /// Equal dice in the opening.
    #[error("equal dice start no game, expected another opening roll")]
    EqualDice,
    /// Another seat must act.
    #[error("it is the turn of {name}")]
    OtherPlayer {
        /// Who must act.
        name: String,
    },
    /// Another action is awaited.
    #[error("\"{action}\" does not fit now, expected {expected}")]
    NotAwaited {
        /// What was to be done.
        action: String,
        /// What is awaited.
        expected: String,
    },
    /// The game runs.
    #[error("the game is not over: the next one begins after it")]
    GameRuns,
    /// All points were played for.
    #[error("the match is over, and nothing follows")]
    MatchOver,
    /// Each turn copies the games before it.
    #[error("these are {}, the most games of a match or session; begin a new one", SESSION_GAMES.default)]
    TooManyGames,
    /// The play before was by the rules.
    #[error("there is no play to claim, expected one against the rules just before")]
    NothingToClaim,
    /// There is no earlier decision in this game.
    #[error("there is nothing to take back in this game")]
    NothingToTakeBack,
}

impl From<LiveError> for EngineError {
    fn from(error: LiveError) -> Self {
        match &error {
            LiveError::Playback(_) | LiveError::Play(_) => Self::new(ErrorKind::Play, error),
            LiveError::Dice(_) => Self::new(ErrorKind::Dice, error),
            LiveError::Position(_) => Self::new(ErrorKind::Position, error),
            _ => Self::request(error),
        }
    }
}

/// The game of this name.
pub(super) fn named_game(game: &str) -> Result<NamedGame> {
    game.parse().map_err(|error| EngineError::new(ErrorKind::Game, error))
}

/// What the seats are called; nothing in games for two.
pub(super) fn seats(game: &NamedGame) -> Vec<&'static str> {
    game.many().map_or_else(|| vec![""; 2], |game| many::seats(&game))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::{Live, NewGame};

    #[test]
    fn a_match_or_session_has_a_number_of_games() {
        let game = |text| serde_json::from_str::<NewGame>(text).unwrap();
        let mut live = Live::begin(game(r#"{"seed": 3, "length": 0}"#), 1).unwrap();
        let resigned = ["1 roll 3-1", "1 play 8/5 6/5", "2 resign single", "1 accept"];
        let mut text: serde_json::Value = serde_json::from_str(&live.to_json()).unwrap();
        text["games"] = vec![resigned; SESSION_GAMES.default as usize].into();
        live = Live::read(text.to_string().as_bytes(), "x").unwrap();
        let error = live.next_game().unwrap_err();
        assert_eq!(error, LiveError::TooManyGames);
        assert!(error.to_string().starts_with("these are 1000, the most games"), "{error}");
    }
}
