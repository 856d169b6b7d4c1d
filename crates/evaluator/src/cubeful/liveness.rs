//! Who says how live the cube of a position is.

use std::fmt;
use std::sync::Arc;

use tavola_equity::{Efficiency, EfficiencyModel, OutcomeProbs, Stage};
use tavola_rules::Position;

use super::utility::stage;

/// Says how live cubes are, position by position.
///
/// Equal input must give equal output, on any thread.
pub trait EfficiencyJudge: fmt::Debug + Send + Sync {
    /// The efficiency of the cube in an unfinished position, by who owns it. Position, chances
    /// (those of the cubeless judge, before the roll) and owners are seen by the player on roll.
    fn efficiency(&self, position: &Position, probs: &OutcomeProbs) -> Efficiency;
}

/// Where efficiencies come from. The few numbers of a model are looked up without a call.
#[derive(Clone, Debug)]
pub(super) enum Liveness {
    /// From the stage of the game alone.
    ByStage(EfficiencyModel),
    /// From whoever judges the position, unless the cube is certainly dead.
    Judged(Arc<dyn EfficiencyJudge>),
}

impl Liveness {
    /// The efficiency in an unfinished position.
    #[inline]
    pub(super) fn at(&self, position: &Position, probs: &OutcomeProbs) -> Efficiency {
        match (self, stage(position)) {
            (Self::ByStage(model), stage) => model.at(stage),
            (Self::Judged(_), Stage::LastRoll) => Efficiency::DEAD,
            (Self::Judged(judge), _) => judge.efficiency(position, probs),
        }
    }
}
