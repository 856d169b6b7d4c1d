//! Siblings: by how much the best plays that were not made differ from the one that was.
//!
//! ```text
//! T(b) = T(a) + D(b) - D(a)
//! D(s) = E(s) + mean over the first rolls r of flip(E(b) - V(b)),  b the best afterstate of r
//! ```
//!
//! `a` is the afterstate that was played, `b` another one of the same roll. Choosing asks for
//! differences alone, and most of the error of a network is the same for all siblings, so the squared
//! errors of their differences are added to the loss. Without first rolls `D` is the value at 1-ply.
//! With them, on average, it is that at 2-ply: all siblings follow the same few rolls, the one that
//! fell and others as far from it as they can be, so that much of their noise is in no difference.

use tavola_data::{Comparison, RecordOf, Turn};
use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

use super::Candidates;
use super::variance_reduced::{Look, Lookahead};

/// Which siblings are learned, and how deep they are looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiblingSettings {
    /// The most siblings of a play, at least 1: those that are best at 0-ply.
    pub count: u8,
    /// How far, in points at 0-ply, a sibling may be from the play that was made.
    pub within: f32,
    /// Number of first rolls that stand for all rolls of the second ply, 1 to 36; 0: 1-ply.
    pub first_rolls: u8,
}

impl<G: Game> Candidates<G> {
    /// The best afterstates of `turn` in `state` that were not played, best first, as far as they
    /// are near enough to the played one. No terminal state is or has a sibling.
    pub(super) fn siblings(
        &mut self,
        state: &G::State,
        turn: &Turn<G::State, G::Roll>,
        settings: SiblingSettings,
    ) -> Vec<G::State> {
        let Self { game, evaluator, afterstates, probs, near } = self;
        afterstates.clear();
        game.afterstates(state, turn.roll, afterstates);
        if afterstates.len() < 2 || game.outcome(&turn.after).is_some() {
            return Vec::new();
        }
        evaluator.evaluate_siblings(&game.flip(state), afterstates, probs);
        let equity = |i: usize| probs[i].equity();
        let Some(played) = afterstates.iter().position(|after| *after == turn.after) else {
            return Vec::new();
        };
        let is_sibling = |&i: &usize| {
            i != played
                && (equity(i) - equity(played)).abs() <= settings.within
                && game.outcome(&afterstates[i]).is_none()
        };
        near.clear();
        near.extend((0..afterstates.len()).filter(is_sibling));
        // What is worth the least to the opponent comes first; equals stay as they are.
        near.sort_by(|&one, &other| equity(one).total_cmp(&equity(other)));
        near.truncate(settings.count.into());
        near.iter().map(|&i| afterstates[i]).collect()
    }
}

impl<G: Game> Lookahead<G> {
    /// The comparisons of state number `of` of the record with its siblings. `looks` are what
    /// [`luck`](Self::luck) returned, `rolls` the numbers of the first rolls.
    pub(super) fn compare(
        &mut self,
        siblings: &[G::State],
        of: usize,
        looks: &[Look<G>],
        rolls: &[usize],
        record: &RecordOf<G>,
    ) -> Vec<Comparison<G::State>> {
        let known = looks.get(of).map(|look| (record.turns[of].after, look.mean()));
        let played = self.deeper(&looks[of - 1], rolls, known);
        let compare = |&state: &G::State| {
            let look = self.look(&state);
            let other = self.deeper(&look, rolls, None);
            let difference = std::array::from_fn(|i| other[i] - played[i]);
            Comparison::Sibling { of, state, difference }
        };
        siblings.iter().map(compare).collect()
    }

    /// `D`. `known` are a state and its `E`, where that was looked at before.
    fn deeper(
        &mut self,
        look: &Look<G>,
        rolls: &[usize],
        known: Option<(G::State, OutcomeProbs)>,
    ) -> [f32; 6] {
        let mut value = look.mean().0;
        for &roll in rolls {
            let best = &look.best[roll];
            // What is certain is not corrected.
            if self.game.outcome(&best.state).is_some() {
                continue;
            }
            let mean = match known {
                Some((state, mean)) if state == best.state => mean,
                _ => self.look(&best.state).mean(),
            };
            let correction = std::array::from_fn(|i| mean.0[i] - best.probs.0[i]);
            for (value, correction) in value.iter_mut().zip(OutcomeProbs(correction).flip().0) {
                *value += correction / rolls.len() as f32;
            }
        }
        value
    }
}

/// The numbers of `count` rolls: that of `fallen`, and others evenly spaced from it among the
/// [`Game::TOTAL_WEIGHT`] ways to roll. `way` is below the weight of `fallen`. If both are drawn,
/// each of the rolls comes as often as it should.
pub(super) fn spaced_rolls<G: Game>(
    game: &G,
    fallen: G::Roll,
    way: impl FnOnce(u32) -> u32,
    count: u8,
) -> Vec<usize> {
    let weights = || game.rolls().iter().map(|&(_, weight)| u32::from(weight));
    let number = game.rolls().iter().position(|&(roll, _)| roll == fallen);
    let number = number.expect("a roll of the game");
    let first = weights().take(number).sum::<u32>() + way(weights().nth(number).unwrap_or(1));
    let spaced = |k: u32| {
        let mut left = (first + k * G::TOTAL_WEIGHT / u32::from(count)) % G::TOTAL_WEIGHT;
        let is_it = |weight: u32| {
            let is_it = left < weight;
            left = left.saturating_sub(weight);
            is_it
        };
        weights().position(is_it).expect("a way to roll")
    };
    (0..count.into()).map(spaced).collect()
}
