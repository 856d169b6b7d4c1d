//! Who decides about cube and checkers.

use tavola_equity::Stakes;
use tavola_rules::{Backgammon, Cube, MatchScore, Offer, Options, Position, WinKind};

use crate::agent::{AgentError, Decision};
use crate::game::Situation;

/// What players see beside the checkers. Everything is **from the player on roll**, whichever
/// player decides.
#[derive(Clone, Copy, Debug)]
pub struct TableView<'a> {
    /// What the game is played for.
    pub stakes: &'a Stakes,
    /// The cube; an open offer has not changed it yet.
    pub cube: Cube,
    /// The score; `None` for money.
    pub score: Option<MatchScore>,
    /// What was agreed.
    pub options: &'a Options,
}

/// The action of the player on roll before the roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeforeRoll {
    /// They roll.
    Roll,
    /// They turn the cube.
    Double,
    /// They offer to lose this kind of game. If the opponent refuses, they roll.
    Resign(WinKind),
}

/// How an offered cube is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CubeReply {
    /// The game goes on at the new value.
    Take,
    /// The opponent passes, and the game ends.
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

/// The most that the player on roll can still lose, whatever is rolled and played. It is a single
/// game once they have borne off a checker (BG-40). It is no more than a gammon in a race with none
/// of their checkers on the bar or in the opponent's home. Otherwise it is a backgammon (BG-38,
/// BG-39).
///
/// A player who is offered this with a resignation can win no more by playing on.
pub fn most_to_lose(position: &Position) -> WinKind {
    let is_back = position.bar() > 0 || (19..=24).any(|point| position.point(point) > 0);
    if position.off() > 0 {
        WinKind::Single
    } else if position.has_contact() || is_back {
        WinKind::Backgammon
    } else {
        WinKind::Gammon
    }
}

/// A player of backgammon with a cube, who always decides the same in the same situation. It may
/// keep scratch memory, so it is used by one thread; others have forks.
pub trait CubeAgent: Send {
    /// The action of the player on roll, who decides, before the roll. They may double if
    /// [`Stakes::may_double`] says so, and resign if the options say so.
    ///
    /// # Errors
    ///
    /// [`AgentError`] if the agent can't decide, as everywhere here.
    fn before_roll(
        &mut self,
        view: &TableView<'_>,
        position: &Position,
    ) -> Result<BeforeRoll, AgentError>;

    /// How `offer` is answered. A double and a raccoon are answered by the opponent of the player
    /// on roll, a beaver by the player on roll himself.
    ///
    /// # Errors
    ///
    /// [`AgentError`].
    fn answer(
        &mut self,
        view: &TableView<'_>,
        position: &Position,
        offer: Offer,
    ) -> Result<CubeReply, AgentError>;

    /// Whether the opponent of the player on roll, who is asked, accepts that the latter loses so
    /// much.
    ///
    /// # Errors
    ///
    /// [`AgentError`].
    fn answer_resignation(
        &mut self,
        view: &TableView<'_>,
        position: &Position,
        offered: WinKind,
    ) -> Result<ResignReply, AgentError>;

    /// Chooses one of the situation's results.
    ///
    /// # Errors
    ///
    /// [`AgentError`].
    fn play(
        &mut self,
        view: &TableView<'_>,
        situation: &Situation<'_, Backgammon>,
    ) -> Result<Decision, AgentError>;

    /// Another agent that decides alike, for use on another thread.
    fn fork(&self) -> Box<dyn CubeAgent>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_the_rules_allow_can_be_lost() {
        let most = |mine: &[(usize, u8)], theirs: &[(usize, u8)]| {
            most_to_lose(&Position::from_points(mine, theirs, 15).unwrap())
        };
        // One is off, and another is back before a closed board.
        assert_eq!(most(&[(6, 13), (25, 1)], &[(6, 8)]), WinKind::Single);
        assert_eq!(most(&[(6, 14)], &[(6, 15)]), WinKind::Single);
        // In a race: all past the opponent's home, or one still there.
        assert_eq!(most(&[(6, 14), (18, 1)], &[(5, 8)]), WinKind::Gammon);
        assert_eq!(most(&[(6, 14), (19, 1)], &[(5, 8)]), WinKind::Backgammon);
        // A side that can be hit can be sent back.
        assert_eq!(most(&[(6, 14), (13, 1)], &[(5, 7), (14, 1)]), WinKind::Backgammon);
        assert_eq!(most_to_lose(&Position::STANDARD), WinKind::Backgammon);
    }
}
