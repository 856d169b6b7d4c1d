//! What a chouette is played by.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::named;
use crate::options::Options;

/// How many cubes are on the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TeamCubes {
    /// One for the whole team, which the captain turns. Each member answers a double of the box
    /// alone: who drops pays the old value and is out.
    #[default]
    One,
    /// One for each member against the box.
    Each,
}

named!(TeamCubes, "number of cubes": One => "one", Each => "each");

/// What decides whether the box has lost its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BoxPasses {
    /// Who wins at the board: the last game between the box and a member.
    #[default]
    ByBoard,
    /// Whether the box has lost points in sum.
    ByBalance,
}

named!(BoxPasses, "way of passing the box":
    ByBoard => "by-board" | "by_board",
    ByBalance => "by-balance" | "by_balance",
);

/// Whether a member who has dropped may bet against the only one who has taken.
///
/// Who drops a double of the box may give an *extra* to the only member who takes: the giver pays
/// the taker the value before the double, and plays on beside the box with a cube of the taker's
/// value. The answer of the box to a redouble holds for the extra too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Extras {
    /// No extras.
    #[default]
    Off,
    /// The taker may refuse them.
    Optional,
    /// The taker takes every one.
    Mandatory,
}

named!(Extras, "rule of extras": Off => "off", Optional => "optional", Mandatory => "mandatory");

/// What a chouette is played by.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChouetteRules {
    /// How many cubes are on the table.
    pub cubes: TeamCubes,
    /// What decides whether the box has lost its place.
    pub box_passes: BoxPasses,
    /// Whether those who drop may bet against a lone taker.
    pub extras: Extras,
    /// The options of money play for each member against the box.
    pub money: Options,
}
