//! GNU Match IDs: 12 characters for everything but the checkers.

use super::bits::Bits;
use super::situation::{self, MoneyOrMatch, Situation};
use super::{Input, NotationError, fitting};
use crate::cube::{CubeOwner, Offer};
use crate::dice::Dice;
use crate::match_state::{MatchScoreError, Player};
use crate::position::Position;

pub(super) const FORM: &str = "a GNU Match ID";
const BYTES: usize = 9;
const LONGEST_MATCH: u16 = (1 << 15) - 1;
const LARGEST_EXPONENT: u8 = 15;

/// How far a game is, in a Match ID.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum GameProgress {
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

impl GameProgress {
    const ALL: [Self; 5] =
        [Self::NotStarted, Self::Playing, Self::Over, Self::Resigned, Self::Dropped];
}

/// All fields of a GNU Match ID.
///
/// GNU Backgammon's player 0, whom it draws at the top, is [`Player::One`] here, its player 1
/// [`Player::Two`]; they keep their numbers no matter which player is on roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchId {
    /// Binary logarithm of the cube's value, 0 to 15.
    pub cube_exponent: u8,
    /// Who owns the cube; `None` while it is centered.
    pub cube_owner: Option<Player>,
    /// Who is on roll, and from whose side the Position ID beside it is seen.
    pub on_roll: Player,
    /// Whether this is the Crawford game.
    pub crawford: bool,
    /// How far the game is.
    pub progress: GameProgress,
    /// The player who has to decide now: while an offer stands, the opponent of the player on roll.
    pub turn: Player,
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
        let input = Input { form: FORM, text };
        let error = |field, found: String, expected| input.field(field, &found, expected);
        let cube_exponent = bits.take(4) as u8;
        let cube_owner = match bits.take(2) {
            3 => None,
            2 => return Err(error("the cube's owner", "2".to_owned(), "0, 1 or 3 (centered)")),
            seat => Some(player(seat)),
        };
        let on_roll = player(bits.take(1));
        let crawford = bits.take(1) == 1;
        let state = bits.take(3);
        let progress = *GameProgress::ALL
            .get(usize::from(state))
            .ok_or_else(|| error("the game state", state.to_string(), "0 to 4"))?;
        let turn = player(bits.take(1));
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
            progress,
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
            fitting(FORM, field, found.into(), most.into(), expected).map(|_| found)
        };
        let exponent = u16::from(self.cube_exponent);
        let mut bits = Bits::new();
        bits.put(room("the cube's exponent", exponent, LARGEST_EXPONENT.into(), "0 to 15")?, 4);
        bits.put(self.cube_owner.map_or(3, |seat| seat as u16), 2);
        bits.put(self.on_roll as u16, 1);
        bits.put(self.crawford.into(), 1);
        bits.put(self.progress as u16, 3);
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
    /// [`ignored`](Self::ignored) tells what has no place in a [`Situation`].
    ///
    /// # Errors
    ///
    /// [`MatchScoreError`] if the match is over, or can't be at its Crawford game.
    pub fn situation(&self, position: Position) -> Result<Situation, MatchScoreError> {
        let owner = CubeOwner::of_seat(self.cube_owner, self.on_roll);
        let money = MoneyOrMatch::Money { jacoby: self.jacoby, beavers: None };
        let scores = [self.on_roll, self.on_roll.flip()].map(|seat| self.scores[seat.index()]);
        Ok(Situation {
            position,
            dice: self.dice.filter(|_| !self.doubled),
            offer: self.doubled.then_some(Offer::Double),
            cube: Some(situation::cube(self.cube_exponent, owner)),
            stakes: Some(situation::stakes(money, self.match_length, scores, self.crawford)?),
        })
    }

    /// The ID for a situation, with the player on roll as player 1. What the situation leaves
    /// open becomes a centered cube at 1 and money play without the Jacoby rule; beavers are not
    /// kept, and a beaver or raccoon becomes the double that a Match ID can say.
    pub fn from_situation(situation: &Situation) -> Self {
        let player = Player::Two;
        let cube = situation.cube.unwrap_or_default();
        let (match_length, scores, crawford, jacoby) = match situation.stakes {
            Some(MoneyOrMatch::Match(score)) => {
                (score.length(), [score.opponent(), score.player()], score.is_crawford(), false)
            }
            Some(MoneyOrMatch::Money { jacoby, .. }) => (0, [0, 0], false, jacoby),
            None => (0, [0, 0], false, false),
        };
        Self {
            cube_exponent: cube.exponent(),
            cube_owner: cube.owner().seat([player, player.flip()]),
            on_roll: player,
            crawford,
            progress: GameProgress::Playing,
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

/// The player of a bit.
const fn player(bit: u16) -> Player {
    if bit == 0 { Player::One } else { Player::Two }
}
