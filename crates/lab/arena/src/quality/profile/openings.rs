//! First plays and replies, side by side.

use tavola_evaluator::{Evaluator, PlayableGame};

use super::Onlookers;
use super::report::{Decided, Replies};

/// Replies that are still worth a page: those of all rolls to all opening rolls. Games of three
/// dice have thousands.
const MOST_REPLIES: usize = 500;

/// What the networks play with each roll of the beginning.
pub(super) fn openings<G: PlayableGame>(
    game: &G,
    a: &dyn Evaluator<G>,
    b: Option<&dyn Evaluator<G>>,
) -> Vec<Decided> {
    let mut onlookers = Onlookers::new(a, b.unwrap_or(a));
    decide(game, &mut onlookers, b.is_some(), &game.start(), &game.opening_rolls())
        .into_iter()
        .map(|(decided, _)| decided)
        .collect()
}

/// What they answer to the opening plays of A; nothing where that would be too much to read.
pub(super) fn replies<G: PlayableGame>(
    game: &G,
    a: &dyn Evaluator<G>,
    b: Option<&dyn Evaluator<G>>,
) -> Vec<Replies> {
    let first_rolls = game.opening_rolls();
    if first_rolls.len() * game.rolls().len() > MOST_REPLIES {
        return Vec::new();
    }
    let mut onlookers = Onlookers::new(a, b.unwrap_or(a));
    let firsts = decide(game, &mut onlookers, b.is_some(), &game.start(), &first_rolls);
    firsts
        .into_iter()
        .filter(|(_, after)| game.outcome(after).is_none())
        .map(|(first, after)| Replies {
            roll: first.roll,
            play: first.plays.into_iter().next().unwrap_or_default(),
            position: game.write_state(&after),
            replies: decide(game, &mut onlookers, b.is_some(), &after, game.rolls())
                .into_iter()
                .map(|(decided, _)| decided)
                .collect(),
        })
        .collect()
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
