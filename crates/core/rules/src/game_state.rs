//! One running game around its checkers: whose turn it is and which actions are legal now.
//!
//! [`GameState`] knows who may double, roll, answer an offer or resign. It knows nothing of
//! checkers, so it serves every way of playing them; an action that the rules forbid is an error
//! and changes nothing.

use std::fmt;

use serde::Serialize;

use crate::cube::{Cube, CubeOwner, Offer};
use crate::match_state::{CubeUse, GameEnding, GameResult, Player, WinKind};
use crate::options::{Beavers, OpeningThrow};

/// Where a game stands between two actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GameStage {
    /// The player on roll may double or roll.
    BeforeRoll,
    /// The cube has been turned and waits for an answer.
    Offered(Offer),
    /// The dice are on the table; the player on roll moves checkers.
    AfterRoll,
    /// The game has ended.
    Over(GameResult),
}

/// An offer to give the game up, which the opponent may accept or refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Resignation {
    /// Who gives up.
    pub by: Player,
    /// The win that the player offers.
    pub win: WinKind,
}

/// What a player may want to do in a game, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// [`GameState::roll`].
    Roll,
    /// [`GameState::double`].
    Double,
    /// [`GameState::take`].
    Take,
    /// [`GameState::drop_offer`].
    Drop,
    /// [`GameState::beaver`].
    Beaver,
    /// [`GameState::raccoon`].
    Raccoon,
    /// [`GameState::end_turn`].
    EndTurn,
    /// [`GameState::win`].
    Win,
    /// [`GameState::resign`].
    Resign,
    /// [`GameState::accept_resignation`] and [`GameState::refuse_resignation`].
    AnswerResignation,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Roll => "roll",
            Self::Double => "double",
            Self::Take => "take",
            Self::Drop => "drop",
            Self::Beaver => "beaver",
            Self::Raccoon => "raccoon",
            Self::EndTurn => "end the turn",
            Self::Win => "win by bearing off",
            Self::Resign => "resign",
            Self::AnswerResignation => "answer a resignation",
        })
    }
}

/// Why an action is not allowed now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ActionError {
    /// The dice are on the table already.
    #[error("cannot {action} after the roll, expected a play of the checkers")]
    AlreadyRolled {
        /// The requested action.
        action: Action,
    },
    /// The dice have not been rolled yet.
    #[error("cannot {action} before the roll, expected a double or a roll")]
    NotRolled {
        /// The requested action.
        action: Action,
    },
    /// The cube belongs to the other side.
    #[error("cannot double, the opponent owns the cube; expected a centered or an own cube")]
    OpponentOwnsCube,
    /// The cube is out of play in this game.
    #[error("cannot double, the cube is out of play: {why}")]
    CubeOutOfPlay {
        /// The reason.
        why: CubeUse,
    },
    /// The cube can't go higher.
    #[error("cannot {action} to {value}, expected a cube of at most {limit}")]
    CubeLimit {
        /// The requested action.
        action: Action,
        /// The value that it would lead to.
        value: u32,
        /// The highest value allowed.
        limit: u32,
    },
    /// There is no offer that this would answer.
    #[error("cannot {action}, nothing that it answers has been offered")]
    NothingOffered {
        /// The requested action.
        action: Action,
    },
    /// An offer must be answered first.
    #[error("cannot {action} while a {offer} waits for its answer")]
    OfferPending {
        /// The requested action.
        action: Action,
        /// The offer that is open.
        offer: Offer,
    },
    /// A resignation must be answered first.
    #[error("cannot {action} while a resignation waits for its answer")]
    ResignationPending {
        /// The requested action.
        action: Action,
    },
    /// The options of the game don't know this action.
    #[error("cannot {action}, the option is off in this game")]
    OptionOff {
        /// The requested action.
        action: Action,
    },
    /// The game has ended.
    #[error("cannot {action}, the game is over")]
    GameOver {
        /// The requested action.
        action: Action,
    },
}

/// What options and score say about one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct GameTerms {
    pub(crate) cube_use: CubeUse,
    pub(crate) max_exponent: u8,
    pub(crate) automatic_doubles: u8,
    pub(crate) beavers: Beavers,
    pub(crate) jacoby: bool,
    pub(crate) resignation: bool,
}

/// One running game without its checkers: whose turn it is, the cube, and what is allowed now.
///
/// A turn goes [`double`](Self::double) and its answer if wanted, [`roll`](Self::roll), a play of
/// the checkers elsewhere, then [`end_turn`](Self::end_turn) or [`win`](Self::win). A
/// [`Session`](crate::Session) begins games and takes their results.
///
/// A method that returns an error has changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct GameState {
    terms: GameTerms,
    on_roll: Player,
    /// From `on_roll`.
    cube: Cube,
    phase: GameStage,
    resignation: Option<Resignation>,
}

impl GameState {
    /// A new game. The starter already has the opening roll, so they can't double; ties in
    /// that roll have turned the cube if the option says so.
    pub(crate) fn begin(terms: GameTerms, throw: &OpeningThrow) -> Self {
        let ties = u8::try_from(throw.ties).unwrap_or(u8::MAX);
        let exponent = ties.min(terms.automatic_doubles);
        Self {
            terms,
            on_roll: throw.starter,
            cube: cube(exponent, CubeOwner::Center),
            phase: GameStage::AfterRoll,
            resignation: None,
        }
    }

    /// A game taken up in the middle, before the roll.
    pub(crate) fn resume(terms: GameTerms, on_roll: Player, cube: Cube) -> Self {
        Self { terms, on_roll, cube, phase: GameStage::BeforeRoll, resignation: None }
    }

    /// Whose turn it is, even while the opponent answers an offer.
    pub fn on_roll(&self) -> Player {
        self.on_roll
    }

    /// The cube from the player on roll; an open offer has not changed it yet.
    pub fn cube(&self) -> Cube {
        self.cube
    }

    /// What has happened in this turn so far.
    pub fn phase(&self) -> GameStage {
        self.phase
    }

    /// The resignation that waits for an answer.
    pub fn resignation(&self) -> Option<Resignation> {
        self.resignation
    }

    /// Whether the cube is in play in this game.
    pub fn cube_use(&self) -> CubeUse {
        self.terms.cube_use
    }

    /// How the game ended, `None` while it runs.
    pub fn result(&self) -> Option<GameResult> {
        match self.phase {
            GameStage::Over(result) => Some(result),
            _ => None,
        }
    }

    /// Who has to act next, `None` when the game is over.
    pub fn to_act(&self) -> Option<Player> {
        if let Some(resignation) = self.resignation {
            return Some(resignation.by.flip());
        }
        match self.phase {
            GameStage::Over(_) => None,
            GameStage::Offered(Offer::Double | Offer::Raccoon) => Some(self.on_roll.flip()),
            GameStage::BeforeRoll | GameStage::AfterRoll | GameStage::Offered(Offer::Beaver) => {
                Some(self.on_roll)
            }
        }
    }

    /// Whether [`double`](Self::double) would succeed.
    pub fn may_double(&self) -> bool {
        self.check_double().is_ok()
    }

    /// The player on roll offers to play on for twice the value.
    ///
    /// # Errors
    ///
    /// Any [`ActionError`]: after the roll, with the opponent's cube, with the cube out of play
    /// or at its limit, while an offer is open, after the game.
    pub fn double(&mut self) -> Result<(), ActionError> {
        self.check_double()?;
        self.phase = GameStage::Offered(Offer::Double);
        Ok(())
    }

    fn check_double(&self) -> Result<(), ActionError> {
        let action = Action::Double;
        self.check_before_roll(action)?;
        if self.terms.cube_use != CubeUse::InPlay {
            return Err(ActionError::CubeOutOfPlay { why: self.terms.cube_use });
        }
        if !self.cube.is_available() {
            return Err(ActionError::OpponentOwnsCube);
        }
        self.check_limit(action, Offer::Double)
    }

    /// The player to whom an offer was made goes on at the higher value. After a double the taker
    /// owns the cube and the doubler rolls in the same turn; after a beaver or a
    /// raccoon it stays with the player who took the double.
    ///
    /// # Errors
    ///
    /// [`ActionError::NothingOffered`], [`ActionError::GameOver`] and the like.
    pub fn take(&mut self) -> Result<(), ActionError> {
        let offer = self.check_offered(Action::Take)?;
        self.cube = cube(self.cube.exponent() + offer.turns(), CubeOwner::Opponent);
        self.phase = GameStage::BeforeRoll;
        // Doubling again in this turn is impossible: the opponent owns the cube.
        Ok(())
    }

    /// The player to whom an offer was made gives up: the other wins the value before the offer,
    /// without gammon factor.
    ///
    /// # Errors
    ///
    /// [`ActionError::NothingOffered`], [`ActionError::GameOver`] and the like.
    pub fn drop_offer(&mut self) -> Result<(), ActionError> {
        let offer = self.check_offered(Action::Drop)?;
        let winner = match offer {
            Offer::Double | Offer::Raccoon => self.on_roll,
            Offer::Beaver => self.on_roll.flip(),
        };
        let cube = 1 << (self.cube.exponent() + offer.turns() - 1);
        self.phase =
            GameStage::Over(GameResult { winner, points: cube, cube, ending: GameEnding::Dropped });
        Ok(())
    }

    /// The taker of a double turns the cube again at once and keeps it.
    ///
    /// # Errors
    ///
    /// [`ActionError::OptionOff`], [`ActionError::NothingOffered`] unless a double is open,
    /// [`ActionError::CubeLimit`].
    pub fn beaver(&mut self) -> Result<(), ActionError> {
        self.answer_by_turning(Action::Beaver, Offer::Double, Offer::Beaver)
    }

    /// The doubler answers a beaver by turning the cube once more; it stays with the taker.
    ///
    /// # Errors
    ///
    /// [`ActionError::OptionOff`], [`ActionError::NothingOffered`] unless a beaver is open,
    /// [`ActionError::CubeLimit`].
    pub fn raccoon(&mut self) -> Result<(), ActionError> {
        self.answer_by_turning(Action::Raccoon, Offer::Beaver, Offer::Raccoon)
    }

    fn answer_by_turning(
        &mut self,
        action: Action,
        answered: Offer,
        offer: Offer,
    ) -> Result<(), ActionError> {
        if self.check_offered(action)? != answered {
            return Err(ActionError::NothingOffered { action });
        }
        let on = match self.terms.beavers {
            Beavers::Off => false,
            Beavers::Beavers => offer == Offer::Beaver,
            Beavers::Raccoons => true,
        };
        if !on {
            return Err(ActionError::OptionOff { action });
        }
        self.check_limit(action, offer)?;
        self.phase = GameStage::Offered(offer);
        Ok(())
    }

    /// The player on roll rolls.
    ///
    /// # Errors
    ///
    /// [`ActionError::AlreadyRolled`], [`ActionError::OfferPending`], [`ActionError::GameOver`].
    pub fn roll(&mut self) -> Result<(), ActionError> {
        self.check_before_roll(Action::Roll)?;
        self.phase = GameStage::AfterRoll;
        Ok(())
    }

    /// The player on roll has moved, or could not move: the other is on roll.
    ///
    /// # Errors
    ///
    /// [`ActionError::NotRolled`], [`ActionError::OfferPending`], [`ActionError::GameOver`].
    pub fn end_turn(&mut self) -> Result<(), ActionError> {
        self.check_after_roll(Action::EndTurn)?;
        self.on_roll = self.on_roll.flip();
        self.cube = self.cube.flip();
        self.phase = GameStage::BeforeRoll;
        Ok(())
    }

    /// The player on roll has borne off the last checker. The value is the cube times the
    /// kind of win, or the cube alone with Jacoby and a cube that neither player turned.
    ///
    /// # Errors
    ///
    /// [`ActionError::NotRolled`], [`ActionError::OfferPending`], [`ActionError::GameOver`].
    pub fn win(&mut self, win: WinKind) -> Result<GameResult, ActionError> {
        self.check_after_roll(Action::Win)?;
        Ok(self.finish(self.on_roll, win, GameEnding::Played(win)))
    }

    /// `by` offers to lose the kind of win `win`, at any time except while the cube waits for an
    /// answer.
    ///
    /// # Errors
    ///
    /// [`ActionError::OptionOff`], [`ActionError::OfferPending`], [`ActionError::GameOver`],
    /// [`ActionError::ResignationPending`].
    pub fn resign(&mut self, by: Player, win: WinKind) -> Result<(), ActionError> {
        let action = Action::Resign;
        self.check_running(action)?;
        if !self.terms.resignation {
            return Err(ActionError::OptionOff { action });
        }
        if let GameStage::Offered(offer) = self.phase {
            return Err(ActionError::OfferPending { action, offer });
        }
        self.resignation = Some(Resignation { by, win });
        Ok(())
    }

    /// The opponent of the resigning player accepts, and wins what was offered times the cube.
    ///
    /// # Errors
    ///
    /// [`ActionError::NothingOffered`] without a resignation.
    pub fn accept_resignation(&mut self) -> Result<GameResult, ActionError> {
        let Resignation { by, win } = self.take_resignation()?;
        Ok(self.finish(by.flip(), win, GameEnding::Resigned(win)))
    }

    /// The opponent of the resigning player wants to play on.
    ///
    /// # Errors
    ///
    /// [`ActionError::NothingOffered`] without a resignation.
    pub fn refuse_resignation(&mut self) -> Result<(), ActionError> {
        self.take_resignation().map(drop)
    }

    fn take_resignation(&mut self) -> Result<Resignation, ActionError> {
        let action = Action::AnswerResignation;
        self.resignation.take().ok_or(match self.phase {
            GameStage::Over(_) => ActionError::GameOver { action },
            _ => ActionError::NothingOffered { action },
        })
    }

    fn finish(&mut self, winner: Player, win: WinKind, ending: GameEnding) -> GameResult {
        let cube = self.cube.value();
        let single = self.terms.jacoby && !self.cube.is_turned();
        let points = if single { cube } else { cube * win.multiplier() };
        let result = GameResult { winner, points, cube, ending };
        self.phase = GameStage::Over(result);
        result
    }

    fn check_running(&self, action: Action) -> Result<(), ActionError> {
        if matches!(self.phase, GameStage::Over(_)) {
            Err(ActionError::GameOver { action })
        } else if self.resignation.is_some() {
            Err(ActionError::ResignationPending { action })
        } else {
            Ok(())
        }
    }

    fn check_before_roll(&self, action: Action) -> Result<(), ActionError> {
        self.check_running(action)?;
        match self.phase {
            GameStage::Offered(offer) => Err(ActionError::OfferPending { action, offer }),
            GameStage::AfterRoll => Err(ActionError::AlreadyRolled { action }),
            GameStage::BeforeRoll | GameStage::Over(_) => Ok(()),
        }
    }

    fn check_after_roll(&self, action: Action) -> Result<(), ActionError> {
        self.check_running(action)?;
        match self.phase {
            GameStage::Offered(offer) => Err(ActionError::OfferPending { action, offer }),
            GameStage::BeforeRoll => Err(ActionError::NotRolled { action }),
            GameStage::AfterRoll | GameStage::Over(_) => Ok(()),
        }
    }

    fn check_offered(&self, action: Action) -> Result<Offer, ActionError> {
        self.check_running(action)?;
        match self.phase {
            GameStage::Offered(offer) => Ok(offer),
            _ => Err(ActionError::NothingOffered { action }),
        }
    }

    fn check_limit(&self, action: Action, offer: Offer) -> Result<(), ActionError> {
        let exponent = self.cube.exponent() + offer.turns();
        if exponent > self.terms.max_exponent {
            let limit = 1 << self.terms.max_exponent;
            Err(ActionError::CubeLimit { action, value: 1 << exponent, limit })
        } else {
            Ok(())
        }
    }
}

/// A cube that the terms of a game allow, whose limit a cube can always hold.
fn cube(exponent: u8, owner: CubeOwner) -> Cube {
    Cube::new(exponent, owner).expect("terms limit the cube, and an owned one has been turned")
}
