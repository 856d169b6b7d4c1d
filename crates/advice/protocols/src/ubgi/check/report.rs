//! What came of the checks.

use serde::Serialize;

/// Whether an engine has to pass a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Requirement {
    /// A program that plays games with it relies on this.
    Required,
    /// Recommended, or open in the specification.
    Optional,
}

/// What came of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "verdict", content = "reason")]
pub enum CheckOutcome {
    /// As it should be.
    Passed,
    /// Against the protocol or the rules of the game.
    Failed(String),
    /// The engine says that it does not do this.
    Missing(String),
}

/// A check and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// What was asked, in words.
    pub name: String,
    /// Whether it has to be passed.
    pub level: Requirement,
    /// What came of it.
    #[serde(flatten)]
    pub verdict: CheckOutcome,
}

/// All checks of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// What the engine calls itself.
    pub engine: String,
    /// The dialects that its greeting shows.
    pub dialects: Vec<&'static str>,
    /// The checks, in order.
    pub checks: Vec<Checked>,
}

impl CheckReport {
    /// The checks of a level.
    pub fn count(&self, level: Requirement) -> usize {
        self.checks.iter().filter(|checked| checked.level == level).count()
    }

    /// Those that were passed.
    pub fn passed(&self, level: Requirement) -> usize {
        let passed =
            |checked: &&Checked| checked.level == level && checked.verdict == CheckOutcome::Passed;
        self.checks.iter().filter(passed).count()
    }

    /// Those that were not passed, or are missing although they are required.
    pub fn failed(&self, level: Requirement) -> usize {
        self.count(level) - self.passed(level)
    }

    /// Whether all that is required was passed, and nothing of the rest was answered wrongly.
    pub fn is_conformant(&self) -> bool {
        self.checks.iter().all(|checked| match (&checked.verdict, checked.level) {
            (CheckOutcome::Passed, _) => true,
            (CheckOutcome::Missing(_), level) => level == Requirement::Optional,
            (CheckOutcome::Failed(_), _) => false,
        })
    }
}
