//! Duels with the cube: pairs of games for money, or of matches, on the same dice with the seats
//! swapped.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use tavola_rules::{Backgammon, Ending, GameResult, Options, Outcome, Player, Position, WinKind};

use crate::contest;
use crate::duel::{DuelError, DuelSettings, LUCK_STEPS, SprtResult};
use crate::sprt::{Sprt, Verdict};
use crate::stats::{PairFailure, PairScore, Scores};
use tavola_evaluator::{Estimate, Z_95};
use tavola_play::GameLoop;
use tavola_play::Workers;
use tavola_play::referee::{self, Played, Seated};
use tavola_play::{Contest, CubeAgent, CubeLuck, CubeTerms};
use tavola_play::{LuckJudge, LuckMeter};

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

/// Matches that both sides have to have won before the spread of the pairs tells how sure their result
/// is: the customary five of each kind from which shares are taken as normally distributed.
const ENOUGH_WINS: u64 = 5;

/// The result of matches, in wins less losses, where one side has won next to none: the score
/// interval of Wilson ("Probable Inference, the Law of Succession, and Statistical Inference", Journal
/// of the American Statistical Association 22, 1927) for so many matches, with a standard error
/// that would have an interval as wide.
///
/// With `p` won of `n` matches and `z` = 1.96 it is (p + z²/2n ± z √(p (1 - p) / n + z²/4n²)) / (1 +
/// z²/n). It takes matches as independent. The two of a pair, on the same dice with the seats
/// swapped, are rather won by different sides, so it is wide rather than narrow.
fn one_sided_result(mean: f64, matches: u64) -> Estimate {
    let (n, p) = (matches as f64, (1.0 + mean) / 2.0);
    let shrink = 1.0 + Z_95 * Z_95 / n;
    let middle = (p + Z_95 * Z_95 / (2.0 * n)) / shrink;
    let half = Z_95 / shrink * (p * (1.0 - p) / n + (Z_95 / (2.0 * n)).powi(2)).sqrt();
    // A chance of p is 2 p - 1 in wins less losses.
    let points = |chance: f64| 2.0 * chance - 1.0;
    Estimate {
        mean,
        standard_error: 2.0 * half / Z_95,
        low: points(middle - half),
        high: points(middle + half),
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
    /// Points of a per game, or wins less losses per match; `None` with fewer than two pairs.
    ///
    /// The interval is from the spread of the pairs, or, for matches of which a side has won hardly
    /// any, so that the pairs are all alike, from their number. Matches that were split in every
    /// pair are left at no spread: players that always play alike split them all.
    fn points(&self, unit: DuelUnit) -> Option<Estimate> {
        let points = self.scores.points_per_game()?;
        let all_split = (points.mean, points.standard_error) == (0.0, 0.0);
        let few = self.a_wins.min(self.b_wins) < ENOUGH_WINS;
        Some(match unit {
            DuelUnit::Matches if few && !all_split => {
                one_sided_result(points.mean, 2 * self.scores.pairs())
            }
            _ => points,
        })
    }

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
            points: tally.points(unit)?,
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
        let (terms, starts) = (self.terms, self.starts);
        let pairs = first..first.saturating_add(asked);
        let contest = contest::Contest { pairs, known: self.known, sprt: self.sprt };
        let (pairs, failures) = contest.play(
            workers,
            || {
                // A poisoned lock means that a fork panicked, which changed nothing in the
                // original.
                let originals = originals.lock().unwrap_or_else(PoisonError::into_inner);
                let (a, b, meter) = &*originals;
                Room {
                    games: GameLoop::new(game, max_turns),
                    a: a.fork(),
                    b: b.fork(),
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
            referee::play(games, terms, start, agents, (seed, pair))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs of matches of which a won the first `won`, in each pair that begun by a first.
    fn matches(won: u64, pairs: u64) -> CubeDuelResult {
        let score = |number: u64| {
            let points = if number < won { 1 } else { -1 };
            Some(CubeScore { points, games: 3, highest_cube: 2, ..CubeScore::default() })
        };
        let pairs: Vec<_> = (0..pairs)
            .map(|pair| {
                let (a_first, b_first) = (score(2 * pair), score(2 * pair + 1));
                CubePair { pair, a_first, b_first, luck: None }
            })
            .collect();
        let (terms, unit) = ("match to 5".to_owned(), DuelUnit::Matches);
        CubeDuelResult::of_pairs(terms, unit, 1, &pairs, None).unwrap()
    }

    fn chance(won: u64, pairs: u64) -> [f64; 3] {
        let Estimate { mean, low, high, .. } = CubeDuelResult::chance(matches(won, pairs).points);
        [low, mean, high]
    }

    #[track_caller]
    fn assert_near(found: [f64; 3], expected: [f64; 3]) {
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 5e-5, "{found}, expected {expected}");
        }
    }

    #[test]
    fn matches_won_without_exception_leave_room_for_those_that_were_not_played() {
        // n / (n + z²) for n of n, by hand: 80 / 83.8415.
        assert_near(chance(80, 40), [0.95418, 1.0, 1.0]);
        assert_near(chance(0, 40), [0.0, 0.0, 1.0 - 0.95418]);
        // One of 40 lost: (0.975 + 0.048018 ± 1.959964 sqrt(0.000609375 + 0.000600228)) / 1.0960365.
        assert_near(chance(39, 20), [0.87118, 0.975, 0.99557]);
        let points = matches(80, 40).points;
        assert!(points.standard_error > 0.0 && points.high <= 1.0, "{points:?}");
        let wide = |won, pairs| chance(won, pairs)[2] - chance(won, pairs)[0];
        assert!(wide(8, 4) > wide(80, 40) && wide(80, 40) > wide(800, 400));
    }

    #[test]
    fn intervals_follow_the_spread_of_pairs_once_both_sides_win() {
        let mixed = matches(10, 10);
        assert_eq!((mixed.a_wins, mixed.b_wins), (10, 10));
        let means = |pair: u64| if pair < 5 { 1.0 } else { -1.0 };
        let variance = (0..10).map(|pair| f64::powi(means(pair), 2)).sum::<f64>() / 9.0;
        assert!((mixed.points.standard_error - (variance / 10.0).sqrt()).abs() < 1e-6);
    }

    #[test]
    fn matches_split_in_every_pair_are_even_without_a_doubt() {
        let split = |pair| {
            let score = |points| Some(CubeScore { points, games: 1, ..CubeScore::default() });
            CubePair { pair, a_first: score(1), b_first: score(-1), luck: None }
        };
        let pairs: Vec<_> = (0..3).map(split).collect();
        let result =
            |unit| CubeDuelResult::of_pairs(String::new(), unit, 1, &pairs, None).unwrap().points;
        assert_eq!(result(DuelUnit::Matches), Estimate::new(0.0, 0.0));
        // Points for money have their spread whatever it is.
        assert_eq!(result(DuelUnit::Games), Estimate::new(0.0, 0.0));
    }
}
