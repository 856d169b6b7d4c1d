//! Games for more than two players: one player in every seat among copies of another.
//!
//! A round of seatings is a game for each seat that the player may have, all on the same dice and
//! with the same beginner. So seats and dice favor neither player, and the spread between rounds
//! tells how sure the mean is.

pub mod statistics;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde::Serialize;
use tavola_engine::many::MOST_PLY;
use tavola_engine::{BUILT_IN, LoadedNetwork};
use tavola_evaluator::{Estimate, Workers};
use tavola_files::Failure;
use tavola_games::many::{
    AnyManyGame, ManyEvaluator, ManyGame, ManyPlayer, NetworkPlayer, RandomPlayer, RuleBasedPlayer,
};
use tavola_games::{TablesDice, with_many_game};

use super::player::{AT, RANDOM};
use crate::job::JobContext;
use crate::progress::Progress;

/// The name of the player that follows the rules of thumb of the game.
const RULE_BASED: &str = "rule-based";

/// Decisions after which a game is truncated and not counted.
const LONGEST_GAME: usize = 100_000;

/// A player of a game for more than two.
#[derive(Clone, Debug)]
pub enum SeatedPlayer<G> {
    /// Plays at random.
    Random,
    /// Follows the rules of thumb of the game.
    RuleBased,
    /// Chooses by a network.
    Network(NetworkPlayer<G>),
}

impl<G: ManyGame> SeatedPlayer<G> {
    /// A player by its name: `random`, `rule-based`, `default` for the built-in network, or the
    /// path of a weights file; behind a network `@` and the plies that it looks ahead.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the name and what was expected.
    pub fn new(name: &str, game: &G) -> Result<Self, Failure> {
        match name {
            RANDOM => return Ok(Self::Random),
            RULE_BASED => return Ok(Self::RuleBased),
            _ => {}
        }
        // A file may have the sign in its name.
        let (file, ply) = match name.rsplit_once(AT).filter(|_| !Path::new(name).exists()) {
            None => (name, 0),
            Some((file, plies)) => match plies.parse() {
                Ok(ply @ 0..=MOST_PLY) => (file, ply),
                _ => {
                    return Err(Failure::input(format!(
                        "player {name:?}, expected 0 to {MOST_PLY} plies behind the {AT}"
                    )));
                }
            },
        };
        let of_name = format!("cannot use the network of {name:?}");
        let (path, context) = match Path::new(file) {
            _ if file == BUILT_IN => (None, "cannot use the built-in network"),
            path if path.is_file() => (Some(path), &*of_name),
            _ => {
                return Err(Failure::input(format!(
                    "unknown player {name:?}, expected default, {RULE_BASED}, {RANDOM} or the path \
                     of a weights file, behind a network {AT} and plies or not"
                )));
            }
        };
        let network =
            LoadedNetwork::load_for(path, &game.id()).map_err(Failure::input_in(context))?;
        let evaluator =
            ManyEvaluator::new(network.weights(), game).map_err(Failure::input_in(of_name))?;
        Ok(Self::Network(NetworkPlayer { evaluator, ply }))
    }

    fn player(&self, seed: u64) -> Box<dyn ManyPlayer<G>> {
        match self {
            Self::Random => Box::new(RandomPlayer::new(seed)),
            Self::RuleBased => Box::new(RuleBasedPlayer),
            Self::Network(player) => Box::new(player.clone()),
        }
    }
}

/// What a player won among copies of another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeatReport {
    /// Points a game over all seats.
    pub all: Estimate,
    /// In each seat, counted from the one that begins.
    pub seats: Vec<Estimate>,
    /// Rounds that were played, a game in each seat.
    pub rounds: u64,
    /// Rounds with a truncated game, which do not count.
    pub unfinished: u64,
    /// Decisions in a game, on average.
    pub decisions: f64,
}

impl SeatReport {
    /// Plays rounds of games, the first of the named players in each seat among copies of the
    /// second. The same seed gives the same report on any number of threads.
    ///
    /// # Errors
    ///
    /// A name is none of a player, or the games were called off.
    pub fn of(
        game: AnyManyGame,
        names: [&str; 2],
        rounds: u64,
        seed: u64,
        job: &JobContext<'_>,
    ) -> Result<Self, Failure> {
        with_many_game!(&game, |game| {
            let player = |name| SeatedPlayer::new(name, game);
            let players = [player(names[0])?, player(names[1])?];
            seats(game, &players, rounds, seed, job.workers, job.progress)
        })
        .ok_or_else(|| Failure::stopped("interrupted before the last round"))
    }
}

/// Plays rounds of games, `player` in each seat among copies of `others`. The same seed gives the
/// same report on any number of threads; `None` if it was canceled.
pub fn seats<G: ManyGame>(
    game: &G,
    players: &[SeatedPlayer<G>; 2],
    rounds: u64,
    seed: u64,
    workers: Workers<'_>,
    progress: &dyn Progress,
) -> Option<SeatReport> {
    let cancel = workers.cancel;
    progress.begin(rounds, "rounds");
    let round = |(): &mut (), round| -> Option<Vec<(f64, usize)>> {
        let games = (0..G::PLAYERS).map(|seat| in_seat(game, players, seat, (seed, round), cancel));
        let games = games.collect();
        progress.one_done();
        games
    };
    let played = workers.run(0..rounds, || (), round);
    if cancel.load(Ordering::Relaxed) {
        return None;
    }
    let finished: Vec<_> = played.into_iter().flatten().collect();
    let n = G::PLAYERS as f64;
    let of_all = finished.iter().map(|games| games.iter().map(|game| game.0).sum::<f64>() / n);
    let decisions: usize = finished.iter().flat_map(|games| games.iter()).map(|game| game.1).sum();
    Some(SeatReport {
        all: Estimate::of(of_all),
        seats: (0..G::PLAYERS)
            .map(|seat| Estimate::of(finished.iter().map(|games| games[seat].0)))
            .collect(),
        rounds: finished.len() as u64,
        unfinished: rounds - finished.len() as u64,
        decisions: decisions as f64 / (finished.len().max(1) as f64 * n),
    })
}

/// A game of a round with `player` in this seat: what it won, and how many decisions there were;
/// `None` if it was truncated or called off.
fn in_seat<G: ManyGame>(
    game: &G,
    [player, others]: &[SeatedPlayer<G>; 2],
    seat: usize,
    (seed, round): (u64, u64),
    cancel: &AtomicBool,
) -> Option<(f64, usize)> {
    let mut player = player.player(seed ^ round.rotate_left(17));
    let mut others = others.player(seed ^ round.rotate_left(31) ^ 1);
    let mut results = Vec::new();
    let (payoffs, decisions) = play(game, (seed, round), cancel, |state, roll| {
        results.clear();
        game.results(state, roll, &mut results);
        let chosen = match game.on_roll(state) == seat {
            true => player.choose(game, state, &results),
            false => others.choose(game, state, &results),
        };
        results.swap_remove(chosen)
    })?;
    Some((f64::from(payoffs[seat]), decisions))
}

/// A game with the dice of this seed and number, in which `next` decides: what each seat won, and how
/// many decisions there were; `None` if it was truncated or called off.
fn play<G: ManyGame>(
    game: &G,
    (seed, number): (u64, u64),
    cancel: &AtomicBool,
    mut next: impl FnMut(&G::State, Option<TablesDice>) -> G::State,
) -> Option<(Vec<f32>, usize)> {
    let mut dice = ChaCha8Rng::seed_from_u64(seed);
    dice.set_stream(number);
    let mut state = game.start(0);
    for decisions in 0..LONGEST_GAME {
        if let Some(payoffs) = game.payoffs(&state) {
            return Some((payoffs, decisions));
        }
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        let roll = game.rolls(&state).then(|| game.roll(&mut dice));
        state = next(&state, roll);
    }
    None
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use tavola_games::many::FourSeasons;

    use super::*;

    #[test]
    fn the_report_is_the_same_on_any_number_of_threads_and_equal_players_win_nothing() {
        let [rules, random] = ["rule-based", "random"]
            .map(|name| SeatedPlayer::new(name, &FourSeasons::STANDARD).unwrap());
        let report = |players: [&SeatedPlayer<_>; 2], threads| {
            let threads = NonZeroUsize::new(threads).unwrap();
            let players = players.map(Clone::clone);
            let workers = Workers { threads, cancel: &AtomicBool::new(false) };
            seats(&FourSeasons::STANDARD, &players, 12, 5, workers, &()).unwrap()
        };
        let better = report([&rules, &random], 1);
        assert_eq!(better, report([&rules, &random], 3));
        assert!(better.all.is_significant() && better.all.mean > 1.0, "{better:?}");
        // In a round of equals each seat of the same game is looked at once.
        let equal = report([&rules, &rules], 2);
        assert!(equal.all.mean.abs() < 1e-9, "{equal:?}");
        let error = SeatedPlayer::new("gnubg", &FourSeasons::STANDARD).unwrap_err();
        assert!(error.to_string().contains("\"gnubg\""), "{error}");
    }
}
