//! Drawing states from games.

use std::collections::HashSet;

use rand::{Rng, RngExt};
use tavola_data::RecordOf;
use tavola_evaluator::{BackGame, Evaluator, PlayableGame, Preset, rank_afterstates};
use tavola_files::Failure;
use tavola_play::random::{RandomFor, game_rng};
use tavola_play::{
    ExploreSettings, Probability, SelfPlayGames, SelfPlaySettings, Workers, selfplay,
};
use tavola_rules::{Game, named};

use super::Band;
use crate::quality::grade::header::{GroupShare, share};
use crate::quality::grade::pools::Pools;

/// Games whose records are in memory at a time, of each kind.
const GAMES_AT_ONCE: u64 = 500;

/// Probability of a play to be drawn at random in half of the games: sensible play rarely leads to
/// states of the outer bands that are still to be played.
const RANDOM_PLAY: f64 = 0.15;

/// Which states are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKind {
    /// States of all [bands](Band) of equity; half of the games have random plays.
    Bands,
    /// States in which a side plays a [back game](BackGame), by its anchors and by who is on roll.
    BackGames,
    /// States two rolls after a play that a 2-ply search looks at: what it evaluates.
    Search,
}

named!(StateKind, "kind of states":
    Bands => "bands", BackGames => "back-games", Search => "search");

impl StateKind {
    /// What tells its groups apart.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Bands => "equity by the network",
            Self::BackGames => "points held and side",
            Self::Search => "seen by a search",
        }
    }

    /// The groups that are drawn alike, in words.
    fn groups(self) -> Vec<String> {
        match self {
            Self::Bands => Band::all().map(|band| band.to_string()).collect(),
            Self::BackGames => BackGame::all().map(|kind| kind.to_string()).collect(),
            Self::Search => vec!["two rolls after a play".to_owned()],
        }
    }

    /// The group of a state in a report, if that is not its band of equity.
    pub(super) fn reported<G: PlayableGame>(self, game: &G, state: &G::State) -> Option<String> {
        let found = (self == Self::BackGames).then(|| game.back_game(state)).flatten()?;
        Some(found.side().to_owned())
    }
}

/// How states are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateSampleSettings {
    /// Which states.
    pub kind: StateKind,
    /// Games.
    pub games: u64,
    /// Seed of the games and of the draw.
    pub seed: u64,
    /// States to draw of each group, if there are as many.
    pub per_group: usize,
}

/// States to be rolled out.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnStates<G: Game> {
    /// Which states.
    pub kind: StateKind,
    /// The states in random order.
    pub states: Vec<G::State>,
    /// What was found of each group.
    pub groups: Vec<GroupShare>,
}

impl<G: PlayableGame> DrawnStates<G> {
    /// Plays games of `network` against itself, 0-ply, and draws states of every group, at most one
    /// of each group from a game. States in `excluded` are not drawn. The same settings draw the same
    /// states on any number of threads; `observer` is called after every game.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the games could not be played, or were called off.
    pub fn draw(
        game: &G,
        network: &dyn Evaluator<G>,
        settings: &StateSampleSettings,
        excluded: &HashSet<G::State>,
        workers: Workers<'_>,
        observer: &(dyn Fn() + Sync),
    ) -> Result<Self, Failure> {
        let StateSampleSettings { kind, games, seed, per_group } = *settings;
        let random_play = Probability::new(RANDOM_PLAY).expect("a probability");
        let explore = ExploreSettings { random_play, ..ExploreSettings::default() };
        let varied = SelfPlaySettings { explore, ..SelfPlaySettings::default() };
        let mut plays = vec![SelfPlaySettings::default()];
        plays.extend((kind == StateKind::Bands).then_some(varied));
        let mut evaluator = network.fork();
        let mut pools = Pools::new(per_group, excluded);
        let names = kind.groups();
        let (mut counts, mut all) = (vec![0_u64; names.len()], 0);
        let mut next = 0;
        while next < games {
            for (number, play) in plays.iter().enumerate() {
                let indices = next..games.min(next + GAMES_AT_ONCE);
                next = indices.end;
                let games = SelfPlayGames { run_seed: seed, indices, starts: &[] };
                for record in selfplay(game, network, play, &games, workers, &|_| observer())? {
                    let mut rng = game_rng(seed, record.index, RandomFor::Sampling);
                    let found = grouped(game, kind, evaluator.as_mut(), &record, &mut rng);
                    if number == 0 {
                        all += found.len() as u64;
                        found.iter().flat_map(|(group, _)| *group).for_each(|it| counts[it] += 1);
                    }
                    let keyed =
                        found.into_iter().map(|(group, state)| (group, rng.random(), state));
                    pools.offer(
                        keyed.filter_map(|(group, key, state)| Some((group?, key, state))),
                        false,
                    );
                }
            }
        }
        let group = |(index, group): (usize, String)| {
            let drawn = pools.of(index).len() as u64;
            GroupShare { group, share: share(counts[index], all), drawn }
        };
        let groups = names.into_iter().enumerate().map(group).collect();
        let states = pools.all().into_iter().map(|(_, state)| state).collect();
        Ok(Self { kind, states, groups })
    }
}

/// The states of a game before each roll, with the groups that they belong to.
fn grouped<G: PlayableGame>(
    game: &G,
    kind: StateKind,
    evaluator: &mut dyn Evaluator<G>,
    record: &RecordOf<G>,
    rng: &mut impl Rng,
) -> Vec<(Option<usize>, G::State)> {
    let mut states: Vec<G::State> =
        record.states().filter(|state| game.outcome(state).is_none()).collect();
    match kind {
        StateKind::Bands => {
            let mut probs = Vec::new();
            evaluator.evaluate(&states, &mut probs);
            let band = |equity: f32| Band::all().position(|band| band == Band::of(equity.into()));
            probs.iter().map(|probs| band(probs.equity())).zip(states).collect()
        }
        StateKind::BackGames => {
            let place = |found: BackGame| BackGame::all().position(|other| other == found);
            let of = |state: &G::State| game.back_game(state).and_then(place);
            states.into_iter().map(|state| (of(&state), state)).collect()
        }
        StateKind::Search => {
            let state = states.swap_remove(rng.random_range(0..states.len()));
            let found = searched(game, evaluator, state, rng);
            found.map(|state| (Some(0), state)).into_iter().collect()
        }
    }
}

/// A state that a 2-ply search of this one evaluates: after one of the plays that its filter lets
/// pass, all alike, and two rolls with their best plays. `None` if the game ends before or there is
/// nothing to decide.
fn searched<G: PlayableGame>(
    game: &G,
    evaluator: &mut dyn Evaluator<G>,
    mut state: G::State,
    rng: &mut impl Rng,
) -> Option<G::State> {
    for rolls in 0..3 {
        let ranked = rank_afterstates(game, evaluator, &state, game.roll(rng));
        let mut choice = 0;
        if rolls == 0 {
            let expectation: Vec<f32> = ranked.iter().map(|play| -play.loss).collect();
            let passed = Preset::Normal.at(2).filters[0].survivors(&expectation);
            choice = rng.random_range(0..passed);
            if ranked.len() < 2 {
                return None;
            }
        }
        state = ranked[choice].state;
        if game.outcome(&state).is_some() {
            return None;
        }
    }
    Some(state)
}
