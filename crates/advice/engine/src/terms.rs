//! What a game is played for and where the cube is, as the cube theory needs it.

use std::fmt;

use tavola_equity::{MatchEquityTable, NoCube, OutcomeProbs, Probs, Stakes, StakesError, Value};
use tavola_rules::notation::{self, Situation};
use tavola_rules::{Beavers, Cube, CubeOwner, MatchPhase, MatchScore, Options, Outcome, WinKind};

/// Stakes and cube of a position. The text names them: `cube 2, owned by the player on roll; 3-5
/// in a match to 7`.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedTerms {
    /// What the game is played for, seen by the player on roll.
    pub stakes: Stakes,
    /// The cube, seen by the player on roll too.
    pub cube: Cube,
    /// The score; `None` for money.
    pub score: Option<MatchScore>,
    /// The rules of money play.
    money: Options,
}

impl ResolvedTerms {
    /// The terms of a situation: money and a centered cube at 1 where it does not know better, match
    /// equities by this table, which is long enough, and these beavers where a position says that
    /// beavers are played.
    ///
    /// # Errors
    ///
    /// [`StakesError`]: such a cube can't be at such a score.
    pub fn new<P, D>(
        situation: &Situation<P, D>,
        table: &MatchEquityTable,
        played: Beavers,
    ) -> Result<Self, StakesError> {
        let cube = situation.cube.unwrap_or(Cube::START);
        let money = match situation.stakes {
            Some(notation::MoneyOrMatch::Money { jacoby, beavers }) => {
                let beavers = if beavers == Some(true) { played } else { Beavers::Off };
                Options { jacoby, beavers, ..Options::default() }
            }
            _ => Options::default(),
        };
        let (stakes, score) = match situation.stakes {
            Some(notation::MoneyOrMatch::Match(score)) => {
                (Stakes::for_match(score, table, &money)?, Some(score))
            }
            _ => (Stakes::money(&money)?, None),
        };
        stakes.check_cube(cube)?;
        Ok(Self { stakes, cube, score, money })
    }

    /// Whether the player on roll may double.
    ///
    /// # Errors
    ///
    /// [`NoCube`] says why not.
    pub fn may_double(&self) -> Result<(), NoCube> {
        self.stakes.may_double(self.cube)
    }

    /// What these chances are worth to the player on roll, if the cube is never turned again.
    pub(crate) fn cubeless(&self, probs: &Probs) -> Value {
        self.stakes.value(self.stakes.cubeless(probs, self.cube), self.cube)
    }

    /// What it is worth to the player on roll that a side gives up so much.
    pub(crate) fn resigned(&self, win: WinKind, by_player_on_roll: bool) -> Value {
        let lost = match win {
            WinKind::Single => Outcome::LoseSingle,
            WinKind::Gammon => Outcome::LoseGammon,
            WinKind::Backgammon => Outcome::LoseBackgammon,
        };
        let outcome = if by_player_on_roll { lost } else { lost.flip() };
        self.cubeless(&OutcomeProbs::certain(outcome).cumulative())
    }
}

/// The rules of money play in words, each behind a comma.
pub(crate) fn of_money(options: &Options) -> String {
    let jacoby = if options.jacoby { ", Jacoby" } else { "" };
    let beavers = match options.beavers {
        Beavers::Off => "",
        Beavers::Beavers => ", beavers",
        Beavers::Raccoons => ", beavers and raccoons",
    };
    format!("{jacoby}{beavers}")
}

/// A cube in words: `cube 2, owned by the player on roll`.
pub(crate) fn of_cube(cube: Cube) -> String {
    let owner = match cube.owner() {
        CubeOwner::Center => "centered",
        CubeOwner::Player => "owned by the player on roll",
        CubeOwner::Opponent => "owned by the opponent",
    };
    format!("cube {}, {owner}", cube.value())
}

/// A score in words: `3-5 in a match to 7`.
pub(crate) fn of_score(score: MatchScore) -> String {
    let (player, opponent) = (score.player(), score.opponent());
    let crawford = match score.phase() {
        MatchPhase::Crawford => ", Crawford game",
        MatchPhase::PostCrawford if score.player_away() != score.opponent_away() => {
            ", post-Crawford"
        }
        _ => "",
    };
    format!("{player}-{opponent} in a match to {}{crawford}", score.length())
}

impl fmt::Display for ResolvedTerms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; ", of_cube(self.cube))?;
        match self.score {
            Some(score) => f.write_str(&of_score(score)),
            None => write!(f, "money play{}", of_money(&self.money)),
        }
    }
}

#[cfg(test)]
mod tests {
    use tavola_rules::Position;

    use super::*;

    fn named(change: impl FnOnce(&mut Situation), played: Beavers) -> String {
        let mut situation = Situation::from(Position::STANDARD);
        change(&mut situation);
        ResolvedTerms::new(&situation, MatchEquityTable::kazaross_xg2(), played)
            .unwrap()
            .to_string()
    }

    #[test]
    fn terms_name_themselves() {
        use notation::MoneyOrMatch::{Match, Money};
        assert_eq!(named(|_| {}, Beavers::Beavers), "cube 1, centered; money play");
        let to_seven = |situation: &mut Situation| {
            situation.cube = Some(Cube::from_value(2, CubeOwner::Player).unwrap());
            situation.stakes = Some(Match(MatchScore::new(7, 3, 5).unwrap()));
        };
        assert_eq!(
            named(to_seven, Beavers::Off),
            "cube 2, owned by the player on roll; 3-5 in a match to 7"
        );
        let money = |situation: &mut Situation| {
            situation.stakes = Some(Money { jacoby: true, beavers: Some(true) });
        };
        assert_eq!(named(money, Beavers::Beavers), "cube 1, centered; money play, Jacoby, beavers");
        let raccoons = "cube 1, centered; money play, Jacoby, beavers and raccoons";
        assert_eq!(named(money, Beavers::Raccoons), raccoons);
    }
}
