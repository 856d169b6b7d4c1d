//! From outcome probabilities to equity with a cube: fully live and dead cubes, and what lies
//! between.
//!
//! Let the winning probability move and the shares of gammons among wins and losses stay. Two
//! extremes can be solved:
//!
//! - A **dead** cube is never turned again: the value is the straight line from the mean loss at 0
//!   to the mean win at 1. It is exact when the game is decided before the cube can be used.
//! - A **fully live** cube is turned at the very point where the opponent does not care whether
//!   taking or passing: the winning probability moves without jumps. The value is piecewise linear.
//!   At the cash point of a player who may double it is what a pass pays them, at the take point it
//!   is what a pass costs; in between lies a straight line, and so on to the ends, where the game
//!   is over. The cash point of a cube is where its double, owned by the opponent, is worth a pass,
//!   so each cube rests on the next one. The recursion ends where a turned cube has no effect
//!   (neither side needs more points, or the cube stands at its limit), and for money in a fixed
//!   point, because there every cube is twice the one before: with a mean win of W and a mean loss
//!   of L the take point is (L - 1/2) / (W + L + 1/2), the cash point (L + 1) / (W + L + 1/2).
//!
//! A player may also decline to double. Where playing on for the gammon beats cashing at the cash
//! point, that point is left out, so that owning the cube is never worth less than the dead cube.
//!
//! Real cubes are in between; the **efficiency** x is the weight of the live cube. This is Rick
//! Janowski's model ("Take-Points in Money Games", 1993). For a cube that a player owns it is
//! Janowski's formula exactly: W and L as above, E = p (W + L + x/2) - L. For a centered one the
//! paper's 4 / (4 - x) (p (W + L + x/2) - L - x/4) is the same mixture with a weight of 3x / (4 -
//! x); see [`Efficiency::janowski`]. At a match score the mixture is taken in MWC.
//!
//! A match score knows cubes whose turn costs nothing. A player who loses the match with the next
//! loss anyway is better off with a higher cube at every winning probability, and turns it at the
//! first opportunity. Nearly nothing of such a cube's value is lost by waiting for the right
//! moment, so up to the cash point it has an efficiency of its own. Beyond, the player would have
//! cashed: the value of holding the cube stays at the level of the cash point. It rises again where
//! the ordinary mixture, that of playing on for a gammon, is higher. The mean win and the mean loss
//! before and after a turn tell whether the turn costs nothing.

use std::fmt;

use serde::{Deserialize, Serialize};
use tavola_files::Failure;
use tavola_rules::{Cube, CubeOwner};

use crate::cube_model::CubeModel;
use crate::polyline::{Polyline, between, first_between};
use crate::probs::Probs;
use crate::stakes::{Expectation, GammonRates, Payoffs, Stakes};

/// How much of the value of a fully live cube is realized, by who owns the cube: 0 is a dead cube,
/// 1 a fully live one. Owners are seen from the player on roll.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawEfficiency")]
pub struct Efficiency {
    centered: f64,
    player: f64,
    opponent: f64,
    automatic: f64,
}

/// An [`Efficiency`] as it is read, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEfficiency {
    centered: f64,
    player: f64,
    opponent: f64,
    automatic: f64,
}

impl TryFrom<RawEfficiency> for Efficiency {
    type Error = Failure;

    fn try_from(raw: RawEfficiency) -> Result<Self, Failure> {
        Self::new(raw.centered, raw.player, raw.opponent, raw.automatic)
    }
}

impl Efficiency {
    /// The cube is never turned again. Exact where the game is decided by the next roll.
    pub const DEAD: Self = Self { centered: 0.0, player: 0.0, opponent: 0.0, automatic: 0.0 };

    /// The cube is always turned at the perfect moment.
    pub const LIVE: Self = Self { centered: 1.0, player: 1.0, opponent: 1.0, automatic: 1.0 };

    /// A weight for each owner, and one for cubes of any owner whose turn costs nothing.
    ///
    /// # Errors
    ///
    /// [`Failure`] for a number outside 0 to 1.
    pub fn new(centered: f64, player: f64, opponent: f64, automatic: f64) -> Result<Self, Failure> {
        for found in [centered, player, opponent, automatic] {
            if !(0.0..=1.0).contains(&found) {
                return Err(Failure::input(format!(
                    "cube efficiency {found}, expected 0 (dead) to 1 (fully live)"
                )));
            }
        }
        Ok(Self { centered, player, opponent, automatic })
    }

    /// One weight for every cube.
    ///
    /// # Errors
    ///
    /// [`Failure`] for a number outside 0 to 1.
    pub fn uniform(x: f64) -> Result<Self, Failure> {
        Self::new(x, x, x, x)
    }

    /// The weights that give the formulas of Janowski's paper for the efficiency `x`: x for an
    /// owned cube, 3x / (4 - x) for a centered one.
    ///
    /// # Errors
    ///
    /// [`Failure`] for a number outside 0 to 1.
    pub fn janowski(x: f64) -> Result<Self, Failure> {
        Self::uniform(x)?;
        Self::new(3.0 * x / (4.0 - x), x, x, x)
    }

    /// The weight for a cube of this owner, if turning it has a price.
    #[inline]
    pub const fn of(&self, owner: CubeOwner) -> f64 {
        match owner {
            CubeOwner::Center => self.centered,
            CubeOwner::Player => self.player,
            CubeOwner::Opponent => self.opponent,
        }
    }

    /// The weight for a cube that is turned at once because that costs nothing.
    #[inline]
    pub const fn automatic(&self) -> f64 {
        self.automatic
    }

    /// Linear between `self` at 0 and `other` at 1.
    fn towards(&self, other: &Self, share: f64) -> Self {
        let mix = |a: f64, b: f64| a + share * (b - a);
        Self {
            centered: mix(self.centered, other.centered),
            player: mix(self.player, other.player),
            opponent: mix(self.opponent, other.opponent),
            automatic: mix(self.automatic, other.automatic),
        }
    }
}

/// What of a position decides how live a cube is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stage {
    /// The sides can still hit each other.
    Contact,
    /// They have passed.
    Race {
        /// The pip count of the player on roll.
        pips: u32,
    },
    /// The game ends before anybody can use the cube again.
    LastRoll,
}

/// Efficiencies by stage of the game.
///
/// The defaults are **fitted** to games for money of the built-in network against itself at 0-ply:
/// means of 30,000 games with seed 2 and of 12,000 with seed 7, weighted by their errors; see
/// `docs/log/search.md`. They are weights of the live cube, so the centered ones are not Janowski's x but
/// what [`Efficiency::janowski`] makes of it. Cubes whose turn costs nothing: 0.95, our own guess:
/// such a cube loses only what one exchange of rolls jumps past the cash point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EfficiencyModel {
    /// With contact.
    pub contact: Efficiency,
    /// In races of `short_pips` and fewer.
    pub short_race: Efficiency,
    /// In races of `long_pips` and more; linear between the two.
    pub long_race: Efficiency,
    /// The pip count of the player on roll up to which a race is short.
    pub short_pips: u32,
    /// The pip count from which on it is long.
    pub long_pips: u32,
}

impl Default for EfficiencyModel {
    fn default() -> Self {
        const fn fitted(centered: f64, owned: f64) -> Efficiency {
            Efficiency { centered, player: owned, opponent: owned, automatic: 0.95 }
        }
        Self {
            contact: fitted(0.83, 0.68),
            short_race: fitted(0.83, 0.57),
            long_race: fitted(0.80, 0.94),
            short_pips: 40,
            long_pips: 120,
        }
    }
}

/// What is enough to tell one model from another: `0.83/0.68, 0.83/0.57 at 40 to 0.8/0.94 at 120,
/// 0.95`: contact and races with a centered and an owned cube, and cubes whose turn costs nothing.
impl fmt::Display for EfficiencyModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { contact, short_race, long_race, short_pips, long_pips } = self;
        let both =
            |efficiency: &Efficiency| format!("{}/{}", efficiency.centered, efficiency.player);
        write!(
            f,
            "{}, {} at {short_pips} to {} at {long_pips}, {}",
            both(contact),
            both(short_race),
            both(long_race),
            contact.automatic
        )
    }
}

impl EfficiencyModel {
    /// The efficiency at a stage of the game.
    pub fn at(&self, stage: Stage) -> Efficiency {
        match stage {
            Stage::Contact => self.contact,
            Stage::LastRoll => Efficiency::DEAD,
            Stage::Race { pips } if pips <= self.short_pips => self.short_race,
            Stage::Race { pips } if pips >= self.long_pips => self.long_race,
            Stage::Race { pips } => {
                let share =
                    f64::from(pips - self.short_pips) / f64::from(self.long_pips - self.short_pips);
                self.short_race.towards(&self.long_race, share)
            }
        }
    }
}

/// Where the fully live cube is turned: winning probabilities of the player on roll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Knots {
    /// The opponent doubles the player out here.
    take: f64,
    /// The player doubles the opponent out here.
    cash: f64,
}

impl Stakes {
    /// The value of a position to the player on roll, before a double or the roll, if the player
    /// does not double now.
    pub fn cubeful(&self, probs: &Probs, cube: Cube, efficiency: Efficiency) -> Expectation {
        CubeModel::new(self, probs, cube.exponent()).value(cube, efficiency)
    }

    /// The cubeful value by winning probability, for a cube of 2^`exponent`.
    pub(crate) fn line(
        &self,
        rates: &GammonRates,
        exponent: u8,
        owner: CubeOwner,
        efficiency: Efficiency,
    ) -> Polyline {
        let automatic = self.turn_costs_nothing(rates, exponent, owner);
        let x = efficiency.of(owner);
        let knots = if x > 0.0 || automatic { self.knots(rates, exponent) } else { None };
        self.line_over(rates, exponent, owner, efficiency, automatic, knots)
    }

    /// The line, where it is known whether the turn costs nothing and where the cube is turned.
    pub(crate) fn line_over(
        &self,
        rates: &GammonRates,
        exponent: u8,
        owner: CubeOwner,
        efficiency: Efficiency,
        automatic: bool,
        knots: Option<Knots>,
    ) -> Polyline {
        let x = efficiency.of(owner);
        let live = self.live_line(rates, exponent, owner, knots);
        let line = live.mixed_with_chord(x);
        let Some(knots) = knots.filter(|_| automatic) else { return line };
        // Up to the cash point nothing is lost by waiting for it. A player beyond it has waited too
        // long or plays for the gammon, and that as with any other cube. Where no player cashes the
        // line has no such point.
        let waiting = live.mixed_with_chord(efficiency.automatic);
        let level_beyond = |waiting: Polyline, cash: f64, line: &Polyline| {
            let cashes = waiting.points().iter().any(|point| point.0 == cash);
            if cashes { waiting.flat_beyond(cash, line) } else { waiting }
        };
        let player = level_beyond(waiting, knots.cash, &line);
        level_beyond(player.flip(), 1.0 - knots.take, &line.flip()).flip()
    }

    /// Whether a player who may turn the cube is better off with it turned at every winning
    /// probability.
    pub(crate) fn turn_costs_nothing(
        &self,
        rates: &GammonRates,
        exponent: u8,
        owner: CubeOwner,
    ) -> bool {
        if self.last_turn().is_none_or(|last| exponent >= last) {
            // For money the loss doubles with the win; at the end there is no turn.
            return false;
        }
        let (win, lose) = self.payoffs(exponent, owner).means(rates);
        let (next_win, next_lose) = self.payoffs(exponent + 1, CubeOwner::Player).means(rates);
        let player = next_win > win && next_lose >= lose;
        let opponent = next_lose < lose && next_win <= win;
        (player && owner != CubeOwner::Opponent) || (opponent && owner != CubeOwner::Player)
    }

    /// The value of a fully live cube that is turned at `knots`.
    fn live_line(
        &self,
        rates: &GammonRates,
        exponent: u8,
        owner: CubeOwner,
        knots: Option<Knots>,
    ) -> Polyline {
        let payoffs = self.payoffs(exponent, owner);
        let (win, lose) = payoffs.means(rates);
        match knots {
            None => Polyline::straight(lose, win),
            Some(knots) => Polyline::over(lose, turns(&payoffs, owner, &knots, (lose, win)), win),
        }
    }

    /// The value at `win` of a cube whose turn has a price: that of [`line_over`](Self::line_over)
    /// at one place.
    pub(crate) fn value_over(
        &self,
        rates: &GammonRates,
        exponent: u8,
        owner: CubeOwner,
        x: f64,
        knots: Option<Knots>,
        at: f64,
    ) -> f64 {
        let payoffs = self.payoffs(exponent, owner);
        let (win, lose) = payoffs.means(rates);
        let Some(knots) = knots else { return chord(lose, win, at) };
        let mixed =
            |(place, value): (f64, f64)| (place, x * value + (1.0 - x) * chord(lose, win, place));
        let [take, cash] = turns(&payoffs, owner, &knots, (lose, win)).map(|knot| knot.map(mixed));
        let (start, end) = ((0.0, lose), (1.0, win));
        match (take, cash) {
            (None, None) => chord(lose, win, at),
            (Some(knot), None) | (None, Some(knot)) if at > knot.0 => between(knot, end, at),
            (Some(knot), None) | (None, Some(knot)) => between(start, knot, at),
            (Some(take), Some(_)) if at <= take.0 => between(start, take, at),
            (Some(take), Some(cash)) if at <= cash.0 => between(take, cash, at),
            (Some(_), Some(cash)) => between(cash, end, at),
        }
    }

    /// Where a fully live cube of 2^`exponent` is turned; `None` where turning it is impossible
    /// or without effect.
    pub(crate) fn knots(&self, rates: &GammonRates, exponent: u8) -> Option<Knots> {
        let Some(last) = self.last_turn() else { return Some(self.endless_knots(rates)) };
        (exponent..last).rev().fold(None, |next, exponent| self.knots_before(rates, exponent, next))
    }

    /// Where every cube is turned for money without a limit: the fixed point of the step from one
    /// cube to the one before.
    pub(crate) fn endless_knots(&self, rates: &GammonRates) -> Knots {
        let (win, lose) = self.payoffs(0, CubeOwner::Player).means(rates);
        let (win, lose) = (win, -lose);
        let width = win + lose + 0.5;
        Knots { take: (lose - 0.5) / width, cash: (lose + 1.0) / width }
    }

    /// The step: where a cube is turned, by where the next one is.
    pub(crate) fn knots_before(
        &self,
        rates: &GammonRates,
        exponent: u8,
        next: Option<Knots>,
    ) -> Option<Knots> {
        let payoffs = self.payoffs(exponent, CubeOwner::Center);
        // Of the next cube, each owner has one point where they turn it, if they do at all.
        let taken = |owner, value| {
            let payoffs = self.payoffs(exponent + 1, owner);
            let (win, lose) = payoffs.means(rates);
            let turns = next.map(|knots| turns(&payoffs, owner, &knots, (lose, win)));
            let [take, cash] = turns.unwrap_or_default();
            first_at((0.0, lose), take.or(cash), (1.0, win), value)
        };
        let take = taken(CubeOwner::Player, payoffs.lose[0]);
        let cash = taken(CubeOwner::Opponent, payoffs.win[0]);
        Some(Knots { take, cash })
    }
}

/// Where a fully live cube is turned, with what it is worth there: by the opponent, and by the
/// player. No player turns the cube where playing on is better than a pass by the other.
#[inline]
fn turns(
    payoffs: &Payoffs,
    owner: CubeOwner,
    knots: &Knots,
    (lose, win): (f64, f64),
) -> [Option<(f64, f64)>; 2] {
    let take = (owner != CubeOwner::Player).then_some((knots.take, payoffs.lose[0]));
    let cash = (owner != CubeOwner::Opponent).then_some((knots.cash, payoffs.win[0]));
    let playing_on = |left: Option<(f64, f64)>, place| match left {
        Some(left) => between(left, (1.0, win), place),
        None => chord(lose, win, place),
    };
    let worth_cashing = |left| cash.filter(|&(place, value)| value >= playing_on(left, place));
    let mut cash_used = worth_cashing(take);
    let take_used = take.filter(|&(place, value)| {
        let right = cash_used.unwrap_or((1.0, win));
        value <= between((0.0, lose), right, place)
    });
    if take.is_some() && take_used.is_none() {
        cash_used = worth_cashing(None);
    }
    [take_used, cash_used]
}

/// The straight line from the mean loss at 0 to the mean win at 1.
#[inline]
fn chord(lose: f64, win: f64, at: f64) -> f64 {
    (1.0 - at) * lose + at * win
}

/// The first place where a line over at most one knot is at least `value`, as
/// [`Polyline::first_at`].
#[inline]
fn first_at(start: (f64, f64), knot: Option<(f64, f64)>, end: (f64, f64), value: f64) -> f64 {
    let first = first_between(start, knot.unwrap_or(end), value);
    first.or_else(|| knot.and_then(|knot| first_between(knot, end, value))).unwrap_or(1.0)
}
