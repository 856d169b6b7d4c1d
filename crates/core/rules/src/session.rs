//! Money sessions and matches by seat: a [`Session`] begins games as [`GameState`]s, takes their
//! [`GameResult`]s, and knows the winner.

use serde::Serialize;

use crate::cube::Cube;
use crate::game_state::{GameState, GameTerms};
use crate::match_state::{AfterGame, CubeUse, GameResult, MatchScore, Player};
use crate::options::{Beavers, OpeningThrow, Options, OptionsError};

/// Why a session can't go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The options don't fit.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// A player has won the match.
    #[error("the match to {length} is over at {one}-{two}, expected a running one")]
    MatchOver {
        /// Points of the match.
        length: u16,
        /// Points of the first seat.
        one: u64,
        /// Points of the second seat.
        two: u64,
    },
    /// A Crawford game in a match that plays none.
    #[error("score {score} is a Crawford game, but the option crawford is off")]
    CrawfordOff {
        /// The requested score.
        score: MatchScore,
    },
    /// The cube can't come from play under these options and this score.
    #[error("the cube stands at {value}, expected a centered cube at 1: {why}")]
    CubeOutOfPlay {
        /// The value found.
        value: u32,
        /// Why the cube is out of play.
        why: CubeUse,
    },
    /// The cube is above the limit.
    #[error("the cube stands at {value}, expected at most {limit}")]
    CubeAboveLimit {
        /// The value found.
        value: u32,
        /// The highest value allowed.
        limit: u32,
    },
    /// The centered cube of a resumed game is above what automatic doubles allow.
    #[error("the centered cube stands at {value}, expected at most {most} (automatic doubles)")]
    CenteredAboveAutomaticDoubles {
        /// The value found.
        value: u32,
        /// The highest value of a centered cube.
        most: u32,
    },
}

impl Options {
    /// Whether a game of a match can be played at this score with these options.
    ///
    /// # Errors
    ///
    /// [`SessionError::Options`], [`SessionError::CrawfordOff`].
    pub fn check_score(&self, score: MatchScore) -> Result<(), SessionError> {
        self.check_match(score.length())?;
        match score.is_crawford() && !self.crawford {
            true => Err(SessionError::CrawfordOff { score }),
            false => Ok(()),
        }
    }
}

/// What a session is played for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Stage {
    Money,
    /// From the first seat.
    Match(MatchScore),
    MatchOver {
        length: u16,
        winner: Player,
    },
}

/// A money session or a match, by seat.
///
/// ```
/// use tavola_rules::{Dice, GameEnding, OpeningThrow, Options, Player, Session, WinKind};
///
/// let mut session = Session::match_to(3, &Options::default())?;
/// let throw = OpeningThrow { starter: Player::One, dice: "31".parse()?, ties: 0 };
/// let mut game = session.begin_game(&throw)?;
/// game.end_turn()?; // one has played 3-1
/// game.double()?; // two doubles
/// game.take()?;
/// game.roll()?;
/// let result = game.win(WinKind::Single)?;
/// session.record(&result)?;
/// assert_eq!(session.points(Player::Two), 2);
/// assert!(session.match_score(Player::Two).is_some_and(|score| score.is_crawford()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Session {
    options: Options,
    max_exponent: u8,
    stage: Stage,
    points: [u64; 2],
    games: u32,
}

impl Session {
    /// Independent games for money; it never ends by itself.
    ///
    /// # Errors
    ///
    /// [`SessionError::Options`].
    pub fn money(options: &Options) -> Result<Self, SessionError> {
        options.check_money()?;
        Self::new(options, Stage::Money, [0; 2])
    }

    /// A match to `length` points at 0-0.
    ///
    /// # Errors
    ///
    /// [`SessionError::Options`]: no length, or an option of money play.
    pub fn match_to(length: u16, options: &Options) -> Result<Self, SessionError> {
        options.check_match(length)?;
        let score = MatchScore::new(length, 0, 0).expect("a length of 0 was refused");
        Self::new(options, Stage::Match(score), [0; 2])
    }

    /// A match taken up at `score`, which is from the first seat.
    ///
    /// # Errors
    ///
    /// [`SessionError::Options`], [`SessionError::CrawfordOff`].
    pub fn resume_match(score: MatchScore, options: &Options) -> Result<Self, SessionError> {
        options.check_score(score)?;
        let points = [score.player().into(), score.opponent().into()];
        Self::new(options, Stage::Match(score), points)
    }

    fn new(options: &Options, stage: Stage, points: [u64; 2]) -> Result<Self, SessionError> {
        let max_exponent = options.max_cube_exponent()?;
        Ok(Self { options: options.clone(), max_exponent, stage, points, games: 0 })
    }

    /// The options agreed.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The points that `player` has won so far; in a match surplus points are included.
    pub fn points(&self, player: Player) -> u64 {
        self.points[player.index()]
    }

    /// Games recorded since the session was made.
    pub fn games(&self) -> u32 {
        self.games
    }

    /// The score before the next game, seen by `player`; `None` for money and after the match.
    pub fn match_score(&self, player: Player) -> Option<MatchScore> {
        match (self.stage, player) {
            (Stage::Match(score), Player::One) => Some(score),
            (Stage::Match(score), Player::Two) => Some(score.flip()),
            _ => None,
        }
    }

    /// Who has won the match; `None` while it runs, and always for money.
    pub fn winner(&self) -> Option<Player> {
        match self.stage {
            Stage::MatchOver { winner, .. } => Some(winner),
            _ => None,
        }
    }

    /// Whether the cube can be turned in the next game.
    ///
    /// # Errors
    ///
    /// [`SessionError::MatchOver`].
    pub fn cube_use(&self) -> Result<CubeUse, SessionError> {
        match self.stage {
            Stage::Money => Ok(CubeUse::InPlay),
            Stage::Match(score) => Ok(score.cube_use()),
            Stage::MatchOver { length, .. } => {
                let [one, two] = self.points;
                Err(SessionError::MatchOver { length, one, two })
            }
        }
    }

    /// The next game, with the opening roll on the table.
    ///
    /// # Errors
    ///
    /// [`SessionError::MatchOver`].
    pub fn begin_game(&self, throw: &OpeningThrow) -> Result<GameState, SessionError> {
        Ok(GameState::begin(self.terms()?, throw))
    }

    /// A game taken up in the middle: `on_roll` may double or roll; `cube` is from him.
    ///
    /// # Errors
    ///
    /// [`SessionError::MatchOver`], or the cube could not have got there.
    pub fn resume_game(&self, on_roll: Player, cube: Cube) -> Result<GameState, SessionError> {
        let terms = self.terms()?;
        let value = cube.value();
        if terms.cube_use != CubeUse::InPlay && cube != Cube::START {
            return Err(SessionError::CubeOutOfPlay { value, why: terms.cube_use });
        }
        if cube.exponent() > terms.max_exponent {
            return Err(SessionError::CubeAboveLimit { value, limit: 1 << terms.max_exponent });
        }
        if !cube.is_turned() && cube.exponent() > terms.automatic_doubles {
            let most = 1 << terms.automatic_doubles;
            return Err(SessionError::CenteredAboveAutomaticDoubles { value, most });
        }
        Ok(GameState::resume(terms, on_roll, cube))
    }

    fn terms(&self) -> Result<GameTerms, SessionError> {
        // `Options` has been checked: in a match the options of money play are off.
        let Options { jacoby, automatic_doubles, beavers, resignation, .. } = self.options;
        debug_assert!(
            self.stage == Stage::Money
                || (!jacoby && automatic_doubles == 0 && beavers == Beavers::Off)
        );
        Ok(GameTerms {
            cube_use: self.cube_use()?,
            max_exponent: self.max_exponent,
            automatic_doubles,
            beavers,
            jacoby,
            resignation,
        })
    }

    /// Adds the result of a game.
    ///
    /// # Errors
    ///
    /// [`SessionError::MatchOver`].
    pub fn record(&mut self, result: &GameResult) -> Result<(), SessionError> {
        // Refuses a match that is over.
        self.cube_use()?;
        if let Stage::Match(score) = self.stage {
            let points = i32::try_from(result.points).unwrap_or(i32::MAX);
            let signed = if result.winner == Player::One { points } else { -points };
            let after = if self.options.crawford {
                score.after(signed)
            } else {
                score.after_without_crawford(signed)
            };
            self.stage = match after {
                AfterGame::Next(next) => Stage::Match(next),
                AfterGame::Won | AfterGame::Lost => {
                    Stage::MatchOver { length: score.length(), winner: result.winner }
                }
            };
        }
        self.points[result.winner.index()] += u64::from(result.points);
        self.games += 1;
        Ok(())
    }
}
