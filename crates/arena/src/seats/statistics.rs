//! Statistics of games for several players: a network in all seats.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde::Serialize;
use tavola_games::many::ManyGame;

use super::{LONGEST_GAME, Payoff, SeatedPlayer};

/// How games go in which the same player has all seats.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeatStatistics {
    /// Games that came to their end.
    pub games: u64,
    /// Games that were truncated and do not count.
    pub unfinished: u64,
    /// Points per game of each seat, counted from the one that begins.
    pub seats: Vec<Payoff>,
    /// Decisions in a game: mean, and the shortest and longest game.
    pub decisions: (f64, u64, u64),
    /// Decisions of a game, on average, that remove another player's checker.
    pub hits: f64,
    /// Rolls of a game, on average, of which nothing can be played.
    pub passes: f64,
    /// Decisions of a game, on average, to use dice that another player has offered.
    pub offers_used: f64,
    /// Decisions of a game, on average, to decline them.
    pub offers_declined: f64,
}

/// What is counted in a game.
#[derive(Clone, Debug, Default)]
struct Counts {
    payoffs: Vec<f32>,
    decisions: u64,
    hits: u64,
    passes: u64,
    offers_used: u64,
    offers_declined: u64,
}

/// Plays games with `player` in all seats, the first of which begins. The same seed gives the same
/// statistics on any number of threads; `None` if it was cancelled or no game came to its end.
pub fn seat_statistics<G: ManyGame>(
    game: &G,
    player: &SeatedPlayer<G>,
    games: u64,
    seed: u64,
    threads: NonZeroUsize,
    cancel: &AtomicBool,
) -> Option<SeatStatistics> {
    let next = AtomicU64::new(0);
    let work = || {
        let mut played = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= games || cancel.load(Ordering::Relaxed) {
                return played;
            }
            played.push((index, count(game, player, seed, index)));
        }
    };
    let mut played: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.get()).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a game panics")).collect()
    });
    played.sort_by_key(|(index, _)| *index);
    let finished: Vec<Counts> = played.into_iter().filter_map(|(_, counts)| counts).collect();
    if cancel.load(Ordering::Relaxed) || finished.is_empty() {
        return None;
    }
    let n = finished.len() as f64;
    let mean = |what: fn(&Counts) -> u64| finished.iter().map(what).sum::<u64>() as f64 / n;
    let lengths = finished.iter().map(|counts| counts.decisions);
    let of_seat = |seat: usize| -> Vec<f64> {
        finished.iter().map(|counts| f64::from(counts.payoffs[seat])).collect()
    };
    Some(SeatStatistics {
        games: finished.len() as u64,
        unfinished: games - finished.len() as u64,
        seats: (0..G::PLAYERS).map(|seat| Payoff::of(&of_seat(seat))).collect(),
        decisions: (
            mean(|counts| counts.decisions),
            lengths.clone().min().unwrap_or_default(),
            lengths.max().unwrap_or_default(),
        ),
        hits: mean(|counts| counts.hits),
        passes: mean(|counts| counts.passes),
        offers_used: mean(|counts| counts.offers_used),
        offers_declined: mean(|counts| counts.offers_declined),
    })
}

/// Plays a game and counts; `None` if it has no end.
fn count<G: ManyGame>(game: &G, player: &SeatedPlayer<G>, seed: u64, index: u64) -> Option<Counts> {
    let mut dice = ChaCha8Rng::seed_from_u64(seed);
    dice.set_stream(index);
    let mut player = player.player(seed ^ index.rotate_left(17));
    let mut state = game.start(0);
    let mut counts = Counts::default();
    for _ in 0..LONGEST_GAME {
        if let Some(payoffs) = game.payoffs(&state) {
            return Some(Counts { payoffs, ..counts });
        }
        let roll = game.rolls(&state).then(|| game.roll(&mut dice));
        let (words, mut results): (Vec<String>, Vec<G::State>) =
            game.plays(&state, roll).into_iter().unzip();
        let chosen = player.choose(game, &state, &results);
        counts.decisions += 1;
        counts.hits += u64::from(words[chosen].contains('*'));
        match words[chosen].as_str() {
            "pass" => counts.passes += 1,
            "decline" => counts.offers_declined += 1,
            _ if roll.is_none() => counts.offers_used += 1,
            _ => {}
        }
        state = results.swap_remove(chosen);
    }
    None
}

#[cfg(test)]
mod tests {
    use tavola_games::many::{Astronomy, FourSeasons};

    use super::*;

    fn statistics<G: ManyGame>(game: &G, threads: usize) -> SeatStatistics {
        let threads = NonZeroUsize::new(threads).unwrap();
        let cancel = AtomicBool::new(false);
        seat_statistics(game, &SeatedPlayer::RuleBased, 6, 3, threads, &cancel).unwrap()
    }

    #[test]
    fn games_are_counted_alike_on_any_number_of_threads() {
        let seasons = statistics(&FourSeasons::STANDARD, 1);
        assert_eq!(seasons, statistics(&FourSeasons::STANDARD, 3));
        assert_eq!((seasons.games, seasons.unfinished, seasons.seats.len()), (6, 0, 4));
        assert!(seasons.seats.iter().map(|seat| seat.mean).sum::<f64>().abs() < 1e-6);
        let (mean, shortest, longest) = seasons.decisions;
        assert!(shortest as f64 <= mean && mean <= longest as f64 && shortest >= 48);
        assert!(seasons.hits > 0.0);
    }

    #[test]
    fn every_game_of_the_planets_has_captures_and_no_offers() {
        let planets = statistics(&Astronomy::STANDARD, 2);
        assert!(planets.hits >= 6.0, "{planets:?}");
        assert!(planets.offers_used.abs() + planets.offers_declined.abs() < 1e-9);
    }
}
