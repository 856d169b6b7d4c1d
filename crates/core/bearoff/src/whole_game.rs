//! Whole games of few checkers, solved: the exact equity of every position, contact and all.
//!
//! With three checkers a side (hypergammon) there are some seven million positions. Because a
//! checker that is hit begins again, the value of a position may depend on itself, so one pass
//! over positions of rising pips is not enough as it is for the bear-off; but a pass settles all
//! that can happen before the next hit, and every further pass one hit more, and games with many
//! hits are rare. So values converge: this is value iteration (Richard Bellman, "Dynamic
//! Programming", 1957), with positions visited in the order of their pips. Where both sides hit
//! again and again a pass still leaves three quarters of the error; positions that have settled
//! wait until the others have, and then a last pass over all tells whether they are still right.
//!
//! What is solved is the cubeless money game: gammons count two points and backgammons three. The
//! outcome probabilities are those of its best plays.
//!
//! ```
//! use tavola_bearoff::WholeGame;
//! use tavola_rules::Position;
//!
//! let game = WholeGame::solve(1, 1e-9, &|_| {})?;
//! // One checker a side, each on its own six point: neither has one off, so all wins are gammons.
//! let position = Position::from_points(&[(6, 1)], &[(6, 1)], 1)?;
//! // 27 of 36 rolls win at once, and so it goes on.
//! let win = 0.75 / (1.0 - 0.25 * 0.25);
//! let about = f64::from(game.equity(&position).expect("the game goes on"));
//! assert!((about - 2.0 * (2.0 * win - 1.0)).abs() < 0.2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;

use rayon::prelude::*;
use tavola_equity::OutcomeProbs;
use tavola_files::Failure;
use tavola_rules::{Outcome, Position};

use self::comparison::Evaluated;
use self::moves::{Moves, Side, Sides};
use crate::generate::{by_pips, pairs_by_opponent, rolls};

mod comparison;
mod file;
mod moves;

pub use comparison::{Errors, WholeGameComparison, Worst};

/// The most checkers a side for which a game can be solved: more take too much memory.
pub const MAX_WHOLE_GAME_CHECKERS: u8 = 3;

/// Passes after which the iteration stops with an error; it takes some tens.
const MOST_PASSES: u32 = 1000;

/// A position counts as settled for the time being once a pass has changed it by less than this
/// part of the tolerance.
const SETTLED: f64 = 0.1;

/// Which positions a pass visits.
#[derive(Clone, Copy)]
enum Visited {
    /// All that have not come to rest for good.
    All,
    /// Those that changed by so much when they were visited last.
    Changing(f32),
}

/// A pass over all positions is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pass {
    /// Its number, counted from 1.
    pub number: u32,
    /// The largest change of an equity in it.
    pub change: f64,
}

/// The exact cubeless money equity of every position of backgammon with few checkers a side, and
/// its outcome probabilities when both sides play for it.
pub struct WholeGame {
    sides: Sides,
    /// From the player on roll: their side times all sides plus the opponent's; not a number where
    /// both sides claim a point.
    equities: Vec<f32>,
    /// In the same order; [`CERTAIN`] is a probability of 1.
    probs: Vec<[u16; 6]>,
}

/// A probability of 1 as it is kept.
const CERTAIN: f32 = 65_535.0;

impl fmt::Debug for WholeGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WholeGame").field("checkers", &self.sides.checkers()).finish()
    }
}

/// A position as the solver numbers it: the sides of the player on roll and of the opponent.
type Pair = (Side, Side);

impl WholeGame {
    /// Solves the game of this number of checkers a side, on the threads of the current rayon pool,
    /// until no equity changes by more than `tolerance` in a pass over all positions. A pass leaves
    /// three quarters of the worst error, so some three times the tolerance remain.
    ///
    /// The result is the same on any number of threads.
    ///
    /// # Errors
    ///
    /// [`Failure`].
    pub fn solve(
        checkers: u8,
        tolerance: f64,
        progress: &(dyn Fn(Pass) + Sync),
    ) -> Result<Self, Failure> {
        if !(1..=MAX_WHOLE_GAME_CHECKERS).contains(&checkers) {
            return Err(Failure::input(format!(
                "{checkers} checkers a side, expected 1 to {MAX_WHOLE_GAME_CHECKERS}"
            )));
        }
        if !(1e-12..=1.0).contains(&tolerance) {
            let reason = format!("a tolerance of {tolerance}, expected 1e-12 to 1");
            return Err(Failure::input(reason));
        }
        let sides = Sides::new(checkers);
        let moves = Moves::new(&sides);
        let mut solver = Solver::new(&sides, &moves);
        let settled = Visited::Changing((tolerance * SETTLED) as f32);
        let mut visited = Visited::All;
        for number in 1.. {
            let change = solver.pass(visited);
            progress(Pass { number, change });
            visited = match visited {
                Visited::All if change <= tolerance => break,
                Visited::Changing(_) if change <= tolerance => Visited::All,
                _ if number == MOST_PASSES => {
                    let reason = format!("values still change by {change} after {number} passes");
                    return Err(Failure::input(reason));
                }
                _ => settled,
            };
        }
        let equities = solver.values.iter().map(|&value| value as f32).collect();
        let kept = |probs: &OutcomeProbs| probs.0.map(|p| (p * CERTAIN).round() as u16);
        let probs = solver.probs.iter().map(kept).collect();
        Ok(Self { sides, equities, probs })
    }

    /// Checkers a side.
    pub const fn checkers(&self) -> u8 {
        self.sides.checkers()
    }

    /// The equity of the player on roll before the roll; `None` if the game is over or has another
    /// number of checkers.
    pub fn equity(&self, position: &Position) -> Option<f32> {
        self.index(position).map(|index| self.equities[index])
    }

    /// The outcome probabilities of the player on roll before the roll, when both sides play for
    /// the most points, each within 2e-5; `None` as for [`equity`](Self::equity). Where plays are
    /// worth the same, they are those of one of them.
    pub fn probs(&self, position: &Position) -> Option<OutcomeProbs> {
        let kept = self.probs[self.index(position)?];
        Some(OutcomeProbs(kept.map(|p| f32::from(p) / CERTAIN)))
    }

    /// Where an unfinished position of this game stands.
    fn index(&self, position: &Position) -> Option<usize> {
        let (mine, theirs) = self.sides.of(position)?;
        let is_over = mine == self.sides.finished() || theirs == self.sides.finished();
        (!is_over).then(|| self.sides.index(mine, theirs))
    }

    /// The checksum of the solution, CRC-32 in hexadecimal.
    pub fn checksum(&self) -> String {
        format!("{:08x}", tavola_files::crc32(&self.content()))
    }

    /// Every position in which the game goes on.
    pub fn positions(&self) -> impl Iterator<Item = Position> + '_ {
        self.pairs().map(|(mine, theirs)| self.sides.position(mine, theirs))
    }

    fn pairs(&self) -> impl Iterator<Item = Pair> + '_ {
        let all = move || self.sides.unfinished();
        let fit = |&(mine, theirs): &Pair| self.sides.fit(mine, theirs);
        all().flat_map(move |mine| all().map(move |theirs| (mine, theirs))).filter(fit)
    }

    /// The error of an evaluator against the exact equities. It gives the equities of all
    /// positions, of many together, each from the player on roll; `start` is where games begin, so
    /// that the positions that can arise are known.
    ///
    /// # Panics
    ///
    /// If `start` has another number of checkers, or the evaluator does not answer for every
    /// position.
    pub fn compare(
        &self,
        start: &Position,
        evaluate: impl FnMut(&[Position], &mut Vec<f32>),
    ) -> WholeGameComparison {
        let moves = Moves::new(&self.sides);
        let start = self.sides.of(start).expect("the start is one of this game");
        Evaluated::new(self, evaluate).compare(&moves, start)
    }
}

/// Values on their way to the truth.
struct Solver<'a> {
    sides: &'a Sides,
    moves: &'a Moves,
    /// As [`WholeGame::equities`].
    values: Vec<f64>,
    /// The outcome probabilities of the plays that the values come from.
    probs: Vec<OutcomeProbs>,
    /// By how much they changed when they were valued last; infinite before that.
    changes: Vec<f32>,
    /// Sides by their pips.
    by_pips: Vec<Vec<Side>>,
}

impl<'a> Solver<'a> {
    fn new(sides: &'a Sides, moves: &'a Moves) -> Self {
        let mut values = vec![f64::NAN; sides.count() * sides.count()];
        let mut probs = vec![OutcomeProbs::default(); values.len()];
        for mine in sides.unfinished() {
            for theirs in sides.unfinished().filter(|&theirs| sides.fit(mine, theirs)) {
                values[sides.index(mine, theirs)] = 0.0;
            }
            let points = sides.loss(mine);
            let lost = sides.index(mine, sides.finished());
            values[lost] = -f64::from(points);
            probs[lost] = OutcomeProbs::certain(match points {
                1 => Outcome::LoseSingle,
                2 => Outcome::LoseGammon,
                _ => Outcome::LoseBackgammon,
            });
        }
        let by_pips = by_pips(sides.unfinished(), |&side| sides.pips(side));
        let changes = vec![f32::INFINITY; values.len()];
        Self { sides, moves, values, probs, changes, by_pips }
    }

    /// Values positions anew and returns the largest change.
    ///
    /// Positions of equal pips are valued from what was known before any of them, so threads have
    /// no influence. Where the sides have passed each other the first pass is the last.
    fn pass(&mut self, visited: Visited) -> f64 {
        let mut change = 0.0_f64;
        for pips in 2..=2 * (self.by_pips.len() - 1) {
            let opponents = pairs_by_opponent(&self.by_pips, pips);
            let valued: Vec<Vec<(usize, (f64, OutcomeProbs))>> = opponents
                .par_iter()
                .map(|&(theirs, mine)| {
                    mine.iter()
                        .filter(|&&mine| self.sides.fit(mine, theirs))
                        .filter(|&&mine| self.is_visited(visited, mine, theirs))
                        .map(|&mine| (self.sides.index(mine, theirs), self.value(mine, theirs)))
                        .collect()
                })
                .collect();
            for (index, (value, probs)) in valued.into_iter().flatten() {
                let by = (self.values[index] - value).abs();
                change = change.max(by);
                (self.values[index], self.probs[index]) = (value, probs);
                self.changes[index] = by as f32;
            }
        }
        change
    }

    fn is_visited(&self, visited: Visited, mine: Side, theirs: Side) -> bool {
        let last = self.changes[self.sides.index(mine, theirs)];
        match visited {
            Visited::All => last == f32::INFINITY || self.sides.in_contact(mine, theirs),
            Visited::Changing(by) => last >= by,
        }
    }

    /// The value of a position and its outcome probabilities, from those of the positions that it
    /// leads to.
    fn value(&self, mine: Side, theirs: Side) -> (f64, OutcomeProbs) {
        let hits = self.sides.hits(theirs);
        let list = self.moves.of(mine, self.sides.closed_to_opponent(theirs));
        let (mut value, mut probs) = (0.0, OutcomeProbs::default());
        for (roll, (_, probability)) in rolls().enumerate() {
            let (mut least, mut at) = (f64::INFINITY, 0);
            for &step in list.afterstates(roll) {
                let index = self.sides.index(hits.after(step.landings), step.side);
                if self.values[index] < least {
                    (least, at) = (self.values[index], index);
                }
            }
            value -= probability * least;
            let weighted = self.probs[at].flip().0.map(|p| probability as f32 * p);
            probs.0.iter_mut().zip(weighted).for_each(|(sum, p)| *sum += p);
        }
        (value, probs)
    }
}

#[cfg(test)]
mod tests {
    use tavola_rules::{Dice, movegen};

    use super::*;

    /// What a position is worth by the rules alone and the values of what follows.
    fn by_the_rules(game: &WholeGame, position: &Position) -> f64 {
        let mut afterstates = Vec::new();
        Dice::ALL
            .iter()
            .map(|&(dice, weight)| {
                afterstates.clear();
                movegen::afterstates(position, dice, &mut afterstates);
                if afterstates.is_empty() {
                    afterstates.push(position.flip());
                }
                let expectation = |after: &Position| match Outcome::of(after) {
                    Some(outcome) => -f64::from(outcome.points()),
                    None => -f64::from(game.equity(after).unwrap()),
                };
                let best = afterstates.iter().map(expectation).fold(f64::NEG_INFINITY, f64::max);
                f64::from(weight) / 36.0 * best
            })
            .sum()
    }

    #[test]
    fn with_one_and_two_checkers_every_value_follows_from_the_rules() {
        for (checkers, every) in [(1, 1), (2, 97)] {
            let game = WholeGame::solve(checkers, 1e-10, &|_| {}).unwrap();
            let mut checked = 0;
            for position in game.positions().step_by(every) {
                let equity = f64::from(game.equity(&position).unwrap());
                let expected = by_the_rules(&game, &position);
                assert!((equity - expected).abs() < 1e-6, "{position:?}: {equity}, {expected}");
                let probs = game.probs(&position).unwrap();
                let sum: f32 = probs.0.iter().sum();
                assert!((sum - 1.0).abs() < 1e-4, "{position:?}: {probs:?}");
                assert!((f64::from(probs.equity()) - equity).abs() < 2e-4, "{position:?}");
                checked += 1;
            }
            assert!(checked > 500, "{checked}");
        }
    }

    /// Takes minutes and a good deal of memory: run it with optimization, and `--nocapture` to see
    /// the passes.
    #[test]
    #[ignore = "takes minutes"]
    fn with_three_checkers_every_value_follows_from_the_rules() {
        let game = WholeGame::solve(3, 1e-8, &|pass| {
            println!("pass {:2}: {:.3e}", pass.number, pass.change);
        })
        .unwrap();
        let start = tavola_rules::Backgammon::Hypergammon.start_position();
        println!("{} positions, start {:?}", game.positions().count(), game.equity(&start));
        for position in game.positions().step_by(1009) {
            let equity = f64::from(game.equity(&position).unwrap());
            let expected = by_the_rules(&game, &position);
            assert!((equity - expected).abs() < 1e-6, "{position:?}: {equity}, {expected}");
        }
    }

    #[test]
    fn a_lone_checker_near_home_is_worth_what_one_counts_by_hand() {
        let game = WholeGame::solve(1, 1e-10, &|_| {}).unwrap();
        let equity = |mine: usize, theirs: usize| {
            let position = Position::from_points(&[(mine, 1)], &[(theirs, 1)], 1).unwrap();
            game.equity(&position).unwrap()
        };
        let probs = |mine: usize, theirs: usize| {
            let position = Position::from_points(&[(mine, 1)], &[(theirs, 1)], 1).unwrap();
            game.probs(&position).unwrap().0
        };
        // On 1, 2 and 3 every roll takes it off; the loser has none off and all are past each
        // other.
        assert_eq!([equity(1, 6), equity(3, 18)], [2.0, 2.0]);
        // The loser stands in the winner's home.
        assert_eq!(equity(1, 20), 3.0);
        // From 4, 34 of 36 rolls; otherwise the opponent on 1 wins.
        assert!((equity(4, 1) - 2.0 * (34.0 - 2.0) / 36.0).abs() < 1e-6);
        // Neither has one off, so each wins a gammon; with the loser in the home, a backgammon.
        let [.., lost, _, _, won, _] = probs(4, 1);
        assert!((lost - 2.0 / 36.0).abs() < 1e-4 && (won - 34.0 / 36.0).abs() < 1e-4);
        assert_eq!(probs(1, 20), [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn bear_offs_are_those_of_the_two_sided_table() {
        use crate::{Store, TableSpec};
        let (tables, _) = Store::in_memory().load(&[TableSpec::two_sided(2).unwrap()], &|_| {});
        let game = WholeGame::solve(2, 1e-10, &|_| {}).unwrap();
        let mut compared = 0;
        for position in game.positions() {
            // The table knows no gammons, so each side has borne off one.
            if let Some(exact) = tables.two_sided(&position) {
                let equity = game.equity(&position).unwrap();
                assert!((equity - exact.cubeless).abs() < 2e-6, "{position:?}");
                compared += 1;
            }
        }
        assert_eq!(compared, 36);
    }

    #[test]
    fn a_perfect_evaluator_has_no_errors_and_one_who_knows_nothing_has() {
        let game = WholeGame::solve(1, 1e-10, &|_| {}).unwrap();
        let start = Position::from_points(&[(24, 1)], &[(24, 1)], 1).unwrap();
        let exact = game.compare(&start, |positions, out| {
            out.extend(positions.iter().map(|position| game.equity(position).unwrap()));
        });
        assert_eq!((exact.all.mean_error, exact.all.lost_a_decision), (0.0, 0.0));
        let blind =
            game.compare(&start, |positions, out| out.extend(positions.iter().map(|_| 0.0)));
        assert!(blind.all.mean_error > 0.1 && blind.all.lost_a_decision > 0.001, "{blind:?}");
        assert!(blind.all.largest.is_some_and(|worst| worst.error <= 3.0));
        assert_eq!(blind.all.positions, game.positions().count() as u64);
        assert!(blind.reachable.positions < blind.all.positions, "{blind:?}");
    }

    #[test]
    fn what_cannot_be_solved_is_refused() {
        let error = |checkers, tolerance| {
            WholeGame::solve(checkers, tolerance, &|_| {}).unwrap_err().to_string()
        };
        assert!(error(4, 1e-9).contains("4 checkers a side, expected 1 to 3"));
        assert!(error(0, 1e-9).contains("0 checkers"));
        assert!(error(1, 0.0).contains("tolerance of 0"));
        assert!(error(1, f64::NAN).contains("NaN"));
    }

    #[test]
    fn a_game_is_read_back_from_its_bytes_and_damage_is_noticed() {
        let game = WholeGame::solve(1, 1e-10, &|_| {}).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one.bin");
        game.save(&path).unwrap();
        let read = WholeGame::load(&path).unwrap();
        assert!(game.positions().all(|position| read.equity(&position) == game.equity(&position)));
        assert!(game.positions().all(|position| read.probs(&position) == game.probs(&position)));
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        let refused = |path| WholeGame::load(path).unwrap_err().to_string();
        assert!(refused(&path).contains("damaged"));
        std::fs::write(&path, b"something else").unwrap();
        assert!(refused(&path).contains("no solved game"));
    }
}
