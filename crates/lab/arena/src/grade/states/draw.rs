//! Drawing states of all bands from games.

use std::collections::{BTreeMap, HashMap, HashSet};

use rand::RngExt;
use tavola_data::RecordOf;
use tavola_evaluator::{Evaluator, PlayableGame};
use tavola_play::random::{Purpose as RandomFor, game_rng};
use tavola_play::{
    ExploreSettings, Probability, SelfPlayError, SelfPlayGames, SelfPlaySettings, Workers, selfplay,
};
use tavola_rules::Game;

use super::{Band, BandShare};

/// Games whose records are in memory at a time, of each kind.
const GAMES_AT_ONCE: u64 = 500;

/// Probability of a play to be drawn at random in half of the games: sensible play rarely leads to
/// states of the outer bands that are still to be played.
const RANDOM_PLAY: f64 = 0.15;

/// How states are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateSampleSettings {
    /// Games, half of them with random plays.
    pub games: u64,
    /// Seed of the games and of the draw.
    pub seed: u64,
    /// States to draw of each band, if there are as many.
    pub per_band: usize,
}

/// States to be rolled out.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnStates<G: Game> {
    /// The states in random order.
    pub states: Vec<G::State>,
    /// What was found of each band.
    pub bands: Vec<BandShare>,
}

/// The states of a band that are drawn so far, each with its random number: the smallest are drawn.
type Pool<S> = HashMap<S, u64>;

impl<G: PlayableGame> DrawnStates<G> {
    /// Plays games of `network` against itself, 0-ply, and draws states of every band, at most one
    /// of each band from a game. Half of the games have random plays. States in `excluded` are not
    /// drawn. The same settings draw the same states on any number of threads; `observer` is called
    /// after every game.
    ///
    /// # Errors
    ///
    /// [`SelfPlayError`] if the games could not be played, or were called off.
    pub fn draw(
        game: &G,
        network: &dyn Evaluator<G>,
        settings: &StateSampleSettings,
        excluded: &HashSet<G::State>,
        workers: Workers<'_>,
        observer: &(dyn Fn() + Sync),
    ) -> Result<Self, SelfPlayError> {
        let random_play = Probability::new(RANDOM_PLAY).expect("a probability");
        let explore = ExploreSettings { random_play, ..ExploreSettings::default() };
        let kinds = [
            SelfPlaySettings::default(),
            SelfPlaySettings { explore, ..SelfPlaySettings::default() },
        ];
        let mut evaluator = network.fork();
        let mut pools: BTreeMap<Band, Pool<G::State>> = BTreeMap::new();
        let mut counts = [0u64; Band::COUNT];
        let mut next = 0;
        while next < settings.games {
            for (number, kind) in kinds.iter().enumerate() {
                let indices = next..settings.games.min(next + GAMES_AT_ONCE);
                next = indices.end;
                let games = SelfPlayGames { run_seed: settings.seed, indices, starts: &[] };
                for record in selfplay(game, network, kind, &games, workers, &|_| observer())? {
                    let bands = bands(game, evaluator.as_mut(), &record);
                    if number == 0 {
                        bands.iter().for_each(|(band, _)| counts[band.index()] += 1);
                    }
                    offer(settings, &record, bands, excluded, &mut pools);
                }
            }
        }
        let all: u64 = counts.iter().sum();
        let share = |band: Band| BandShare {
            from: band.from(),
            share: (1e6 * counts[band.index()] as f64 / all.max(1) as f64).round() / 1e6,
            drawn: pools.get(&band).map_or(0, Pool::len) as u64,
        };
        let bands = Band::all().map(share).collect();
        let mut drawn: Vec<(u64, G::State)> =
            pools.into_values().flatten().map(|(state, key)| (key, state)).collect();
        drawn.sort_unstable_by_key(|(key, _)| *key);
        Ok(Self { states: drawn.into_iter().map(|(_, state)| state).collect(), bands })
    }
}

/// The states of a game before each roll, with their bands.
fn bands<G: PlayableGame>(
    game: &G,
    evaluator: &mut dyn Evaluator<G>,
    record: &RecordOf<G>,
) -> Vec<(Band, G::State)> {
    let states: Vec<G::State> =
        record.states().filter(|state| game.outcome(state).is_none()).collect();
    let mut probs = Vec::new();
    evaluator.evaluate(&states, &mut probs);
    let band = |probs: &tavola_equity::OutcomeProbs| Band::of(probs.equity().into());
    probs.iter().map(band).zip(states).collect()
}

/// Takes from a game what is drawn of it.
fn offer<S: Copy + Eq + std::hash::Hash>(
    settings: &StateSampleSettings,
    record: &tavola_data::GameRecord<S, impl Sized>,
    bands: Vec<(Band, S)>,
    excluded: &HashSet<S>,
    pools: &mut BTreeMap<Band, Pool<S>>,
) {
    let mut rng = game_rng(settings.seed, record.index, RandomFor::Sampling);
    let mut drawn: BTreeMap<Band, (u64, S)> = BTreeMap::new();
    for (band, state) in bands {
        let key: u64 = rng.random();
        if excluded.contains(&state) {
            continue;
        }
        let least = drawn.entry(band).or_insert((key, state));
        *least = if key < least.0 { (key, state) } else { *least };
    }
    for (band, (key, state)) in drawn {
        let pool = pools.entry(band).or_default();
        let known = pool.entry(state).or_insert(key);
        *known = key.min(*known);
        if pool.len() > settings.per_band {
            let last = pool.iter().max_by_key(|(_, key)| **key).map(|(state, _)| *state);
            last.and_then(|state| pool.remove(&state));
        }
    }
}
