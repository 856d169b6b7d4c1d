//! What a game is played for and where the cube is: from arguments and notations to the stakes of
//! the cube theory.

use std::fmt;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use tavola_equity::{MatchEquityTable, Stakes, StakesError};
use tavola_games::AnyGame;
use tavola_rules::notation::{self, Situation};
use tavola_rules::{Beavers, Cube, CubeOwner, MatchScore, Options};

use crate::commands::met;
use crate::failure::{Blame, Failure, Outcome};

/// The match equity table that is used where nobody names another.
const KAZAROSS_XG2: &str = "kazaross-xg2";

/// How far tables go that don't have to go further.
const MET_LENGTH: u16 = 25;

/// Cube and score, in place of those that the position carries.
#[derive(Clone, Debug, Args)]
pub struct TermsArgs {
    /// The value of the cube, 1, 2, 4 ... [default: that of the position, or 1]
    #[arg(long, value_name = "VALUE")]
    pub cube: Option<u32>,
    /// Who owns a cube above 1
    #[arg(long, value_enum, value_name = "WHO", requires = "cube")]
    pub owner: Option<OwnerArg>,
    /// Points of the match [default: that of the position, or money play]
    #[arg(long, value_name = "POINTS")]
    pub match_length: Option<u16>,
    /// The score of the match, the player on roll first [default: 0-0]
    #[arg(long, value_name = "MINE-THEIRS", requires = "match_length")]
    pub score: Option<Score>,
    /// This is the Crawford game
    #[arg(long, requires = "match_length")]
    pub crawford: bool,
    /// For money: gammons count single until the cube is turned
    #[arg(long, conflicts_with = "match_length")]
    pub jacoby: bool,
    /// For money: who is doubled may double again at once and keep the cube
    #[arg(long, conflicts_with = "match_length")]
    pub beavers: bool,
    /// As --beavers, and the doubler may turn the cube once more
    #[arg(long, conflicts_with = "match_length")]
    pub raccoons: bool,
    /// What match scores are worth: kazaross-xg2, rockwell-kazaross, own or an XML file
    #[arg(long, value_name = "TABLE", default_value = KAZAROSS_XG2)]
    pub met: String,
}

/// Who owns the cube, from the player on roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OwnerArg {
    /// Nobody
    Center,
    /// The player on roll
    Player,
    /// His opponent
    Opponent,
}

impl From<OwnerArg> for CubeOwner {
    fn from(owner: OwnerArg) -> Self {
        match owner {
            OwnerArg::Center => Self::Center,
            OwnerArg::Player => Self::Player,
            OwnerArg::Opponent => Self::Opponent,
        }
    }
}

/// Points won so far, the player on roll first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Score {
    player: u16,
    opponent: u16,
}

impl FromStr for Score {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.split_once('-')
            .and_then(|(player, opponent)| {
                let number = |text: &str| text.trim().parse().ok();
                Some(Self { player: number(player)?, opponent: number(opponent)? })
            })
            .ok_or_else(|| "expected two numbers such as 3-5".to_owned())
    }
}

impl Default for TermsArgs {
    /// Nothing is given.
    fn default() -> Self {
        Self {
            cube: None,
            owner: None,
            match_length: None,
            score: None,
            crawford: false,
            jacoby: false,
            beavers: false,
            raccoons: false,
            met: KAZAROSS_XG2.to_owned(),
        }
    }
}

impl TermsArgs {
    /// The terms of a situation to which these have been [applied](Self::apply).
    pub fn terms(&self, situation: &Situation) -> Outcome<Terms> {
        let table = self.table(situation)?;
        let beavers = if self.raccoons { Beavers::Raccoons } else { Beavers::Beavers };
        Terms::by(situation, &table, beavers).or_input()
    }

    /// The match equity table that was named, long enough for a situation.
    pub fn table(&self, situation: &Situation) -> Outcome<MatchEquityTable> {
        let length = match situation.stakes {
            Some(notation::Stakes::Match(score)) => score.length(),
            _ => 0,
        };
        met::load(&self.met, length.max(MET_LENGTH))
    }

    /// Refuses them for a game that is played without a cube.
    pub fn refuse_for(&self, game: &AnyGame) -> Outcome {
        let money = self.jacoby || self.beavers || self.raccoons;
        if self.cube.is_some() || self.match_length.is_some() || money {
            return Err(Failure::input(format_args!(
                "{game} is played without a cube and without matches, expected backgammon or a variant \
                 of it"
            )));
        }
        Ok(())
    }

    /// Puts what is given in the place of what the position carries.
    pub fn apply(&self, situation: &mut Situation) -> Outcome {
        if let Some(value) = self.cube {
            let owner = match self.owner {
                Some(owner) => owner.into(),
                None if value == 1 => CubeOwner::Center,
                None => {
                    // A value that no cube shows would stay wrong with any owner.
                    Cube::from_value(value, CubeOwner::Center).or_input()?;
                    return Err(Failure::input(format_args!(
                        "--cube {value} without an owner, expected --owner player, opponent or center"
                    )));
                }
            };
            situation.cube = Some(Cube::from_value(value, owner).or_input()?);
        }
        if let Some(length) = self.match_length {
            let Score { player, opponent } = self.score.unwrap_or(Score { player: 0, opponent: 0 });
            let make = if self.crawford { MatchScore::crawford } else { MatchScore::new };
            let score = make(length, player, opponent).or_input()?;
            situation.stakes = Some(notation::Stakes::Match(score));
        }
        let beavers_too = self.beavers || self.raccoons;
        if self.jacoby || beavers_too {
            let (jacoby, beavers) = match situation.stakes {
                Some(notation::Stakes::Match(_)) => {
                    return Err(Failure::input(
                        "--jacoby, --beavers and --raccoons belong to money play, but the position is of a \
                         match",
                    ));
                }
                Some(notation::Stakes::Money { jacoby, beavers }) => (jacoby, beavers),
                None => (false, None),
            };
            situation.stakes = Some(notation::Stakes::Money {
                jacoby: jacoby || self.jacoby,
                beavers: if beavers_too { Some(true) } else { beavers },
            });
        }
        Ok(())
    }
}

/// What a game is played for, and its cube.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// Seen by the player on roll.
    pub stakes: Stakes,
    /// Seen by him too.
    pub cube: Cube,
    /// The score; `None` for money.
    pub score: Option<MatchScore>,
    money: Money,
}

/// The rules of money play.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Money {
    jacoby: bool,
    beavers: Beavers,
}

impl Terms {
    /// The terms of a situation: money and a centred cube at 1 where it does not know better.
    /// Match equities are those of Kazaross-XG2, continued where a match is longer.
    ///
    /// # Errors
    ///
    /// [`StakesError`]: such a cube can't be at such a score.
    pub fn new(situation: &Situation) -> Result<Self, StakesError> {
        Self::by(situation, MatchEquityTable::kazaross_xg2(), Beavers::Beavers)
    }

    /// The same by another table of match equities, and with these beavers where a position says
    /// that beavers are played.
    pub fn by(
        situation: &Situation,
        table: &MatchEquityTable,
        played: Beavers,
    ) -> Result<Self, StakesError> {
        let cube = situation.cube.unwrap_or(Cube::START);
        let (stakes, score, money) = match situation.stakes {
            Some(notation::Stakes::Match(score)) => {
                let table = table.covering(score.length())?;
                let stakes = Stakes::for_match(score, &table, &Options::default())?;
                (stakes, Some(score), Money::default())
            }
            Some(notation::Stakes::Money { jacoby, beavers }) => {
                let beavers = match beavers {
                    Some(true) => played,
                    _ => Beavers::Off,
                };
                let money = Money { jacoby, beavers };
                (money_stakes(money)?, None, money)
            }
            None => (money_stakes(Money::default())?, None, Money::default()),
        };
        stakes.check_cube(cube)?;
        Ok(Self { stakes, cube, score, money })
    }

    /// Whether a situation says more than that a game begins for money: a score, a turned cube or
    /// the rules of Jacoby or beavers.
    pub fn matter_in(situation: &Situation) -> bool {
        situation.cube.is_some_and(|cube| cube != Cube::START)
            || match situation.stakes {
                Some(notation::Stakes::Match(_)) => true,
                Some(notation::Stakes::Money { jacoby, beavers }) => {
                    jacoby || beavers == Some(true)
                }
                None => false,
            }
    }
}

fn money_stakes(money: Money) -> Result<Stakes, StakesError> {
    let Money { jacoby, beavers } = money;
    Stakes::money(&Options { jacoby, beavers, ..Options::default() })
}

impl fmt::Display for Terms {
    /// `cube 2, the player's; 3-5 in a match to 7`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let owner = match self.cube.owner() {
            CubeOwner::Center => "centred",
            CubeOwner::Player => "owned by the player on roll",
            CubeOwner::Opponent => "owned by the opponent",
        };
        write!(f, "cube {}, {owner}; ", self.cube.value())?;
        match self.score {
            Some(score) => {
                let (player, opponent) = (score.player(), score.opponent());
                write!(f, "{player}-{opponent} in a match to {}", score.length())?;
                if score.is_crawford() { f.write_str(", Crawford game") } else { Ok(()) }
            }
            None => {
                f.write_str("money play")?;
                if self.money.jacoby {
                    f.write_str(", Jacoby")?;
                }
                match self.money.beavers {
                    Beavers::Off => Ok(()),
                    Beavers::Beavers => f.write_str(", beavers"),
                    Beavers::Raccoons => f.write_str(", beavers and raccoons"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tavola_rules::Position;

    use super::*;

    fn applied(args: &TermsArgs) -> Outcome<Situation> {
        let mut situation = Situation::from(Position::STANDARD);
        args.apply(&mut situation)?;
        Ok(situation)
    }

    #[test]
    fn arguments_become_terms_that_name_themselves() {
        let none = applied(&TermsArgs::default()).unwrap();
        assert!(!Terms::matter_in(&none));
        assert_eq!(Terms::new(&none).unwrap().to_string(), "cube 1, centred; money play");
        let args = TermsArgs {
            cube: Some(2),
            owner: Some(OwnerArg::Player),
            match_length: Some(7),
            score: Some("3-5".parse().unwrap()),
            ..TermsArgs::default()
        };
        let situation = applied(&args).unwrap();
        assert!(Terms::matter_in(&situation));
        assert_eq!(
            Terms::new(&situation).unwrap().to_string(),
            "cube 2, owned by the player on roll; 3-5 in a match to 7"
        );
        let args = TermsArgs { jacoby: true, beavers: true, ..TermsArgs::default() };
        let terms = Terms::new(&applied(&args).unwrap()).unwrap();
        assert_eq!(terms.to_string(), "cube 1, centred; money play, Jacoby, beavers");
        let args = TermsArgs { raccoons: true, ..TermsArgs::default() };
        let terms = args.terms(&applied(&args).unwrap()).unwrap();
        assert_eq!(terms.to_string(), "cube 1, centred; money play, beavers and raccoons");
    }

    #[test]
    fn another_table_values_the_same_score_otherwise() {
        let stakes = |met: &str| {
            let args = TermsArgs {
                match_length: Some(7),
                score: Some("3-5".parse().unwrap()),
                met: met.to_owned(),
                ..TermsArgs::default()
            };
            args.terms(&applied(&args).unwrap()).map(|terms| terms.stakes)
        };
        let usual = stakes(KAZAROSS_XG2).unwrap();
        for other in ["rockwell-kazaross", "own"] {
            assert_ne!(stakes(other).unwrap(), usual, "{other}");
        }
        assert!(stakes("nowhere.xml").unwrap_err().message().contains("nowhere.xml"));
    }

    #[test]
    fn impossible_terms_are_refused_with_a_reason() {
        let to_seven = TermsArgs { match_length: Some(7), ..TermsArgs::default() };
        for (args, part) in [
            (
                TermsArgs { cube: Some(3), owner: Some(OwnerArg::Player), ..TermsArgs::default() },
                "power of two",
            ),
            (TermsArgs { cube: Some(2), ..TermsArgs::default() }, "--owner"),
            (TermsArgs { cube: Some(3), ..TermsArgs::default() }, "power of two"),
            (TermsArgs { cube: Some(0), ..TermsArgs::default() }, "power of two"),
            (TermsArgs { cube: Some(1 << 25), ..TermsArgs::default() }, "2^25 is too large"),
            (
                TermsArgs { cube: Some(1), owner: Some(OwnerArg::Player), ..TermsArgs::default() },
                "at least 2",
            ),
            (
                TermsArgs { score: Some(Score { player: 7, opponent: 2 }), ..to_seven.clone() },
                "both below 7",
            ),
            (TermsArgs { match_length: Some(0), ..TermsArgs::default() }, "at least 1"),
            (
                TermsArgs {
                    score: Some(Score { player: 3, opponent: 5 }),
                    crawford: true,
                    ..to_seven.clone()
                },
                "one point from winning",
            ),
        ] {
            let message = applied(&args).unwrap_err().message();
            assert!(message.contains(part), "{args:?}: {message}");
        }
        // A cube that can't have been turned.
        for score in [Score { player: 6, opponent: 6 }, Score { player: 6, opponent: 2 }] {
            let args = TermsArgs {
                cube: Some(2),
                owner: Some(OwnerArg::Player),
                crawford: score.opponent == 2,
                score: Some(score),
                ..to_seven.clone()
            };
            assert!(Terms::new(&applied(&args).unwrap()).is_err(), "{args:?}");
        }
        for text in ["", "3", "3:5", "a-b", "-1-2", "3-99999"] {
            assert!(text.parse::<Score>().is_err(), "{text:?}");
        }
    }
}
