//! What bear-off databases know of a position.

use serde::Serialize;
use tavola_bearoff::{RollDistribution, Tables};
use tavola_equity::Probs;
use tavola_rules::notation::encode_position_id;
use tavola_rules::{CubeOwner, Position};

/// What a one-sided table knows of a side.
#[derive(Debug, Serialize)]
pub struct BearoffSide {
    /// Pips that are left.
    pub pips: u32,
    /// Rolls to bear off everything, on average.
    pub mean_rolls: f64,
    /// Their standard deviation.
    pub sd_rolls: f64,
    /// Probabilities of bearing off everything in 1, 2, ... rolls.
    pub all_off: Vec<f32>,
    /// Probabilities of bearing off the next checker in 1, 2, ... rolls.
    pub next_off: Vec<f32>,
}

impl BearoffSide {
    /// The player on roll; `None` if no table covers them.
    fn of(tables: &Tables, position: &Position) -> Option<Self> {
        let table = tables.one_sided(position)?;
        let all = table.rolls_to_finish(position)?;
        let next = table.rolls_to_next_off(position)?;
        Some(Self {
            pips: position.pip_count(),
            mean_rolls: all.mean(),
            sd_rolls: all.standard_deviation(),
            all_off: from_one(all),
            next_off: from_one(next),
        })
    }
}

/// The probabilities of 1, 2, ... rolls.
fn from_one(rolls: RollDistribution<'_>) -> Vec<f32> {
    let mut probabilities = Vec::new();
    for (rolls, probability) in rolls.iter() {
        probabilities.resize(rolls as usize, 0.0);
        probabilities[rolls as usize - 1] = probability;
    }
    probabilities
}

/// Exact money equities of the player on roll, per unit of the current cube.
#[derive(Debug, Serialize)]
pub struct ExactEquities {
    /// Without a cube.
    pub cubeless: f32,
    /// With a centered cube, before the decision to double.
    pub center: f32,
    /// With their own cube.
    pub player: f32,
    /// With the cube of the opponent.
    pub opponent: f32,
    /// With a centered cube and without a double.
    pub center_no_double: f32,
    /// With their own cube and without a double.
    pub player_no_double: f32,
    /// With the cube of the opponent and without a double.
    pub opponent_no_double: f32,
    /// After a double that is taken.
    pub double_take: f32,
}

/// What the tables know of a position.
#[derive(Debug, Serialize)]
pub struct BearoffAnswer {
    /// The GNU Position ID.
    pub position: String,
    /// The player on roll; `None` outside the tables.
    pub player: Option<BearoffSide>,
    /// The opponent; `None` outside the tables.
    pub opponent: Option<BearoffSide>,
    /// Win, win gammon, win backgammon, lose gammon, lose backgammon.
    #[serde(serialize_with = "five")]
    pub probs: Option<Probs>,
    /// Cubeless money equity.
    pub equity: Option<f32>,
    /// Inside a two-sided table.
    pub exact: Option<ExactEquities>,
}

impl BearoffAnswer {
    /// What these tables know of a position.
    pub fn new(tables: &Tables, position: &Position) -> Self {
        let evaluated = tables.evaluate(position);
        let exact = tables.two_sided(position).map(|values| ExactEquities {
            cubeless: values.cubeless,
            center: values.cubeful(CubeOwner::Center),
            player: values.cubeful(CubeOwner::Player),
            opponent: values.cubeful(CubeOwner::Opponent),
            center_no_double: values.no_double(CubeOwner::Center),
            player_no_double: values.no_double(CubeOwner::Player),
            opponent_no_double: values.no_double(CubeOwner::Opponent),
            double_take: values.double_take(),
        });
        Self {
            position: encode_position_id(position),
            player: BearoffSide::of(tables, position),
            opponent: BearoffSide::of(tables, &position.flip()),
            probs: evaluated.map(|probs| probs.cumulative()),
            equity: evaluated.map(|probs| probs.equity()),
            exact,
        }
    }
}

fn five<S: serde::Serializer>(probs: &Option<Probs>, serializer: S) -> Result<S::Ok, S::Error> {
    probs.as_ref().map(|probs| probs.to_array()).serialize(serializer)
}
