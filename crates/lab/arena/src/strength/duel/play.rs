//! A duel by the names of its game and players.

use std::path::Path;
use std::time::{Duration, Instant};

use tavola_evaluator::PlayableGame;
use tavola_evaluator::remote::OnFleet;
use tavola_files::Failure;
use tavola_files::limits::FILE_BYTES;
use tavola_games::{AnyGame, with_game};
use tavola_play::{CubeTerms, Format, Points};

use super::DuelSettings;
use crate::job::{JobContext, MakePlayer};
use crate::stats::PairResult;
use crate::strength::answer::{DuelReport, DuelTiming, NamedPlayer};
use crate::strength::luck::LuckNetwork;
use crate::strength::player::{Player, PlayerName};
use crate::strength::run::{DuelRun, KeptPairs};
use crate::strength::sprt::Sprt;
use crate::strength::timed::{Clock, Timed};

/// A duel of two named players.
pub struct DuelJob<'a> {
    /// The game.
    pub game: &'a AnyGame,
    /// The players, first the one whose points are counted.
    pub players: [&'a str; 2],
    /// The terms of play with a cube, and the match equity table as it was named.
    pub cube: Option<(&'a CubeTerms, &'a str)>,
    /// The processor time of a network's decision, on average; `None` is as the players say.
    pub time_per_decision: Option<Duration>,
    /// What evaluates the luck.
    pub luck: LuckNetwork<'a>,
    /// Positions in which pairs begin in turn; without any, the start of the game.
    pub starts: &'a [String],
    /// A file of such positions, one a line.
    pub book: Option<&'a Path>,
    /// Pairs and seed.
    pub settings: DuelSettings,
    /// A test that may end it.
    pub sprt: Option<Sprt>,
    /// Where its pairs are kept.
    pub pairs: KeptPairs<'a>,
    /// A file for its games as text.
    pub games: Option<&'a Path>,
    /// Other processes that play the pairs.
    pub on_fleet: Option<OnFleet<'a>>,
}

impl DuelJob<'_> {
    /// Plays it. `observer` is called for every pair that counts, first for those of a file.
    ///
    /// # Errors
    ///
    /// A player or file can't be used, or the work is called off.
    pub fn run(
        &self,
        job: &JobContext<'_>,
        observer: &(dyn Fn(&PairResult) + Sync),
    ) -> Result<DuelReport, Failure> {
        match (self.cube, self.game) {
            (None, any) => {
                with_game!(any, |game| self.run_in(game, &Points, Player::new, job, observer))
            }
            (Some((terms, _)), AnyGame::Backgammon(game)) => {
                self.run_in(game, terms, Player::with_cube, job, observer)
            }
            (Some(_), game) => Err(without_cube(game)),
        }
    }

    fn run_in<G: PlayableGame>(
        &self,
        game: &G,
        format: &dyn Format<G>,
        make: MakePlayer<G>,
        job: &JobContext<'_>,
        observer: &(dyn Fn(&PairResult) + Sync),
    ) -> Result<DuelReport, Failure> {
        let [a_name, b_name] = self.names(game)?;
        let mut a = make(&a_name, game, &job.players)?;
        let mut b = make(&b_name, game, &job.players)?;
        let luck = match self.luck {
            LuckNetwork::BuiltIn if a.is_baseline || b.is_baseline => None,
            luck => luck.load(game, job)?,
        };
        let starts = self.starts(game)?;
        let clocks = [Clock::default(), Clock::default()];
        a.agent = Box::new(Timed::new(a.agent, &clocks[0]));
        b.agent = Box::new(Timed::new(b.agent, &clocks[1]));
        let sides = [(a_name.as_str(), &a), (b_name.as_str(), &b)];
        let run = DuelRun {
            format,
            cube: self.cube,
            luck: luck.as_ref(),
            starts: &starts,
            sprt: self.sprt,
            pairs: self.pairs,
            games: self.games,
            on_fleet: self.on_fleet,
            ..DuelRun::new(game, sides, self.settings)
        };
        job.progress.begin(2 * self.settings.pairs, format.unit().plural());
        let started = Instant::now();
        let (result, games) = run.play(job.workers, observer)?;
        let checksums = [a.network, b.network, luck.as_ref().map(|luck| luck.checksum.clone())];
        let names = [&a_name, &b_name, "variance reduction"].map(str::to_owned);
        let networks = names.into_iter().zip(checksums);
        Ok(DuelReport {
            result,
            networks: networks.filter_map(|(name, sha256)| Some((name, sha256?))).collect(),
            luck_evaluator: luck.map(|evaluator| evaluator.name),
            a: NamedPlayer { name: a_name, version: a.version },
            b: NamedPlayer { name: b_name, version: b.version },
            starts: starts.len(),
            timing: Some(DuelTiming { games, time: started.elapsed(), clocks }),
        })
    }

    /// The names of the players, at their pace.
    fn names<G: PlayableGame>(&self, game: &G) -> Result<[String; 2], Failure> {
        let Some(time) = self.time_per_decision else { return Ok(self.players.map(str::to_owned)) };
        let paced = |name| PlayerName::paced(name, time, game);
        let names = [paced(self.players[0])?, paced(self.players[1])?];
        match names == self.players {
            true => Err(Failure::input(
                "--time-per-decision is for networks, expected one of them as A or B",
            )),
            false => Ok(names),
        }
    }

    fn starts<G: PlayableGame>(&self, game: &G) -> Result<Vec<G::State>, Failure> {
        let mut states = Vec::new();
        for text in self.starts {
            states.push(game.parse_state(text).map_err(Failure::input)?);
        }
        let Some(path) = self.book else { return Ok(states) };
        let book = path.display();
        let text = tavola_files::read_text(path, &FILE_BYTES)
            .map_err(Failure::input_in(format_args!("cannot read the book {book}")))?;
        for (index, line) in text.lines().map(str::trim).enumerate() {
            if !line.is_empty() && !line.starts_with('#') {
                let context = format!("line {} of the book {book}", index + 1);
                states.push(game.parse_state(line).map_err(Failure::input_in(context))?);
            }
        }
        match states.is_empty() {
            true => {
                Err(Failure::input(format!("no position in the book {book}, expected one a line")))
            }
            false => Ok(states),
        }
    }
}

/// The error that a game knows no cube.
pub fn without_cube(game: &AnyGame) -> Failure {
    Failure::input(format!(
        "{game} is played without a cube and without matches, expected backgammon or a variant of it"
    ))
}
