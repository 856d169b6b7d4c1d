//! What agents see of a game with a cube, and what they can answer.

use tavola_equity::Stakes;
use tavola_rules::{Cube, MatchScore, Options, WinKind};

/// What agents see of a game with a cube beside the checkers, **from the player on roll**, also
/// where the other player is asked.
#[derive(Clone, Copy, Debug)]
pub struct CubeView<'a> {
    /// What the game is played for.
    pub stakes: &'a Stakes,
    /// The cube; an open offer has not changed it yet.
    pub cube: Cube,
    /// The score; `None` for money.
    pub score: Option<MatchScore>,
    /// What was agreed.
    pub options: &'a Options,
}

/// What the player on roll does before the roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeforeRoll {
    /// Roll.
    Roll,
    /// Turn the cube.
    Double,
    /// Offer to lose this much, and roll if the opponent refuses.
    Resign(WinKind),
}

/// How an offered cube is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CubeReply {
    /// The game goes on at the new value.
    Take,
    /// The player resigns.
    Drop,
    /// The cube is turned once more: a beaver after a double, a raccoon after a beaver.
    Turn,
}

/// How a resignation is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResignReply {
    /// The game ends so.
    Accept,
    /// It goes on.
    Refuse,
}
