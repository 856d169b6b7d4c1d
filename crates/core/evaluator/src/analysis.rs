//! Ranking what a roll allows.

use serde::Serialize;
use tavola_equity::OutcomeProbs;
use tavola_rules::Game;

use crate::evaluator::Evaluator;

/// One way to play a roll, with its evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RankedResult<S> {
    /// The state after the play, seen by the opponent, who is on roll.
    pub state: S,
    /// Outcome probabilities after the play, from the player who made it.
    pub probs: OutcomeProbs,
    /// Cubeless money equity after the play, from the player who made it.
    pub equity: f32,
    /// Equity lost against the best play, never negative.
    pub loss: f32,
}

/// Puts the play of a ranking to the front that [surpasses](Game::surpasses) the first one, as long
/// as there is one, and has `raise` give it the worth of that one.
///
/// Estimates cross where plays are worth about the same: by the noise of a network, and where all
/// are worth what a pass of the opponent pays, so that the cube leaves no difference but noise.
pub fn lead_by_surpassing<G: Game, P: Copy>(
    game: &G,
    ranking: &mut [P],
    state: impl Fn(&P) -> &G::State,
    raise: impl Fn(&mut P, &P),
) {
    while let Some(place) =
        (1..ranking.len()).find(|&place| game.surpasses(state(&ranking[place]), state(&ranking[0])))
    {
        let first = ranking[0];
        raise(&mut ranking[place], &first);
        ranking[..=place].rotate_right(1);
    }
}

/// All afterstates of `roll`, best first; equals keep the order in which the rules list them. A
/// player who can't move has one result, the pass.
///
/// `state` must not be finished, as for [`Game::afterstates`].
pub fn rank_afterstates<G: Game>(
    game: &G,
    evaluator: &mut dyn Evaluator<G>,
    state: &G::State,
    roll: G::Roll,
) -> Vec<RankedResult<G::State>> {
    let (mut afterstates, mut evaluated) = (Vec::new(), Vec::new());
    game.afterstates(state, roll, &mut afterstates);
    evaluator.evaluate_siblings(&game.flip(state), &afterstates, &mut evaluated);
    let mut ranked: Vec<_> = afterstates
        .into_iter()
        .zip(evaluated)
        .map(|(state, probs)| {
            let probs = probs.flip();
            RankedResult { state, probs, equity: probs.equity(), loss: 0.0 }
        })
        .collect();
    ranked.sort_by(|a, b| b.equity.total_cmp(&a.equity));
    let best = ranked[0].equity;
    for result in &mut ranked {
        result.loss = best - result.equity;
    }
    ranked
}

#[cfg(test)]
mod tests {
    use tavola_net::{EncoderKind, random_weights};
    use tavola_rules::{Backgammon, Dice, Position};

    use super::*;
    use crate::evaluators::NetEvaluator;

    #[test]
    fn ranking_is_best_first_and_loses_nothing() {
        let weights = random_weights(EncoderKind::OneHot, &[16], 2);
        let mut evaluator = NetEvaluator::new(&weights, Backgammon::Standard).unwrap();
        let roll = Dice::new(3, 1).unwrap();
        let ranked =
            rank_afterstates(&Backgammon::Standard, &mut evaluator, &Position::STANDARD, roll);
        assert_eq!(ranked.len(), 16);
        assert_eq!(ranked[0].loss, 0.0);
        assert!(ranked.windows(2).all(|pair| pair[0].equity >= pair[1].equity));
        let mut out = Vec::new();
        evaluator.evaluate(&[ranked[3].state], &mut out);
        assert!((out[0].flip().equity() - ranked[3].equity).abs() < 1e-5);
    }
}
