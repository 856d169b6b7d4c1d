//! Why a choice can't be made.

use tavola_matches::PlaybackError;
use tavola_rules::SessionError;

/// Why a choice can't be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LiveMatchError {
    /// The rules forbid it.
    #[error(transparent)]
    Playback(#[from] PlaybackError),
    /// Options or score don't fit.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The dice are typed, and none were given.
    #[error("the dice are typed in this match, expected a roll such as 31")]
    NoDice,
    /// The computer rolls, and a roll was given.
    #[error("the computer rolls in this match, expected no dice")]
    ComputerRolls,
    /// The opening roll is missing.
    #[error("expected the opening roll, such as 31: the die of the user, then that of the engine")]
    NotOpened,
    /// Equal dice in the opening.
    #[error("equal dice start no game, expected another opening roll")]
    EqualDice,
    /// The opening roll has been made.
    #[error("the game has begun, expected no opening roll")]
    Opened,
    /// The other player must act.
    #[error("it is the turn of {name}")]
    OtherPlayer {
        /// The player who must act.
        name: String,
    },
    /// The game runs.
    #[error("the game is not over, expected a next game only after it")]
    GameRuns,
    /// The match is over.
    #[error("the match is over")]
    MatchOver,
    /// There is no earlier decision in this game.
    #[error("there is nothing to take back in this game")]
    NothingToTakeBack,
}
