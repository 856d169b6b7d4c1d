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
//! | TD(lambda) | `flip((1 - lambda) V(s') + lambda T(s'))` | [`td`] |
//! | TD(lambda) with variance reduction | the same less the luck of the roll | `variance_reduced` |
//! | expected backup, 1-ply | `E(s)`: mean over all rolls of `flip(V(best afterstate))` | [`expected_backup`] |
//! | expected backup, 2-ply | `E2(s)`: mean over all rolls of `flip(E(best afterstate))` | [`expected_backup`] |
//! | pairwise | `T(b) = T(a) + D(b) - D(a)`, with `D` either `E` or `E2`, for a close second-best `b` of a play `a` | [`pairwise`] |
//! | distillation | `V(s)`, for all good afterstates of a roll, two by two | [`distillation`] |
//!
//! The network is the self-play network throughout: it plays the games and gives the targets. With
//! an update interval above one round it is a target network, which stays while another one
//! learns; with a network file of its own it is what a smaller network is distilled from. A pruning
//! network may choose which afterstates of a roll it evaluates.
//!
//! [`Labeller`] makes all of them but TD(lambda), which needs the lambda of the round that learns:
//! [`TdTargets`] turns records and labels into samples.

use rand::{Rng, RngExt};
use tavola_data::{GameLabels, Label, LabelsOf, RecordOf};
use tavola_evaluator::{Evaluator, Workers};
use tavola_rules::Game;

pub use self::distillation::DistillationSettings;
use self::distillation::Distiller;
pub use self::expected_backup::{ExpectedBackup, TwoPlySettings};
use self::pairwise::RunnerUps;
pub use self::pairwise::{BackupDepth, BackupDepthError, PairwiseSettings};
pub use self::td::{ExplorationTarget, TargetsError, TdTargets};
use self::variance_reduced::Lookahead;
use crate::explore::Probability;
use crate::random::{Purpose, game_rng};
use crate::variance_reduction::LuckEvaluator;

pub mod distillation;
pub mod expected_backup;
pub mod pairwise;
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
        /// Share of these that get 1-ply expected backups instead, drawn for each.
        expected_backup_share: Probability,
        /// Pairwise targets beside the others; they need the evaluator of variance reduction.
        pairwise: Option<PairwiseSettings>,
    },
    /// Expected backups, and nothing else.
    ExpectedBackup {
        /// Share of the states that are learned from, drawn for each.
        share: Probability,
        /// Backups of 2-ply, for close decisions alone; they need the evaluator of variance
        /// reduction. Without it, of 1-ply.
        two_ply: Option<TwoPlySettings>,
    },
    /// Distillation, and nothing else.
    Distillation(DistillationSettings),
}

impl LabelSettings {
    /// TD(lambda) at every state.
    pub const TD: Self = Self::Td {
        sample: Probability::ALWAYS,
        expected_backup_share: Probability::NEVER,
        pairwise: None,
    };

    /// Draws what a state learns.
    fn plan(&self, rng: &mut impl Rng) -> Plan {
        // Drawn for every state, so that one draw does not change what others say.
        let (sampled, backed_up): (f64, f64) = (rng.random(), rng.random());
        match self {
            Self::Td { sample, .. } if sampled >= sample.get() => Plan::Skip,
            Self::Td { expected_backup_share, .. } if backed_up < expected_backup_share.get() => {
                Plan::OnePly
            }
            Self::Td { .. } => Plan::FromGame,
            Self::ExpectedBackup { share, two_ply } if backed_up < share.get() => match two_ply {
                None => Plan::OnePly,
                Some(_) => Plan::TwoPly,
            },
            Self::ExpectedBackup { .. } | Self::Distillation(_) => Plan::Skip,
        }
    }
}

/// What a state learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    Skip,
    FromGame,
    /// An expected backup of 1-ply.
    OnePly,
    /// One of 2-ply, if the decision that led to the state was close.
    TwoPly,
}

/// Makes the labels of games. Buffers are kept from game to game.
pub struct Labeller<G: Game> {
    settings: LabelSettings,
    run_seed: u64,
    one_ply: ExpectedBackup<G>,
    /// For variance reduction, pairwise targets and 2-ply backups.
    lookahead: Option<Lookahead<G>>,
    runners_up: RunnerUps<G>,
    distiller: Distiller<G>,
}

impl<G: Game> Labeller<G> {
    /// A labeller by the evaluator that played. `luck` is the evaluator of variance reduction,
    /// pairwise targets and 2-ply backups: without it there are none.
    pub fn new(
        game: &G,
        evaluator: &dyn Evaluator<G>,
        settings: LabelSettings,
        luck: Option<&LuckEvaluator<'_, G>>,
        run_seed: u64,
    ) -> Self {
        let close = match settings {
            LabelSettings::Td { pairwise, .. } => pairwise.map(|pairwise| pairwise.within),
            LabelSettings::ExpectedBackup { two_ply, .. } => two_ply.map(|two_ply| two_ply.within),
            LabelSettings::Distillation(_) => None,
        };
        Self {
            settings,
            run_seed,
            one_ply: ExpectedBackup::new(game.clone(), evaluator.fork()),
            lookahead: luck.map(|luck| Lookahead::new(game.clone(), luck)),
            runners_up: RunnerUps::new(game.clone(), evaluator.fork(), close.unwrap_or(0.0)),
            distiller: Distiller::new(game.clone(), evaluator.fork()),
        }
    }

    /// Labels every state of a game but the terminal one, in order. What is drawn follows from the
    /// seed of the run and the number of the game alone; a larger share takes all that a smaller
    /// one would and more.
    pub fn label(&mut self, record: &RecordOf<G>) -> LabelsOf<G> {
        let mut rng = game_rng(self.run_seed, record.index, Purpose::Labels);
        if let LabelSettings::Distillation(settings) = self.settings {
            let mut labels = GameLabels::new(match settings.states {
                true => self.distiller.states(record),
                false => vec![Label::Skip; record.turns.len()],
            });
            labels.comparisons = self.distiller.comparisons(record, settings, &mut rng);
            return labels;
        }
        let plans: Vec<Plan> = record.turns.iter().map(|_| self.settings.plan(&mut rng)).collect();
        let of_plan = |(state, plan): (G::State, &Plan)| match plan {
            Plan::Skip | Plan::TwoPly => Label::Skip,
            Plan::FromGame => Label::FromGame,
            Plan::OnePly => Label::Given(self.one_ply.target(&state)),
        };
        let mut labels = GameLabels::new(record.states().zip(&plans).map(of_plan).collect());
        let Some(lookahead) = &mut self.lookahead else { return labels };
        let looks = match labels.labels.contains(&Label::FromGame) {
            true => lookahead.luck(record, &mut labels.luck),
            false => Vec::new(),
        };
        for (of, (parent, turn)) in (1..plans.len()).zip(record.states().zip(&record.turns)) {
            let comparison = match (plans[of], self.settings) {
                (Plan::FromGame, LabelSettings::Td { pairwise: Some(pairwise), .. }) => {
                    let runner_up = self.runners_up.find(&parent, turn);
                    runner_up
                        .map(|state| lookahead.compare(state, of, record, &looks, pairwise.depth))
                }
                (Plan::TwoPly, LabelSettings::ExpectedBackup { two_ply: Some(two_ply), .. }) => {
                    self.runners_up.find(&parent, turn).map(|state| {
                        let first = rng.random_range(0..G::TOTAL_WEIGHT);
                        let (target, comparison) =
                            lookahead.two_ply(state, of, turn.after, two_ply.first_rolls, first);
                        labels.labels[of] = Label::Given(target);
                        comparison
                    })
                }
                _ => None,
            };
            labels.comparisons.extend(comparison);
        }
        labels
    }
}

/// The games were not labelled, because the caller cancelled it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled after labelling {finished} of {asked} games")]
pub struct LabelCancelled {
    /// Games that were labelled; their labels are dropped.
    pub finished: u64,
    /// Games that were to be labelled.
    pub asked: u64,
}

/// Labels games with [`Labeller`]s, on many threads; the labels are the same on any number of them.
///
/// # Errors
///
/// [`LabelCancelled`]; nothing is returned of what was done until then.
pub fn label_games<G: Game>(
    records: &[RecordOf<G>],
    labeller: impl Fn() -> Labeller<G>,
    workers: Workers<'_>,
) -> Result<Vec<LabelsOf<G>>, LabelCancelled> {
    let asked = records.len() as u64;
    let labels =
        workers.run(0..asked, labeller, |labeller, index| labeller.label(&records[index as usize]));
    let finished = labels.len() as u64;
    if finished < asked { Err(LabelCancelled { finished, asked }) } else { Ok(labels) }
}
