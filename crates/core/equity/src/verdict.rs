//! A cube decision in the words of players.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use tavola_rules::{Cube, CubeOwner};

use crate::cube_decision::{CubeAction, CubeDecision, Response};
use crate::stakes::Value;

/// What both sides should do. `Display` is as players say it: `no double, take`,
/// `optional redouble, take`, `too good to double, pass`, `no double, beaver`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct CubeVerdict {
    /// What to do.
    pub action: CubeAction,
    /// The opponent's best response to a double, right or wrong; none if there is no cube to turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
    /// Doubling and rolling differ by no more than 0.0005, [`CubeDecision::OPTIONAL`].
    pub optional: bool,
    /// A beaver and a take differ by no more than [`CubeDecision::OPTIONAL`].
    #[serde(skip)]
    pub optional_beaver: bool,
    /// The cube is dead: no result is worth more or less when it is turned.
    #[serde(skip)]
    pub dead: bool,
    /// The player on roll owns the cube.
    #[serde(skip)]
    pub redouble: bool,
}

impl CubeDecision {
    /// The decision in words, with the cube that it is about.
    pub fn verdict(&self, cube: Cube) -> CubeVerdict {
        let doubled = self.double.ok();
        let optional_beaver = doubled.is_some_and(|doubled| {
            let tie = |(beaver, _): (Value, _)| {
                (doubled.take.equity() - beaver.equity()).abs() <= Self::OPTIONAL
            };
            doubled.answer != Response::Pass && doubled.beaver.is_some_and(tie)
        });
        CubeVerdict {
            action: self.action,
            response: doubled.map(|doubled| doubled.answer),
            optional: self.is_optional(),
            optional_beaver,
            dead: self.dead,
            redouble: cube.owner() == CubeOwner::Player,
        }
    }
}

impl CubeVerdict {
    /// The name of the turn of the cube.
    pub const fn double(&self) -> &'static str {
        if self.redouble { "redouble" } else { "double" }
    }

    /// The action as it stands in a table of scores.
    pub const fn short(&self) -> &'static str {
        use CubeAction::{DoublePass, DoubleTake, NoCube, NoDoubleTake, TooGoodPass, TooGoodTake};
        let beaver = matches!(self.response, Some(Response::Beaver));
        match self.action {
            NoCube => "-",
            _ if self.optional => "OD",
            NoDoubleTake if beaver => "ND/B",
            NoDoubleTake => "ND",
            DoubleTake if beaver => "D/B",
            DoubleTake => "D/T",
            DoublePass => "D/P",
            TooGoodTake => "TG/T",
            TooGoodPass => "TG/P",
        }
    }
}

impl fmt::Display for CubeVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let double = self.double();
        match self.action {
            CubeAction::NoCube => return f.write_str("no cube"),
            _ if self.dead => write!(f, "no {double} (dead cube), ")?,
            _ if self.optional => write!(f, "optional {double}, ")?,
            CubeAction::NoDoubleTake => write!(f, "no {double}, ")?,
            CubeAction::DoubleTake | CubeAction::DoublePass => write!(f, "{double}, ")?,
            CubeAction::TooGoodTake | CubeAction::TooGoodPass => {
                write!(f, "too good to {double}, ")?;
            }
        }
        f.write_str(match self.response {
            Some(Response::Pass) => "pass",
            _ if self.optional_beaver => "optional beaver",
            Some(Response::Beaver) => "beaver",
            Some(Response::Take) | None => "take",
        })
    }
}

#[cfg(test)]
mod tests {
    use tavola_rules::{Beavers, Options};

    use super::*;
    use crate::cube_decision::CubeExpectations;
    use crate::stakes::{Expectation, Stakes};

    /// Values on the scale of the cube, a beaver being twice a take.
    fn verdict(no_double: f64, take: f64, cube: Cube, beavers: Beavers) -> CubeVerdict {
        let stakes = Stakes::money(&Options { beavers, ..Options::default() }).unwrap();
        let value = |value: f64| Expectation(value * f64::from(cube.value()));
        let expectations = CubeExpectations {
            no_double: value(no_double),
            double_take: value(take),
            beaver: Some(value(2.0 * take)),
            raccoon: None,
        };
        CubeDecision::from_expectations(&stakes, cube, &expectations).verdict(cube)
    }

    #[test]
    fn every_verdict_has_the_words_of_players() {
        let owned = Cube::new(1, CubeOwner::Player).unwrap();
        for (no_double, take, double, redouble, short) in [
            (0.5, 0.4, "no double, take", "no redouble, take", "ND"),
            (0.5, 0.6, "double, take", "redouble, take", "D/T"),
            (0.5, 1.1, "double, pass", "redouble, pass", "D/P"),
            (1.2, 1.1, "too good to double, pass", "too good to redouble, pass", "TG/P"),
            (1.2, 0.9, "too good to double, take", "too good to redouble, take", "TG/T"),
            (0.5, 0.5, "optional double, take", "optional redouble, take", "OD"),
            (0.5, 0.5004, "optional double, take", "optional redouble, take", "OD"),
            (0.5, 0.5006, "double, take", "redouble, take", "D/T"),
            (0.5, 0.4994, "no double, take", "no redouble, take", "ND"),
            (1.0004, 1.1, "optional double, pass", "optional redouble, pass", "OD"),
        ] {
            for (cube, words) in [(Cube::START, double), (owned, redouble)] {
                let found = verdict(no_double, take, cube, Beavers::Off);
                assert_eq!(found.to_string(), words, "{no_double} {take}");
                assert_eq!(found.short(), short, "{no_double} {take}");
                assert_eq!(found.optional, short == "OD");
            }
        }
    }

    #[test]
    fn a_beaver_is_named_where_it_is_the_best_response() {
        for (no_double, take, words, short) in [
            (-0.1, -0.2, "no double, beaver", "ND/B"),
            (-0.5, -0.2, "double, beaver", "D/B"),
            (-0.4, -0.2, "optional double, beaver", "OD"),
            (0.3, 0.0, "no double, optional beaver", "ND"),
            (0.3, 0.1, "no double, take", "ND"),
            (0.5, 1.1, "double, pass", "D/P"),
        ] {
            let found = verdict(no_double, take, Cube::START, Beavers::Beavers);
            assert_eq!((found.to_string().as_str(), found.short()), (words, short), "{take}");
        }
        // The same without beavers is a take.
        let plain = verdict(-0.1, -0.2, Cube::START, Beavers::Off);
        assert_eq!(
            (plain.to_string().as_str(), plain.response),
            ("no double, take", Some(Response::Take))
        );
    }

    #[test]
    fn a_cube_of_the_opponent_has_no_verdict_but_no_cube() {
        let theirs = Cube::new(1, CubeOwner::Opponent).unwrap();
        let found = verdict(0.5, 0.6, theirs, Beavers::Off);
        assert_eq!((found.to_string().as_str(), found.short()), ("no cube", "-"));
        assert_eq!((found.response, found.optional), (None, false));
    }
}
