//! Duels with the cube: pairs of games for money, or of matches, on the same dice with the seats
//! swapped.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use tavola_rules::{Backgammon, Ending, GameResult, Options, Outcome, Player, Position, WinKind};

use super::agent::{CubeAgent, TimedCubeAgent};
use super::luck::CubeLuck;
use super::table::{self, Played, Seated};
use super::terms::{Contest, CubeTerms};
use crate::arena::{DuelError, DuelSettings, LUCK_STEPS, SprtResult};
use crate::contest;
use crate::game::GameLoop;
use crate::luck::{LuckJudge, LuckMeter};
use crate::sprt::{Sprt, Verdict};
use crate::stats::{Estimate, PairFailure, PairScore, Scores};
use crate::timed::Clock;
use crate::workers::Workers;

/// What one game for money, or one match, came to, from player a.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CubeScore {
    /// Points for money; 1 for a match that was won and -1 for one that was lost.
    pub points: i32,
    /// Games played: 1 for money.
    pub games: u32,
    /// Games in which the cube was turned and taken.
    pub turned: u32,
    /// Games that ended with a dropped cube.
    pub dropped: u32,
    /// Games that ended with a resignation.
    pub resigned: u32,
    /// Games that were won with a gammon or backgammon, resignations included.
    pub gammons: u32,
    /// Games whose cube stood at its limit in the end.
    pub capped: u32,
    /// The highest cube that was played at.
    pub highest_cube: u32,
}

impl CubeScore {
    fn new(played: &Played, seat_of_a: Player, options: &Options) -> Self {
        let sign = |winner: Player| if winner == seat_of_a { 1 } else { -1 };
        let mut score = Self::default();
        for &GameResult { winner, points, cube, ending } in &played.games {
            let count = |is: bool| u32::from(is);
            score.games += 1;
            score.points += sign(winner) * i32::try_from(points).unwrap_or(i32::MAX);
            score.turned += count(cube > 1);
            score.dropped += count(ending == Ending::Dropped);
            score.resigned += count(matches!(ending, Ending::Resigned(_)));
            let kind = match ending {
                Ending::Played(kind) | Ending::Resigned(kind) => kind,
                Ending::Dropped => WinKind::Single,
            };
            score.gammons += count(kind != WinKind::Single);
            score.capped += count(cube > 1 && options.cube_limit == Some(cube));
            score.highest_cube = score.highest_cube.max(cube);
        }
        if let Some(winner) = played.winner {
            score.points = sign(winner);
        }
        score
    }
}

/// Two games or two matches on the same dice with the seats swapped. Scores are from player a, and
/// `None` where a game was given up as too long, which counts as no points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubePair {
    /// Number of the pair, counted from 0.
    pub pair: u64,
    /// With a in the first seat.
    pub a_first: Option<CubeScore>,
    /// With b in the first seat.
    pub b_first: Option<CubeScore>,
    /// The luck that a had with the dice in both together, in the unit of
    /// [`CubeScore::points`], if there was a judge to tell.
    pub luck: Option<f64>,
}

impl PairScore for CubePair {
    fn number(&self) -> u64 {
        self.pair
    }

    fn per_game(&self) -> f64 {
        let points = [self.a_first, self.b_first].into_iter().flatten();
        points.map(|score| f64::from(score.points)).sum::<f64>() / 2.0
    }

    fn per_game_without_luck(&self) -> Option<f64> {
        Some(self.per_game() - self.luck? / 2.0)
    }
}

/// What a duel is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DuelUnit {
    /// Games, for points.
    Games,
    /// Matches, for the chance to win one.
    Matches,
}

impl From<Contest> for DuelUnit {
    fn from(contest: Contest) -> Self {
        match contest {
            Contest::Money => Self::Games,
            Contest::Match { .. } => Self::Matches,
        }
    }
}

/// Counts pairs with a cube. The order of the pairs has no influence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CubeTally {
    scores: Scores,
    a_wins: u64,
    b_wins: u64,
    unfinished: u64,
    games: u64,
    turned: u64,
    dropped: u64,
    resigned: u64,
    gammons: u64,
    capped: u64,
    highest_cube: u32,
}

impl CubeTally {
    /// Counts a pair.
    pub fn add(&mut self, pair: &CubePair) {
        self.scores.add(pair);
        for score in [pair.a_first, pair.b_first] {
            let Some(score) = score else {
                self.unfinished += 1;
                continue;
            };
            self.a_wins += u64::from(score.points > 0);
            self.b_wins += u64::from(score.points < 0);
            self.games += u64::from(score.games);
            self.turned += u64::from(score.turned);
            self.dropped += u64::from(score.dropped);
            self.resigned += u64::from(score.resigned);
            self.gammons += u64::from(score.gammons);
            self.capped += u64::from(score.capped);
            self.highest_cube = self.highest_cube.max(score.highest_cube);
        }
    }
}

/// What a duel with the cube showed. Points are from player a; in matches a win is 1 and a loss -1,
/// see [`chance`](Self::chance).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CubeDuelResult {
    /// What was played for, in words.
    pub terms: String,
    /// What was played and is counted.
    pub unit: DuelUnit,
    /// Seed of the dice.
    pub seed: u64,
    /// Pairs that were played: fewer than asked for if the duel was cancelled.
    pub pairs: u64,
    /// Points of a, per game for money and per match in matches.
    pub points: Estimate,
    /// The same without the luck of the dice, if there was a judge of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub luck_adjusted: Option<Estimate>,
    /// Games for money, or matches, that a won.
    pub a_wins: u64,
    /// The same of b.
    pub b_wins: u64,
    /// Games, those of matches one by one.
    pub games: u64,
    /// Games in which the cube was turned and taken.
    pub turned: u64,
    /// Games that ended with a dropped cube.
    pub dropped: u64,
    /// Games that ended with a resignation.
    pub resigned: u64,
    /// Games that were won with a gammon or backgammon.
    pub gammons: u64,
    /// Games whose cube stood at its limit in the end.
    pub capped: u64,
    /// The highest cube that was played at.
    pub highest_cube: u32,
    /// Games or matches that were given up as too long.
    pub unfinished: u64,
    /// Pairs in which a player failed, which count for nobody. After a few of them the duel ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<PairFailure>,
    /// What the sequential test said, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtResult>,
}

impl CubeDuelResult {
    /// The result of pairs that were played before, in the order of their numbers; `None` with
    /// fewer than two. A test ends where it would have ended the duel.
    pub fn of_pairs(
        terms: String,
        unit: DuelUnit,
        seed: u64,
        pairs: &[CubePair],
        sprt: Option<Sprt>,
    ) -> Option<Self> {
        let mut tally = CubeTally::default();
        for pair in pairs {
            tally.add(pair);
            let said = sprt.and_then(|test| SprtResult::of(test, &tally.scores));
            if said.is_some_and(|said| said.verdict != Verdict::Open) {
                break;
            }
        }
        Self::of_tally((terms, unit), seed, &tally, Vec::new(), sprt)
    }

    fn of_tally(
        (terms, unit): (String, DuelUnit),
        seed: u64,
        tally: &CubeTally,
        failures: Vec<PairFailure>,
        sprt: Option<Sprt>,
    ) -> Option<Self> {
        Some(Self {
            terms,
            unit,
            seed,
            pairs: tally.scores.pairs(),
            points: tally.scores.points_per_game()?,
            luck_adjusted: tally.scores.luck_adjusted(),
            a_wins: tally.a_wins,
            b_wins: tally.b_wins,
            games: tally.games,
            turned: tally.turned,
            dropped: tally.dropped,
            resigned: tally.resigned,
            gammons: tally.gammons,
            capped: tally.capped,
            highest_cube: tally.highest_cube,
            unfinished: tally.unfinished,
            failures,
            sprt: sprt.and_then(|test| SprtResult::of(test, &tally.scores)),
        })
    }

    /// A result of matches as the chance to win one.
    #[must_use]
    pub fn chance(points: Estimate) -> Estimate {
        Estimate {
            mean: (1.0 + points.mean) / 2.0,
            standard_error: points.standard_error / 2.0,
            low: (1.0 + points.low) / 2.0,
            high: (1.0 + points.high) / 2.0,
        }
    }
}

/// Two players, and what they play for. The variant is that of the options.
pub struct CubeDuel<'a> {
    /// Money or matches, and the rules.
    pub terms: &'a CubeTerms,
    /// The player whose points are counted.
    pub a: &'a dyn CubeAgent,
    /// The opponent.
    pub b: &'a dyn CubeAgent,
    /// Clocks for the thinking of a and b.
    pub clocks: [&'a Clock; 2],
    /// Who tells how lucky each roll was, if luck is to be taken off the result. Whoever it is,
    /// and whoever plays, the result stays the same on average.
    pub luck: Option<LuckJudge<'a, Backgammon>>,
    /// Where games for money begin: pair number i in position i modulo their number, the first
    /// seat on roll with any roll. If there is none, in the start position with an opening roll.
    pub starts: &'a [Position],
    /// Pairs that were played before with the same players, seed, terms, starts and judge of luck.
    pub known: &'a [CubePair],
    /// A test that may end the duel.
    pub sprt: Option<Sprt>,
}

/// What a thread needs to play pairs.
struct Room {
    games: GameLoop<Backgammon>,
    a: Box<dyn CubeAgent>,
    b: Box<dyn CubeAgent>,
    luck: Option<CubeLuck>,
}

impl CubeDuel<'_> {
    /// Plays the pairs.
    ///
    /// The dice of a turn depend on the seed, the pair, the game of the match and the turn's number
    /// alone. The result is the same on any number of threads, and an agent that plays itself has
    /// exactly zero in every pair, with luck and without.
    ///
    /// `observer` is called after every pair that is played, by the thread that played it. A pair
    /// in which an agent fails is left out and [reported](CubeDuelResult::failures).
    ///
    /// # Errors
    ///
    /// [`DuelError`] if there are fewer than two pairs, asked for or played, or nothing to play in
    /// a start position.
    pub fn play(
        &self,
        settings: &DuelSettings,
        workers: Workers<'_>,
        observer: &(dyn Fn(&CubePair) + Sync),
    ) -> Result<CubeDuelResult, DuelError> {
        let DuelSettings { pairs: asked, first, seed, max_turns } = *settings;
        if asked < 2 {
            return Err(DuelError::TooFewPairs { pairs: asked });
        }
        if let Some(i) = self.starts.iter().position(|start| Outcome::of(start).is_some()) {
            return Err(DuelError::FinishedStart { number: i + 1 });
        }
        let game = self.terms.options().start;
        let meter = self.luck.as_ref().map(|luck| LuckMeter::new(game, luck));
        // Agents may stay on their thread; forks behind a lock let every thread make its own.
        let originals = Mutex::new((self.a.fork(), self.b.fork(), meter));
        let (terms, starts, clocks) = (self.terms, self.starts, self.clocks);
        let pairs = first..first.saturating_add(asked);
        let contest = contest::Contest { pairs, known: self.known, sprt: self.sprt };
        let (pairs, failures) = contest.play(
            workers,
            || {
                // A poisoned lock means that a fork panicked, which changed nothing in the
                // original.
                let originals = originals.lock().unwrap_or_else(PoisonError::into_inner);
                let (a, b, meter) = &*originals;
                let timed = |agent: &dyn CubeAgent, clock: &Clock| {
                    let (agent, clock) = (agent.fork(), clock.clone());
                    Box::new(TimedCubeAgent { agent, clock }) as Box<dyn CubeAgent>
                };
                Room {
                    games: GameLoop::new(game, max_turns),
                    a: timed(a.as_ref(), clocks[0]),
                    b: timed(b.as_ref(), clocks[1]),
                    luck: meter
                        .as_ref()
                        .map(|meter| CubeLuck { meter: meter.fork(), contest: terms.contest() }),
                }
            },
            |room, pair| room.pair(terms, starts, seed, pair),
            observer,
        );
        let mut tally = CubeTally::default();
        pairs.iter().for_each(|pair| tally.add(pair));
        let first_failure = failures.first().map(|failure| failure.reason.clone());
        let (finished, failed) = (tally.scores.pairs(), failures.len() as u64);
        let terms = (terms.to_string(), DuelUnit::from(terms.contest()));
        CubeDuelResult::of_tally(terms, seed, &tally, failures, self.sprt).ok_or(
            match first_failure {
                Some(reason) => DuelError::Failed { failed, finished, reason },
                None => DuelError::Cancelled { finished, asked },
            },
        )
    }
}

impl Room {
    fn pair(
        &mut self,
        terms: &CubeTerms,
        starts: &[Position],
        seed: u64,
        pair: u64,
    ) -> Result<CubePair, PairFailure> {
        let Self { games, a, b, luck } = self;
        let start = match starts.len() as u64 {
            0 => None,
            number => Some(&starts[(pair % number) as usize]),
        };
        let mut play = |agents: [Seated<'_>; 2]| {
            table::play(games, terms, start, agents, (seed, pair))
                .map_err(|reason| PairFailure { pair, reason: reason.to_string() })
        };
        let with_a_first = play([a.as_mut(), b.as_mut()])?;
        let with_b_first = play([b.as_mut(), a.as_mut()])?;
        let luck = luck.as_mut().map(|luck| {
            let luck = luck.pair(&with_a_first.trace, &with_b_first.trace);
            (luck * LUCK_STEPS).round() / LUCK_STEPS
        });
        let score = |played: &Played, seat_of_a| {
            let options = terms.options();
            played.finished.then(|| CubeScore::new(played, seat_of_a, options))
        };
        Ok(CubePair {
            pair,
            a_first: score(&with_a_first, Player::One),
            b_first: score(&with_b_first, Player::Two),
            luck,
        })
    }
}
