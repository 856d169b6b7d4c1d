//! An obvious generator of afterstates, shared by the tests that check the fast one.
//!
//! It knows 28 counts and the rules for a single die, tries every order of the dice, and then
//! applies the rules about which plays are allowed to what it found. Nothing of it is taken from
//! `movegen`.

#![allow(clippy::needless_range_loop, reason = "points are numbers here, as in the rules")]

use std::collections::HashSet;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_rules::{Backgammon, Dice, Game, Outcome, Position};

/// A board in plain arrays: index 1 to 24 the points as the mover numbers them, 25 the bar.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Board {
    mine: [u8; 26],
    theirs: [u8; 26],
}

impl Board {
    fn of(position: &Position) -> Self {
        let counts = position.counts();
        let mut board = Self { mine: [0; 26], theirs: [0; 26] };
        for point in 1..=24 {
            if counts[point] > 0 {
                board.mine[point] = counts[point] as u8;
            } else {
                // In the opponent's own numbering.
                board.theirs[25 - point] = counts[point].unsigned_abs();
            }
        }
        board.mine[25] = counts[25] as u8;
        board.theirs[25] = counts[0].unsigned_abs();
        board
    }

    /// As seen by the opponent, who is on roll next.
    fn for_opponent(&self, checkers: u8) -> Position {
        let mut counts = [0i8; 26];
        for point in 1..=24 {
            counts[point] = self.theirs[point] as i8 - self.mine[25 - point] as i8;
        }
        counts[25] = self.theirs[25] as i8;
        counts[0] = -(self.mine[25] as i8);
        Position::from_counts(&counts, checkers).expect("a legal play keeps a position legal")
    }

    /// The board after one checker has moved from `from` by `die`, if that is legal.
    fn step(&self, from: usize, die: usize) -> Option<Self> {
        if self.mine[from] == 0 || (self.mine[25] > 0 && from != 25) {
            return None;
        }
        let mut next = self.clone();
        next.mine[from] -= 1;
        if from > die {
            let to = from - die;
            match self.theirs[25 - to] {
                0 => {}
                1 => {
                    next.theirs[25 - to] = 0;
                    next.theirs[25] += 1;
                }
                _ => return None,
            }
            next.mine[to] += 1;
            return Some(next);
        }
        let all_home = self.mine[7..=25].iter().all(|&n| n == 0);
        let none_behind = self.mine[from + 1..=25].iter().all(|&n| n == 0);
        (all_home && (from == die || none_behind)).then_some(next)
    }
}

/// Everything that can be reached with `dice` in this order, with the number of dice and the
/// pips used, stopping anywhere.
fn walk(
    board: &Board,
    dice: &[usize],
    used: usize,
    pips: usize,
    found: &mut HashSet<(usize, usize, Board)>,
) {
    found.insert((used, pips, board.clone()));
    let Some((&die, rest)) = dice.split_first() else { return };
    for from in 1..=25 {
        if let Some(next) = board.step(from, die) {
            walk(&next, rest, used + 1, pips + die, found);
        }
    }
}

/// The distinct afterstates of a roll, seen by the opponent; empty if there is no legal play.
pub fn afterstates(position: &Position, dice: Dice) -> HashSet<Position> {
    let (high, low) = (dice.high() as usize, dice.low() as usize);
    let orders: Vec<Vec<usize>> = if dice.is_double() {
        vec![vec![high; 4]]
    } else {
        vec![vec![high, low], vec![low, high], vec![high], vec![low]]
    };
    let board = Board::of(position);
    let mut found = HashSet::new();
    for order in orders {
        walk(&board, &order, 0, 0, &mut found);
    }
    let most = found.iter().map(|&(used, pips, _)| (used, pips)).max();
    found
        .into_iter()
        .filter(|&(used, pips, _)| used > 0 && Some((used, pips)) == most)
        .map(|(_, _, board)| board.for_opponent(position.checkers()))
        .collect()
}

/// As [`afterstates`], but a player who can't move passes.
pub fn afterstates_or_pass(position: &Position, dice: Dice) -> HashSet<Position> {
    let mut afterstates = afterstates(position, dice);
    if afterstates.is_empty() {
        afterstates.insert(position.flip());
    }
    afterstates
}

/// Positions and rolls met when both sides play at random, new games as old ones end.
pub fn random_play(game: Backgammon, seed: u64) -> impl Iterator<Item = (Position, Dice)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = game.start();
    let mut dice = game.opening_roll(&mut rng);
    let mut afterstates = Vec::new();
    std::iter::repeat_with(move || {
        let pair = (position, dice);
        afterstates.clear();
        game.afterstates(&position, dice, &mut afterstates);
        position = afterstates[rng.random_range(0..afterstates.len())];
        dice = game.roll(&mut rng);
        if game.outcome(&position).is_some() {
            position = game.start();
            dice = game.opening_roll(&mut rng);
        }
        pair
    })
}

/// Legal positions of the kinds that games seldom reach, with random rolls.
pub fn artificial(seed: u64) -> impl Iterator<Item = (Position, Dice)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    std::iter::repeat_with(move || {
        loop {
            let position = artificial_position(&mut rng);
            if Outcome::of(&position).is_none() {
                return (position, Dice::roll(&mut rng));
            }
        }
    })
}

/// Where the checkers of one side are thrown.
struct Throw {
    checkers: u8,
    /// Own numbering, 25 is the bar.
    points: std::ops::RangeInclusive<usize>,
    /// Out of ten: how often a checker joins the last point instead of taking a new one.
    stacking: u8,
}

fn artificial_position(rng: &mut ChaCha8Rng) -> Position {
    let checkers = if rng.random_range(0..4) == 0 { 3 } else { 15 };
    let on_board = |rng: &mut ChaCha8Rng, least: u8| rng.random_range(least..=checkers);
    let stacking = rng.random_range(0..8);
    let mut extra = Vec::new();
    let mine = match rng.random_range(0..6) {
        // Anywhere.
        0 => Throw { checkers: on_board(rng, 1), points: 1..=25, stacking },
        // Few checkers, the end of a bear-off.
        1 => Throw { checkers: rng.random_range(1..=3), points: 1..=6, stacking: 0 },
        // Bear-off.
        2 => Throw { checkers: on_board(rng, 1), points: 1..=6, stacking },
        // One checker or two outside, the rest at home.
        3 => {
            extra = vec![rng.random_range(7..=25); rng.random_range(1..=2)];
            Throw { checkers: on_board(rng, 2), points: 1..=6, stacking }
        }
        // Several on the bar.
        4 => {
            extra = vec![25; rng.random_range(1..=3)];
            Throw { checkers: on_board(rng, 3), points: 1..=24, stacking }
        }
        // Outer table and home: bearing off may begin within the roll.
        _ => Throw { checkers: on_board(rng, 1), points: 1..=10, stacking },
    };
    let theirs = match rng.random_range(0..4) {
        0 => Throw { checkers, points: 1..=6, stacking: 4 },
        // Blots and points where the mover goes home, some of them on the bar.
        1 => Throw { checkers: on_board(rng, 1), points: 17..=25, stacking: 4 },
        // A prime somewhere.
        2 => {
            let low = rng.random_range(1..=18);
            Throw { checkers, points: low..=low + 6, stacking: 5 }
        }
        _ => Throw { checkers: on_board(rng, 1), points: 1..=25, stacking: 3 },
    };
    let mut counts = [0i8; 26];
    for &point in extra.iter().take(usize::from(mine.checkers)) {
        counts[point] += 1;
    }
    let rest = mine.checkers.saturating_sub(extra.len() as u8);
    throw(rng, &Throw { checkers: rest, ..mine }, |point| {
        counts[point] += 1;
        true
    });
    let mut thrown = 0;
    if rng.random_range(0..3) == 0 {
        // Made points in the opponent's home, so that entering fails often; needs two checkers
        // each.
        for point in 19..=24 {
            if counts[point] == 0 && thrown + 2 <= theirs.checkers && rng.random_range(0..8) > 0 {
                counts[point] = -2;
                thrown += 2;
            }
        }
    }
    throw(rng, &Throw { checkers: theirs.checkers - thrown, ..theirs }, |point| {
        let free = point == 25 || counts[25 - point] <= 0;
        if free {
            counts[25 - point] -= 1;
        }
        free
    });
    if counts.iter().all(|&n| n >= 0) {
        // The opponent must have a checker left.
        counts[0] = -1;
    }
    Position::from_counts(&counts, checkers).expect("checkers were thrown on free points only")
}

/// Throws checkers one by one; those that `place` refuses count as borne off.
fn throw(rng: &mut ChaCha8Rng, throw: &Throw, mut place: impl FnMut(usize) -> bool) {
    let mut last = None;
    for _ in 0..throw.checkers {
        let point = match last {
            Some(point) if rng.random_range(0..10) < throw.stacking => point,
            _ => rng.random_range(throw.points.clone()),
        };
        if place(point) {
            last = Some(point);
        }
    }
}
