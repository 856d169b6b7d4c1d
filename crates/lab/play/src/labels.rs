//! What to learn: the target of every state of a recorded game.
//!
//! # What is the target of a state?
//!
//! `V(s)` are the six outcome probabilities of a state `s` from its player on roll, as the
//! self-play network says at 0-ply; a terminal state has its certain outcome. `flip` changes the
//! side. `s'` is the state after the play of the game, and the best afterstate of a roll is the one
//! with the least cubeless equity for the opponent.
//!
//! | kind | target `T(s)` | file |
//! |---|---|---|
//! | TD(lambda), `V` as deep as the play was searched | `flip((1 - lambda) V(s') + lambda T(s'))` | [`td`] |
//! | TD(lambda) with variance reduction | the same less the luck of the roll | `variance_reduced` |
//! | expected backup | `E(s)`: mean over all rolls of `flip(V(best afterstate))` | [`expected_backup`] |
//! | siblings | `T(b) = T(a) + D(b) - D(a)`, with `D` the value at 1-ply or 2-ply, for the best siblings `b` of a play `a` | [`siblings`] |
//! | distillation | `V(s)`, for all good afterstates of a roll, two by two | [`distillation`] |
//!
//! The network is the self-play network throughout: it plays the games and gives the targets. With
//! an update interval above one round it is a target network, which stays while another one
//! learns; with a network file of its own it is what a smaller network is distilled from. A pruning
//! network may choose which afterstates of a roll it evaluates.
//!
//! [`Labeler`] makes all of them but TD(lambda), which needs the lambda of the round that learns:
//! [`TdTargets`] turns records and labels into samples, [`ExplorationTarget`] into what they are
//! before lambda is chosen.

use rand::{Rng, RngExt};
use tavola_data::{GameLabels, Label, LabelsOf, RecordOf};
use tavola_equity::OutcomeProbs;
use tavola_evaluator::Evaluator;
use tavola_rules::Game;

pub use self::distillation::DistillationSettings;
pub use self::expected_backup::ExpectedBackup;
pub use self::siblings::SiblingSettings;
use self::siblings::spaced_rolls;
pub use self::td::{ExplorationTarget, TdTargets};
use self::variance_reduced::Lookahead;
use crate::explore::Probability;
use crate::random::{RandomFor, game_rng};
use crate::variance_reduction::LuckEvaluator;

pub mod distillation;
pub mod expected_backup;
pub mod siblings;
pub mod td;
#[cfg(test)]
mod tests;
mod variance_reduced;

/// Which targets the states of games get.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LabelSettings {
    /// TD(lambda), with variance reduction where there is an evaluator for it.
    Td {
        /// Share of the states that are learned from, drawn for each.
        sample: Probability,
        /// Siblings beside the states; they need the evaluator of variance reduction.
        siblings: Option<SiblingSettings>,
    },
    /// Expected backups, and nothing else.
    ExpectedBackup {
        /// Share of the states that are learned from, drawn for each.
        share: Probability,
    },
    /// Distillation, and nothing else.
    Distillation(DistillationSettings),
}

impl LabelSettings {
    /// Draws which states are learned: two numbers for each, so that one draw does not change what
    /// others say.
    fn is_learned(&self, rng: &mut impl Rng) -> bool {
        let (sampled, backed_up): (f64, f64) = (rng.random(), rng.random());
        match self {
            Self::Td { sample, .. } => sampled < sample.get(),
            Self::ExpectedBackup { share } => backed_up < share.get(),
            Self::Distillation(_) => false,
        }
    }
}

/// The afterstates of a turn, and what the evaluator that teaches says of them at 0-ply.
struct Candidates<G: Game> {
    game: G,
    evaluator: Box<dyn Evaluator<G>>,
    afterstates: Vec<G::State>,
    probs: Vec<OutcomeProbs>,
    /// Numbers of the afterstates that are near enough to be learned from.
    near: Vec<usize>,
}

impl<G: Game> Candidates<G> {
    const fn new(game: G, evaluator: Box<dyn Evaluator<G>>) -> Self {
        Self { game, evaluator, afterstates: Vec::new(), probs: Vec::new(), near: Vec::new() }
    }
}

/// Makes the labels of games. Buffers are kept from game to game.
pub struct Labeler<G: Game> {
    settings: LabelSettings,
    run_seed: u64,
    one_ply: ExpectedBackup<G>,
    /// For variance reduction and siblings.
    lookahead: Option<Lookahead<G>>,
    candidates: Candidates<G>,
}

impl<G: Game> Labeler<G> {
    /// A labeler by the evaluator that played. `luck` is the evaluator of variance reduction and
    /// siblings: without it there are none.
    pub fn new(
        game: &G,
        evaluator: &dyn Evaluator<G>,
        settings: LabelSettings,
        luck: Option<&LuckEvaluator<'_, G>>,
        run_seed: u64,
    ) -> Self {
        Self {
            settings,
            run_seed,
            one_ply: ExpectedBackup::new(game.clone(), evaluator.fork()),
            lookahead: luck.map(|luck| Lookahead::new(game.clone(), luck)),
            candidates: Candidates::new(game.clone(), evaluator.fork()),
        }
    }

    /// Labels every state of a game but the terminal one, in order. What is drawn follows from the
    /// seed of the run and the number of the game alone; a larger share takes all that a smaller
    /// one would and more.
    pub fn label(&mut self, record: &RecordOf<G>) -> LabelsOf<G> {
        let mut rng = game_rng(self.run_seed, record.index, RandomFor::Labels);
        if let LabelSettings::Distillation(settings) = self.settings {
            let mut labels = GameLabels::new(match settings.states {
                true => self.candidates.states(record),
                false => vec![Label::Skip; record.turns.len()],
            });
            labels.comparisons = self.candidates.comparisons(record, settings, &mut rng);
            return labels;
        }
        let learned: Vec<bool> =
            record.turns.iter().map(|_| self.settings.is_learned(&mut rng)).collect();
        let label = |(state, &is_learned): (G::State, &bool)| match self.settings {
            _ if !is_learned => Label::Skip,
            LabelSettings::ExpectedBackup { .. } => Label::Given(self.one_ply.target(&state)),
            _ => Label::FromGame,
        };
        let mut labels = GameLabels::new(record.states().zip(&learned).map(label).collect());
        let LabelSettings::Td { siblings, .. } = self.settings else { return labels };
        let Some(lookahead) = self.lookahead.as_mut().filter(|_| learned.contains(&true)) else {
            return labels;
        };
        let looks = lookahead.luck(record, &mut labels.luck);
        let Some(settings) = siblings else { return labels };
        for (of, (parent, turn)) in (1..learned.len()).zip(record.states().zip(&record.turns)) {
            if !learned[of] {
                continue;
            }
            let siblings = self.candidates.siblings(&parent, turn, settings);
            if siblings.is_empty() {
                continue;
            }
            let way = |ways| rng.random_range(0..ways);
            let fallen = record.turns[of].roll;
            let rolls = spaced_rolls(&lookahead.game, fallen, way, settings.first_rolls);
            labels.comparisons.extend(lookahead.compare(&siblings, of, &looks, &rolls, record));
        }
        labels
    }
}
