//! What is done in a running game, for programs and in the words of players, and what may be done.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use tavola_rules::{Beavers, Offer, WinKind};

use super::{Awaited, CubeChoice, DiceSource, Live, LiveError, MatchTable};

/// An action of a seat. Most belong to games with a cube.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(tag = "act", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "Action")]
pub enum SeatAction {
    /// Rolls; with dice where the user throws real ones, also those of the others. Of the opening
    /// roll the first die is that of the user, in games without a cube that of the first seat.
    Roll {
        /// What was rolled.
        #[serde(default)]
        #[schemars(with = "Option<Vec<u8>>")]
        dice: Option<Vec<u8>>,
    },
    /// Plays the roll, or the dice that are offered.
    Play {
        /// The play in words, such as `8/5 6/5` or `hand-6 7-12*`, its moves in any order; `pass`
        /// where nothing can be played.
        play: String,
    },
    /// Doubles.
    Double,
    /// Takes an offered cube.
    Take,
    /// Drops an offered cube.
    Drop,
    /// Answers a double by turning the cube once more.
    Beaver,
    /// Answers a beaver by turning the cube once more.
    Raccoon,
    /// Offers to lose the game.
    Resign {
        /// By how much.
        size: WinKind,
    },
    /// Accepts a resignation.
    Accept,
    /// Refuses a resignation.
    Refuse,
    /// In a chouette: leaves a cube as it is, or gives or takes no extra.
    Leave,
    /// In a chouette: gives an extra to the only taker.
    Extra,
    /// Claims that the play of the opponent was against the rules, where such plays may be made: it
    /// is taken back. A roll or a double lets it stand.
    Claim,
    /// Begins the next game.
    NextGame,
    /// Goes back to the last decision of the user in this game.
    TakeBack,
}

impl SeatAction {
    /// Its name in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Roll { .. } => "roll",
            Self::Play { .. } => "play",
            Self::Double => "double",
            Self::Take => "take",
            Self::Drop => "drop",
            Self::Beaver => "beaver",
            Self::Raccoon => "raccoon",
            Self::Resign { .. } => "resign",
            Self::Accept => "accept",
            Self::Refuse => "refuse",
            Self::Leave => "leave",
            Self::Extra => "extra",
            Self::Claim => "claim",
            Self::NextGame => "next_game",
            Self::TakeBack => "take_back",
        }
    }

    /// What a player does by it, in the words of a log.
    pub(super) fn description(&self) -> String {
        match self {
            Self::Roll { dice } => format!("rolls {}", in_words(dice.clone().unwrap_or_default())),
            Self::Play { play } if play == "pass" => "no legal play".to_owned(),
            Self::Play { play } => play.clone(),
            Self::Double | Self::Take | Self::Drop | Self::Beaver | Self::Raccoon => {
                format!("{}s", self.name())
            }
            Self::Resign { size } => format!("offers to lose {}", words_of_win(*size)),
            Self::Accept | Self::Refuse => format!("{}s the resignation", self.name()),
            Self::Leave => "leaves it".to_owned(),
            Self::Extra => "gives an extra".to_owned(),
            Self::Claim => "claims the play, which is taken back".to_owned(),
            Self::NextGame => "begins the next game".to_owned(),
            Self::TakeBack => "takes back".to_owned(),
        }
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

impl fmt::Display for SeatAction {
    /// What a user types for it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Roll { dice: Some(dice) } => write!(f, "roll {}", in_words(dice.clone())),
            Self::Play { play } => f.write_str(play),
            Self::Resign { size } => write!(f, "resign {}", words_of_win(*size)),
            Self::NextGame => f.write_str("next"),
            Self::TakeBack => f.write_str("undo"),
            other => f.write_str(other.name()),
        }
    }
}

/// What may be done now.
impl Live {
    /// Whether the user may double now.
    pub fn may_double(&self) -> bool {
        self.awaited() == Awaited::Roll(self.user()) && self.table.may_double()
    }

    /// Whether the user may answer a double by a beaver, or a beaver by a raccoon.
    pub fn may_turn_back(&self, offer: Offer) -> bool {
        let beavers = self.cubed().map_or(Beavers::Off, |table| table.options().beavers);
        self.awaited() == Awaited::Answer(self.user(), offer)
            && match offer {
                Offer::Double => beavers != Beavers::Off,
                Offer::Beaver => beavers == Beavers::Raccoons,
                Offer::Raccoon => false,
            }
    }

    /// Whether the user may claim the play of the opponent, which was against the rules.
    pub fn may_claim(&self) -> bool {
        self.awaited() == Awaited::Roll(self.user())
            && self.cubed().is_some_and(MatchTable::may_claim)
    }

    /// Whether the user may offer to lose the game.
    pub fn may_resign(&self) -> bool {
        use Awaited::{Answer, GameOver, MatchOver, Opening, Resignation};
        // Who is offered a double or a resignation answers that first.
        let answers = matches!(self.awaited(), Answer(..) | Resignation(..));
        let over = matches!(self.awaited(), Opening | GameOver(_) | MatchOver(_));
        !answers && !over && self.cubed().is_some_and(|table| table.options().resignation)
    }

    /// The seat with the highest of a die each.
    pub(super) fn highest(&self, dice: &[u8]) -> Result<usize, LiveError> {
        let best = dice.iter().max();
        let mut seats = (0..).zip(dice).filter(|(_, die)| Some(*die) == best);
        match (dice.len() == self.setup.names.len(), seats.next(), seats.next()) {
            (true, Some((seat, _)), None) => Ok(seat),
            (true, ..) => Err(LiveError::EqualDice),
            _ => Err(LiveError::Dice(format!(
                "{:?} is not a die of each, expected {}",
                in_words(dice.to_vec()),
                self.expected()
            ))),
        }
    }

    /// What the user may do now, in words.
    pub fn expected(&self) -> String {
        let typed = self.setup.dice == DiceSource::Typed;
        // Some dice, the highest first.
        let such = |count: usize| (1..=count).rev().map(|n| n.to_string()).collect::<String>();
        match self.awaited() {
            Awaited::Opening if self.cubed().is_none() => {
                let names = self.setup.names.join(", ");
                format!("a die of each of {names}, as {}", such(self.setup.names.len()))
            }
            Awaited::Opening => {
                "the opening roll: your die, then that of the engine, as 31".to_owned()
            }
            Awaited::Dice(seat) => {
                let whose = match seat == self.user() {
                    true => "your roll".to_owned(),
                    false => format!("the roll of {}", self.name(seat)),
                };
                let cubed = self.cubed().is_some();
                let roll = if cubed { "31".to_owned() } else { such(self.table.thrown().0) };
                format!("{whose}, such as {roll}")
            }
            Awaited::Roll(_) => {
                let (roll, comma) =
                    if typed { ("your roll, such as 31", ",") } else { ("roll", "") };
                let claim = if self.may_claim() { ", or claim the play before" } else { "" };
                match self.may_double() {
                    true => format!("{roll}{comma} or double{claim}"),
                    false => format!("{roll}{claim}"),
                }
            }
            Awaited::Cube(seat, choice) => match choice {
                CubeChoice::Turn { member } if member == seat => {
                    "double (your own cube) or leave".to_owned()
                }
                CubeChoice::Turn { member } => {
                    format!("double (the cube of {}), leave or roll", self.name(member))
                }
                CubeChoice::GiveExtra { taker } => {
                    format!("extra (against {}) or leave", self.name(taker))
                }
                CubeChoice::TakeExtra { giver } => {
                    format!("take (the extra of {}) or leave", self.name(giver))
                }
            },
            Awaited::Play(_) => {
                let roll = self.roll().map_or_else(|| "the offered dice".to_owned(), in_words);
                let plays = self.plays();
                let example = plays.first().map_or("pass", |play| play.as_str());
                format!("a play of {roll}, such as {example}")
            }
            Awaited::Answer(_, offer) if self.may_turn_back(offer) => {
                let back = if offer == Offer::Double { "beaver" } else { "raccoon" };
                format!("take, drop or {back}")
            }
            Awaited::Answer(..) => "take or drop".to_owned(),
            Awaited::Resignation(..) => "accept or refuse".to_owned(),
            Awaited::GameOver(_) => "the next game".to_owned(),
            Awaited::MatchOver(_) => "nothing, for the match is over".to_owned(),
        }
    }

    /// Whether the seat may do this at all now; the rules say the rest.
    pub(super) fn check(&self, seat: usize, action: &SeatAction) -> Result<(), LiveError> {
        use SeatAction::{
            Accept, Beaver, Claim, Double, Drop, Extra, Leave, Play, Raccoon, Refuse, Resign, Roll,
            Take,
        };
        let awaited = self.awaited();
        let resigns = matches!(action, Resign { .. });
        let acts = match awaited {
            Awaited::MatchOver(_) => return Err(LiveError::MatchOver),
            Awaited::Opening if self.setup.dice == DiceSource::Typed => match action {
                Roll { dice: Some(_) } => None,
                _ => return Err(LiveError::NotOpened),
            },
            _ => awaited.seat(),
        };
        if let Some(acts) = acts.filter(|&acts| acts != seat && !resigns) {
            return Err(LiveError::OtherPlayer { name: self.name(acts).to_owned() });
        }
        let fits = match (&awaited, action) {
            (Awaited::GameOver(_), _) => false,
            (Awaited::Cube(_, CubeChoice::Turn { .. }), Roll { .. } | Double | Leave)
            | (Awaited::Cube(_, CubeChoice::GiveExtra { .. }), Extra | Leave)
            | (Awaited::Cube(_, CubeChoice::TakeExtra { .. }), Take | Leave)
            | (Awaited::Roll(_), Claim)
            | (Awaited::Opening, Roll { .. })
            | (Awaited::Roll(_), Roll { .. } | Double)
            | (Awaited::Dice(_), Roll { .. })
            | (Awaited::Play(_), Play { .. })
            | (Awaited::Answer(..), Take | Drop | Beaver | Raccoon)
            | (Awaited::Resignation(..), Accept | Refuse) => true,
            _ => resigns && self.cubed().is_some() && awaited != Awaited::Opening,
        };
        if fits {
            return Ok(());
        }
        let (action, expected) = (action.to_string(), self.expected());
        Err(LiveError::NotAwaited { action, expected })
    }
}

/// The numbers of a roll in words.
pub(super) fn in_words(numbers: Vec<u8>) -> String {
    numbers.iter().map(u8::to_string).collect::<Vec<_>>().join("-")
}
