//! Statistics of games for more than two players: a network in all seats.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use tavola_engine::{BUILT_IN, LoadedNetwork};
use tavola_evaluator::{Estimate, Workers};
use tavola_files::Failure;
use tavola_games::many::{AnyManyGame, ManyEvaluator, ManyGame};
use tavola_games::with_many_game;

use super::{RULE_BASED, SeatReport, SeatedPlayer, play, seats};
use crate::strength::player::RANDOM;
use crate::{GameReportSettings, OpeningRoll};

/// How often something happens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Frequency {
    /// Times a game, on average.
    pub a_game: f64,
    /// The share of games in which it happens.
    pub share_of_games: f64,
}

/// How games go in which the same player has all seats.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeatStatistics {
    /// Games that came to their end.
    pub games: u64,
    /// Games that were truncated and do not count.
    pub unfinished: u64,
    /// Points per game of each seat, counted from the one that begins.
    pub seats: Vec<Estimate>,
    /// Decisions in a game: mean, and the shortest and longest game.
    pub decisions: (f64, u64, u64),
    /// Points of the best seat of each game.
    pub winner: Estimate,
    /// Decisions that remove another player's checker.
    pub hits: Frequency,
    /// Rolls of which nothing can be played.
    pub passes: Frequency,
    /// Decisions to use dice that another player has offered.
    pub offers_used: Frequency,
    /// Decisions to decline them.
    pub offers_declined: Frequency,
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
/// statistics on any number of threads; `None` if it was canceled or no game came to its end.
pub fn seat_statistics<G: ManyGame>(
    game: &G,
    player: &SeatedPlayer<G>,
    games: u64,
    seed: u64,
    workers: Workers<'_>,
) -> Option<SeatStatistics> {
    let cancel = workers.cancel;
    let count = |(): &mut (), index| count(game, player, (seed, index), cancel);
    let played = workers.run(0..games, || (), count);
    let finished: Vec<Counts> = played.into_iter().flatten().collect();
    if cancel.load(Ordering::Relaxed) || finished.is_empty() {
        return None;
    }
    let n = finished.len() as f64;
    let mean = |what: fn(&Counts) -> u64| finished.iter().map(what).sum::<u64>() as f64 / n;
    let frequency = |what: fn(&Counts) -> u64| Frequency {
        a_game: mean(what),
        share_of_games: finished.iter().filter(|counts| what(counts) > 0).count() as f64 / n,
    };
    let best = |counts: &Counts| counts.payoffs.iter().copied().fold(f32::MIN, f32::max).into();
    let lengths = finished.iter().map(|counts| counts.decisions);
    let of_seat =
        |seat: usize| Estimate::of(finished.iter().map(|counts| f64::from(counts.payoffs[seat])));
    Some(SeatStatistics {
        games: finished.len() as u64,
        unfinished: games - finished.len() as u64,
        seats: (0..G::PLAYERS).map(of_seat).collect(),
        decisions: (
            mean(|counts| counts.decisions),
            lengths.clone().min().unwrap_or_default(),
            lengths.max().unwrap_or_default(),
        ),
        winner: Estimate::of(finished.iter().map(best)),
        hits: frequency(|counts| counts.hits),
        passes: frequency(|counts| counts.passes),
        offers_used: frequency(|counts| counts.offers_used),
        offers_declined: frequency(|counts| counts.offers_declined),
    })
}

/// The opening play of a network for every roll, with the points that the first player expects.
pub fn seat_openings<G: ManyGame>(game: &G, evaluator: &mut ManyEvaluator<G>) -> Vec<OpeningRoll> {
    let start = game.start(0);
    let rolls = game.rolls_of_a_turn();
    let total: u32 = rolls.iter().map(|(_, ways)| ways).sum();
    let opening = |(roll, ways): (_, u32)| {
        let mut ranked: Vec<(String, f32)> = game
            .plays(&start, Some(roll))
            .into_iter()
            .map(|(play, after)| (play, evaluator.payoffs(&after, 0)[0]))
            .collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let second = ranked.get(1);
        OpeningRoll {
            roll: roll.to_string(),
            probability: f64::from(ways) / f64::from(total),
            choices: ranked.len(),
            play: ranked[0].0.clone(),
            equity: ranked[0].1,
            second: second.map(|second| second.0.clone()),
            second_loses: second.map(|second| ranked[0].1 - second.1),
        }
    };
    rolls.into_iter().map(opening).collect()
}

/// Plays a game and counts; `None` if it has no end or was called off.
fn count<G: ManyGame>(
    game: &G,
    player: &SeatedPlayer<G>,
    (seed, index): (u64, u64),
    cancel: &AtomicBool,
) -> Option<Counts> {
    let mut player = player.player(seed ^ index.rotate_left(17));
    let mut counts = Counts::default();
    let (payoffs, decisions) = play(game, (seed, index), cancel, |state, roll| {
        let (words, mut results): (Vec<String>, Vec<G::State>) =
            game.plays(state, roll).into_iter().unzip();
        let chosen = player.choose(game, state, &results);
        counts.hits += u64::from(words[chosen].contains('*'));
        match words[chosen].as_str() {
            "pass" => counts.passes += 1,
            "decline" => counts.offers_declined += 1,
            _ if roll.is_none() => counts.offers_used += 1,
            _ => {}
        }
        results.swap_remove(chosen)
    })?;
    Some(Counts { payoffs, decisions: decisions as u64, ..counts })
}

/// The players that a network is compared with.
const OTHERS: [&str; 2] = [RANDOM, RULE_BASED];

/// Statistics of games that a network plays against itself, and its strength.
#[derive(Debug, Serialize)]
pub struct SeatGameReport {
    /// The game.
    pub game: String,
    /// Its rules in a few sentences.
    pub rules: &'static str,
    /// The version of the network.
    pub network: String,
    /// Seed of the dice.
    pub seed: u64,
    /// What happens in its games.
    #[serde(flatten)]
    pub statistics: SeatStatistics,
    /// Its opening plays.
    pub openings: Vec<OpeningRoll>,
    /// What it won among copies of other players.
    pub strength: Vec<SeatStrength>,
}

/// What a network won among copies of another player.
#[derive(Debug, Serialize)]
pub struct SeatStrength {
    /// The other player.
    pub opponent: &'static str,
    /// Payoffs by seat.
    #[serde(flatten)]
    pub report: SeatReport,
}

impl SeatGameReport {
    /// Plays the games of the network of a weights file, or the built-in one.
    ///
    /// # Errors
    ///
    /// The network can't be used, or the games were called off.
    pub fn of(
        game: AnyManyGame,
        model: Option<&Path>,
        settings: &GameReportSettings,
        workers: Workers<'_>,
    ) -> Result<Self, Failure> {
        let stopped = || Failure::stopped("interrupted before the last game");
        let GameReportSettings { games, seed, duel_games } = *settings;
        let rounds = duel_games / game.players() as u64;
        let name = model.map_or_else(|| BUILT_IN.to_owned(), |path| path.display().to_string());
        with_many_game!(&game, |game| {
            let network = SeatedPlayer::new(&name, game)?;
            let version = LoadedNetwork::load_for(model, &game.id())
                .map_err(Failure::input_in("cannot use the built-in network"))?;
            let statistics =
                seat_statistics(game, &network, games, seed, workers).ok_or_else(stopped)?;
            let mut strength = Vec::new();
            for opponent in OTHERS.into_iter().filter(|_| rounds >= 2) {
                let players = [network.clone(), SeatedPlayer::new(opponent, game)?];
                let report =
                    seats(game, &players, rounds, seed, workers, &()).ok_or_else(stopped)?;
                strength.push(SeatStrength { opponent, report });
            }
            let openings = match &network {
                SeatedPlayer::Network(player) => seat_openings(game, &mut player.evaluator.clone()),
                _ => Vec::new(),
            };
            let (game, rules, network) = (game.id(), game.brief(), version.version());
            Ok(Self { game, rules, network, seed, statistics, openings, strength })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use tavola_games::many::{Astronomy, FourSeasons};
    use tavola_net::{EncoderKind, initial_weights};

    use super::*;

    fn statistics<G: ManyGame>(game: &G, threads: usize) -> SeatStatistics {
        let threads = NonZeroUsize::new(threads).unwrap();
        let workers = Workers { threads, cancel: &AtomicBool::new(false) };
        seat_statistics(game, &SeatedPlayer::RuleBased, 6, 3, workers).unwrap()
    }

    #[test]
    fn games_are_counted_alike_on_any_number_of_threads() {
        let seasons = statistics(&FourSeasons::STANDARD, 1);
        assert_eq!(seasons, statistics(&FourSeasons::STANDARD, 3));
        assert_eq!((seasons.games, seasons.unfinished, seasons.seats.len()), (6, 0, 4));
        assert!(seasons.seats.iter().map(|seat| seat.mean).sum::<f64>().abs() < 1e-6);
        let (mean, shortest, longest) = seasons.decisions;
        assert!(shortest as f64 <= mean && mean <= longest as f64 && shortest >= 48);
        assert!(seasons.hits.a_game > 0.0 && seasons.hits.share_of_games <= 1.0);
        assert!((seasons.winner.mean - 3.0).abs() < 1e-9);
    }

    #[test]
    fn every_roll_has_its_opening_play() {
        let interface = Astronomy::STANDARD.interface();
        let weights = initial_weights(&interface, EncoderKind::OneHot, &[8], 3).unwrap();
        let mut evaluator = ManyEvaluator::new(&weights, &Astronomy::STANDARD).unwrap();
        let openings = seat_openings(&Astronomy::STANDARD, &mut evaluator);
        assert_eq!(openings.len(), 84);
        assert!(
            (openings.iter().map(|opening| opening.probability).sum::<f64>() - 1.0).abs() < 1e-9
        );
        let opening = openings.iter().find(|opening| opening.roll == "7-7-7").unwrap();
        assert_eq!(opening.choices, 3);
        assert!(opening.second_loses.unwrap() >= 0.0 && opening.play.starts_with("0-8"));
    }

    #[test]
    fn every_game_of_the_planets_has_captures_and_no_offers() {
        let planets = statistics(&Astronomy::STANDARD, 2);
        assert!(planets.hits.a_game >= 6.0, "{planets:?}");
        assert_eq!(planets.hits.share_of_games.to_bits(), 1f64.to_bits());
        assert!(planets.offers_used.a_game + planets.offers_declined.a_game < 1e-9);
    }
}
