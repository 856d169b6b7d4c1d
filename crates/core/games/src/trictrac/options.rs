//! The options of Le Grand Trictrac.

use serde::{Deserialize, Serialize};

use crate::options::Switch;

/// Whether a checker may leave by exact count where its die could be played inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitExact {
    /// It may not: of all plays those with the fewest exits are legal. The default.
    #[default]
    Avoided,
    /// It may, as most players have it; exits by more than is needed are avoided alone.
    Free,
}

/// The options, each with its default. The text of a game is `trictrac`, and where options differ a
/// colon and these: `trictrac:exit_exact=free,ecole=on`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrictracOptions {
    /// How checkers leave.
    pub exit_exact: ExitExact,
    /// The player who rolls says how many points the roll is worth, and what is left out or too
    /// much goes to the opponent: a school (école).
    pub ecole: Switch,
}
