//! Datasets: games of an evaluator against itself, labeled, as shards of what they teach.

use std::ops::Range;
use std::path::{Path, PathBuf};

use tavola_data::{DataError, LabeledGame, LabeledGameOf, Returns, ShardReader, ShardWriter};
use tavola_evaluator::remote::RemoteError;
use tavola_evaluator::{Evaluator, Workers};
use tavola_files::Failure;
use tavola_rules::Game;

use crate::labels::{ExplorationTarget, LabelSettings, Labeler};
use crate::selfplay::{SelfPlaySettings, SelfPlayer, canceled, check_starts};
use crate::variance_reduction::LuckEvaluator;

/// A block is written when it has as many entries; one game more has room.
const FULL: usize = 1 << 14;

/// A dataset that is to be made. Everything but `games`, `game_played` and `folder` fixes what is
/// in a shard.
pub struct Dataset<'a, G: Game> {
    /// The game.
    pub game: &'a G,
    /// The player.
    pub evaluator: &'a dyn Evaluator<G>,
    /// Who evaluates states for targets.
    pub teacher: &'a dyn Evaluator<G>,
    /// Who evaluates luck; without it targets are not variance-reduced.
    pub luck: Option<LuckEvaluator<'a, G>>,
    /// How games are played.
    pub selfplay: SelfPlaySettings,
    /// The start book, each position from the player on roll.
    pub starts: &'a [G::State],
    /// Which targets states get.
    pub labels: LabelSettings,
    /// What is learned before plays that exploration drew.
    pub exploration: ExplorationTarget,
    /// Seed of everything random.
    pub seed: u64,
    /// Games of a shard: shard `n` has the games from `n * games_per_shard` on.
    pub games_per_shard: u32,
    /// All games; the last shard has fewer if they are no multiple.
    pub games: u64,
    /// Called after each game that is played, from many threads.
    pub game_played: &'a (dyn Fn() + Sync),
    /// Where the shards are; it must exist.
    pub folder: &'a Path,
    /// Has games played elsewhere than on threads of this process; the shards are the same.
    pub on_fleet: Option<&'a GamesOnFleet<'a, G>>,
}

/// Plays the games of these numbers and labels them; those that are truncated are left out. `None`
/// if that was called off.
pub type GamesOnFleet<'a, G> =
    dyn Fn(Range<u64>) -> Result<Option<Vec<LabeledGameOf<G>>>, RemoteError> + 'a;

/// A shard is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardDone {
    /// Its number.
    pub number: u32,
    /// Its states, siblings too.
    pub states: u64,
    /// Whether it was there before, whole.
    pub found: bool,
}

/// The file of shard `number` in `folder`.
pub fn shard_path(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("{number:06}.shard"))
}

/// How many shards that number of games make; no more than a number of 32 bits holds.
///
/// # Panics
///
/// If a shard has no games.
pub fn shards(games: u64, games_per_shard: u32) -> u32 {
    games.div_ceil(games_per_shard.into()).try_into().unwrap_or(u32::MAX)
}

impl<G: Game> Dataset<'_, G> {
    /// Makes the shards, one after the other, each on many threads; their bytes are the same on any
    /// number of them. A shard that is there is read, checked and kept, so after a stop or a kill
    /// the same call goes on. The caller sees to it that a folder has shards of one dataset only.
    ///
    /// # Errors
    ///
    /// [`Failure`], which is a stop if the caller called it off: what was
    /// played of the shard then is dropped.
    pub fn generate(
        &self,
        workers: Workers<'_>,
        observer: &dyn Fn(ShardDone),
    ) -> Result<(), Failure> {
        check_starts(self.game, &self.selfplay, self.starts)?;
        for number in 0..shards(self.games, self.games_per_shard) {
            let path = shard_path(self.folder, number);
            let found = path.exists();
            let states =
                if found { self.count(&path)? } else { self.make(number, &path, workers)? };
            observer(ShardDone { number, states, found });
        }
        Ok(())
    }

    fn count(&self, path: &Path) -> Result<u64, DataError> {
        let mut blocks = ShardReader::open(path, &self.game.id(), self.game.layout().len())?;
        blocks.try_fold(0, |sum, block| Ok(sum + block?.len() as u64))
    }

    fn make(&self, number: u32, path: &Path, workers: Workers<'_>) -> Result<u64, Failure> {
        let first = u64::from(number) * u64::from(self.games_per_shard);
        let asked = u64::from(self.games_per_shard).min(self.games - first);
        let stride = self.game.layout().len();
        let games = match self.on_fleet {
            Some(on_fleet) => {
                let played = on_fleet(first..first + asked)
                    .map_err(Failure::work_in("the fleet can't play the games"))?;
                let returns = |LabeledGame { record, labels }: &LabeledGameOf<G>| {
                    let mut returns = Returns::new(stride);
                    self.exploration.append::<G>(record, labels, &mut returns);
                    returns
                };
                played.ok_or_else(|| canceled(0, asked, "games"))?.iter().map(returns).collect()
            }
            None => self.play(first, asked, workers)?,
        };
        let mut writer = ShardWriter::create(path, &self.game.id(), stride)?;
        let mut block = Returns::new(stride);
        for game in &games {
            block.append(game);
            if block.len() >= FULL {
                writer.write(&block)?;
                block.clear();
            }
        }
        writer.write(&block)?;
        Ok(writer.finish()?)
    }

    /// What games teach, played on threads.
    fn play(&self, first: u64, asked: u64, workers: Workers<'_>) -> Result<Vec<Returns>, Failure> {
        let worker = || {
            let Self { game, evaluator, teacher, ref selfplay, starts, labels, seed, .. } = *self;
            let luck = self.luck.as_ref();
            let pruning = luck.and_then(LuckEvaluator::pruning_network);
            let player = SelfPlayer::new(game, evaluator, pruning, selfplay, seed, starts);
            (player, Labeler::new(game, teacher, labels, luck, seed))
        };
        let (stride, exploration) = (self.game.layout().len(), self.exploration);
        let play = |(player, labeler): &mut (SelfPlayer<'_, G>, Labeler<G>), index| {
            let mut returns = Returns::new(stride);
            if let Some(record) = player.play(index) {
                let labels = labeler.label(&record);
                exploration.append::<G>(&record, &labels, &mut returns);
            }
            (self.game_played)();
            returns
        };
        let games = workers.run(first..first + asked, worker, play);
        let finished = games.len() as u64;
        match finished < asked {
            true => Err(canceled(finished, asked, "games")),
            false => Ok(games),
        }
    }
}
