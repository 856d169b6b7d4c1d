//! What a cube decision is worth to the box of a chouette.

use serde::Serialize;

use super::CubeAnswer;

/// What a decision is worth to the box of a chouette, in points with what is settled.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct TeamAnswer {
    /// Members of the team who play on.
    pub members: u8,
    /// Points that the box has won from the others, or lost to them.
    pub settled: i32,
    /// Rolling without a double.
    pub no_double: f64,
    /// Where this number of members take and the others pass, from none to all; `None` where there
    /// is no double.
    pub double_taken_by: Option<Vec<f64>>,
    /// What an extra wins for a member who has dropped and gives it to the only taker, who loses
    /// as much; `None` where there is no double or no second member.
    pub extra: Option<f64>,
}

impl TeamAnswer {
    /// Against this many members, with these points settled.
    pub fn new(answer: &CubeAnswer, members: u8, settled: i32) -> Self {
        // All figures of the answer are per unit of the cube.
        let points = |equity: f64| f64::from(answer.cube) * equity;
        let doubled = answer.double_take.zip(answer.double_pass);
        let extra = doubled.filter(|_| members > 1);
        Self {
            members,
            settled,
            no_double: f64::from(settled) + f64::from(members) * points(answer.no_double),
            double_taken_by: doubled.map(|(take, pass)| {
                let sum = |takers: u8| {
                    f64::from(takers) * points(take) + f64::from(members - takers) * points(pass)
                };
                (0..=members).map(|takers| f64::from(settled) + sum(takers)).collect()
            }),
            extra: extra.map(|(take, pass)| points(take) - points(pass)),
        }
    }
}
