//! What cube actions are worth, by ours or any other engine, and what follows from it.

use serde::{Deserialize, Serialize};
use tavola_rules::CubeOwner;
use tavola_rules::notation::{MoneyOrMatch, Situation};

use super::decision::DecisionKind;

/// What an answer to a double depends on, beside what it is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResponseTerms {
    /// Whether the player on roll owns the cube.
    pub redouble: bool,
    /// Whether a double may be beavered.
    pub beavers: bool,
}

impl ResponseTerms {
    /// Those of a position.
    pub fn of(situation: &Situation) -> Self {
        let redouble = situation.cube.is_some_and(|cube| cube.owner() == CubeOwner::Player);
        let stakes = situation.stakes;
        let beavers = matches!(stakes, Some(MoneyOrMatch::Money { beavers: Some(true), .. }));
        Self { redouble, beavers }
    }
}

/// What the cube actions are worth to the player on roll, per cube before a double, in a match EMG.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CubeFigures {
    /// What both should do, in words: `double, take`.
    pub verdict: String,
    /// What the answers depend on.
    pub terms: ResponseTerms,
    /// Rolling without a double.
    pub no_double: f64,
    /// A double that is taken.
    pub double_take: f64,
    /// A double that is passed.
    pub double_pass: f64,
    /// Half of the 95 % interval of what the lesser of two actions loses; 0 if it is not known.
    pub interval: f64,
    /// Playing on without any cube, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cubeless: Option<f64>,
    /// The three figures as chances to win the match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mwc: Option<[f64; 3]>,
    /// Win, win gammon, win backgammon, lose gammon, lose backgammon, without regard to the cube, if
    /// they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probs: Option<[f32; 5]>,
}

impl CubeFigures {
    /// Those of no double, of a double that is taken, and of one that is passed.
    pub fn new([no_double, double_take, double_pass]: [f64; 3], terms: ResponseTerms) -> Self {
        let mut figures = Self { terms, no_double, double_take, double_pass, ..Self::default() };
        figures.verdict = figures.in_words();
        figures
    }

    /// How far the two actions of a double, or of its answer, are apart; `None` for another kind.
    pub fn apart(&self, kind: DecisionKind) -> Option<f64> {
        let doubled = self.double_take.min(self.double_pass);
        match kind {
            DecisionKind::Double => Some((self.no_double - doubled).abs()),
            DecisionKind::Response => Some((self.double_take - self.double_pass).abs()),
            _ => None,
        }
    }

    /// A double that is answered rightly; a beaver costs twice as much as a take.
    fn double(&self) -> f64 {
        let answers = [Some(self.double_take), Some(self.double_pass), self.double_beaver()];
        answers.into_iter().flatten().fold(f64::MAX, f64::min)
    }

    /// A double that is beavered, where that is allowed and right.
    fn double_beaver(&self) -> Option<f64> {
        (self.terms.beavers && self.double_take < 0.0).then_some(2.0 * self.double_take)
    }

    /// What is worth what in a decision, to the player who decides: not to double and to double, or to
    /// take, to pass and to beaver.
    pub fn choices(&self, kind: DecisionKind) -> Vec<(&'static str, f64)> {
        let words = match self.terms.redouble {
            true => ["no redouble", "redouble"],
            false => ["no double", "double"],
        };
        match kind {
            DecisionKind::Double => vec![(words[0], self.no_double), (words[1], self.double())],
            _ => {
                let answers = [("take", self.double_take), ("pass", self.double_pass)];
                let beaver = self.double_beaver().map(|it| ("beaver", it));
                answers.into_iter().chain(beaver).map(|(word, worth)| (word, -worth)).collect()
            }
        }
    }

    /// What both should do, in words.
    fn in_words(&self) -> String {
        let double = if self.terms.redouble { "redouble" } else { "double" };
        let answer = match self.double_beaver() {
            Some(_) => "beaver",
            None if self.double_take > self.double_pass => "pass",
            None => "take",
        };
        match self.double() > self.no_double {
            true => format!("{double}, {answer}"),
            false if self.no_double > self.double_pass => format!("too good to {double}, {answer}"),
            false => format!("no {double}, {answer}"),
        }
    }
}
