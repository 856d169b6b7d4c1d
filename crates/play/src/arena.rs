//! Which of two agents is stronger, and by how much.
//!
//! Most of what decides a game is the dice, so games come in pairs: the second has the dice of
//! the first, roll by roll, with the seats swapped. Luck that favours the seat cancels within
//! the pair.

use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use tavola_rules::{Game, Outcome};

use crate::agent::Contender;
use crate::game::{DEFAULT_MAX_TURNS, FirstRoll, GameLoop, RandomRolls, Seat, Seats};
use crate::random::{Purpose, game_rng};
use crate::stats::{Estimate, PairResult, Tally, Wins};
use crate::workers::Workers;

/// How a duel is fought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DuelSettings {
    /// Pairs of games, at least 2: the spread between pairs tells how sure the result is.
    pub pairs: u64,
    /// Seed of the dice.
    pub seed: u64,
    /// Turns, at least 1, after which a game is given up and counts as no points.
    pub max_turns: NonZeroU32,
}

impl Default for DuelSettings {
    fn default() -> Self {
        Self { pairs: 1000, seed: 1, max_turns: DEFAULT_MAX_TURNS }
    }
}

/// What a duel showed. Points are from player a.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DuelResult {
    /// The [`id`](Game::id) of the game.
    pub game: String,
    /// Seed of the dice.
    pub seed: u64,
    /// Pairs that were played: fewer than asked for if the duel was cancelled.
    pub pairs: u64,
    /// Games that were played, two a pair.
    pub games: u64,
    /// Points per game of a: how much stronger it is than b.
    pub ppg: Estimate,
    /// Games that a won.
    pub a: Wins,
    /// Games that b won.
    pub b: Wins,
    /// Games that were given up as too long.
    pub unfinished: u64,
}

/// Why a duel has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DuelError {
    /// A spread needs two pairs.
    #[error("a duel of {pairs} pairs, expected at least 2")]
    TooFewPairs {
        /// Pairs asked for.
        pairs: u64,
    },
    /// The caller called the duel off before there was anything to tell.
    #[error("cancelled after {finished} of {asked} pairs, a result takes at least 2")]
    Cancelled {
        /// Pairs played.
        finished: u64,
        /// Pairs asked for.
        asked: u64,
    },
}

/// Plays `a` against `b` from the start of the game.
///
/// The dice of a turn depend on the seed, the pair and the turn's number alone. The result is the
/// same on any number of threads, and an agent that plays itself has exactly zero in every pair.
///
/// `observer` is called after every pair, by the thread that played it. It may cancel the duel
/// once it has seen enough; the result is then that of the first so many pairs, all of which were
/// played to the end, so short games are not favoured.
///
/// # Errors
///
/// [`DuelError`] if there are fewer than two pairs, asked for or played.
pub fn duel<G: Game>(
    game: &G,
    a: &dyn Contender<G>,
    b: &dyn Contender<G>,
    settings: &DuelSettings,
    workers: Workers<'_>,
    observer: &(dyn Fn(&PairResult) + Sync),
) -> Result<DuelResult, DuelError> {
    let DuelSettings { pairs: asked, seed, max_turns } = *settings;
    if asked < 2 {
        return Err(DuelError::TooFewPairs { pairs: asked });
    }
    // Agents may stay on their thread; forks behind a lock let every thread make its own.
    let agents = Mutex::new((a.fork(), b.fork()));
    let pairs = workers.run(
        0..asked,
        || {
            // A poisoned lock means that a fork panicked, which changed nothing in the original.
            let agents = agents.lock().unwrap_or_else(PoisonError::into_inner);
            (GameLoop::new(game.clone(), max_turns), agents.0.fork(), agents.1.fork())
        },
        |(games, a, b), pair| {
            let mut play = |seats: Seats<'_, G>, seat_of_a| -> Option<Outcome> {
                let rng = game_rng(seed, pair, Purpose::DuelRolls);
                let mut rolls = RandomRolls::new(rng, FirstRoll::Opening);
                let end = games.play(&game.start(), &mut rolls, seats, &mut ()).ok()?;
                Some(end.outcome_for(seat_of_a))
            };
            let a_first = play(Seats::Two { first: a.as_mut(), second: b.as_mut() }, Seat::First);
            let b_first = play(Seats::Two { first: b.as_mut(), second: a.as_mut() }, Seat::Second);
            let result = PairResult { pair, a_first, b_first };
            observer(&result);
            result
        },
    );
    let mut tally = Tally::default();
    for pair in &pairs {
        tally.add(pair);
    }
    let finished = tally.pairs();
    let ppg = tally.points_per_game().ok_or(DuelError::Cancelled { finished, asked })?;
    Ok(DuelResult {
        game: game.id(),
        seed,
        pairs: finished,
        games: 2 * finished,
        ppg,
        a: tally.a(),
        b: tally.b(),
        unfinished: tally.unfinished(),
    })
}
