//! Self-play games that other processes play: what they are told, and what is accepted of them.
//!
//! A shard is a range of game numbers. With the settings and networks it fixes its games bit for
//! bit on any machine, so it may be played twice and counts once.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use tavola_data::{
    Comparison, Label, LabeledGame, LabeledGameOf, games_from_bytes, games_to_bytes,
};
use tavola_evaluator::NetEvaluator;
use tavola_evaluator::remote::{
    OnFleet, RemoteError, ShardRunner, Task, Work, check_items, collect, unbroken,
};
use tavola_files::{Failure, chain};
use tavola_games::{NamedGame, with_game};
use tavola_net::{Weights, WeightsError};
use tavola_play::{Labeler, LuckEvaluator, SelfPlayer, check_starts};
use tavola_rules::Game;

use crate::config::{Config, Plan};
use crate::selfplay_pool::PruningNetwork;

/// The name of this kind of work.
pub const SELFPLAY: &str = "selfplay";

/// The files of such work.
const PLAYER_FILE: &str = "player";
const PRUNING_FILE: &str = "pruning";

/// The bytes of a shard hold no games.
fn unreadable(what: &str) -> Failure {
    Failure::work(format!("the result holds no games: {what}"))
}

/// A game of a shard breaks the rules, has another number or labels that do not fit.
fn wrong(index: u64, what: &str) -> Failure {
    Failure::work(format!("game {index} of the result is wrong: {what}"))
}

/// Why neither a learner nor a worker plays such games.
pub(crate) const MANY_PLAYERS: &str =
    "the game is for more than two players, which a fleet does not play";

/// The games of a plan as work: its items are the numbers of games.
///
/// # Errors
///
/// A network that can't be packed.
pub(crate) fn selfplay_work<G: Game>(
    config: &Config,
    player: &Weights,
    pruning: Option<&PruningNetwork<G>>,
) -> Result<Work, WeightsError> {
    let mut files = vec![(PLAYER_FILE.to_owned(), player.to_bytes()?)];
    if let Some(pruning) = pruning {
        files.push((PRUNING_FILE.to_owned(), pruning.weights.to_bytes()?));
    }
    Ok(Work { kind: SELFPLAY, settings: settings_of_games(config), files })
}

/// A player of such work, on any machine. Its bytes are labeled games.
///
/// # Errors
///
/// What does not fit.
pub fn open_selfplay(work: &Work) -> Result<Box<dyn ShardRunner>, RemoteError> {
    let plan = Plan::from_toml(&work.settings, Path::new("settings of the games"));
    let plan = plan.map_err(unusable("settings of the games"))?;
    let NamedGame::Two(game) = plan.game().clone() else { return Err(MANY_PLAYERS.into()) };
    let weights = |role| {
        let weights = work.file(role).map(Weights::from_bytes).transpose();
        weights.map_err(unusable(&format!("{role} network")))
    };
    let selfplay = weights(PLAYER_FILE)?.ok_or("there is no network that plays")?;
    let pruning = weights(PRUNING_FILE)?;
    with_game!(&game, |game| {
        let network =
            |role, weights: &Weights| NetEvaluator::new(weights, *game).map_err(unusable(role));
        let config = plan.config();
        let pruning = match (config.targets.pruning(), pruning) {
            (Some(settings), Some(weights)) => Some(PruningNetwork {
                network: network("pruning network", &weights)?,
                weights,
                pruning: settings.pruning(),
            }),
            (None, None) => None,
            (settings, _) => {
                let use_of_it = if settings.is_some() { "want" } else { "have no use for" };
                return Err(format!("the settings {use_of_it} a pruning network").into());
            }
        };
        let starts = plan.starts(game);
        check_starts(game, &config.selfplay, &starts)?;
        let evaluator = network("self-play network", &selfplay)?;
        Ok(Box::new(GamePlayer { game: *game, plan, evaluator, pruning, starts }))
    })
}

/// That a part of the work can't be used, and why.
fn unusable<E: std::error::Error + 'static>(part: &str) -> impl Fn(E) -> RemoteError {
    move |error| format!("the {part} can't be used: {}", chain(&error)).into()
}

struct GamePlayer<G: Game> {
    game: G,
    plan: Plan,
    evaluator: NetEvaluator<G>,
    pruning: Option<PruningNetwork<G>>,
    starts: Vec<G::State>,
}

impl<G: Game> ShardRunner for GamePlayer<G> {
    fn run(&self, games: Range<u64>, cancel: &AtomicBool) -> Result<Option<Vec<u8>>, RemoteError> {
        check_items(&games)?;
        let Self { game, plan, evaluator, pruning, starts } = self;
        let config = plan.config();
        let luck = pruning.as_ref().map(|pruning| pruning.evaluators(evaluator));
        let network = luck.as_ref().and_then(LuckEvaluator::pruning_network);
        let (settings, seed) = (&config.selfplay, config.seed);
        let mut player = SelfPlayer::new(game, evaluator, network, settings, seed, starts);
        let labels = config.targets.labels();
        let mut labeler = Labeler::new(game, evaluator, labels, luck.as_ref(), config.seed);
        let mut played: Vec<LabeledGameOf<G>> = Vec::new();
        for index in games {
            if cancel.load(Ordering::Relaxed) {
                return Ok(None);
            }
            if let Some(record) = player.play(index) {
                played.push(LabeledGame { labels: labeler.label(&record), record });
            }
        }
        Ok(Some(games_to_bytes(&played)?))
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

/// The games of a work that other processes play, in the order of their numbers; `None` unless all
/// are there. `number` is that of the round; `played` gets the number of games that are there.
pub(crate) fn games_on_fleet<G: Game>(
    OnFleet { remote, warn }: OnFleet<'_>,
    (game, starts): (&G, &[G::State]),
    work: &Work,
    (number, games): (u32, Range<u64>),
    cancel: &AtomicBool,
    played: impl Fn(u64) + Sync,
) -> Result<Option<Vec<LabeledGameOf<G>>>, RemoteError> {
    let read = |numbers: &Range<u64>, bytes: &[u8]| {
        let shard = games_from_bytes(bytes).map_err(|what| unreadable(&what))?;
        check_games(game, starts, numbers, &shard)?;
        Ok(shard)
    };
    let task = Task { number, ..Task::new(work, vec![games.clone()], cancel, warn) };
    let (mut end, mut all) = (games.start, Vec::new());
    for (behind, shard) in unbroken(collect(remote, task, read, played)?, games.start) {
        all.extend(shard);
        end = behind;
    }
    Ok((end == games.end).then_some(all))
}

/// Checks games by the rules, so that nothing later trips over them. Evaluations and targets are
/// numbers that no rule tells; they must be finite.
fn check_games<G: Game>(
    game: &G,
    starts: &[G::State],
    numbers: &Range<u64>,
    games: &[LabeledGameOf<G>],
) -> Result<(), Failure> {
    let mut next = numbers.start;
    for index in games.iter().map(|labeled| labeled.record.index) {
        if index < next || index >= numbers.end {
            let what = format!("expected a number from {next} to {}", numbers.end);
            return Err(wrong(index, &what));
        }
        next = index + 1;
    }
    let check = |legal: &mut Vec<G::State>, labeled: &LabeledGameOf<G>| {
        let index = labeled.record.index;
        let wrong = |what: String| wrong(index, &what);
        check_game(game, starts, labeled, legal).map_err(wrong).err()
    };
    let wrong = games.par_iter().map_init(Vec::new, check).find_map_first(|wrong| wrong);
    wrong.map_or(Ok(()), Err)
}

fn check_game<G: Game>(
    game: &G,
    starts: &[G::State],
    LabeledGame { record, labels }: &LabeledGameOf<G>,
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
    let mut siblings = labels.comparisons.iter().peekable();
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
        // The siblings of the state after this turn.
        let mut seen = vec![turn.after];
        while let Some(Comparison::Sibling { of, state, difference }) = siblings.peek()
            && *of == i + 1
        {
            let fits = legal.contains(state) && !seen.contains(state) && finite(difference);
            if *of >= turns || !fits {
                return Err(format!("turn {} has the sibling {state:?}", i + 1));
            }
            seen.push(*state);
            siblings.next();
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
    for comparison in siblings {
        match comparison {
            Comparison::Candidates { states, probs }
                if states.iter().all(fits) && probs.iter().all(|probs| finite(&probs.0)) => {}
            _ => return Err("it has a sibling that belongs to no turn".to_owned()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tavola_data::Samples;
    use tavola_net::{Interface, initial_weights};
    use tavola_play::TdTargets;
    use tavola_rules::Backgammon;

    use super::*;

    type Games = Vec<LabeledGameOf<Backgammon>>;

    const GAME: Backgammon = Backgammon::Hypergammon;

    fn work() -> Work {
        let config = Config { game: GAME.id(), seed: 3, ..Config::default() };
        let encoder = crate::config::NetworkSettings::default().encoder;
        let weights = initial_weights(&Interface::of(&GAME), encoder, [4].as_slice(), 1).unwrap();
        selfplay_work::<Backgammon>(&config, &weights, None).unwrap()
    }

    fn shard(games: Range<u64>) -> Vec<u8> {
        let player = open_selfplay(&work()).unwrap();
        player.run(games, &AtomicBool::new(false)).unwrap().unwrap()
    }

    fn accepted(numbers: Range<u64>, bytes: &[u8]) -> Result<Games, Failure> {
        let games: Games = games_from_bytes(bytes).map_err(|what| unreadable(&what))?;
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
        let refused = accepted(5..7, &bytes).unwrap_err().to_string();
        assert!(refused.starts_with("game 4 of the result is wrong"), "{refused}");
        let refused = accepted(0..5, &bytes).unwrap_err().to_string();
        assert!(refused.starts_with("game 5 of the result is wrong"), "{refused}");
        let none = open_selfplay(&work()).unwrap().run(5..5, &AtomicBool::new(false));
        assert!(none.unwrap_err().to_string().contains("0 items in a packet"));
        let empty = Work { files: Vec::new(), ..work() };
        let refused = open_selfplay(&empty).err().map(|error| error.to_string());
        assert_eq!(refused.as_deref(), Some("there is no network that plays"));
    }

    #[test]
    fn games_against_the_rules_are_refused() {
        let games = accepted(0..1, &shard(0..1)).unwrap();
        let refused = |change: &dyn Fn(&mut LabeledGameOf<Backgammon>)| {
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
            game.labels.comparisons = vec![Comparison::Sibling { of: 1, state, difference }; 2];
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
                for LabeledGame { record, labels } in &games {
                    targets.append::<Backgammon>(record, labels, &mut samples);
                }
            }
        }
    }
}
