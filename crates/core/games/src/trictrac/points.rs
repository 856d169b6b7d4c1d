//! What a roll is worth before it is played (G-20 to G-37).
//!
//! Nothing is moved for hits and jans of the opening: the position before the play counts. Filling
//! and keeping look at the legal ways to play the roll.

use super::moves::{JANS, Way, is_out};
use super::state::{CHECKERS, COIN, OPPONENT_COIN, TURNS, TrictracState};

/// What a roll brings to both players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RollPoints {
    /// Points of the opening jans, to the roller.
    pub opening: u8,
    /// Of true hits.
    pub hits: u8,
    /// Of the hit corner.
    pub coin: u8,
    /// Of jans that can be filled.
    pub filled: u8,
    /// Of full jans that can be kept.
    pub kept: u8,
    /// Of the last checker that leaves, for a play that takes it off.
    pub exit: u8,
    /// Of false hits, to the opponent.
    pub false_hits: u8,
    /// Of the opening jans that go against the roller, to the opponent.
    pub against: u8,
}

impl RollPoints {
    /// What the roller marks before moving.
    pub const fn own(&self) -> u8 {
        self.opening + self.hits + self.coin + self.filled + self.kept + self.exit
    }

    /// What the opponent marks before the roller moves.
    pub const fn opponents(&self) -> u8 {
        self.false_hits + self.against
    }

    /// The points of a roll that can be played in these ways.
    pub(crate) fn new(state: &TrictracState, numbers: [u8; 2], ways: &[Way]) -> Self {
        let [a, b] = numbers;
        // A double is worth more.
        let four = if a == b { 6 } else { 4 };
        let mut points = Self::default();
        points.opening_jans(state, numbers, four);
        for target in (1..=24).filter(|&field| state.theirs(field) == 1) {
            let is_petit_jan = matches!(target, 1..=6 | 19..=24);
            let value = if is_petit_jan { four } else { four - 2 };
            match hits(state, numbers, target) {
                Hits::True(ways) => points.hits += ways * value,
                Hits::False => points.false_hits += value,
                Hits::None => {}
            }
        }
        if hits_coin(state, numbers) {
            points.coin = four;
        }
        for first in JANS {
            if !state.is_full(first) {
                points.filled += four * fills(state, numbers, first, ways);
            } else if ways.iter().any(|way| way.after.is_full(first)) {
                points.kept += four;
            }
        }
        if !is_out(state) && ways.iter().any(|way| is_out(&way.after)) {
            points.exit = four;
        }
        points
    }

    /// G-20 to G-24.
    fn opening_jans(&mut self, state: &TrictracState, [a, b]: [u8; 2], four: u8) {
        let talon = state.own(1);
        let small: Vec<i8> = (2..=7).map(|field| state.own(field)).collect();
        let is_spread = small.iter().all(|&count| count <= 1) && small.iter().sum::<i8>() == 4;
        let is_empty = |die: u8| state.own(1 + usize::from(die)) == 0;
        if state.cells[TURNS] == 2
            && talon == CHECKERS as i8 - 4
            && is_spread
            && a != b
            && is_empty(a)
            && is_empty(b)
        {
            self.opening += four;
        }
        if talon != CHECKERS as i8 - 2 {
            return;
        }
        let away: Vec<u8> =
            (2..=24).flat_map(|field| vec![field as u8; state.own(field) as usize]).collect();
        let &[p, q] = &away[..] else { return };
        let (coin, other) = (COIN as u8, OPPONENT_COIN as u8);
        let reach =
            |p: u8, q: u8| (p + a == coin && q + b == other) || (p + b == coin && q + a == other);
        let is_two_tables = p != coin && q != coin && (reach(p, q) || reach(q, p));
        let is_mezeas = (p, q) == (coin, coin) && (a == 1 || b == 1);
        if is_two_tables || is_mezeas {
            match state.theirs(OPPONENT_COIN) {
                0 => self.opening += four,
                _ => self.against += four,
            }
        }
    }
}

/// How a single checker of the opponent is hit.
enum Hits {
    /// In a number of ways.
    True(u8),
    /// By the sum alone, with no way through.
    False,
    None,
}

/// G-27 to G-29.
fn hits(state: &TrictracState, [a, b]: [u8; 2], target: usize) -> Hits {
    let stands =
        |pips: u8| target.checked_sub(usize::from(pips)).filter(|&at| at > 0 && state.own(at) > 0);
    let mut ways = u8::from(stands(a).is_some());
    ways += u8::from(a != b && stands(b).is_some());
    let mut is_false = false;
    if let Some(from) = stands(a + b) {
        let passes = |die: u8| state.theirs(from + usize::from(die)) <= 1;
        match passes(a) || passes(b) {
            true => ways += 1,
            false => is_false = true,
        }
    }
    match (ways, is_false) {
        (0, false) => Hits::None,
        (0, true) => Hits::False,
        _ => Hits::True(ways),
    }
}

/// G-30.
fn hits_coin(state: &TrictracState, [a, b]: [u8; 2]) -> bool {
    let free = |die: u8| {
        let field = OPPONENT_COIN - usize::from(die);
        // The two that hold the corner stay.
        state.own(field) - if field == COIN { 2 } else { 0 }
    };
    let is_hit = match a == b {
        true => free(a) >= 2,
        false => free(a) >= 1 && free(b) >= 1,
    };
    state.own(COIN) >= 2 && state.cells[OPPONENT_COIN] == 0 && is_hit
}

/// In how many ways the roll fills the jan that begins at `first` (G-25).
fn fills(state: &TrictracState, [a, b]: [u8; 2], first: usize, ways: &[Way]) -> u8 {
    let missing = |field: usize| (2 - state.own(field)).max(0);
    let all_missing: i8 = (first..first + 6).map(missing).sum();
    let leaves_coin = |way: &Way| first == 19 && state.own(COIN) == 2 && way.after.own(COIN) == 0;
    let filling = ways.iter().filter(|way| way.after.is_full(first) && !leaves_coin(way));
    if all_missing != 1 {
        return u8::from(all_missing == 2 && filling.count() > 0);
    }
    let field = (first..first + 6).find(|&field| missing(field) == 1).expect("one is missing");
    let mut found = [false; 3];
    for way in filling {
        for step in way.moves_to(field) {
            let pips = step.to - step.from;
            if state.own(usize::from(step.from)) > 0 {
                found[0] |= pips == a;
                found[1] |= pips == b && a != b;
            }
        }
        if way.is_tout_d_une() && way.steps[1].is_some_and(|step| usize::from(step.to) == field) {
            found[2] = true;
        }
    }
    found.into_iter().map(u8::from).sum()
}
