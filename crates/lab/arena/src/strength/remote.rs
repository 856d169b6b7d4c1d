//! Duels whose pairs are played by other processes: what travels, and what is accepted of them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tavola_engine::{Sources, match_equity_table};
use tavola_evaluator::remote::{
    OnFleet, RemoteError, ShardRunner, Task, Work, WorkFiles, check_items,
};
use tavola_evaluator::{NEVER, PlayableGame};
use tavola_files::{Failure, locked, unlocked};
use tavola_games::{AnyGame, with_game};
use tavola_play::{CubeTerms, Format, GameLoop, LuckMeter, Points, Score};
use tavola_rules::{Backgammon, Options, Outcome};

use crate::job::MakePlayer;
use crate::stats::{PairFailure, PairResult};
use crate::strength::duel::PairWorker;
use crate::strength::luck::LoadedLuckEvaluator;
use crate::strength::pair_log::DuelHeader;
use crate::strength::player::{Player, PlayerContext, PlayerName};
use crate::strength::run::DuelRun;
use crate::strength::schedule::{InOrder, MOST_FAILURES};
use crate::strength::sprt::Sprt;

/// The name of this kind of work. Its items are the numbers of pairs.
pub const DUEL: &str = "duel";

/// A duel for other processes: all that decides its pairs. The header names the players and the
/// evaluator of luck, which a worker compares.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    header: DuelHeader,
    players: [String; 2],
    cube: Option<Cube>,
    /// The evaluator of luck, and the table of a match.
    sources: Sources,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cube {
    options: Options,
    length: Option<u16>,
}

impl<G: PlayableGame> DuelRun<'_, G> {
    /// The duel as work.
    ///
    /// # Errors
    ///
    /// [`Failure`].
    pub(crate) fn work(&self, header: &DuelHeader) -> Result<Work, Failure> {
        let mut files = WorkFiles::default();
        let mut add = |path: &Path| {
            let source = Failure::input_in(format!("cannot read {path:?}"));
            files.add(path).map_err(source)
        };
        let mut player = |name: &str| -> Result<String, Failure> {
            let parsed = PlayerName::parse(name, self.game)?;
            let file = parsed.file().map(&mut add).transpose()?;
            parsed.recipe(file.as_deref()).ok_or_else(|| {
                Failure::input(format!(
                    "{name:?} is another program, expected players of tavola: a fleet plays no \
                     others"
                ))
            })
        };
        let players = [player(self.sides[0].0)?, player(self.sides[1].0)?];
        let length = self.cube.and_then(|(terms, _)| terms.match_length());
        let cube = self.cube.map(|(terms, _)| Cube { options: terms.options().clone(), length });
        let met = self.cube.zip(length).map(|((_, met), _)| met);
        let luck = self.luck.and_then(|evaluator| evaluator.file.as_deref());
        let asks_tables = self.sides.iter().any(|(_, player)| player.asks_tables);
        let sources = Sources::new(asks_tables, luck, met, &mut files)?;
        let settings = Settings { header: header.clone(), players, cube, sources };
        let settings = serde_json::to_string(&settings).expect("settings are plain data");
        Ok(Work { kind: DUEL, settings, files: files.into_files() })
    }
}

/// What plays pairs of such work, on any machine; `folder` is for its files and stays as long.
///
/// # Errors
///
/// Why it can't: invalid settings, another network, other bear-off databases.
pub fn open_duel(work: &Work, folder: &Path) -> Result<Box<dyn ShardRunner>, RemoteError> {
    let settings: Settings = serde_json::from_str(&work.settings)?;
    work.write_files(folder)?;
    settings.sources.expect_tables()?;
    let game: AnyGame = settings.header.game.parse()?;
    let Some(cube) = &settings.cube else {
        return with_game!(&game, |game| {
            Ok(Box::new(Runner::new(game, Box::new(Points), Player::new, &settings, folder)?))
        });
    };
    let game = game.backgammon().ok_or("a cube in a game without one")?;
    let terms = match cube.length {
        None => CubeTerms::money(&cube.options)?,
        Some(length) => {
            let met = settings.sources.met(folder)?.ok_or("a match without a table")?;
            CubeTerms::match_to(length, &cube.options, &match_equity_table(&met, length)?)?
        }
    };
    Ok(Box::new(Runner::<Backgammon>::new(
        &game,
        Box::new(terms),
        Player::with_cube,
        &settings,
        folder,
    )?))
}

struct Runner<G: PlayableGame> {
    format: Box<dyn Format<G> + Send>,
    starts: Vec<G::State>,
    seed: u64,
    /// Makes what another thread plays with.
    worker: Mutex<Box<dyn Fn() -> PairWorker<G> + Send>>,
    /// Those of threads that are not playing.
    idle: Mutex<Vec<PairWorker<G>>>,
}

impl<G: PlayableGame> Runner<G> {
    fn new(
        game: &G,
        format: Box<dyn Format<G> + Send>,
        make: MakePlayer<G>,
        settings: &Settings,
        folder: &Path,
    ) -> Result<Self, RemoteError> {
        // Packets take about a second.
        let context = PlayerContext {
            timeout: Duration::from_secs(60),
            progress: &|_| {},
            warn: &|_| {},
            called_off: &NEVER,
        };
        let player = |recipe: &str| -> Result<Player<G>, RemoteError> {
            Ok(make(&PlayerName::of_recipe(recipe, folder, game)?, game, &context)?)
        };
        let [a, b] = &settings.players;
        let (a, b) = (player(a)?, player(b)?);
        let luck = match &settings.header.luck_evaluator {
            None => None,
            Some(_) => LoadedLuckEvaluator::load(settings.sources.model(folder)?.as_deref(), game)?,
        };
        let luck_identity = luck.as_ref().map(|luck| luck.identity.clone()).unwrap_or_default();
        let header = &settings.header;
        let of_luck = header.luck_evaluator.as_deref().unwrap_or_default();
        let found = [&a.identity, &b.identity, &luck_identity];
        for (found, expected) in found.into_iter().zip([&header.a, &header.b, of_luck]) {
            if found != expected {
                return Err(format!("a player is {found:?} here, expected {expected:?}").into());
            }
        }
        let mut starts = Vec::new();
        for text in &header.starts {
            let state = game.parse_state(text)?;
            if game.outcome(&state).is_some() {
                return Err(format!("the start {text:?} is finished").into());
            }
            starts.push(state);
        }
        let meter = luck.as_ref().map(|luck| LuckMeter::new(game.clone(), &luck.evaluator()));
        let (seed, max_turns, game) = (header.seed, header.max_turns, game.clone());
        let worker = Box::new(move || PairWorker {
            games: GameLoop::new(game.clone(), max_turns),
            a: a.agent.fork(),
            b: b.agent.fork(),
            luck: meter.as_ref().map(LuckMeter::fork),
        });
        Ok(Self { format, starts, seed, worker: Mutex::new(worker), idle: Mutex::default() })
    }
}

impl<G: PlayableGame> ShardRunner for Runner<G> {
    fn run(&self, pairs: Range<u64>, cancel: &AtomicBool) -> Result<Option<Vec<u8>>, RemoteError> {
        check_items(&pairs)?;
        let waiting = locked(&self.idle).pop();
        let mut worker = waiting.unwrap_or_else(|| (*locked(&self.worker))());
        let mut played: Vec<Result<PairResult, PairFailure>> = Vec::new();
        for pair in pairs {
            if cancel.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let result = worker.pair(&*self.format, &self.starts, self.seed, pair);
            played.push(result.map(|(_, result)| result));
        }
        locked(&self.idle).push(worker);
        Ok(Some(serde_json::to_vec(&played)?))
    }
}

/// A duel on other processes.
#[derive(Clone, Copy)]
pub struct RemoteDuel<'a> {
    /// Has the pairs played.
    pub on_fleet: OnFleet<'a>,
    /// The duel.
    pub work: &'a Work,
}

/// The pairs of a duel as a task.
struct Pairs<'a> {
    first: u64,
    known: BTreeMap<u64, PairResult>,
    sprt: Option<Sprt>,
    has_cube: bool,
    has_luck: bool,
    observer: &'a (dyn Fn(&PairResult) + Sync),
    state: Mutex<State>,
}

struct State {
    order: InOrder,
    pairs: BTreeMap<u64, Result<PairResult, PairFailure>>,
    is_enough: bool,
    corrected: bool,
}

/// Has the pairs played that are not known. Returns those that count and those that failed, and
/// whether a wrong pair was reported, by a worker that was excluded later.
pub(crate) fn play_on_fleet(
    of: &RemoteDuel<'_>,
    pairs: Range<u64>,
    known: &[PairResult],
    sprt: Option<Sprt>,
    (has_cube, has_luck): (bool, bool),
    cancel: &AtomicBool,
    observer: &(dyn Fn(&PairResult) + Sync),
) -> Result<(Vec<PairResult>, Vec<PairFailure>, bool), RemoteError> {
    let known: BTreeMap<u64, PairResult> = known
        .iter()
        .filter(|pair| pairs.contains(&pair.pair))
        .map(|pair| (pair.pair, *pair))
        .collect();
    let mut items: Vec<Range<u64>> = Vec::new();
    let mut next = pairs.start;
    for &number in known.keys() {
        items.push(next..number);
        next = number + 1;
    }
    items.push(next..pairs.end);
    items.retain(|range| !range.is_empty());
    let order = InOrder::new(sprt, pairs.start);
    let state = State { order, pairs: BTreeMap::new(), is_enough: false, corrected: false };
    let first = pairs.start;
    let pairs =
        Pairs { first, known, sprt, has_cube, has_luck, observer, state: Mutex::new(state) };
    pairs.count(&mut locked(&pairs.state), first);
    let task = Task {
        accept: &|items, bytes| pairs.accept(items, bytes),
        is_enough: &|| locked(&pairs.state).is_enough,
        ..Task::new(of.work, items, cancel, of.on_fleet.warn)
    };
    if !task.items.is_empty() && !task.is_over() {
        of.on_fleet.remote.run(&task)?;
    }
    let State { order, corrected, .. } = unlocked(pairs.state);
    Ok((order.played, order.failures, corrected))
}

impl Pairs<'_> {
    /// Counts all pairs that are there in the order of their numbers, and tells of those from
    /// `next` on.
    fn count(&self, state: &mut State, next: u64) {
        let mut order = InOrder::new(self.sprt, self.first);
        let known = self.known.iter().map(|(&number, pair)| (number, (Ok(*pair), false)));
        let played =
            state.pairs.iter().map(|(&number, pair)| (number, (pair.clone(), number >= next)));
        let all: BTreeMap<_, _> = known.chain(played).collect();
        let mut decided = false;
        for (number, (pair, is_new)) in all {
            decided |= order.add(number, pair, is_new, self.observer);
        }
        state.is_enough = decided || failed(&state.pairs) >= MOST_FAILURES;
        state.order = order;
    }

    fn check(&self, pair: &PairResult) -> Result<(), String> {
        let fits = |score: &Score| match self.has_cube {
            // The highest cube is 2^20 or less.
            true => {
                let counts = [score.turned, score.dropped, score.resigned, score.gammons];
                score.points.unsigned_abs() <= 3 << 20
                    && score.games <= 10_000
                    && counts.iter().all(|&count| count <= score.games)
                    && score.capped <= score.games
            }
            false => {
                let mut ends = Outcome::ALL.into_iter().chain([Outcome::Draw]);
                ends.any(|outcome| Score::of(outcome) == *score)
            }
        };
        let scores = [&pair.a_first, &pair.b_first].into_iter().flatten();
        let luck_fits = pair.luck.is_none_or(|luck| luck.abs() < 1e7);
        match scores.into_iter().all(fits) && luck_fits && pair.luck.is_some() == self.has_luck {
            true => Ok(()),
            false => Err(format!("pair {} has a score or luck that none has", pair.pair)),
        }
    }

    /// Takes what was played of these pairs.
    fn accept(&self, items: Range<u64>, bytes: &[u8]) -> Result<(), RemoteError> {
        let played: Vec<Result<PairResult, PairFailure>> = serde_json::from_slice(bytes)?;
        let number = |pair: &Result<PairResult, PairFailure>| match pair {
            Ok(pair) => pair.pair,
            Err(failure) => failure.pair,
        };
        if !played.iter().map(number).eq(items.clone()) {
            return Err(format!("expected the pairs {} to {}", items.start, items.end).into());
        }
        played.iter().flatten().try_for_each(|pair| self.check(pair))?;
        let mut state = locked(&self.state);
        let next = state.order.next;
        let mut is_other = false;
        for pair in played {
            let number = number(&pair);
            let before = state.pairs.insert(number, pair.clone());
            is_other |= before.is_some_and(|before| before != pair);
            if !is_other {
                let decided = state.order.add(number, pair, number >= next, self.observer);
                state.is_enough |= decided;
            }
        }
        if is_other {
            // The worker of an earlier result was wrong.
            state.corrected |= items.start < next;
            self.count(&mut state, next);
        }
        state.is_enough |= failed(&state.pairs) >= MOST_FAILURES;
        Ok(())
    }
}

fn failed(pairs: &BTreeMap<u64, Result<PairResult, PairFailure>>) -> u64 {
    pairs.values().filter(|pair| pair.is_err()).count() as u64
}
