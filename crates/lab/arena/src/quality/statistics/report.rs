//! The statistics of the games of a network, as a report has them.

use std::collections::BTreeMap;

use serde::Serialize;
use tavola_engine::{LoadedNetwork, version};
use tavola_evaluator::{Estimate, Evaluator, PlayableGame, RandomEvaluator, TurnEvent};
use tavola_files::Failure;
use tavola_games::{AnyGame, with_game};

use super::{Length, Occurrences, OpeningRoll, openings};
use crate::job::JobContext;
use crate::quality::profile::{ProfileSettings, meet, profile};
use crate::stats::Stronger;
use crate::strength::player::RANDOM_PLAYER_SEED;
use crate::strength::player::name::RANDOM;

/// How many games are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameReportSettings {
    /// Games of the network against itself.
    pub games: u64,
    /// Seed of the dice.
    pub seed: u64,
    /// Games against each of the simple players, an even number; with 0 none.
    pub duel_games: u64,
}

/// Games won by either side and of each kind.
#[derive(Debug, Serialize)]
pub struct WinKinds {
    /// Won by the player who began.
    pub first: u64,
    /// Won by the other player.
    pub second: u64,
    /// Drawn.
    pub draws: u64,
    /// Won by one point.
    pub single: u64,
    /// Won by a gammon and not by a backgammon.
    pub gammon: u64,
    /// Won by a backgammon.
    pub backgammon: u64,
}

/// How a game ended.
#[derive(Debug, Serialize)]
pub struct EndingCount {
    /// The name of the rule.
    pub rule: &'static str,
    /// It in words.
    pub meaning: &'static str,
    /// Games that ended so.
    pub games: u64,
    /// Of all games.
    pub share: f64,
}

/// How often something happened.
#[derive(Debug, Serialize)]
pub struct EventCount {
    /// The name of the event.
    pub event: &'static str,
    /// It in words.
    pub meaning: &'static str,
    /// Turns in which it happened.
    pub turns: u64,
    /// Turns in which it happened, a game.
    pub turns_a_game: f64,
    /// Games in which it happened at least once.
    pub games: u64,
    /// Games in which it happened at least once, of all games.
    pub share_of_games: f64,
}

/// How strong the network is against another player.
#[derive(Debug, Serialize)]
pub struct StrengthReport {
    /// The player's name.
    pub opponent: String,
    /// Points per game of the network.
    pub ppg: Estimate,
    /// What that says.
    pub verdict: Stronger,
    /// Games played.
    pub games: u64,
    /// Games of these that were truncated and count as no points.
    pub unfinished: u64,
}

/// All of it.
#[derive(Debug, Serialize)]
pub struct GameReport {
    /// The id of the game.
    pub game: String,
    /// Its rules in brief.
    pub rules: &'static str,
    /// Which network it was.
    pub network: String,
    /// Seed of the dice.
    pub seed: u64,
    /// Games that were truncated at the turn limit and are not counted.
    pub unfinished: u64,
    /// Games that were played to their end.
    pub games: u64,
    /// Their turns.
    pub length: Length,
    /// Points per game of the player who begins.
    pub first_mover: Option<Estimate>,
    /// How they were won.
    pub wins: WinKinds,
    /// How they ended.
    pub endings: Vec<EndingCount>,
    /// What happened in them.
    pub events: Vec<EventCount>,
    /// The plays of the opening rolls.
    pub openings: Vec<OpeningRoll>,
    /// How strong the network is.
    pub strength: Vec<StrengthReport>,
}

impl GameReport {
    /// The statistics of a network that plays against itself, 0-ply, and its strength against simple
    /// players.
    ///
    /// # Errors
    ///
    /// The network can't be used, it was canceled, or there is a single pair of games against others.
    pub fn of(
        game: &AnyGame,
        network: &LoadedNetwork,
        settings: &GameReportSettings,
        job: &JobContext<'_>,
    ) -> Result<Self, Failure> {
        with_game!(game, |game| Self::of_game(game, network, settings, job))
    }

    fn of_game<G: PlayableGame>(
        game: &G,
        network: &LoadedNetwork,
        settings: &GameReportSettings,
        job: &JobContext<'_>,
    ) -> Result<Self, Failure> {
        let mut evaluator = job.evaluator(network, game)?;
        let JobContext { workers, progress, .. } = *job;
        let GameReportSettings { games, seed, duel_games } = *settings;
        let settings = ProfileSettings { games, seed, per_phase: 0 };
        let found = profile(game, &*evaluator, None, &settings, workers, progress)?;
        let statistics = &found.players[0];
        let random = RandomEvaluator::new(game.clone(), RANDOM_PLAYER_SEED);
        let simple = game.baseline();
        let others: [(&str, &dyn Evaluator<G>); 2] = [(RANDOM, &random), (G::BASELINE, &*simple)];
        let mut strength = Vec::new();
        for (name, other) in others.into_iter().filter(|_| duel_games > 0) {
            let (players, opponent) = ((&*evaluator, other), name.to_owned());
            let found = meet(game, players, false, (duel_games, seed), workers, progress)?;
            let (ppg, verdict) = (found.points, found.stronger());
            let (games, unfinished) = (found.played(), found.unfinished);
            strength.push(StrengthReport { opponent, ppg, verdict, games, unfinished });
        }
        let openings = openings(game, &mut *evaluator);
        let games = statistics.games();
        let share = |count: u64| count as f64 / games.max(1) as f64;
        let counted: BTreeMap<TurnEvent, Occurrences> = game
            .possible_events()
            .iter()
            .map(|event| (*event, statistics.events.get(event).copied().unwrap_or_default()))
            .collect();
        let wins = WinKinds {
            first: statistics.first_wins(),
            second: statistics.second_wins(),
            draws: statistics.won_by(0),
            single: statistics.won_by(1),
            gammon: statistics.won_by(2),
            backgammon: statistics.won_by(3),
        };
        Ok(Self {
            game: game.id(),
            rules: game.brief(),
            network: version(network.weights()),
            seed,
            unfinished: statistics.truncated,
            games,
            length: statistics.length(),
            first_mover: statistics.first_mover(),
            wins,
            endings: game
                .possible_endings()
                .iter()
                .map(|ending| {
                    let games = statistics.endings.get(ending).copied().unwrap_or_default();
                    let (rule, meaning) = (ending.name(), ending.meaning());
                    EndingCount { rule, meaning, games, share: share(games) }
                })
                .collect(),
            events: counted
                .into_iter()
                .map(|(event, Occurrences { turns, games })| EventCount {
                    event: event.name(),
                    meaning: event.meaning(),
                    turns,
                    turns_a_game: share(turns),
                    games,
                    share_of_games: share(games),
                })
                .collect(),
            openings,
            strength,
        })
    }
}
