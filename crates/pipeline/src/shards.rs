//! Games of a round that other processes play: what they are told, and what is accepted of them.
//!
//! A shard is a range of game numbers. With the settings and networks of the round it fixes its
//! games bit for bit on any machine, so it may be played twice and counts once.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tavola_data::{
    Comparison, Label, LabelledGame, LabelledGameOf, games_from_bytes, games_to_bytes,
};
use tavola_evaluator::NetEvaluator;
use tavola_games::with_game;
use tavola_net::{Weights, WeightsError};
use tavola_play::{Labeller, SelfPlayer, check_starts};
use tavola_rules::Game;

use crate::config::{Config, ConfigError, Plan, PlanGame};
use crate::context::RunContext;
use crate::events::Event;
use crate::selfplay_pool::PruningNetwork;

/// No shard has more games.
pub const MAX_SHARD_GAMES: u64 = 10_000;

/// Has the games of rounds played elsewhere than on the threads of this process.
pub trait GameSource: Sync {
    /// Has all games of the round played and [accepted](Round::accept). Returns early when the
    /// round is [cancelled](Round::is_cancelled).
    ///
    /// # Errors
    ///
    /// Why the games can't be had; the run then ends with its last checkpoint.
    fn play(&self, round: &dyn Round) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;
}

/// A round whose games are played elsewhere.
pub trait Round: Sync {
    /// Its number, from 1.
    fn number(&self) -> u32;

    /// The numbers of its games within the run.
    fn games(&self) -> Range<u64>;

    /// What a [`ShardPlayer`] is told beside the networks, as TOML; the same in all rounds.
    fn settings(&self) -> &str;

    /// The network that plays and gives the targets.
    fn selfplay(&self) -> &Weights;

    /// The pruning network of targets, if there is one.
    fn pruning(&self) -> Option<&Weights>;

    /// Checks and keeps the games of a shard, in place of any that were kept before.
    ///
    /// # Errors
    ///
    /// Nothing is kept of bytes that are no legal games of these numbers.
    fn accept(&self, games: Range<u64>, bytes: &[u8]) -> Result<(), ShardRefused>;

    /// Plays a shard on the calling thread; `None` once the round is cancelled.
    ///
    /// # Errors
    ///
    /// [`ShardError`]; an accepted round has none that a shard of its games could meet.
    fn replay(&self, games: Range<u64>) -> Result<Option<Vec<u8>>, ShardError>;

    /// Whether the run was asked to stop.
    fn is_cancelled(&self) -> bool;

    /// Tells the user something.
    fn warn(&self, text: String);
}

/// Why the games of a shard are not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShardRefused {
    /// The bytes hold no games.
    #[error("the result holds no games: {what}")]
    Unreadable {
        /// What is wrong with them.
        what: String,
    },
    /// A game breaks the rules, has another number or labels that do not fit.
    #[error("game {index} of the result is wrong: {what}")]
    Wrong {
        /// The number that it has.
        index: u64,
        /// What is wrong with it.
        what: String,
    },
}

/// Why a shard can't be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShardError {
    /// The settings are no plan.
    #[error("the settings of the games can't be used")]
    Settings(#[from] ConfigError),
    /// Only games for two can be played elsewhere.
    #[error("the game is for more than two players, which a fleet does not play")]
    ForMore,
    /// A network is for another game, or damaged.
    #[error("the {role} network can't be used")]
    Network {
        /// What it is for.
        role: &'static str,
        /// What is wrong with it.
        source: WeightsError,
    },
    /// The settings want a pruning network and there is none, or the other way around.
    #[error("the settings {} a pruning network", if *wanted { "want" } else { "have no use for" })]
    Pruning {
        /// Whether the settings want one.
        wanted: bool,
    },
    /// No such range of games may be played.
    #[error("{found} games in a shard, expected 1 to {MAX_SHARD_GAMES}")]
    Size {
        /// The number of games.
        found: u64,
    },
    /// The start book leaves nothing to play, or the games are too long to be told.
    #[error("the games can't be played")]
    Play(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Plays shards of a round: what a worker makes of the settings and networks that it was sent.
pub struct ShardPlayer(Box<dyn PlayShard>);

impl ShardPlayer {
    /// A player of the games that the settings of a [`Round`] describe.
    ///
    /// # Errors
    ///
    /// [`ShardError`] says what does not fit.
    pub fn new(
        settings: &str,
        selfplay: &Weights,
        pruning: Option<&Weights>,
    ) -> Result<Self, ShardError> {
        let plan = Plan::from_toml(settings, Path::new("settings of the games"))?;
        let PlanGame::ForTwo(game) = plan.game().clone() else { return Err(ShardError::ForMore) };
        with_game!(&game, |game| {
            let starts = plan.starts(game);
            Ok(Self(Box::new(GamePlayer::new(game, plan, selfplay, pruning, starts)?)))
        })
    }

    /// Plays the games with these numbers on the calling thread. The bytes are for
    /// [`Round::accept`]; `None` once `cancel` is true.
    ///
    /// # Errors
    ///
    /// [`ShardError::Size`] and [`ShardError::Play`].
    pub fn play(
        &self,
        games: Range<u64>,
        cancel: &AtomicBool,
    ) -> Result<Option<Vec<u8>>, ShardError> {
        self.0.play(games, cancel)
    }
}

trait PlayShard: Send + Sync {
    fn play(&self, games: Range<u64>, cancel: &AtomicBool) -> Result<Option<Vec<u8>>, ShardError>;
}

struct GamePlayer<G: Game> {
    game: G,
    plan: Plan,
    evaluator: NetEvaluator<G>,
    pruning: Option<PruningNetwork<G>>,
    starts: Vec<G::State>,
}

impl<G: Game> GamePlayer<G> {
    fn new(
        game: &G,
        plan: Plan,
        selfplay: &Weights,
        pruning: Option<&Weights>,
        starts: Vec<G::State>,
    ) -> Result<Self, ShardError> {
        let network = |role, weights: &Weights| {
            NetEvaluator::new(weights, game.clone())
                .map_err(|source| ShardError::Network { role, source })
        };
        let config = plan.config();
        let pruning = match (config.targets.pruning(), pruning) {
            (Some(settings), Some(weights)) => Some(PruningNetwork {
                network: network("pruning", weights)?,
                pruning: settings.pruning(),
            }),
            (None, None) => None,
            (settings, _) => return Err(ShardError::Pruning { wanted: settings.is_some() }),
        };
        check_starts(game, &config.selfplay, &starts)
            .map_err(|error| ShardError::Play(Box::new(error)))?;
        let evaluator = network("self-play", selfplay)?;
        Ok(Self { game: game.clone(), plan, evaluator, pruning, starts })
    }
}

impl<G: Game> PlayShard for GamePlayer<G> {
    fn play(&self, games: Range<u64>, cancel: &AtomicBool) -> Result<Option<Vec<u8>>, ShardError> {
        let count = games.end.saturating_sub(games.start);
        if !(1..=MAX_SHARD_GAMES).contains(&count) {
            return Err(ShardError::Size { found: count });
        }
        let Self { game, plan, evaluator, pruning, starts } = self;
        let config = plan.config();
        let luck = pruning.as_ref().map(|pruning| pruning.evaluators(evaluator));
        let mut player = SelfPlayer::new(game, evaluator, &config.selfplay, config.seed, starts);
        let labels = config.targets.labels();
        let mut labeller = Labeller::new(game, evaluator, labels, luck.as_ref(), config.seed);
        let mut played: Vec<LabelledGameOf<G>> = Vec::new();
        for index in games {
            if cancel.load(Ordering::Relaxed) {
                return Ok(None);
            }
            if let Some(record) = player.play(index) {
                played.push(LabelledGame { labels: labeller.label(&record), record });
            }
        }
        games_to_bytes(&played).map(Some).map_err(|error| ShardError::Play(Box::new(error)))
    }
}

/// The part of a configuration that games depend on. Paths of files stay in it as names: what they
/// hold is sent beside it.
fn settings_of_games(config: &Config) -> String {
    let Config { game, seed, network, start, targets, selfplay, start_book, .. } = config.clone();
    let games =
        Config { game, seed, network, start, targets, selfplay, start_book, ..Config::default() };
    games.to_toml()
}

/// What was accepted so far, by the first number of the shard.
type Accepted<G> = BTreeMap<u64, (u64, Vec<LabelledGameOf<G>>)>;

/// A round of a run of the game `G`.
pub(crate) struct RemoteRound<'a, G: Game> {
    context: &'a RunContext<'a, G>,
    number: u32,
    games: Range<u64>,
    settings: String,
    selfplay: &'a Weights,
    player: GamePlayer<G>,
    accepted: Mutex<Accepted<G>>,
}

impl<'a, G: Game> RemoteRound<'a, G> {
    pub(crate) fn new(
        context: &'a RunContext<'a, G>,
        number: u32,
        selfplay: &'a Weights,
    ) -> Result<Self, ShardError> {
        let (plan, pruning) = (context.plan, context.pruning_weights.as_ref());
        let starts = context.starts.clone();
        let player = GamePlayer::new(&context.game, plan.clone(), selfplay, pruning, starts)?;
        let settings = settings_of_games(plan.config());
        let games = plan.games_of(number);
        let accepted = Mutex::default();
        Ok(Self { context, number, games, settings, selfplay, player, accepted })
    }

    /// The games in the order of their numbers; `None` unless each number was accepted once.
    pub(crate) fn finish(self) -> Option<Vec<LabelledGameOf<G>>> {
        let accepted = self.accepted.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (mut next, mut games) = (self.games.start, Vec::new());
        for (first, (end, shard)) in accepted {
            if first != next {
                return None;
            }
            games.extend(shard);
            next = end;
        }
        (next == self.games.end).then_some(games)
    }

    fn accepted(&self) -> MutexGuard<'_, Accepted<G>> {
        self.accepted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<G: Game> Round for RemoteRound<'_, G> {
    fn number(&self) -> u32 {
        self.number
    }

    fn games(&self) -> Range<u64> {
        self.games.clone()
    }

    fn settings(&self) -> &str {
        &self.settings
    }

    fn selfplay(&self) -> &Weights {
        self.selfplay
    }

    fn pruning(&self) -> Option<&Weights> {
        self.context.pruning_weights.as_ref()
    }

    fn accept(&self, games: Range<u64>, bytes: &[u8]) -> Result<(), ShardRefused> {
        let shard = games_from_bytes(bytes).map_err(|what| ShardRefused::Unreadable { what })?;
        check_games(&self.context.game, &self.context.starts, &games, &shard)?;
        let done = {
            let mut accepted = self.accepted();
            accepted.insert(games.start, (games.end, shard));
            accepted.iter().map(|(first, (end, _))| end - first).sum()
        };
        let of = self.games.end - self.games.start;
        let round = self.number;
        self.context.observer.observe(&Event::GamesPlayed { round, done, of });
        Ok(())
    }

    fn replay(&self, games: Range<u64>) -> Result<Option<Vec<u8>>, ShardError> {
        self.player.play(games, self.context.cancel)
    }

    fn is_cancelled(&self) -> bool {
        self.context.cancel.load(Ordering::Relaxed)
    }

    fn warn(&self, text: String) {
        self.context.observer.observe(&Event::Warning(text));
    }
}

/// Checks games by the rules, so that nothing later trips over them. Evaluations and targets are
/// numbers that no rule tells; they must be finite.
fn check_games<G: Game>(
    game: &G,
    starts: &[G::State],
    numbers: &Range<u64>,
    games: &[LabelledGameOf<G>],
) -> Result<(), ShardRefused> {
    let mut next = numbers.start;
    let mut legal = Vec::new();
    for labelled in games {
        let index = labelled.record.index;
        let wrong = |what: String| ShardRefused::Wrong { index, what };
        if index < next || index >= numbers.end {
            return Err(wrong(format!("expected a number from {next} to {}", numbers.end)));
        }
        next = index + 1;
        check_game(game, starts, labelled, &mut legal).map_err(wrong)?;
    }
    Ok(())
}

fn check_game<G: Game>(
    game: &G,
    starts: &[G::State],
    LabelledGame { record, labels }: &LabelledGameOf<G>,
    legal: &mut Vec<G::State>,
) -> Result<(), String> {
    if record.start != game.start() && !starts.contains(&record.start) {
        return Err(format!("it begins in {:?}", record.start));
    }
    let turns = record.turns.len();
    let luck = labels.luck.len();
    if labels.labels.len() != turns || (luck != 0 && luck != turns) {
        let found = labels.labels.len();
        return Err(format!("{found} labels and {luck} rolls with luck for {turns} turns"));
    }
    let finite = |numbers: &[f32]| numbers.iter().all(|number| number.is_finite());
    let mut runners_up = labels.comparisons.iter().peekable();
    let mut state = record.start;
    for (i, turn) in record.turns.iter().enumerate() {
        if game.outcome(&state).is_some() {
            return Err(format!("turn {} comes after the end", i + 1));
        }
        if !game.rolls().iter().any(|&(roll, _)| roll == turn.roll) {
            return Err(format!("turn {} has the roll {:?}, which there is not", i + 1, turn.roll));
        }
        legal.clear();
        game.afterstates(&state, turn.roll, legal);
        if !legal.contains(&turn.after) {
            return Err(format!("turn {} leads to {:?}", i + 1, turn.after));
        }
        // The runner-up of the state after this turn.
        if let Some(Comparison::RunnerUp { of, state, difference }) = runners_up.peek()
            && *of == i + 1
        {
            if *of >= turns || !legal.contains(state) || !finite(difference) {
                return Err(format!("turn {} has the runner-up {state:?}", i + 1));
            }
            runners_up.next();
        }
        let given = match labels.labels[i] {
            Label::Given(probs) => finite(&probs.0),
            Label::Skip | Label::FromGame => true,
        };
        let lucky = labels.luck.get(i).is_none_or(|luck| finite(luck));
        if !(given && lucky && finite(&turn.probs.0)) {
            return Err(format!("turn {} has numbers that are not finite", i + 1));
        }
        state = turn.after;
    }
    if game.outcome(&state) != Some(record.outcome) {
        return Err(format!("it ends in {state:?} with {:?}", record.outcome));
    }
    let fits = |state: &G::State| {
        let cells = G::cells(state);
        cells.len() >= game.layout().len()
            && cells
                .iter()
                .zip(game.layout())
                .all(|(number, cell)| (cell.min..=cell.max).contains(number))
    };
    for comparison in runners_up {
        match comparison {
            Comparison::Candidates { states, probs }
                if states.iter().all(fits) && probs.iter().all(|probs| finite(&probs.0)) => {}
            _ => return Err("it has a pairwise target that belongs to no turn".to_owned()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tavola_data::Samples;
    use tavola_net::initial_weights;
    use tavola_play::TdTargets;
    use tavola_rules::Backgammon;

    use super::*;

    type Games = Vec<LabelledGameOf<Backgammon>>;

    const GAME: Backgammon = Backgammon::Hypergammon;

    fn player() -> ShardPlayer {
        let config = Config { game: GAME.id(), seed: 3, ..Config::default() };
        let encoder = crate::config::NetworkSettings::default().encoder;
        let weights = initial_weights(&GAME, encoder, [4].as_slice(), 1);
        ShardPlayer::new(&settings_of_games(&config), &weights, None).unwrap()
    }

    fn shard(games: Range<u64>) -> Vec<u8> {
        player().play(games, &AtomicBool::new(false)).unwrap().unwrap()
    }

    fn accepted(numbers: Range<u64>, bytes: &[u8]) -> Result<Games, ShardRefused> {
        let games: Games =
            games_from_bytes(bytes).map_err(|what| ShardRefused::Unreadable { what })?;
        check_games(&GAME, &[], &numbers, &games)?;
        Ok(games)
    }

    #[test]
    fn a_shard_is_its_part_of_a_larger_one() {
        let all = accepted(4..9, &shard(4..9)).unwrap();
        assert_eq!(all.len(), 5);
        assert_eq!(accepted(6..8, &shard(6..8)).unwrap(), all[2..4]);
        assert_eq!(shard(6..8), shard(6..8));
    }

    #[test]
    fn games_of_other_numbers_are_refused() {
        let bytes = shard(4..6);
        assert!(matches!(accepted(5..7, &bytes), Err(ShardRefused::Wrong { index: 4, .. })));
        assert!(matches!(accepted(0..5, &bytes), Err(ShardRefused::Wrong { index: 5, .. })));
        let none = player().play(5..5, &AtomicBool::new(false));
        assert!(matches!(none, Err(ShardError::Size { found: 0 })));
    }

    #[test]
    fn games_against_the_rules_are_refused() {
        let games = accepted(0..1, &shard(0..1)).unwrap();
        let refused = |change: &dyn Fn(&mut LabelledGameOf<Backgammon>)| {
            let mut changed = games.clone();
            change(&mut changed[0]);
            check_games(&GAME, &[], &(0..1), &changed).is_err()
        };
        assert!(!refused(&|_| ()));
        assert!(refused(&|game| game.record.turns.truncate(3)));
        assert!(refused(&|game| game.record.turns[0].after = game.record.start));
        assert!(refused(&|game| game.record.turns[0].probs.0[0] = f32::NAN));
        assert!(refused(&|game| game.record.outcome = game.record.outcome.flip()));
        assert!(refused(&|game| game.labels.labels.truncate(1)));
        assert!(refused(&|game| game.labels.luck = vec![[0.0; 6]]));
        assert!(refused(&|game| {
            let (state, difference) = (game.record.start, [0.0; 6]);
            game.labels.comparisons = vec![Comparison::RunnerUp { of: 1, state, difference }; 2];
        }));
    }

    proptest! {
        #[test]
        fn no_bytes_make_a_learner_panic(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
            cut in any::<prop::sample::Index>(),
            is_cut in any::<bool>(),
        ) {
            let mut bytes = shard(0..2);
            for (at, byte) in &changes {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            if is_cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            if let Ok(games) = accepted(0..2, &bytes) {
                let targets = TdTargets::new(0.5, Default::default()).unwrap();
                let mut samples = Samples::new(GAME.layout().len());
                for LabelledGame { record, labels } in &games {
                    targets.append_labelled::<Backgammon>(record, labels, &mut samples);
                }
            }
        }
    }
}
