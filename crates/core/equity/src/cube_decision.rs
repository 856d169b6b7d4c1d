//! From the values of doubling and not doubling to a decision with a name.

use schemars::JsonSchema;
use serde::Serialize;
use tavola_rules::{Cube, CubeOwner};

use crate::janowski::Efficiency;
use crate::probs::Probs;
use crate::stakes::{Expectation, GammonRates, NoCube, Stakes, Value};

/// Differences below this, on the scale of the cube, are rounding.
const TIE: f64 = 1e-9;

/// What both sides should do with the cube.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CubeAction {
    /// Roll; a double would be taken.
    NoDoubleTake,
    /// Double; take.
    DoubleTake,
    /// Double; pass.
    DoublePass,
    /// Play on for a gammon, which is worth more than the cube; a double would be taken.
    TooGoodTake,
    /// Play on for a gammon, which is worth more than the cube; a double would be passed.
    TooGoodPass,
    /// The player on roll can't double.
    #[default]
    NoCube,
}

/// How a double is best answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Response {
    /// Play on for twice the value.
    Take,
    /// Give up the game.
    Pass,
    /// Take and turn the cube again at once, keeping it.
    Beaver,
}

/// How a beaver is best answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BeaverAnswer {
    /// Play on for four times the value.
    Take,
    /// Give up the doubled game.
    Pass,
    /// Turn the cube once more.
    Raccoon,
}

/// The values of the cube actions to the player on roll before a double or the roll: found by the
/// cube model directly, or by a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubeExpectations {
    /// The player rolls without doubling.
    pub no_double: Expectation,
    /// The cube at twice its value, with the opponent.
    pub double_take: Expectation,
    /// The cube at four times its value, with the opponent. Ignored unless beavers are played.
    pub beaver: Option<Expectation>,
    /// The cube at eight times its value, with the opponent. Ignored unless raccoons are played.
    pub raccoon: Option<Expectation>,
}

impl CubeExpectations {
    /// Those without a double and, where they are known, after a number of turns of the cube: 1 for
    /// a double, 2 with a beaver, 3 with a raccoon.
    pub fn new(no_double: Expectation, after_turns: impl Fn(u8) -> Option<Expectation>) -> Self {
        let double_take = after_turns(1).unwrap_or(no_double);
        Self { no_double, double_take, beaver: after_turns(2), raccoon: after_turns(3) }
    }
}

/// What a double leads to, from the player on roll, on the scale of the cube before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doubled {
    /// If it is taken.
    pub take: Value,
    /// If it is passed.
    pub pass: Value,
    /// The value after a beaver, if the doubler answers it well; `None` where beavers are not
    /// played.
    pub beaver: Option<(Value, BeaverAnswer)>,
    /// The opponent's best answer.
    pub answer: Response,
}

impl Doubled {
    /// The value if the opponent answers so; `None` where there is no such answer.
    fn after(&self, answer: Response) -> Option<Value> {
        match answer {
            Response::Take => Some(self.take),
            Response::Pass => Some(self.pass),
            Response::Beaver => self.beaver.map(|(value, _)| value),
        }
    }

    /// The value of doubling if the opponent answers well.
    pub fn value(&self) -> Value {
        self.after(self.answer).unwrap_or(self.take)
    }
}

/// A cube decision with its reasons, from the player on roll. Equities are on the scale of the
/// cube before a double.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubeDecision {
    /// What to do.
    pub action: CubeAction,
    /// What rolling without a double is worth.
    pub no_double: Value,
    /// What a double leads to, or why there can be none.
    pub double: Result<Doubled, NoCube>,
    /// Whether the cube is dead: it may be turned, and no result is worth more or less for it.
    pub dead: bool,
}

/// The decision by the cube model alone, without search.
///
/// The cube is one that [`Stakes::check_cube`] accepts.
///
/// ```
/// use tavola_equity::{CubeAction, Efficiency, Probs, Stakes, cube_decision};
/// use tavola_rules::{Cube, Options};
///
/// // One roll decides, 27 of 36 win: a double, and just a take.
/// let probs = Probs { win: 0.75, ..Probs::default() };
/// let stakes = Stakes::money(&Options::default())?;
/// let decision = cube_decision(&probs, &stakes, Cube::START, Efficiency::DEAD);
/// assert_eq!(decision.action, CubeAction::DoubleTake);
/// assert_eq!(decision.no_double.equity(), 0.5);
/// assert_eq!(decision.double?.take.equity(), 1.0);
/// assert_eq!(decision.loss_of_no_double(), 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cube_decision(
    probs: &Probs,
    stakes: &Stakes,
    cube: Cube,
    efficiency: Efficiency,
) -> CubeDecision {
    let expectations = stakes.cube_expectations(probs, cube, efficiency);
    CubeDecision::from_expectations(stakes, cube, &expectations)
}

impl Stakes {
    /// What the ways to go on are worth by the cube model. Without a cube to turn, only
    /// `no_double` means something.
    pub fn cube_expectations(
        &self,
        probs: &Probs,
        cube: Cube,
        efficiency: Efficiency,
    ) -> CubeExpectations {
        self.expectations_at(f64::from(probs.win), &GammonRates::of(probs), cube, efficiency)
    }

    /// As [`cube_expectations`](Self::cube_expectations), at any precision.
    pub(crate) fn expectations_at(
        &self,
        win: f64,
        rates: &GammonRates,
        cube: Cube,
        efficiency: Efficiency,
    ) -> CubeExpectations {
        let most = self.turns(cube);
        let after_turns = |turns: u8| {
            (turns <= most).then(|| {
                let (exponent, owner) = (cube.exponent() + turns, CubeOwner::Opponent);
                Expectation(self.line(rates, exponent, owner, efficiency).at(win))
            })
        };
        let no_double =
            Expectation(self.line(rates, cube.exponent(), cube.owner(), efficiency).at(win));
        CubeExpectations::new(no_double, after_turns)
    }
}

impl CubeDecision {
    /// Doubling is optional where it changes the equity by no more than this: half of the last
    /// digit that is printed.
    pub const OPTIONAL: f64 = 0.0005;

    /// The decision that follows from values found by a search or otherwise.
    pub fn from_expectations(stakes: &Stakes, cube: Cube, expectations: &CubeExpectations) -> Self {
        let value = |expectation| stakes.value(expectation, cube);
        let no_double = value(expectations.no_double);
        if let Err(why) = stakes.may_double(cube) {
            return Self { action: CubeAction::NoCube, no_double, double: Err(why), dead: false };
        }
        let take = value(expectations.double_take);
        let pass = value(stakes.cash(cube));
        let turns = stakes.turns(cube);
        let beaver = expectations
            .beaver
            .filter(|_| turns >= 2)
            .map(|beaver| {
                answer_beaver(stakes, cube, beaver, expectations.raccoon.filter(|_| turns >= 3))
            })
            .map(|(expectation, answer)| (value(expectation), answer));
        // The opponent chooses what is least for the player, and passes or beavers only for a
        // real gain.
        let (mut answer, mut doubled) = (Response::Take, take);
        if let Some((beavered, _)) =
            beaver.filter(|(value, _)| value.equity() < take.equity() - TIE)
        {
            (answer, doubled) = (Response::Beaver, beavered);
        }
        if pass.equity() < doubled.equity() - TIE {
            (answer, doubled) = (Response::Pass, pass);
        }
        // A double that can gain nothing looks better at most by the errors of evaluations.
        let no_double = match stakes.wins_match(cube) && doubled.equity() > no_double.equity() {
            true => doubled,
            false => no_double,
        };
        let ahead = no_double.equity() - doubled.equity();
        let action = match answer {
            Response::Pass if ahead > TIE => CubeAction::TooGoodPass,
            Response::Pass => CubeAction::DoublePass,
            _ if ahead < -TIE => CubeAction::DoubleTake,
            _ if no_double.equity() > pass.equity() + TIE => CubeAction::TooGoodTake,
            _ => CubeAction::NoDoubleTake,
        };
        let [now, then] = [(0, cube.owner()), (1, CubeOwner::Opponent)]
            .map(|(turns, owner)| stakes.payoffs(cube.exponent() + turns, owner));
        let dead = now.win == then.win && now.lose == then.lose;
        Self { action, no_double, double: Ok(Doubled { take, pass, beaver, answer }), dead }
    }

    /// Whether the player on roll should double.
    pub const fn is_double(&self) -> bool {
        matches!(self.action, CubeAction::DoubleTake | CubeAction::DoublePass)
    }

    /// What the position is worth if both sides act as they should.
    pub fn best(&self) -> Value {
        match &self.double {
            Ok(doubled) if self.is_double() => doubled.value(),
            _ => self.no_double,
        }
    }

    /// By how much doubling is better than not doubling, in equity; negative where it is worse,
    /// 0 without a cube.
    pub fn gain_of_doubling(&self) -> f64 {
        self.double.map_or(0.0, |doubled| doubled.value().equity() - self.no_double.equity())
    }

    /// By how much the values may be wrong, in equity, before another action is best. Infinite
    /// where there is no other or none that matters.
    pub fn lead(&self) -> f64 {
        let Some(doubled) = self.double.ok().filter(|_| !self.dead) else {
            return f64::INFINITY;
        };
        let of_doubling = self.gain_of_doubling().abs();
        if !self.is_double() {
            return of_doubling;
        }
        let answers = [Response::Take, Response::Pass, Response::Beaver];
        let others = answers.into_iter().filter(|answer| *answer != doubled.answer);
        let of_answers = others
            .filter_map(|answer| doubled.after(answer))
            .map(|value| value.equity() - doubled.value().equity());
        of_answers.fold(of_doubling, f64::min)
    }

    /// The equity that the player on roll loses by not doubling, 0 or more.
    pub fn loss_of_no_double(&self) -> f64 {
        self.gain_of_doubling().max(0.0)
    }

    /// The equity that the player on roll loses by doubling, 0 or more.
    pub fn loss_of_double(&self) -> f64 {
        (-self.gain_of_doubling()).max(0.0)
    }

    /// What the opponent gives away with this answer to a double, in equity, 0 or more; `None`
    /// where there is no such answer.
    pub fn loss_of_answer(&self, answer: Response) -> Option<f64> {
        let doubled = self.double.ok()?;
        Some((doubled.after(answer)?.equity() - doubled.value().equity()).max(0.0))
    }

    /// Whether doubling or not makes no difference of more than [`OPTIONAL`](Self::OPTIONAL), with a
    /// cube that is not dead.
    pub fn is_optional(&self) -> bool {
        self.double.is_ok() && !self.dead && self.gain_of_doubling().abs() <= Self::OPTIONAL
    }
}

/// The value of a beaver to the doubler with the best answer. The doubler may play on, lose the
/// doubled stake, or turn the cube once more, which the opponent may pass for four times the stake.
fn answer_beaver(
    stakes: &Stakes,
    cube: Cube,
    beaver: Expectation,
    raccoon: Option<Expectation>,
) -> (Expectation, BeaverAnswer) {
    let exponent = cube.exponent();
    let mut best = (beaver, BeaverAnswer::Take);
    let pass = Expectation(stakes.payoffs(exponent + 1, CubeOwner::Opponent).lose[0]);
    if pass > best.0 {
        best = (pass, BeaverAnswer::Pass);
    }
    if let Some(raccoon) = raccoon {
        let passed = stakes.payoffs(exponent + 2, CubeOwner::Opponent).win[0];
        let raccoon = Expectation(raccoon.0.min(passed));
        if raccoon > best.0 {
            best = (raccoon, BeaverAnswer::Raccoon);
        }
    }
    best
}
