//! First plays and replies, side by side.

use tavola_evaluator::{Evaluator, PlayableGame};

use super::Onlookers;
use super::report::{Decided, Replies};

/// Replies that are still worth a page: those of all rolls to all opening rolls. Games of three
/// dice have thousands.
const MOST_REPLIES: usize = 500;

/// What the networks play with each roll of the beginning, and what they answer to the opening plays
/// of A; no answers where they would be too much to read.
pub(super) fn openings<G: PlayableGame>(
    game: &G,
    a: &dyn Evaluator<G>,
    b: Option<&dyn Evaluator<G>>,
) -> (Vec<Decided>, Vec<Replies>) {
    let (mut onlookers, both) = (Onlookers::new(a, b.unwrap_or(a)), b.is_some());
    let first_rolls = game.opening_rolls();
    let firsts = decide(game, &mut onlookers, both, &game.start(), &first_rolls);
    let mut replies = Vec::new();
    if first_rolls.len() * game.rolls().len() <= MOST_REPLIES {
        for (first, after) in firsts.iter().filter(|(_, after)| game.outcome(after).is_none()) {
            let decided = decide(game, &mut onlookers, both, after, game.rolls());
            replies.push(Replies {
                roll: first.roll.clone(),
                play: first.plays.first().cloned().unwrap_or_default(),
                position: game.write_state(after),
                replies: decided.into_iter().map(|(decided, _)| decided).collect(),
            });
        }
    }
    (firsts.into_iter().map(|(decided, _)| decided).collect(), replies)
}

/// What they make of these rolls, and where A's play leads.
fn decide<G: PlayableGame>(
    game: &G,
    onlookers: &mut Onlookers<G>,
    both: bool,
    state: &G::State,
    rolls: &[(G::Roll, u8)],
) -> Vec<(Decided, G::State)> {
    let total: f64 = rolls.iter().map(|&(_, weight)| f64::from(weight)).sum();
    rolls
        .iter()
        .map(|&(roll, weight)| {
            let opinions = onlookers.look(game, state, roll);
            let decided = Decided::new(
                game,
                state,
                roll,
                &opinions,
                if both { 2 } else { 1 },
                f64::from(weight) / total,
            );
            (decided, opinions.plays[0])
        })
        .collect()
}
