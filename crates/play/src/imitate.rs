//! What the network that plays says of plays at once, for another network to learn from.

use rand::Rng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use tavola_data::{Pair, Turn};
use tavola_equity::OutcomeProbs;
use tavola_evaluator::Evaluator;
use tavola_rules::Game;

use crate::explore::Chance;

/// Which results of rolls a network learns by imitating the one that plays.
///
/// Nothing is looked ahead, so a sample costs no more than a judgement: hundreds of times less than
/// a target without luck. It teaches what the other network knows, and no more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImitateSettings {
    /// Share of the turns, from 0 to 1, whose results are learned from, drawn for each.
    pub share: Chance,
    /// How far, in points, a result may be behind the best of its roll in the eyes of who plays.
    pub within: f64,
}

impl Default for ImitateSettings {
    fn default() -> Self {
        Self { share: Chance::ALWAYS, within: 0.5 }
    }
}

/// Pairs the results of rolls.
///
/// It keeps its memory from turn to turn.
pub(crate) struct Imitator<G: Game> {
    game: G,
    evaluator: Box<dyn Evaluator<G>>,
    within: f32,
    results: Vec<G::State>,
    judged: Vec<OutcomeProbs>,
    /// Numbers of the results that are near enough.
    near: Vec<usize>,
}

impl<G: Game> Imitator<G> {
    /// Judges by `evaluator`.
    pub(crate) const fn new(
        game: G,
        evaluator: Box<dyn Evaluator<G>>,
        settings: &ImitateSettings,
    ) -> Self {
        Self {
            game,
            evaluator,
            within: settings.within as f32,
            results: Vec::new(),
            judged: Vec::new(),
            near: Vec::new(),
        }
    }

    /// All results that `turn` could have had in `state`, which is seen by who plays it, as far as
    /// they are near enough and do not finish the game, two by two as it falls; an odd one is left
    /// out.
    pub(crate) fn pairs(
        &mut self,
        state: &G::State,
        turn: &Turn<G::State, G::Roll>,
        rng: &mut impl Rng,
    ) -> impl Iterator<Item = Pair<G::State>> + '_ {
        let Self { game, evaluator, within, results, judged, near } = self;
        results.clear();
        game.results(state, turn.roll, results);
        evaluator.evaluate_siblings(&game.flip(state), results, judged);
        // What is worth the least to the opponent is the best.
        let best = judged.iter().map(OutcomeProbs::equity).fold(f32::INFINITY, f32::min);
        near.clear();
        near.extend((0..results.len()).filter(|&i| {
            judged[i].equity() <= best + *within && game.outcome(&results[i]).is_none()
        }));
        near.shuffle(rng);
        near.chunks_exact(2).map(|two| Pair {
            states: [results[two[0]], results[two[1]]],
            probs: [judged[two[0]], judged[two[1]]],
        })
    }
}
