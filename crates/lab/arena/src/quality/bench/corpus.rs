//! The positions that are measured, and how they are written for other programs.

use std::io::{self, BufWriter, Write};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use tavola_data::RecordOf;
use tavola_evaluator::{Evaluator, PlayableGame, RandomEvaluator};
use tavola_files::Failure;
use tavola_files::NewFile;
use tavola_play::{Probability, SelfPlayGames, SelfPlaySettings, Workers, selfplay};
use tavola_rules::Game;

/// Pairs in a corpus.
const SIZE: usize = 4_000;
/// Games that are played at once to fill a corpus.
const GAMES: u64 = 32;
/// Seed of the games and of the order of their positions.
const SEED: u64 = 1;

/// A position, seen from the player on roll, and the roll.
pub(super) type PairOf<G> = (<G as Game>::State, <G as Game>::Roll);

/// A parent, seen by the opponent of who was on roll, and the afterstates of a roll.
pub(super) type Family<G> = (<G as Game>::State, Vec<<G as Game>::State>);

/// 4,000 pairs of whole games and the mean number of turns in a game. An evaluator plays both
/// sides, 0-ply: corpus P; without one both sides draw their plays at random: corpus R.
///
/// The order is random: neighbors in a game share most checkers, which would flatter a cache.
pub(super) fn pairs<G: Game>(
    game: &G,
    evaluator: Option<&dyn Evaluator<G>>,
) -> Result<(Vec<PairOf<G>>, f64), Failure> {
    let mut settings = SelfPlaySettings::default();
    let random = RandomEvaluator::new(game.clone(), SEED);
    if evaluator.is_none() {
        settings.explore.random_play = Probability::ALWAYS;
    }
    let evaluator = evaluator.unwrap_or(&random);
    let (mut pairs, mut games, mut turns) = (Vec::new(), 0, 0);
    while pairs.len() < SIZE {
        let indices = games..games + GAMES;
        let records = play(game, evaluator, &settings, indices, NonZeroUsize::MIN)?;
        games += GAMES;
        for record in &records {
            turns += record.turns.len();
            pairs.extend(record.states().zip(record.turns.iter().map(|turn| turn.roll)));
        }
    }
    pairs.shuffle(&mut ChaCha8Rng::seed_from_u64(SEED));
    pairs.truncate(SIZE);
    Ok((pairs, turns as f64 / games as f64))
}

/// Records of games of `evaluator` against itself.
pub(super) fn play<G: Game>(
    game: &G,
    evaluator: &dyn Evaluator<G>,
    settings: &SelfPlaySettings,
    indices: Range<u64>,
    threads: NonZeroUsize,
) -> Result<Vec<RecordOf<G>>, Failure> {
    let games = SelfPlayGames { run_seed: SEED, indices, starts: &[] };
    let workers = Workers { threads, cancel: &AtomicBool::new(false) };
    selfplay(game, evaluator, settings, &games, workers, &|_| {})
        .map_err(Failure::work_in("nothing was measured: self-play failed"))
}

/// All afterstates of each pair, each family with its parent seen by the opponent as the
/// afterstates are.
pub(super) fn families<G: Game>(game: &G, pairs: &[PairOf<G>]) -> Vec<Family<G>> {
    let family = |(state, roll): &PairOf<G>| {
        let mut afterstates = Vec::new();
        game.afterstates(state, *roll, &mut afterstates);
        (game.flip(state), afterstates)
    };
    pairs.iter().map(family).collect()
}

/// Writes a pair a line: the position in the game's own notation, and the dice.
pub(super) fn write<G: PlayableGame>(path: &Path, game: &G, pairs: &[PairOf<G>]) -> io::Result<()> {
    let mut file = BufWriter::new(NewFile::create(path)?);
    for (state, roll) in pairs {
        let dice: String = game.numbers(*roll).iter().map(|die| format!(" {die}")).collect();
        writeln!(file, "{}{dice}", game.write_state(state))?;
    }
    file.into_inner()?.finish()
}
