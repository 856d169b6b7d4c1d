//! A duel with what belongs to it: variance reduction, files of pairs and games, other processes.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use tavola_evaluator::PlayableGame;
use tavola_evaluator::remote::OnFleet;
use tavola_files::{Failure, FileError, locked, unlocked};
use tavola_play::{CubeTerms, Format, Played, Points, Workers};
use tavola_rules::Game;

use crate::stats::PairResult;
use crate::strength::duel::{Duel, DuelResult, DuelSettings, PlayedPair};
use crate::strength::luck::LoadedLuckEvaluator;
use crate::strength::pair_log::{DuelHeader, PairLog};
use crate::strength::player::Player;
use crate::strength::remote::RemoteDuel;
use crate::strength::saved_games::SavedGames;
use crate::strength::sprt::Sprt;

/// A player of a duel behind the name by which other processes find it.
pub(crate) type DuelSide<'a, G> = (&'a str, &'a Player<G>);

/// Where the pairs of a duel are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptPairs<'a> {
    /// Nowhere.
    Nowhere,
    /// In this file, which does not exist.
    New(&'a Path),
    /// In this file, whose pairs count and are not played again.
    Resumed(&'a Path),
}

/// What comes of a pair or its games that can't be written.
const ENDS: &str = "the duel ends here";

/// A duel with what belongs to it.
pub(crate) struct DuelRun<'a, G: Game> {
    /// The game.
    pub game: &'a G,
    /// The format.
    pub format: &'a dyn Format<G>,
    /// The terms of play with a cube, if there is one, and the match equity table as it was named.
    pub cube: Option<(&'a CubeTerms, &'a str)>,
    /// The players, first the one whose points are counted.
    pub sides: [DuelSide<'a, G>; 2],
    /// What evaluates the luck, if it is taken off.
    pub luck: Option<&'a LoadedLuckEvaluator<G>>,
    /// Where games begin, see [`Duel::starts`].
    pub starts: &'a [G::State],
    /// Pairs and seed.
    pub settings: DuelSettings,
    /// A test that may end it.
    pub sprt: Option<Sprt>,
    /// Where its pairs are kept.
    pub pairs: KeptPairs<'a>,
    /// A file for its games as text. With resumed pairs it may exist, and pairs that it lacks are
    /// played again.
    pub games: Option<&'a Path>,
    /// Other processes that play the pairs.
    pub on_fleet: Option<OnFleet<'a>>,
}

impl<'a, G: PlayableGame> DuelRun<'a, G> {
    /// A duel for points from the start of the game, without anything around it.
    pub fn new(game: &'a G, sides: [DuelSide<'a, G>; 2], settings: DuelSettings) -> Self {
        Self {
            game,
            format: &Points,
            cube: None,
            sides,
            luck: None,
            starts: &[],
            settings,
            sprt: None,
            pairs: KeptPairs::Nowhere,
            games: None,
            on_fleet: None,
        }
    }

    /// What a file of its pairs begins with.
    fn header(&self) -> DuelHeader {
        let [(_, a), (_, b)] = self.sides;
        DuelHeader {
            game: self.game.id(),
            a: a.identity.clone(),
            b: b.identity.clone(),
            luck_evaluator: self.luck.map(|evaluator| evaluator.identity.clone()),
            seed: self.settings.seed,
            max_turns: self.settings.max_turns,
            starts: self.starts.iter().map(|state| self.game.write_state(state)).collect(),
            terms: self.format.terms(),
            unit: self.format.unit(),
        }
    }

    /// Plays it; the number is that of games or matches that were played now and do not come from a
    /// file. `observer` is called for every pair that counts, first for those of a file.
    ///
    /// # Errors
    ///
    /// [`Failure`].
    pub fn play(
        &self,
        workers: Workers<'_>,
        observer: &(dyn Fn(&PairResult) + Sync),
    ) -> Result<(DuelResult, u64), Failure> {
        let header = self.header();
        let (log, mut known) = self.open_pairs(&header)?;
        let saved = self.open_games(&header)?;
        let logged: HashSet<u64> = known.iter().map(|pair| pair.pair).collect();
        known.retain(|pair| saved.as_ref().is_none_or(|games| games.has(pair.pair)));
        let game = self.game;
        let save = saved
            .as_ref()
            .map(|games| move |pair, played: [&Played<G>; 2]| games.add(game, pair, played));
        let work = self.on_fleet.map(|_| self.work(&header)).transpose()?;
        let duel = Duel {
            game: self.game,
            format: self.format,
            a: &*self.sides[0].1.agent,
            b: &*self.sides[1].1.agent,
            luck: self.luck.map(LoadedLuckEvaluator::evaluator),
            starts: self.starts,
            known: &known,
            games: save.as_ref().map(|save| save as &PlayedPair<'_, G>),
            sprt: self.sprt,
            remote: self
                .on_fleet
                .zip(work.as_ref())
                .map(|(on_fleet, work)| RemoteDuel { on_fleet, work }),
        };
        known.iter().for_each(observer);
        let (unwritten, played_now) = (Mutex::new(None), AtomicU64::new(0));
        let log = log.map(Mutex::new);
        let games_file = self.games.unwrap_or(Path::new(""));
        let result = duel.play(&self.settings, workers, &|pair| {
            observer(pair);
            played_now.fetch_add(2, Ordering::Relaxed);
            // The games first: a pair in the other file has its games in this one.
            let games = saved.as_ref().map_or(Ok(()), |games| games.write(pair.pair));
            let games = games.map_err(FileError::at("write", games_file));
            let mut written = games.map_err(Failure::work_in(ENDS));
            if let Some(log) = log.as_ref().filter(|_| !logged.contains(&pair.pair))
                && written.is_ok()
            {
                written = locked(log).add(pair).map_err(Failure::work_in(ENDS));
            }
            if let Err(error) = written {
                locked(&unwritten).get_or_insert(error);
                workers.cancel.store(true, Ordering::Relaxed);
            }
        });
        if let Some(log) = &log {
            locked(log).sync().map_err(Failure::work_in(ENDS))?;
        }
        if let Some(error) = unlocked(unwritten) {
            return Err(error);
        }
        let result = result?;
        drop(log);
        if let Some(pairs) = &result.corrected
            && let KeptPairs::New(path) | KeptPairs::Resumed(path) = self.pairs
        {
            PairLog::correct(path, pairs).map_err(Failure::work_in(ENDS))?;
        }
        Ok((result, played_now.into_inner()))
    }

    /// The file of pairs, if there is one, with the pairs that it has.
    fn open_pairs(
        &self,
        header: &DuelHeader,
    ) -> Result<(Option<PairLog>, Vec<PairResult>), Failure> {
        match self.pairs {
            KeptPairs::Nowhere => Ok((None, Vec::new())),
            KeptPairs::New(path) => {
                let log = PairLog::create(path, header).map_err(Failure::input)?;
                Ok((Some(log), Vec::new()))
            }
            KeptPairs::Resumed(path) => {
                let refused = Failure::input_in(format!("cannot resume {}", path.display()));
                let (log, known) = PairLog::open(path, header).map_err(refused)?;
                Ok((Some(log), known))
            }
        }
    }

    /// The file of games, if there is one.
    fn open_games(&self, header: &DuelHeader) -> Result<Option<SavedGames>, Failure> {
        let Some(path) = self.games else { return Ok(None) };
        let terms = self.cube.map(|(terms, _)| terms);
        let games = match matches!(self.pairs, KeptPairs::Resumed(_)) && path.exists() {
            true => SavedGames::open(path, header, terms),
            false => SavedGames::create(path, header, terms),
        };
        let refused = Failure::input_in(format!("cannot save the games to {}", path.display()));
        games.map(Some).map_err(refused)
    }
}
