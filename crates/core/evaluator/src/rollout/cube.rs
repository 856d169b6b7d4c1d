//! Rollouts with a cube: the units of their figures, and cube actions by rollout.

use tavola_equity::{
    BeaverAnswer, CubeDecision, CubeExpectations, Emg, Expectation, Mwc, Response, Stakes, Value,
};
use tavola_rules::{Cube, Game};

use super::saved::{searched, text};
use super::settings::RolloutSettings;
use super::tally::SampleMean;
use super::{Perspective, Rollout};

/// What a rollout with a cube is about.
#[derive(Clone, Debug, PartialEq)]
pub struct RolloutCube {
    /// What is played for, seen by the player who asks.
    pub stakes: Stakes,
    /// The cube before the double or the play, seen by them: the unit of equities.
    pub cube: Cube,
    action: bool,
}

/// A cube action as a rollout sees it. Equities are those of the player on roll, on the scale of
/// the cube before a double.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RolledOutCube {
    /// What both sides should do by the means.
    pub decision: CubeDecision,
    /// Without a double.
    pub no_double: SampleMean,
    /// After a double that is taken.
    pub double_take: SampleMean,
    /// After a double that is beavered and answered as it should be, where beavers are played.
    pub beaver: Option<SampleMean>,
    /// By how much doubling is better than not doubling, if the opponent answers as the means
    /// say, trial by trial on the same dice.
    pub gain_of_doubling: SampleMean,
    /// By how much the better of taking and beavering is better for the opponent than passing.
    pub gain_of_taking: SampleMean,
}

impl RolledOutCube {
    /// What the position is worth if both sides act as the means say.
    pub fn best(&self) -> SampleMean {
        match &self.decision.double {
            Ok(doubled) if self.decision.is_double() => match (doubled.answer, self.beaver) {
                (Response::Pass, _) => {
                    SampleMean { mean: doubled.pass.equity(), standard_error: 0.0 }
                }
                (Response::Beaver, Some(beaver)) => beaver,
                _ => self.double_take,
            },
            _ => self.no_double,
        }
    }

    /// Whether doubling or not, and taking or not, both differ by this number of standard errors.
    pub(super) fn is_clear(&self, errors: f64) -> bool {
        [self.gain_of_doubling, self.gain_of_taking]
            .into_iter()
            .all(|gain| gain.mean.abs() >= errors * gain.standard_error)
    }
}

impl RolloutCube {
    /// About doubling and taking.
    pub(crate) fn action(stakes: &Stakes, cube: Cube) -> Self {
        Self { stakes: stakes.clone(), cube, action: true }
    }

    /// About plays.
    pub(crate) fn plays(stakes: &Stakes, cube: Cube) -> Self {
        Self { action: false, ..Self::action(stakes, cube) }
    }

    pub(super) const fn perspective(&self) -> Perspective {
        if self.action { Perspective::OnRoll } else { Perspective::Mover }
    }

    /// What figures depend on beside what they depend on without a cube.
    pub(super) fn identity(&self, settings: &RolloutSettings) -> [(&'static str, String); 3] {
        let doubling = match settings.look_again {
            Some(within) if settings.doubling.ply == 0 => format!("1-ply within {}", text(&within)),
            _ => searched(&settings.doubling),
        };
        [
            ("the stakes", text(&self.stakes)),
            ("the cube", text(&self.cube)),
            ("cube decisions", doubling),
        ]
    }

    /// An equity of the rollout as match-winning probability; `None` for money.
    pub fn mwc(&self, equity: SampleMean) -> Option<SampleMean> {
        let scale = self.stakes.emg_scale(self.cube)?;
        Some(SampleMean {
            mean: scale.mwc(Emg(equity.mean)).0,
            standard_error: scale.unit() * equity.standard_error,
        })
    }

    /// An equity of the rollout in the currency of the stakes.
    fn expectation(&self, equity: f64) -> Expectation {
        let value = match self.stakes.emg_scale(self.cube) {
            Some(scale) => Value::Match { emg: Emg(equity), mwc: scale.mwc(Emg(equity)) },
            None if self.stakes.is_match() => Value::Match { emg: Emg(0.0), mwc: Mwc(0.0) },
            None => Value::Money(tavola_equity::Equity(equity)),
        };
        self.stakes.expectation(value, self.cube)
    }
}

impl<G: Game> Rollout<G> {
    /// What is played for and where the cube is; `None` without a cube.
    pub const fn cube(&self) -> Option<&RolloutCube> {
        self.cube.as_ref()
    }

    /// The cube action, if that is what is rolled out and the player on roll may double.
    pub fn cube_action(&self) -> Option<RolledOutCube> {
        let terms = self.cube.as_ref().filter(|terms| terms.action && self.starts.len() > 1)?;
        let means: Vec<f64> =
            (0..self.starts.len()).map(|line| self.figures(line).compared().mean).collect();
        // Points for money are multiplied by the cube, so a beaver need not be rolled out.
        let after_turns = |turns: u8| match means.get(usize::from(turns)) {
            Some(&mean) => terms.expectation(mean),
            None => Expectation(f64::from(1_u32 << (turns - 1)) * terms.expectation(means[1]).0),
        };
        let expectations = CubeExpectations::new(after_turns(0), |turns| Some(after_turns(turns)));
        let decision = CubeDecision::from_expectations(&terms.stakes, terms.cube, &expectations);
        let doubled = decision.double.ok()?;

        let (no_double, double_take) = (self.figures(0).compared(), self.figures(1).compared());
        let times = |by: f64| SampleMean {
            mean: by * double_take.mean,
            standard_error: by * double_take.standard_error,
        };
        // What the doubler makes of a beaver: a line of its own, or a multiple of the take.
        let line = if matches!(doubled.beaver, Some((_, BeaverAnswer::Raccoon))) { 3 } else { 2 };
        let multiplied = self.starts.len() == 2;
        let beaver = doubled.beaver.map(|(value, answer)| match answer {
            BeaverAnswer::Pass => SampleMean { mean: value.equity(), standard_error: 0.0 },
            BeaverAnswer::Take if multiplied => times(2.0),
            BeaverAnswer::Raccoon if multiplied => times(4.0),
            BeaverAnswer::Take | BeaverAnswer::Raccoon => self.figures(line).compared(),
        });
        let passed = matches!(doubled.beaver, Some((_, BeaverAnswer::Pass)));
        let pass = doubled.pass.equity();
        let best_take = match (doubled.answer, beaver) {
            (Response::Beaver, Some(beaver)) => beaver,
            _ => double_take,
        };
        let variance = |estimate: SampleMean| estimate.standard_error.powi(2);
        // Of the difference between this multiple of the second line and the first.
        let joint = |by: f64| {
            let (first, second) = (variance(no_double), variance(double_take));
            let covariance = (first + second - variance(self.difference(1, 0))) / 2.0;
            (by * by * second + first - 2.0 * by * covariance).max(0.0).sqrt()
        };
        let standard_error = match doubled.answer {
            Response::Pass => no_double.standard_error,
            Response::Beaver if passed => no_double.standard_error,
            Response::Take => joint(1.0),
            Response::Beaver if multiplied => joint(2.0),
            Response::Beaver => self.difference(line, 0).standard_error,
        };
        Some(RolledOutCube {
            decision,
            no_double,
            double_take,
            beaver,
            gain_of_doubling: SampleMean { mean: decision.gain_of_doubling(), standard_error },
            gain_of_taking: SampleMean { mean: pass - best_take.mean, ..best_take },
        })
    }
}
