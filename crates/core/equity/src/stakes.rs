//! What a game is played for: what each outcome is worth at each value of the cube, for money and
//! at a match score alike.
//!
//! All cube theory of this crate stands on this one description. Crawford games, double match
//! point, cubes that are dead because no more points are needed, free drops and Jacoby have no
//! code of their own further up: they follow from what the outcomes are worth and from whether the
//! cube may be turned.

use schemars::JsonSchema;
use serde::Serialize;
use tavola_rules::{
    AfterGame, Beavers, Cube, CubeOwner, CubeUse, MatchScore, Options, OptionsError, SessionError,
};

use crate::met::{MatchEquityTable, MetError};
use crate::probs::Probs;
use crate::units::{Emg, EmgScale, Equity, Mwc};

/// An expectation from the player on roll in the currency of its [`Stakes`]: points for money (not
/// per cube, so that values at different cubes compare), MWC in a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Expectation(pub f64);

/// An [`Expectation`] as people read it, at some cube.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// For money: per unit of that cube.
    Money(Equity),
    /// In a match: on the scale of that cube, and absolute.
    Match {
        /// Equity on the scale of score and cube.
        emg: Emg,
        /// The probability of winning the match.
        mwc: Mwc,
    },
}

impl Value {
    /// Money equity or EMG.
    #[inline]
    pub const fn equity(self) -> f64 {
        match self {
            Self::Money(equity) => equity.0,
            Self::Match { emg, .. } => emg.0,
        }
    }

    /// MWC; `None` for money.
    #[inline]
    pub const fn mwc(self) -> Option<Mwc> {
        match self {
            Self::Money(_) => None,
            Self::Match { mwc, .. } => Some(mwc),
        }
    }
}

/// Why the player on roll can't double.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoCube {
    /// The cube belongs to the opponent.
    #[error("the opponent owns the cube")]
    OpponentOwns,
    /// No player may turn it in this game.
    #[error("the cube is out of play: {0}")]
    OutOfPlay(CubeUse),
    /// It has reached the limit agreed.
    #[error("the cube stands at its limit of {limit}")]
    Limit {
        /// The highest value.
        limit: u32,
    },
}

/// Why there are no such stakes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StakesError {
    /// The options don't fit together or don't fit the score, or the cube can't have come there.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The match equity table does not know a score that can follow.
    #[error(transparent)]
    Met(#[from] MetError),
    /// A centered cube above 1 in a match, which has no automatic doubles.
    #[error("a centered cube at {value} in a match, expected it at 1: no automatic doubles there")]
    CenteredAboveOne {
        /// The value found.
        value: u32,
    },
}

impl From<OptionsError> for StakesError {
    fn from(error: OptionsError) -> Self {
        SessionError::from(error).into()
    }
}

/// What the six outcomes are worth at one cube, from the player on roll.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Payoffs {
    /// For a single win, a gammon, a backgammon.
    pub(crate) win: [f64; 3],
    /// For a single loss, a gammon, a backgammon.
    pub(crate) lose: [f64; 3],
}

impl Payoffs {
    /// The mean win and the mean loss, gammons included.
    #[inline]
    pub(crate) fn means(&self, rates: &GammonRates) -> (f64, f64) {
        let mean = |[single, gammon, backgammon]: [f64; 3], g: f64, b: f64| {
            single + g * (gammon - single) + b * (backgammon - gammon)
        };
        (
            mean(self.win, rates.win_gammon, rates.win_backgammon),
            mean(self.lose, rates.lose_gammon, rates.lose_backgammon),
        )
    }
}

/// How often wins and losses are gammons and backgammons: shares of the wins, and of the losses,
/// not of all games. A backgammon counts as a gammon too.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GammonRates {
    /// Gammons among the wins of the player on roll.
    pub win_gammon: f64,
    /// Backgammons among them.
    pub win_backgammon: f64,
    /// Gammons among the player's losses.
    pub lose_gammon: f64,
    /// Backgammons among them.
    pub lose_backgammon: f64,
}

impl GammonRates {
    /// No gammons.
    pub const NONE: Self =
        Self { win_gammon: 0.0, win_backgammon: 0.0, lose_gammon: 0.0, lose_backgammon: 0.0 };

    /// The rates behind outcome probabilities. Where there are no wins there are no gammons among
    /// them; rates above 1, which rounding may make, are cut.
    pub fn of(probs: &Probs) -> Self {
        let rate = |part: f32, whole: f64| {
            if whole > 0.0 { (f64::from(part) / whole).clamp(0.0, 1.0) } else { 0.0 }
        };
        let win = f64::from(probs.win);
        let lose = 1.0 - win;
        let (win_gammon, lose_gammon) =
            (rate(probs.win_gammon, win), rate(probs.lose_gammon, lose));
        Self {
            win_gammon,
            win_backgammon: rate(probs.win_backgammon, win).min(win_gammon),
            lose_gammon,
            lose_backgammon: rate(probs.lose_backgammon, lose).min(lose_gammon),
        }
    }

    /// These rates as the other side sees them.
    #[must_use]
    pub const fn flip(&self) -> Self {
        Self {
            win_gammon: self.lose_gammon,
            win_backgammon: self.lose_backgammon,
            lose_gammon: self.win_gammon,
            lose_backgammon: self.win_backgammon,
        }
    }
}

/// What gammons are worth at a score and cube, for either side.
///
/// The gammon value (or gammon price) is what a gammon adds to a single win, in units of the
/// distance between a single win and a single loss: 0.5 for money, 0 at double match point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GammonValues {
    /// For the player on roll.
    pub player: f64,
    /// For the opponent.
    pub opponent: f64,
}

/// What a game is played for, from the player on roll: a point count for money, the probability of
/// winning the match otherwise; and how far the cube may be turned.
///
/// ```
/// use tavola_equity::{MatchEquityTable, Stakes};
/// use tavola_rules::{Cube, MatchScore, Options};
///
/// let options = Options::default();
/// let money = Stakes::money(&options)?;
/// assert_eq!(money.gammon_values(Cube::START).player, 0.5);
///
/// // Double match point: gammons are worth nothing, and there is no cube.
/// let score = MatchScore::new(7, 6, 6)?;
/// let stakes = Stakes::for_match(score, MatchEquityTable::kazaross_xg2(), &options)?;
/// assert_eq!(stakes.gammon_values(Cube::START).player, 0.0);
/// assert!(stakes.may_double(Cube::START).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stakes {
    currency: Currency,
    cube_use: CubeUse,
    /// The base-two logarithm of the highest cube.
    limit: u8,
    beavers: Beavers,
}

/// The currency of a [`Expectation`].
#[derive(Clone, Debug, PartialEq, Serialize)]
enum Currency {
    Money {
        jacoby: bool,
    },
    /// By the cube's exponent. From the last level on neither side needs more points.
    Match {
        levels: Box<[Payoffs]>,
    },
}

impl Stakes {
    /// A money game; Jacoby, beavers and the cube limit are read from the options.
    ///
    /// # Errors
    ///
    /// [`StakesError::Session`].
    pub fn money(options: &Options) -> Result<Self, StakesError> {
        options.check_money()?;
        Ok(Self {
            currency: Currency::Money { jacoby: options.jacoby },
            cube_use: CubeUse::InPlay,
            limit: options.max_cube_exponent()?,
            beavers: options.beavers,
        })
    }

    /// A game of a match at `score`; the Crawford rule and the cube limit are read from the
    /// options.
    ///
    /// # Errors
    ///
    /// [`StakesError::Session`] for options of money play and for a Crawford game without that rule,
    /// [`StakesError::Met`] if the table is too short for the score
    /// ([`MatchEquityTable::covering`] makes it longer).
    pub fn for_match(
        score: MatchScore,
        table: &MatchEquityTable,
        options: &Options,
    ) -> Result<Self, StakesError> {
        options.check_score(score)?;
        let probability = |points: i32| -> Result<f64, MetError> {
            let after = if options.crawford {
                score.after(points)
            } else {
                score.after_without_crawford(points)
            };
            match after {
                AfterGame::Won => Ok(Mwc::WON.0),
                AfterGame::Lost => Ok(Mwc::LOST.0),
                AfterGame::Next(next) => table.mwc(next).map(|mwc| mwc.0),
            }
        };
        let limit = options.max_cube_exponent()?;
        let needed = score.player_away().max(score.opponent_away());
        // The first cube that decides the match for either side; points fit `i32` up to there.
        let last = u8::try_from(u32::from(needed).next_power_of_two().ilog2())
            .expect("a logarithm of at most 16");
        let cube_use = score.cube_use();
        let last = if cube_use == CubeUse::InPlay { last } else { 0 };
        let levels = (0..=last)
            .map(|exponent| {
                let cube = 1_i32 << exponent;
                let side = |sign: i32| -> Result<[f64; 3], MetError> {
                    Ok([
                        probability(sign * cube)?,
                        probability(sign * 2 * cube)?,
                        probability(sign * 3 * cube)?,
                    ])
                };
                Ok(Payoffs { win: side(1)?, lose: side(-1)? })
            })
            .collect::<Result<_, MetError>>()?;
        Ok(Self { currency: Currency::Match { levels }, cube_use, limit, beavers: Beavers::Off })
    }

    /// Whether this is a game of a match.
    pub const fn is_match(&self) -> bool {
        matches!(self.currency, Currency::Match { .. })
    }

    /// These stakes as the other side sees them.
    #[must_use]
    pub fn flip(&self) -> Self {
        let currency = match &self.currency {
            &Currency::Money { jacoby } => Currency::Money { jacoby },
            Currency::Match { levels } => Currency::Match {
                levels: levels
                    .iter()
                    .map(|level| Payoffs {
                        win: level.lose.map(|probability| 1.0 - probability),
                        lose: level.win.map(|probability| 1.0 - probability),
                    })
                    .collect(),
            },
        };
        Self { currency, ..*self }
    }

    /// Whether a game with these stakes can have such a cube.
    ///
    /// # Errors
    ///
    /// [`StakesError`] says why not.
    pub fn check_cube(&self, cube: Cube) -> Result<(), StakesError> {
        let value = cube.value();
        if self.cube_use != CubeUse::InPlay && cube != Cube::START {
            Err(SessionError::CubeOutOfPlay { value, why: self.cube_use }.into())
        } else if self.is_match() && cube.exponent() > 0 && !cube.is_turned() {
            Err(StakesError::CenteredAboveOne { value })
        } else if cube.exponent() > self.limit {
            Err(SessionError::CubeAboveLimit { value, limit: 1 << self.limit }.into())
        } else {
            Ok(())
        }
    }

    /// Whether the player on roll may double.
    ///
    /// # Errors
    ///
    /// [`NoCube`] says why not.
    pub fn may_double(&self, cube: Cube) -> Result<(), NoCube> {
        if self.cube_use != CubeUse::InPlay {
            Err(NoCube::OutOfPlay(self.cube_use))
        } else if !cube.is_available() {
            Err(NoCube::OpponentOwns)
        } else if cube.exponent() >= self.limit {
            Err(NoCube::Limit { limit: 1 << self.limit })
        } else {
            Ok(())
        }
    }

    /// Whether every cube may be turned once more with effect, as for money without a limit.
    pub fn is_unlimited(&self) -> bool {
        self.last_turn().is_none()
    }

    /// How often the cube may be turned before a roll: by the double, a beaver and a raccoon; 0
    /// where the player on roll may not double.
    pub fn turns(&self, cube: Cube) -> u8 {
        let turns = match (self.may_double(cube), self.beavers) {
            (Err(_), _) => 0,
            (Ok(()), Beavers::Off) => 1,
            (Ok(()), Beavers::Beavers) => 2,
            (Ok(()), Beavers::Raccoons) => 3,
        };
        turns.min(self.limit.saturating_sub(cube.exponent()))
    }

    /// Whether the opponent may turn the cube once more when they take.
    pub const fn has_beavers(&self) -> bool {
        !matches!(self.beavers, Beavers::Off)
    }

    /// The exponent from which turning the cube is impossible or without effect; `None` where
    /// there is none, as for money.
    pub(crate) fn last_turn(&self) -> Option<u8> {
        match &self.currency {
            // Infinitely many turns, in all but name.
            Currency::Money { .. } if self.limit == Cube::MAX_EXPONENT => None,
            Currency::Money { .. } => Some(self.limit),
            Currency::Match { levels } => {
                let effective = u8::try_from(levels.len() - 1).unwrap_or(u8::MAX);
                Some(effective.min(self.limit))
            }
        }
    }

    /// What the outcomes are worth with the cube at 2^`exponent`.
    pub(crate) fn payoffs(&self, exponent: u8, owner: CubeOwner) -> Payoffs {
        match &self.currency {
            &Currency::Money { jacoby } => {
                let cube = f64::from(1_u32 << exponent);
                let win = if jacoby && owner == CubeOwner::Center {
                    [cube; 3]
                } else {
                    [cube, 2.0 * cube, 3.0 * cube]
                };
                Payoffs { win, lose: win.map(|points| -points) }
            }
            Currency::Match { levels } => levels[usize::from(exponent).min(levels.len() - 1)],
        }
    }

    /// What it is worth that the cube decides nothing any more: the outcomes as they fall.
    ///
    /// For money with the cube at 1 this is cubeless equity.
    pub fn cubeless(&self, probs: &Probs, cube: Cube) -> Expectation {
        let payoffs = self.payoffs(cube.exponent(), cube.owner());
        let side = |[single, gammon, backgammon]: [f64; 3], any: f64, g: f32, b: f32| {
            any * single + f64::from(g) * (gammon - single) + f64::from(b) * (backgammon - gammon)
        };
        let win = f64::from(probs.win);
        Expectation(
            side(payoffs.win, win, probs.win_gammon, probs.win_backgammon)
                + side(payoffs.lose, 1.0 - win, probs.lose_gammon, probs.lose_backgammon),
        )
    }

    /// What it is worth to win the cube's value now: what a pass pays the doubler.
    pub fn cash(&self, cube: Cube) -> Expectation {
        Expectation(self.payoffs(cube.exponent(), cube.owner()).win[0])
    }

    /// Whether a single win at this cube wins the match, so that the player on roll can gain nothing
    /// by turning it.
    pub fn wins_match(&self, cube: Cube) -> bool {
        matches!(self.currency, Currency::Match { .. }) && self.cash(cube).0 >= 1.0
    }

    /// A worth as people read it, on the scale of `cube`.
    pub fn value(&self, expectation: Expectation, cube: Cube) -> Value {
        match &self.currency {
            Currency::Money { .. } => Value::Money(Equity(expectation.0 / f64::from(cube.value()))),
            Currency::Match { .. } => {
                let mwc = Mwc(expectation.0.clamp(0.0, 1.0));
                let emg = self.emg_scale(cube).map_or(Emg(0.0), |scale| scale.emg(mwc));
                Value::Match { emg, mwc }
            }
        }
    }

    /// The inverse of [`value`](Self::value).
    pub fn expectation(&self, value: Value, cube: Cube) -> Expectation {
        match value {
            Value::Money(equity) => Expectation(equity.0 * f64::from(cube.value())),
            Value::Match { mwc, .. } => Expectation(mwc.0),
        }
    }

    /// What ties MWC and EMG together at `cube`; `None` for money, and where the game decides next to
    /// nothing of the match.
    pub fn emg_scale(&self, cube: Cube) -> Option<EmgScale> {
        let payoffs = self.payoffs(cube.exponent(), cube.owner());
        self.is_match().then(|| EmgScale::new(Mwc(payoffs.lose[0]), Mwc(payoffs.win[0]))).flatten()
    }

    /// What gammons are worth with the cube at `cube`.
    pub fn gammon_values(&self, cube: Cube) -> GammonValues {
        let Payoffs { win, lose } = self.payoffs(cube.exponent(), cube.owner());
        let stake = win[0] - lose[0];
        if self.is_match() && self.emg_scale(cube).is_none() {
            return GammonValues { player: 0.0, opponent: 0.0 };
        }
        GammonValues { player: (win[1] - win[0]) / stake, opponent: (lose[0] - lose[1]) / stake }
    }
}
