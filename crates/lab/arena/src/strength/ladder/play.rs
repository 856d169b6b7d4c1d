//! A ladder of named players: opened, climbed for some time, and read.

use std::path::Path;
use std::time::Duration;

use tavola_evaluator::PlayableGame;
use tavola_evaluator::remote::OnFleet;
use tavola_files::Failure;
use tavola_files::journal::End;
use tavola_games::{AnyGame, with_game};

use super::{Anchor, Climb, Ladder, LadderFile, MatchUp, Version};
use crate::job::{JobContext, JobWarning};
use crate::strength::luck::LuckNetwork;
use crate::strength::player::Player;

/// A ladder to climb: its file, players, and how its match-ups are played.
#[derive(Clone, Copy)]
pub struct LadderJob<'a> {
    /// The game.
    pub game: &'a AnyGame,
    /// The file of results; made if it does not exist.
    pub file: &'a Path,
    /// The players by their names; without any the ladder is read.
    pub players: &'a [String],
    /// How long they play.
    pub time: Duration,
    /// Pairs of games in a match-up.
    pub pairs: u64,
    /// Names or versions of players with their ratings, in points per game; without any the usual
    /// anchor.
    pub anchors: &'a [(String, f64)],
    /// Seed of the dice of a new file.
    pub seed: u64,
    /// What evaluates the luck, except where a player is a baseline.
    pub luck: LuckNetwork<'a>,
    /// Other processes that play the pairs.
    pub on_fleet: Option<OnFleet<'a>>,
}

/// A ladder after its match-ups.
#[derive(Debug)]
pub struct PlayedLadder {
    /// The ladder.
    pub ladder: Ladder,
    /// The ratings that are given.
    pub anchors: Vec<Anchor>,
    /// Why it was not climbed to the end of its time. The match-ups before that count.
    pub failure: Option<Failure>,
}

impl LadderJob<'_> {
    /// Reads the ladder, and plays on it if there are players. `played` gets each match-up, with
    /// the ladder before it and the time that has passed.
    ///
    /// # Errors
    ///
    /// The file, a player or an anchor can't be used.
    pub fn run(
        &self,
        job: &JobContext<'_>,
        played: &mut dyn FnMut(&Ladder, &MatchUp, Duration),
    ) -> Result<PlayedLadder, Failure> {
        let (ladder, failure) = match self.players {
            [] => (self.read(job)?, None),
            _ => with_game!(self.game, |game| self.play(game, job, played))?,
        };
        let anchors = self.anchors(&ladder)?;
        Ok(PlayedLadder { ladder, anchors, failure })
    }

    fn unusable<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
        &self,
    ) -> impl FnOnce(E) -> Failure {
        Failure::input_in(format!("cannot use the ladder {}", self.file.display()))
    }

    fn warn_of(&self, end: End, job: &JobContext<'_>) {
        if let Some(end) = end.warning() {
            let file = self.file.display().to_string();
            (job.warn)(&JobWarning::File { file, end });
        }
    }

    fn read(&self, job: &JobContext<'_>) -> Result<Ladder, Failure> {
        let file = self.file.display();
        if !self.file.exists() {
            return Err(Failure::input(format!(
                "there is no ladder {file}, expected players to begin one, such as default random"
            )));
        }
        let (found, ladder, end) = LadderFile::read(self.file).map_err(self.unusable())?;
        self.warn_of(end, job);
        let id = self.game.id();
        if found != id {
            let message = format!("{file} has a ladder of {found}, expected one of {id}");
            return Err(Failure::input(message));
        }
        Ok(ladder)
    }

    fn play<G: PlayableGame>(
        &self,
        game: &G,
        job: &JobContext<'_>,
        played: &mut dyn FnMut(&Ladder, &MatchUp, Duration),
    ) -> Result<(Ladder, Option<Failure>), Failure> {
        let open = || LadderFile::open_or_create(self.file, &game.id(), self.seed);
        let there = self.file.exists().then(open).transpose().map_err(self.unusable())?;
        // A name that is no player leaves no new file.
        let named = self.load(game, job)?;
        let mut file = there.map_or_else(open, Ok).map_err(self.unusable())?;
        self.warn_of(file.end, job);
        let mut players = Vec::new();
        for (name, player) in named {
            let version = Version { id: player.identity.clone(), name: name.clone() };
            file.add_version(version).map_err(Failure::work_in("the ladder"))?;
            players.push(player);
        }
        let luck = self.luck.load(game, job)?;
        let climb = Climb {
            game,
            players: &players,
            luck: luck.as_ref(),
            on_fleet: self.on_fleet,
            pairs: self.pairs,
            time: self.time,
            workers: job.workers,
        };
        let anchors = self.anchors(&file.ladder)?;
        let ended = climb.run(&mut file, &anchors, played);
        Ok((file.ladder.clone(), ended.err()))
    }

    /// The players that are named, each once, with their names.
    fn load<G: PlayableGame>(
        &self,
        game: &G,
        job: &JobContext<'_>,
    ) -> Result<Vec<(&String, Player<G>)>, Failure> {
        let mut players: Vec<(&String, Player<G>)> = Vec::new();
        for name in self.players {
            let player = Player::new(name, game, &job.players)?;
            if players.iter().any(|(_, other)| other.identity == player.identity) {
                (job.warn)(&JobWarning::OnLadder { name: name.clone() });
            } else {
                players.push((name, player));
            }
        }
        match players.len() {
            1 => Err(Failure::input("1 player to play, expected at least two different players")),
            _ => Ok(players),
        }
    }

    /// The given anchors, or the usual one.
    fn anchors(&self, ladder: &Ladder) -> Result<Vec<Anchor>, Failure> {
        if self.anchors.is_empty() {
            return Ok(ladder.usual_anchor().into_iter().collect());
        }
        let anchor = |(name, ppg): &(String, f64)| match ladder.find(name) {
            Some(version) => Ok(Anchor { id: version.id.clone(), ppg: *ppg }),
            None => Err(Failure::input(format!(
                "the anchor {name:?} is not on the ladder, expected the name or version of a player"
            ))),
        };
        self.anchors.iter().map(anchor).collect()
    }
}
