//! The options of ludus duodecim scriptorum.

use serde::{Deserialize, Serialize};

/// How many checkers of a point may move together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StackMove {
    /// Any number of them, the default.
    #[default]
    Any,
    /// One or two.
    Pair,
    /// One.
    Off,
}

/// How many checkers of a point may be borne off together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StackExit {
    /// As many as may move together, the default.
    #[default]
    Any,
    /// One.
    One,
}

/// Whether all must be on the last six points before any is borne off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HomeNeeded {
    /// All must be there, the default.
    #[default]
    True,
    /// A checker may leave at any time.
    False,
}

/// The options, each with its default. The text of a game is `ludus`, and where options differ a
/// colon and these: `ludus:stack_move=off,home_needed=false`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LudusOptions {
    /// How many move together.
    pub stack_move: StackMove,
    /// How many leave together.
    pub stack_exit: StackExit,
    /// When checkers may leave.
    pub home_needed: HomeNeeded,
}

impl LudusOptions {
    /// How many of `count` checkers may move together at most.
    pub(crate) fn most_moved(self, count: i8) -> i8 {
        match self.stack_move {
            StackMove::Any => count,
            StackMove::Pair => count.min(2),
            StackMove::Off => count.min(1),
        }
    }

    /// How many of `count` checkers may be borne off together at most.
    pub(crate) fn most_off(self, count: i8) -> i8 {
        match self.stack_exit {
            StackExit::Any => self.most_moved(count),
            StackExit::One => count.min(1),
        }
    }
}
