//! GNU Match IDs: 12 characters for everything but the checkers.

use super::NotationError;
use super::bits::Bits;
use super::situation::{CubePlace, Session, Side, Situation};
use crate::cube::Offer;
use crate::dice::Dice;
use crate::position::Position;

const FORM: &str = "a GNU Match ID";
const BYTES: usize = 9;
const LONGEST_MATCH: u16 = (1 << 15) - 1;
const LARGEST_EXPONENT: u8 = 15;

/// One of the two players of a Match ID, who keep their numbers whoever is on roll.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seat {
    /// Player 0; GNU Backgammon draws him at the top.
    Zero,
    /// Player 1; GNU Backgammon draws him at the bottom.
    #[default]
    One,
}

impl Seat {
    /// The other player.
    #[must_use]
    pub const fn flip(self) -> Self {
        match self {
            Self::Zero => Self::One,
            Self::One => Self::Zero,
        }
    }

    const fn from_bit(bit: u16) -> Self {
        if bit == 0 { Self::Zero } else { Self::One }
    }
}

/// How far a game is, in a Match ID.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum GameState {
    /// Not started.
    NotStarted = 0,
    /// Being played.
    #[default]
    Playing = 1,
    /// Over, by bearing off.
    Over = 2,
    /// Over, by resignation.
    Resigned = 3,
    /// Over, by a dropped double.
    Dropped = 4,
}

impl GameState {
    const ALL: [Self; 5] =
        [Self::NotStarted, Self::Playing, Self::Over, Self::Resigned, Self::Dropped];
}

/// All fields of a GNU Match ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchId {
    /// Binary logarithm of the cube's value, 0 to 15.
    pub cube_exponent: u8,
    /// Who owns the cube; `None` while it is centred.
    pub cube_owner: Option<Seat>,
    /// Who is on roll, and from whose side the Position ID beside it is seen.
    pub on_roll: Seat,
    /// Whether this is the Crawford game.
    pub crawford: bool,
    /// How far the game is.
    pub game_state: GameState,
    /// Who has to decide now: the other player than the one on roll while he is offered something.
    pub turn: Seat,
    /// Whether a double is offered.
    pub doubled: bool,
    /// What an offered resignation would lose, 1 single to 3 backgammon; 0 if none is offered.
    pub resignation: u8,
    /// The roll to be played, `None` before it.
    pub dice: Option<Dice>,
    /// Points that win the match, up to 32767; 0 for money.
    pub match_length: u16,
    /// Points of player 0 and player 1, up to 32767.
    pub scores: [u16; 2],
    /// Whether the Jacoby rule holds (money play only).
    pub jacoby: bool,
}

impl MatchId {
    /// Reads an ID of 12 characters.
    ///
    /// # Errors
    ///
    /// [`NotationError`] names the field that holds something impossible.
    pub fn decode(text: &str) -> Result<Self, NotationError> {
        let mut bits = Bits::decode(text, BYTES, FORM)?;
        let error = |field, found: String, expected| NotationError::Field {
            form: FORM,
            input: text.into(),
            field,
            found: found.as_str().into(),
            expected,
        };
        let cube_exponent = bits.take(4) as u8;
        let cube_owner = match bits.take(2) {
            3 => None,
            2 => return Err(error("the cube's owner", "2".to_owned(), "0, 1 or 3 (centred)")),
            seat => Some(Seat::from_bit(seat)),
        };
        let on_roll = Seat::from_bit(bits.take(1));
        let crawford = bits.take(1) == 1;
        let state = bits.take(3);
        let game_state = *GameState::ALL
            .get(usize::from(state))
            .ok_or_else(|| error("the game state", state.to_string(), "0 to 4"))?;
        let turn = Seat::from_bit(bits.take(1));
        let doubled = bits.take(1) == 1;
        let resignation = bits.take(2) as u8;
        let dice = match (bits.take(3) as u8, bits.take(3) as u8) {
            (0, 0) => None,
            (a, b) => Some(Dice::new(a, b).map_err(|_| {
                error(
                    "the roll",
                    format!("{a}-{b}"),
                    "two dice from 1 to 6, or 0-0 before the roll",
                )
            })?),
        };
        let match_length = bits.take(15);
        let scores = [bits.take(15), bits.take(15)];
        let jacoby = bits.take(1) == 0;
        if !bits.rest_is_zero() {
            return Err(error("what follows the 67 bits", "not zero".to_owned(), "zero bits"));
        }
        Ok(Self {
            cube_exponent,
            cube_owner,
            on_roll,
            crawford,
            game_state,
            turn,
            doubled,
            resignation,
            dice,
            match_length,
            scores,
            jacoby,
        })
    }

    /// Writes the ID.
    ///
    /// # Errors
    ///
    /// [`NotationError::NoRoom`] if a number is larger than its field allows.
    pub fn encode(&self) -> Result<String, NotationError> {
        let room = |field, found: u16, most: u16, expected| {
            if found > most {
                Err(NotationError::NoRoom { form: FORM, field, found: found.into(), expected })
            } else {
                Ok(found)
            }
        };
        let exponent = u16::from(self.cube_exponent);
        let mut bits = Bits::new();
        bits.put(room("the cube's exponent", exponent, LARGEST_EXPONENT.into(), "0 to 15")?, 4);
        bits.put(self.cube_owner.map_or(3, |seat| seat as u16), 2);
        bits.put(self.on_roll as u16, 1);
        bits.put(self.crawford.into(), 1);
        bits.put(self.game_state as u16, 3);
        bits.put(self.turn as u16, 1);
        bits.put(self.doubled.into(), 1);
        bits.put(room("the resignation", self.resignation.into(), 3, "0 to 3")?, 2);
        let (high, low) = self.dice.map_or((0, 0), |dice| (dice.high(), dice.low()));
        bits.put(high.into(), 3);
        bits.put(low.into(), 3);
        let points = "0 to 32767";
        bits.put(room("the match length", self.match_length, LONGEST_MATCH, points)?, 15);
        for score in self.scores {
            bits.put(room("a score", score, LONGEST_MATCH, points)?, 15);
        }
        bits.put((!self.jacoby).into(), 1);
        Ok(bits.encode(BYTES))
    }

    /// What the ID says around a position seen from the player on roll.
    ///
    /// The game state and an offered resignation have no place in a [`Situation`].
    pub fn situation(&self, position: Position) -> Situation {
        let side = |seat| if seat == self.on_roll { Side::Player } else { Side::Opponent };
        let score = |seat: Seat| self.scores[seat as usize];
        Situation {
            position,
            dice: self.dice,
            offer: self.doubled.then_some(Offer::Double),
            cube: Some(CubePlace {
                exponent: self.cube_exponent,
                owner: self.cube_owner.map(side),
            }),
            session: Some(if self.match_length == 0 {
                Session::Money { jacoby: self.jacoby, beavers: None }
            } else {
                Session::Match {
                    length: self.match_length,
                    player: score(self.on_roll),
                    opponent: score(self.on_roll.flip()),
                    crawford: self.crawford,
                }
            }),
        }
    }

    /// The ID for a situation, with the player on roll as player 1. What the situation leaves
    /// open becomes a centred cube at 1 and money play without the Jacoby rule; beavers are not
    /// kept, and a beaver or raccoon becomes the double that a Match ID can say.
    pub fn from_situation(situation: &Situation) -> Self {
        let player = Seat::One;
        let seat = |side| match side {
            Side::Player => player,
            Side::Opponent => player.flip(),
        };
        let cube = situation.cube.unwrap_or_default();
        let (match_length, scores, crawford, jacoby) = match situation.session {
            Some(Session::Match { length, player, opponent, crawford }) => {
                (length, [opponent, player], crawford, false)
            }
            Some(Session::Money { jacoby, .. }) => (0, [0, 0], false, jacoby),
            None => (0, [0, 0], false, false),
        };
        Self {
            cube_exponent: cube.exponent,
            cube_owner: cube.owner.map(seat),
            on_roll: player,
            crawford,
            game_state: GameState::Playing,
            turn: if situation.offer.is_some() { player.flip() } else { player },
            doubled: situation.offer.is_some(),
            resignation: 0,
            dice: situation.dice,
            match_length,
            scores,
            jacoby,
        }
    }
}
