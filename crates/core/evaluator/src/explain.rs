//! Reasons for a play, in numbers: what it changes, what it risks, what may come next.
//!
//! Shots are counted by listing every play of every roll of the opponent, so that blocked paths,
//! checkers on the bar and the rule that both dice must be played all count. An evaluator chooses
//! the opponent's best play.
//!
//! ```
//! use tavola_evaluator::explain::shots;
//! use tavola_rules::{Position, notation::parse_play};
//!
//! // 13/9 6/5 from the start leaves blots on 9, 5 and, as before, none elsewhere.
//! let (_, after) = parse_play("13/9 6/5", &Position::STANDARD, "41".parse()?)?;
//! let shots = shots(&after);
//! assert_eq!(shots.blots.iter().map(|blot| blot.point).collect::<Vec<_>>(), [9, 5]);
//! assert_eq!(shots.blots[1].hits, 15);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use schemars::JsonSchema;
use serde::Serialize;
use tavola_equity::{OutcomeProbs, Probs};
use tavola_rules::{Backgammon, Dice, Game, Position};

use crate::evaluator::Evaluator;
use crate::playable::PlayableGame;

mod features;
mod words;

pub use self::features::{Features, Side, listed};

/// A checker that stands alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Blot {
    /// The point, as its owner numbers them.
    pub point: u8,
    /// Of the 36 rolls of the opponent those that can hit it.
    pub hits: u8,
}

/// The blots that a play leaves, and the rolls with which the opponent can hit them next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Shots {
    /// The blots, the rearmost first.
    pub blots: Vec<Blot>,
    /// Of the 36 rolls those that can hit at least one.
    pub hits: u8,
    /// Of the 36 rolls those that can hit two or more together.
    pub double_hits: u8,
}

/// The best reply of the opponent to a roll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestReply<G: Game> {
    /// The roll.
    pub roll: G::Roll,
    /// The weight of the roll, of [`Game::TOTAL_WEIGHT`].
    pub weight: u8,
    /// The state after the best play, seen by the player who made the play that is explained and
    /// who is on roll again.
    pub position: G::State,
    /// Outcome probabilities of that player after the reply.
    pub probs: OutcomeProbs,
    /// Their cubeless money equity after the reply, in points.
    pub equity: f32,
    /// Checkers that the reply hits, in games in which shots are counted.
    pub hits: Option<u8>,
}

/// A play to explain, with the evaluation that ranked it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExplainedPlay<S> {
    /// The state after it, seen by the opponent.
    pub position: S,
    /// Probabilities of the player who makes it.
    pub probs: Probs,
    /// Rolls that were looked ahead. Plays are compared at equal depth only.
    pub ply: u8,
}

/// How much probabilities and equity have changed, from the player who makes the play.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Change {
    /// Of win, win gammon, win backgammon, lose gammon and lose backgammon.
    pub probs: [f32; 5],
    /// Of the cubeless money equity, in points.
    pub equity: f32,
}

/// What a play buys, risks and leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Reasons<G: Game> {
    /// Against the position before the roll: what roll and play have brought together.
    pub since_roll: Change,
    /// The number of the play that this one is compared with, and the change against it: for the
    /// best play the next one, for any other the best. `None` if no other is evaluated as deep.
    pub against: Option<(usize, Change)>,
    /// What the opponent may hit, in games in which shots are counted.
    pub shots: Option<Shots>,
    /// The opponent's best reply to each roll, their best roll first; empty if the play ends the
    /// game.
    pub replies: Vec<BestReply<G>>,
}

impl Change {
    /// From one evaluation to another, of the same player.
    pub fn between(from: &Probs, to: &Probs) -> Self {
        let (before, after) = (from.to_array(), to.to_array());
        Self {
            probs: std::array::from_fn(|i| after[i] - before[i]),
            equity: to.equity() - from.equity(),
        }
    }
}

/// Explains plays, the best first. `before` is what the position was worth before the roll to the
/// player who makes them; `evaluator` finds the best replies, at its own depth.
pub fn explain<G: PlayableGame>(
    game: &G,
    evaluator: &mut dyn Evaluator<G>,
    before: &Probs,
    plays: &[ExplainedPlay<G::State>],
) -> Vec<Reasons<G>> {
    let comparable =
        |i: usize, j: usize| plays.get(j).is_some_and(|other| i != j && other.ply == plays[i].ply);
    (0..plays.len())
        .map(|i| {
            let play = &plays[i];
            let other = if i == 0 { 1 } else { 0 };
            let against = comparable(i, other)
                .then(|| (other, Change::between(&plays[other].probs, &play.probs)));
            Reasons {
                since_roll: Change::between(before, &play.probs),
                against,
                shots: game.shots(&play.position),
                replies: replies(game, evaluator, &play.position),
            }
        })
        .collect()
}

/// The blots of the player who has just played, and the shots at them. `position` is seen by the
/// opponent, who is on roll.
pub fn shots(position: &Position) -> Shots {
    let mover = position.flip();
    let blots = (1..=24).rev().filter(|&point| mover.point(point) == 1);
    let mut blots: Vec<Blot> = blots.map(|point| Blot { point: point as u8, hits: 0 }).collect();
    let (mut hits, mut double_hits) = (0, 0);
    let mut afterstates = Vec::new();
    // Where the game is over there are no hits, and the rules have no plays.
    let rolls = if Backgammon::Standard.outcome(position).is_some() { &[] } else { &Dice::ALL[..] };
    for &(roll, weight) in rolls {
        afterstates.clear();
        Backgammon::Standard.afterstates(position, roll, &mut afterstates);
        // A blot leaves its point in the opponent's turn only by being hit.
        let is_hit = |result: &Position, blot: &Blot| result.point(blot.point.into()) <= 0;
        for blot in &mut blots {
            if afterstates.iter().any(|result| is_hit(result, blot)) {
                blot.hits += weight;
            }
        }
        let most = afterstates.iter().map(|result| result.bar() - mover.bar()).max().unwrap_or(0);
        hits += if most > 0 { weight } else { 0 };
        double_hits += if most > 1 { weight } else { 0 };
    }
    Shots { blots, hits, double_hits }
}

/// The opponent's best reply to each roll, their best roll first. `state` is seen by the opponent,
/// who is on roll.
pub fn replies<G: PlayableGame>(
    game: &G,
    evaluator: &mut dyn Evaluator<G>,
    state: &G::State,
) -> Vec<BestReply<G>> {
    if game.outcome(state).is_some() {
        return Vec::new();
    }
    let mover = game.flip(state);
    let (mut afterstates, mut evaluated) = (Vec::new(), Vec::new());
    let mut replies: Vec<BestReply<G>> = game
        .rolls()
        .iter()
        .map(|&(roll, weight)| {
            afterstates.clear();
            game.afterstates(state, roll, &mut afterstates);
            evaluator.evaluate_siblings(&mover, &afterstates, &mut evaluated);
            let best = (0..afterstates.len())
                .min_by(|&a, &b| evaluated[a].equity().total_cmp(&evaluated[b].equity()))
                .expect("there is always an afterstate, that of the pass if no other");
            let (position, probs) = (afterstates[best], evaluated[best]);
            let hits = game.checkers_hit(&mover, &position);
            BestReply { roll, weight, position, probs, equity: probs.equity(), hits }
        })
        .collect();
    replies.sort_by(|a, b| a.equity.total_cmp(&b.equity));
    replies
}

#[cfg(test)]
mod tests {
    use tavola_rules::notation::parse_play;

    use super::*;
    use crate::evaluators::{FakeEvaluator, PipCountEvaluator};

    const GAME: Backgammon = Backgammon::Standard;

    /// Shots of one checker on point 20 at a blot this number of points away, with stops of the
    /// other
    /// side on these points.
    fn hits(away: usize, stops: &[usize]) -> u8 {
        let mut theirs = vec![(5 + away, 1)];
        theirs.extend(stops.iter().map(|&away| (5 + away, 2)));
        let shots = shots(&Position::from_points(&[(20, 1), (1, 2)], &theirs, 15).unwrap());
        assert_eq!(shots.blots, [Blot { point: (25 - 20 + away) as u8, hits: shots.hits }]);
        assert_eq!(shots.double_hits, 0);
        shots.hits
    }

    #[test]
    fn shots_at_one_blot_are_those_of_the_usual_table() {
        // Walter Trice and everybody else: rolls that hit by distance, nothing in between.
        let table = [11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3];
        for (i, expected) in table.into_iter().enumerate() {
            assert_eq!(hits(i + 1, &[]), expected, "{} away", i + 1);
        }
        for (away, expected) in [(15, 1), (16, 1), (18, 1)] {
            assert_eq!(hits(away, &[]), expected, "{away} away");
        }
        assert_eq!(hits(13, &[]), 0);
    }

    #[test]
    fn stops_on_the_way_take_combinations_away() {
        // Six away: 5-1, 4-2, 3-3 and 2-2 beside the eleven sixes.
        assert_eq!(hits(6, &[5]), 17, "5-1 goes over the one");
        assert_eq!(hits(6, &[5, 1]), 15, "no 5-1");
        assert_eq!(hits(6, &[3]), 16, "no 3-3");
        assert_eq!(hits(6, &[2, 4]), 14, "neither 4-2 nor 2-2");
        assert_eq!(hits(6, &[1, 2, 3, 4, 5]), 11, "sixes alone");
        // Eight away: 6-2, 5-3, 4-4, 2-2.
        assert_eq!(hits(8, &[6, 2]), 3, "5-3 and 4-4 are left: 2-2 is stopped as well");
        // Twelve away: 6-6 by the 6, 4-4 by 4 and 8, 3-3 by 3, 6 and 9.
        assert_eq!(hits(12, &[6]), 1, "4-4 alone");
        assert_eq!(hits(12, &[9]), 2, "6-6 and 4-4");
    }

    #[test]
    fn a_checker_on_the_bar_must_enter_before_it_hits_elsewhere() {
        // Two on the bar: no roll but a double can move anything else.
        let shots = shots(
            &Position::from_points(&[(25, 2), (8, 1), (1, 2)], &[(22, 1), (6, 1)], 15).unwrap(),
        );
        let of = |point| shots.blots.iter().find(|blot| blot.point == point).unwrap().hits;
        // The blot on 19 is hit from the bar by any six, and after entering by 3-3 (22/19) and
        // 2-2 (23/21/19). The one on 3 is five away from the 8: once 5-5 has entered both, 8/3.
        assert_eq!(of(25 - 19), 11 + 2);
        assert_eq!(of(25 - 3), 1);
        assert_eq!((shots.hits, shots.double_hits), (14, 0));
    }

    #[test]
    fn two_blots_may_be_hit_at_once() {
        let shots =
            shots(&Position::from_points(&[(20, 2), (1, 2)], &[(6, 1), (7, 1)], 15).unwrap());
        // Ones and twos: 20 rolls. 2-1 takes both, and so does 1-1 (20/19, 19/18 or 20/18).
        assert_eq!(shots.hits, 20);
        assert_eq!(shots.double_hits, 3);
        assert_eq!(shots.blots.iter().map(|blot| blot.point).collect::<Vec<_>>(), [7, 6]);
        // The nearer one: eleven ones. The farther one: eleven twos and 1-1.
        assert_eq!(shots.blots.iter().map(|blot| blot.hits).collect::<Vec<_>>(), [12, 11]);
    }

    #[test]
    fn no_blot_no_shot_and_none_after_the_end() {
        let closed = shots(&Position::STANDARD);
        assert_eq!(closed, Shots { blots: Vec::new(), hits: 0, double_hits: 0 });
        let over = Position::from_points(&[(3, 2)], &[], 15).unwrap();
        assert_eq!(shots(&over).hits, 0);
        let mut evaluator = PipCountEvaluator::new(GAME);
        assert!(replies(&GAME, &mut evaluator, &over).is_empty());
    }

    #[test]
    fn replies_are_the_best_for_the_opponent_and_their_mean_is_the_1_ply_value() {
        let (_, after) =
            parse_play("13/9 6/5", &Position::STANDARD, "41".parse().unwrap()).unwrap();
        let mut evaluator = PipCountEvaluator::new(GAME);
        let replies = replies(&GAME, &mut evaluator, &after);
        assert_eq!(replies.len(), 21);
        assert_eq!(replies.iter().map(|reply| u32::from(reply.weight)).sum::<u32>(), 36);
        assert!(replies.windows(2).all(|pair| pair[0].equity <= pair[1].equity));
        for reply in &replies {
            let ranked = crate::rank_afterstates(&GAME, &mut evaluator, &after, reply.roll);
            assert_eq!(reply.equity, -ranked[0].equity, "{}", reply.roll);
            assert!(ranked.iter().any(|result| result.state == reply.position));
        }
        // An evaluator that loves to be hit gets every hit there is.
        let mut hit_lover = FakeEvaluator::new(GAME, |state: &Position| {
            let win = if state.bar() > 0 { 0.0 } else { 1.0 };
            OutcomeProbs([1.0 - win, 0.0, 0.0, win, 0.0, 0.0])
        });
        let hitting = super::replies(&GAME, &mut hit_lover, &after);
        let rolls = hitting.iter().filter(|reply| reply.hits > Some(0)).map(|reply| reply.weight);
        assert_eq!(rolls.sum::<u8>(), shots(&after).hits);
    }

    #[test]
    fn changes_compare_plays_of_equal_depth_alone() {
        let probs =
            |win: f32| OutcomeProbs([1.0 - win, 0.0, 0.0, win - 0.125, 0.125, 0.0]).cumulative();
        let position = Position::STANDARD;
        let play = |win, ply| ExplainedPlay { position, probs: probs(win), ply };
        let plays = [play(0.75, 2), play(0.5, 2), play(0.25, 0)];
        let mut evaluator = PipCountEvaluator::new(GAME);
        let reasons = explain(&GAME, &mut evaluator, &probs(0.625), &plays);
        assert_eq!(reasons[0].since_roll.probs, [0.125, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(reasons[0].since_roll.equity, 0.25);
        let (runner_up, change) = reasons[0].against.unwrap();
        assert_eq!((runner_up, change.equity, change.probs[0]), (1, 0.5, 0.25));
        let (runner_up, change) = reasons[1].against.unwrap();
        assert_eq!((runner_up, change.equity), (0, -0.5));
        assert_eq!(reasons[2].against, None);
    }
}
