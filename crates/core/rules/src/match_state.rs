//! Matches: what the result of a game counts for, what it adds to the score, and when the Crawford
//! game is.
//!
//! [`MatchScore`] is a running match seen from the player on roll, all that an evaluation needs to
//! know of it. [`Session`](crate::Session) keeps the books by seat.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::named;
use crate::outcome::Outcome;

/// A seat, kept for a whole session, no matter which player is on roll.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Player {
    /// The first seat.
    #[default]
    One = 0,
    /// The second seat.
    Two = 1,
}

impl Player {
    /// The other seat.
    #[inline]
    #[must_use]
    pub const fn flip(self) -> Self {
        match self {
            Self::One => Self::Two,
            Self::Two => Self::One,
        }
    }

    /// 0 or 1, for tables with an entry a seat.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// By how much a game is won, by either player.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum WinKind {
    /// The loser has borne off a checker.
    Single,
    /// The loser has borne off none.
    Gammon,
    /// The loser has borne off none and has a checker on the bar or in the winner's home.
    Backgammon,
}

named!(WinKind, "kind of win":
    Single => "single",
    Gammon => "gammon",
    Backgammon => "backgammon",
);

impl WinKind {
    /// 1, 2 or 3: what the cube is multiplied by.
    #[inline]
    pub const fn multiplier(self) -> u32 {
        match self {
            Self::Single => 1,
            Self::Gammon => 2,
            Self::Backgammon => 3,
        }
    }
}

impl From<Outcome> for WinKind {
    /// The kind of a game that a player won; a draw, which backgammon has not, would be single.
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::LoseSingle | Outcome::WinSingle | Outcome::Draw => Self::Single,
            Outcome::LoseGammon | Outcome::WinGammon => Self::Gammon,
            Outcome::LoseBackgammon | Outcome::WinBackgammon => Self::Backgammon,
        }
    }
}

/// In which way a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameEnding {
    /// The winner bore off the last checker.
    Played(WinKind),
    /// The loser dropped an offered cube.
    Dropped,
    /// The loser resigned, and the winner accepted.
    Resigned(WinKind),
}

/// A finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GameResult {
    /// Who won.
    pub winner: Player,
    /// What the winner gets: cube times kind of win, or the cube alone where it was dropped or
    /// Jacoby says so.
    pub points: u32,
    /// The cube's value when the game ended, a dropped double not included.
    pub cube: u32,
    /// How it ended.
    pub ending: GameEnding,
}

/// Whether the cube can be turned in a game at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CubeUse {
    /// By its owner, or by both while it is centered.
    InPlay,
    /// By neither player: this is the Crawford game.
    Crawford,
    /// By neither player: both need one point, so that it has no effect.
    Dead,
}

impl fmt::Display for CubeUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InPlay => "in play",
            Self::Crawford => "this is the Crawford game",
            Self::Dead => "both players need one point",
        })
    }
}

/// Where a match stands with the Crawford rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchPhase {
    /// Neither player is one point from winning.
    PreCrawford,
    /// A player has just come to one point from winning: no cube in this game.
    Crawford,
    /// A player is one point from winning, and the Crawford game is over (or not played).
    PostCrawford,
}

/// The score of a running match before a game, from the player on roll.
///
/// # Invariant
///
/// Both scores are below the length, and a Crawford game has exactly one side one point from
/// winning.
///
/// In JSON it reads `{"length": 7, "player": 3, "opponent": 5, "crawford": false}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "RawMatchScore", into = "RawMatchScore")]
pub struct MatchScore {
    length: u16,
    player: u16,
    opponent: u16,
    crawford: bool,
}

/// The serialized form of a [`MatchScore`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with length, player and opponent")]
struct RawMatchScore {
    length: u16,
    player: u16,
    opponent: u16,
    #[serde(default)]
    crawford: bool,
}

impl TryFrom<RawMatchScore> for MatchScore {
    type Error = MatchScoreError;

    fn try_from(raw: RawMatchScore) -> Result<Self, MatchScoreError> {
        let make = if raw.crawford { Self::crawford } else { Self::new };
        make(raw.length, raw.player, raw.opponent)
    }
}

impl From<MatchScore> for RawMatchScore {
    fn from(score: MatchScore) -> Self {
        let MatchScore { length, player, opponent, crawford } = score;
        Self { length, player, opponent, crawford }
    }
}

/// Why numbers are not the score of a running match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatchScoreError {
    /// A match to no points.
    #[error("match length is 0, expected at least 1 point")]
    NoLength,
    /// A player has won already.
    #[error("score {player}-{opponent} ends a match to {length}, expected both below {length}")]
    Finished {
        /// Points of the match.
        length: u16,
        /// Points of the player on roll.
        player: u16,
        /// Points of the opponent.
        opponent: u16,
    },
    /// No Crawford game can have this score.
    #[error(
        "{player}-{opponent} in a match to {length} is not a Crawford score, \
         expected exactly one player to be one point from winning"
    )]
    NoCrawfordGame {
        /// Points of the match.
        length: u16,
        /// Points of the player on roll.
        player: u16,
        /// Points of the opponent.
        opponent: u16,
    },
}

/// How a match goes on after a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterGame {
    /// With another game at this score, from the same player.
    Next(MatchScore),
    /// It is over: the player has won it.
    Won,
    /// It is over: the opponent has won it.
    Lost,
}

impl MatchScore {
    /// A score before a game with the cube. Where a player is one point from winning this is
    /// after the Crawford game, or in a match without one.
    ///
    /// # Errors
    ///
    /// [`MatchScoreError`] if the match has no length or is over.
    pub const fn new(length: u16, player: u16, opponent: u16) -> Result<Self, MatchScoreError> {
        if length == 0 {
            Err(MatchScoreError::NoLength)
        } else if player >= length || opponent >= length {
            Err(MatchScoreError::Finished { length, player, opponent })
        } else {
            Ok(Self { length, player, opponent, crawford: false })
        }
    }

    /// A score before the Crawford game.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new), and [`MatchScoreError::NoCrawfordGame`] unless exactly one player is
    /// one point from winning.
    pub const fn crawford(
        length: u16,
        player: u16,
        opponent: u16,
    ) -> Result<Self, MatchScoreError> {
        match Self::new(length, player, opponent) {
            Ok(score) if (score.player_away() == 1) != (score.opponent_away() == 1) => {
                Ok(Self { crawford: true, ..score })
            }
            Ok(_) => Err(MatchScoreError::NoCrawfordGame { length, player, opponent }),
            error => error,
        }
    }

    /// The points that win the match.
    #[inline]
    pub const fn length(self) -> u16 {
        self.length
    }

    /// Points of the player on roll.
    #[inline]
    pub const fn player(self) -> u16 {
        self.player
    }

    /// Points of the opponent.
    #[inline]
    pub const fn opponent(self) -> u16 {
        self.opponent
    }

    /// Points that the player on roll still needs, at least 1.
    #[inline]
    pub const fn player_away(self) -> u16 {
        self.length - self.player
    }

    /// Points that the opponent still needs, at least 1.
    #[inline]
    pub const fn opponent_away(self) -> u16 {
        self.length - self.opponent
    }

    /// Whether this is the Crawford game.
    #[inline]
    pub const fn is_crawford(self) -> bool {
        self.crawford
    }

    /// Where the match stands with the Crawford rule.
    pub const fn phase(self) -> MatchPhase {
        if self.crawford {
            MatchPhase::Crawford
        } else if self.player_away() == 1 || self.opponent_away() == 1 {
            MatchPhase::PostCrawford
        } else {
            MatchPhase::PreCrawford
        }
    }

    /// Whether the cube can be turned in this game.
    pub const fn cube_use(self) -> CubeUse {
        if self.crawford {
            CubeUse::Crawford
        } else if self.player_away() == 1 && self.opponent_away() == 1 {
            CubeUse::Dead
        } else {
            CubeUse::InPlay
        }
    }

    /// This score as the other side sees it.
    #[inline]
    #[must_use]
    pub const fn flip(self) -> Self {
        Self { player: self.opponent, opponent: self.player, ..self }
    }

    /// The match after a game in which the player wins `points` (loses, if negative), with the
    /// Crawford rule: the game after a player first comes to one point from winning is the
    /// Crawford game, once. Surplus points do not matter.
    #[must_use]
    pub fn after(self, points: i32) -> AfterGame {
        match self.after_without_crawford(points) {
            AfterGame::Next(next)
                if self.phase() == MatchPhase::PreCrawford
                    && next.phase() == MatchPhase::PostCrawford =>
            {
                AfterGame::Next(Self { crawford: true, ..next })
            }
            after => after,
        }
    }

    /// As [`after`](Self::after), in a match that plays no Crawford game.
    #[must_use]
    pub fn after_without_crawford(self, points: i32) -> AfterGame {
        let gained = u16::try_from(points.unsigned_abs()).unwrap_or(u16::MAX);
        let (mut player, mut opponent) = (self.player, self.opponent);
        let winner = if points >= 0 { &mut player } else { &mut opponent };
        *winner = winner.saturating_add(gained).min(self.length);
        if player == self.length {
            AfterGame::Won
        } else if opponent == self.length {
            AfterGame::Lost
        } else {
            AfterGame::Next(Self { length: self.length, player, opponent, crawford: false })
        }
    }
}

impl fmt::Display for MatchScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{} to {}", self.player, self.opponent, self.length)?;
        if self.crawford { f.write_str(" (Crawford)") } else { Ok(()) }
    }
}
