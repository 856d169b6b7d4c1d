//! Pairwise targets of close decisions: by how much the best play that was not made differs from
//! the one that was.
//!
//! ```text
//! T(b) = T(a) + D(b) - D(a)
//! 1-ply:  D(s) = E(s)
//! 2-ply:  D(s) = E(s) + flip(E(b) - V(b)),  b the best afterstate of the roll that fell next
//! ```
//!
//! `a` is the afterstate that was played, `b` the best other one: the runner-up. Choosing asks for
//! differences alone, and most of the error of a network is the same for both, so a squared error
//! of the difference is added to the loss. At 2-ply one roll stands for all 21: noisy, but on
//! average the difference is that of a 2-ply search.

use serde::{Deserialize, Serialize};
use tavola_data::{Comparison, RecordOf, Turn};
use tavola_equity::OutcomeProbs;
use tavola_evaluator::Evaluator;
use tavola_evaluator::expectation::least;
use tavola_rules::Game;

use super::variance_reduced::{Look, Lookahead};

/// Which afterstates are compared, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairwiseSettings {
    /// A decision is close if the equity of the runner-up is so near, in points, to that of the
    /// play that was made.
    pub within: f32,
    /// The depth of `D`.
    pub depth: BackupDepth,
}

/// The depth of a backup in plies; a number, 1 or 2, where it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum BackupDepth {
    /// All rolls that can come next.
    #[default]
    One,
    /// These, and the rolls after them.
    Two,
}

/// A depth that no backup has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a backup depth of {found} plies, expected 1 or 2")]
pub struct BackupDepthError {
    found: u8,
}

impl TryFrom<u8> for BackupDepth {
    type Error = BackupDepthError;

    fn try_from(plies: u8) -> Result<Self, BackupDepthError> {
        match plies {
            1 => Ok(Self::One),
            2 => Ok(Self::Two),
            found => Err(BackupDepthError { found }),
        }
    }
}

impl From<BackupDepth> for u8 {
    fn from(depth: BackupDepth) -> Self {
        match depth {
            BackupDepth::One => 1,
            BackupDepth::Two => 2,
        }
    }
}

/// Finds the runners-up of close decisions.
pub(super) struct RunnerUps<G: Game> {
    game: G,
    evaluator: Box<dyn Evaluator<G>>,
    within: f32,
    afterstates: Vec<G::State>,
    probs: Vec<OutcomeProbs>,
}

impl<G: Game> RunnerUps<G> {
    /// Runners-up by `evaluator`; none if `within` is 0.
    pub(super) const fn new(game: G, evaluator: Box<dyn Evaluator<G>>, within: f32) -> Self {
        Self { game, evaluator, within, afterstates: Vec::new(), probs: Vec::new() }
    }

    /// The best afterstate of `turn` in `state` that was not played, if the decision was close and
    /// neither it nor the played one is terminal.
    pub(super) fn find(
        &mut self,
        state: &G::State,
        turn: &Turn<G::State, G::Roll>,
    ) -> Option<G::State> {
        let Self { game, evaluator, within, afterstates, probs } = self;
        if *within <= 0.0 || game.outcome(&turn.after).is_some() {
            return None;
        }
        afterstates.clear();
        game.afterstates(state, turn.roll, afterstates);
        if afterstates.len() < 2 {
            return None;
        }
        evaluator.evaluate_siblings(&game.flip(state), afterstates, probs);
        let equity = |i: usize| probs[i].equity();
        let played = afterstates.iter().position(|afterstate| *afterstate == turn.after)?;
        let other = least((0..afterstates.len()).filter(|&i| i != played), equity)?;
        let is_close = (equity(other) - equity(played)).abs() <= *within;
        let runner_up = afterstates[other];
        (is_close && game.outcome(&runner_up).is_none()).then_some(runner_up)
    }
}

impl<G: Game> Lookahead<G> {
    /// The comparison of state number `of` of the record with its runner-up. `looks` are what
    /// [`luck`](Self::luck) returned.
    pub(super) fn compare(
        &mut self,
        runner_up: G::State,
        of: usize,
        record: &RecordOf<G>,
        looks: &[Look<G::State>],
        depth: BackupDepth,
    ) -> Comparison<G::State> {
        let (played, next) = (&looks[of - 1], &record.turns[of]);
        let other = self.look(&runner_up, next.roll);
        let [other, played] = match depth {
            BackupDepth::One => [other.mean, played.mean],
            BackupDepth::Two => {
                let known = looks.get(of).map(|look| (next.after, look.mean));
                [self.deeper(&other, None), self.deeper(played, known)]
            }
        };
        difference(of, runner_up, other, played)
    }

    /// `D` at 2-ply. `known` are a state and its `E`, where that was looked at before.
    fn deeper(
        &mut self,
        look: &Look<G::State>,
        known: Option<(G::State, OutcomeProbs)>,
    ) -> OutcomeProbs {
        if self.game.outcome(&look.after).is_some() {
            return look.mean;
        }
        let mean = match known {
            Some((state, mean)) if state == look.after => mean,
            _ => self.look(&look.after, self.game.rolls()[0].0).mean,
        };
        let correction = std::array::from_fn(|i| mean.0[i] - look.after_probs.0[i]);
        let correction = OutcomeProbs(correction).flip();
        OutcomeProbs(std::array::from_fn(|i| look.mean.0[i] + correction.0[i]))
    }
}

/// The comparison of state number `of`, whose `D` is `played`, with an afterstate whose `D` is
/// `other`.
pub(super) fn difference<S>(
    of: usize,
    state: S,
    other: OutcomeProbs,
    played: OutcomeProbs,
) -> Comparison<S> {
    let difference = std::array::from_fn(|i| other.0[i] - played.0[i]);
    Comparison::RunnerUp { of, state, difference }
}
