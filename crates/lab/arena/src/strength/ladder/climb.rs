//! Playing on a ladder for some time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tavola_evaluator::remote::OnFleet;
use tavola_evaluator::{PlayableGame, Workers};

use super::{Anchor, Ladder, LadderFile, MatchUp};
use crate::strength::duel::DuelSettings;
use crate::strength::luck::LoadedLuckEvaluator;
use crate::strength::player::Player;
use crate::strength::run::DuelRun;
use tavola_files::Failure;

/// Seconds a pair of newcomers is thought to take: that of two networks at 0-ply.
const USUAL_SECONDS: f64 = 0.01;

/// Players who meet as long as there is time, always the two whose match-up makes the ranking
/// surest for its time.
pub(super) struct Climb<'a, G: PlayableGame> {
    /// The game.
    pub game: &'a G,
    /// At least two, none twice.
    pub players: &'a [Player<G>],
    /// Evaluates the luck, except where a player is a baseline.
    pub luck: Option<&'a LoadedLuckEvaluator<G>>,
    /// Plays the pairs; `None`: the threads of this process do.
    pub on_fleet: Option<OnFleet<'a>>,
    /// The most pairs of a match-up.
    pub pairs: u64,
    /// How long they play.
    pub time: Duration,
    /// The threads, and what stops the match-up at hand, which then does not count.
    pub workers: Workers<'a>,
}

impl<G: PlayableGame> Climb<'_, G> {
    /// Adds match-ups of the players, who are on the ladder, to the file. `played` gets each, with
    /// the ladder before it and the time that has passed.
    ///
    /// # Errors
    ///
    /// A match-up can't be played or kept; those before it count.
    pub fn run(
        &self,
        file: &mut LadderFile,
        anchors: &[Anchor],
        played: &mut dyn FnMut(&Ladder, &MatchUp, Duration),
    ) -> Result<(), Failure> {
        let index = |player: &Player<G>| file.ladder.index(&player.identity);
        let among: Vec<usize> = self.players.iter().filter_map(index).collect();
        assert_eq!(among.len(), self.players.len(), "the players are on the ladder");
        let started = Instant::now();
        let time = self.time;
        let is_over = move || started.elapsed() >= time;
        loop {
            let standings = file.ladder.standings(anchors).map_err(Failure::work)?;
            let next = standings.most_informative(&among, self.pairs, USUAL_SECONDS);
            let (a, b) = next.expect("there are at least two players");
            let left = self.time.saturating_sub(started.elapsed()).as_secs_f64();
            let pairs = pairs_within(left, &file.ladder, [a, b]).min(self.pairs);
            let player = |index| {
                let place = among.iter().position(|&other| other == index);
                &self.players[place.expect("those who meet are among the players")]
            };
            let match_up = self.meet(file, (player(a), player(b)), pairs, &is_over)?;
            played(&file.ladder, &match_up, started.elapsed());
            file.add_match_up(match_up).map_err(Failure::work_in("the ladder"))?;
            if is_over() {
                return Ok(());
            }
        }
    }

    /// Plays a match-up. When the time is over it begins no other pair, from the second on, and
    /// those that were begun count.
    fn meet(
        &self,
        file: &LadderFile,
        (a, b): (&Player<G>, &Player<G>),
        pairs: u64,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Result<MatchUp, Failure> {
        let Self { game, workers, .. } = *self;
        let luck_evaluator = self.luck.filter(|_| !(a.is_baseline || b.is_baseline));
        let settings = DuelSettings {
            pairs,
            first: file.ladder.next_pair(&a.identity, &b.identity),
            seed: file.duel_seed(&a.identity, &b.identity),
            ..DuelSettings::default()
        };
        let name = |player: &Player<G>| file.ladder.name_of(&player.identity);
        let sides = [(name(a), a), (name(b), b)];
        let run = DuelRun {
            luck: luck_evaluator,
            on_fleet: self.on_fleet,
            ..DuelRun::new(game, sides, settings)
        };
        let began = Instant::now();
        let (done, in_time) = (AtomicU64::new(0), AtomicBool::new(true));
        let observer = |_: &_| {
            if done.fetch_add(1, Ordering::Relaxed) > 0 && is_over() {
                in_time.store(false, Ordering::Relaxed);
                workers.cancel.store(true, Ordering::Relaxed);
            }
        };
        let result = run.play(workers, &observer)?.0;
        if let Some(failed) = result.failures.first() {
            let (a, b) = (&a.identity, &b.identity);
            let reason = &failed.reason;
            let message = format!("the match-up of {a} and {b} does not count: {reason}");
            return Err(Failure::work(message));
        }
        let stopped = workers.cancel.load(Ordering::Relaxed) && in_time.load(Ordering::Relaxed);
        if stopped && result.pairs < settings.pairs {
            return Err(Failure::stopped("stopped"));
        }
        let ppg = result.luck_adjusted.unwrap_or(result.points);
        let points: u64 =
            [result.a, result.b].iter().map(|won| won.wins + won.gammons + won.backgammons).sum();
        Ok(MatchUp {
            a: a.identity.clone(),
            b: b.identity.clone(),
            first: settings.first,
            pairs: result.pairs,
            ppg: ppg.mean,
            deviation: ppg.standard_error * (result.pairs as f64).sqrt(),
            stake: points as f64 / result.played() as f64,
            seconds: began.elapsed().as_secs_f64(),
            luck_evaluator: luck_evaluator.map(|evaluator| evaluator.identity.clone()),
        })
    }
}

/// The pairs that two players are thought to play in some seconds, by the slowest match-up of either
/// or, where they are new, by any number.
fn pairs_within(seconds: f64, ladder: &Ladder, players: [usize; 2]) -> u64 {
    let ids = players.map(|index| &ladder.versions()[index].id);
    let of_these = |it: &&MatchUp| ids.contains(&&it.a) || ids.contains(&&it.b);
    let of_a_pair = |it: &MatchUp| it.seconds / it.pairs as f64;
    let slowest = ladder.match_ups().iter().filter(of_these).map(of_a_pair).reduce(f64::max);
    slowest
        .filter(|a_pair| *a_pair > 0.0)
        .map_or(u64::MAX, |a_pair| (seconds / a_pair) as u64)
        .max(2)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use tavola_rules::{Backgammon, Game};

    use super::*;
    use tavola_evaluator::NEVER;

    use crate::strength::ladder::Version;
    use crate::strength::player::PlayerContext;

    #[test]
    fn a_match_up_ends_with_the_pairs_that_were_begun_in_time() {
        let folder = tempfile::tempdir().unwrap();
        let (game, path) = (Backgammon::Standard, folder.path().join("ladder.jsonl"));
        let mut file = LadderFile::open_or_create(&path, &game.id(), 1).unwrap();
        let context = PlayerContext {
            timeout: Duration::from_secs(9),
            progress: &|_| {},
            warn: &|_| {},
            called_off: &NEVER,
        };
        let players = ["pip-count", "random"].map(|name| {
            let player = Player::new(name, &game, &context).unwrap();
            let version = Version { id: player.identity.clone(), name: name.to_owned() };
            file.add_version(version).unwrap();
            player
        });
        let [a, b] = &players;
        let climb = |cancel| Climb {
            game: &game,
            players: &players,
            luck: None,
            on_fleet: None,
            pairs: 1000,
            time: Duration::from_secs(9),
            workers: Workers { threads: NonZeroUsize::MIN, cancel },
        };
        // The time is asked for behind each pair but the first.
        let flags = [false, false, true].map(AtomicBool::new);
        for ((asks, pairs), cancel) in [(0, 2), (5, 7)].into_iter().zip(&flags) {
            let asked = AtomicU64::new(0);
            let is_over = || asked.fetch_add(1, Ordering::Relaxed) >= asks;
            let met = climb(cancel).meet(&file, (a, b), 1000, &is_over).unwrap();
            assert_eq!(met.pairs, pairs);
        }
        // Who interrupts it has no match-up.
        assert!(climb(&flags[2]).meet(&file, (a, b), 1000, &|| false).is_err());
    }
}
