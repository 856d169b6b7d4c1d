//! What a roll is worth before it is played (G-20 to G-37).
//!
//! Nothing is moved for hits and jans of the opening: the position before the play counts. Filling
//! and keeping look at the legal ways to play the roll.

use super::moves::{JANS, Way, is_out};
use super::state::{CHECKERS, COIN, OPPONENT_COIN, TURNS};
use crate::state::OldState;
use crate::steps::{Origin, Target};

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
    pub(crate) fn new(state: &OldState, numbers: [u8; 2], ways: &[Way]) -> Self {
        let mut points = Self::default();
        each_score(state, numbers, ways, |score, value| {
            let kind = match score {
                Score::ThreeRolls => &mut points.opening,
                Score::TwoTables { against } | Score::Mezeas { against } => match against {
                    false => &mut points.opening,
                    true => &mut points.against,
                },
                Score::Hit { .. } => &mut points.hits,
                Score::FalseHit { .. } => &mut points.false_hits,
                Score::Corner => &mut points.coin,
                Score::Filled { .. } => &mut points.filled,
                Score::Kept { .. } => &mut points.kept,
                Score::Exit => &mut points.exit,
            };
            *kind += value;
        });
        points
    }
}

/// What a roll scores for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Score {
    /// Jan de trois coups.
    ThreeRolls,
    /// Jan de deux tables; against the roller where the opponent holds the corner.
    TwoTables { against: bool },
    /// Jan de mézéas; the same.
    Mezeas { against: bool },
    /// A single checker can be hit: by the first die, by the second, by their sum.
    Hit { field: u8, by: [bool; 3] },
    /// A single checker can be hit by the sum alone, with no way through.
    FalseHit { field: u8 },
    /// The opponent's empty corner can be hit.
    Corner,
    /// The jan that begins at a field can be filled, in some ways.
    Filled { first: usize, ways: u8 },
    /// The full jan that begins at a field can be kept.
    Kept { first: usize },
    /// The last checker can leave.
    Exit,
}

impl Score {
    /// Whether the points are the opponent's.
    pub(crate) const fn is_opponents(self) -> bool {
        matches!(
            self,
            Self::FalseHit { .. }
                | Self::TwoTables { against: true }
                | Self::Mezeas { against: true }
        )
    }

    /// The score in the words of a log, such as `hit by 6 on 9`.
    pub(crate) fn in_words(self, [a, b]: [u8; 2]) -> String {
        let contre = |against| if against { "contre-jan" } else { "jan" };
        match self {
            Self::ThreeRolls => "jan de trois coups".to_owned(),
            Self::TwoTables { against } => format!("{} de deux tables", contre(against)),
            Self::Mezeas { against } => format!("{} de mézéas", contre(against)),
            Self::Hit { field, by } => {
                let names = [a.to_string(), b.to_string(), format!("{a}+{b}")];
                let by: Vec<&str> =
                    names.iter().zip(by).filter(|(_, is)| *is).map(|(name, _)| &**name).collect();
                format!("hit by {} on {field}", by.join(", "))
            }
            Self::FalseHit { field } => format!("false hit on {field}"),
            Self::Corner => "hit on the corner".to_owned(),
            Self::Filled { first, ways: 1 } => format!("{} filled", jan(first)),
            Self::Filled { first, ways } => format!("{} filled in {ways} ways", jan(first)),
            Self::Kept { first } => format!("{} kept", jan(first)),
            Self::Exit => "last checker off".to_owned(),
        }
    }
}

/// What the jan is called that begins at a field.
fn jan(first: usize) -> &'static str {
    match first {
        ..=6 => "petit jan",
        7..=12 => "grand jan",
        _ => "jan de retour",
    }
}

/// Everything that a roll scores for, with its points.
pub(crate) fn each_score(
    state: &OldState,
    numbers: [u8; 2],
    ways: &[Way],
    mut found: impl FnMut(Score, u8),
) {
    let [a, b] = numbers;
    // A double is worth more.
    let four = if a == b { 6 } else { 4 };
    if let Some(score) = opening_jan(state, numbers) {
        found(score, four);
    }
    for target in (1..=24).filter(|&field| state.theirs(field) == 1) {
        let is_petit_jan = matches!(target, 1..=6 | 19..=24);
        let value = if is_petit_jan { four } else { four - 2 };
        let field = target as u8;
        match hits(state, numbers, target) {
            Hits::True(by) => {
                let ways: u8 = by.into_iter().map(u8::from).sum();
                found(Score::Hit { field, by }, ways * value);
            }
            Hits::False => found(Score::FalseHit { field }, value),
            Hits::None => {}
        }
    }
    if hits_coin(state, numbers) {
        found(Score::Corner, four);
    }
    for first in JANS {
        if !state.is_full(first) {
            match fills(state, numbers, first, ways) {
                0 => {}
                ways => found(Score::Filled { first, ways }, four * ways),
            }
        } else if ways.iter().any(|way| way.after.is_full(first)) {
            found(Score::Kept { first }, four);
        }
    }
    if !is_out(state) && ways.iter().any(|way| is_out(&way.after)) {
        found(Score::Exit, four);
    }
}

/// G-20 to G-24. No roll makes two of them: they need different checkers away from the talon.
fn opening_jan(state: &OldState, [a, b]: [u8; 2]) -> Option<Score> {
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
        return Some(Score::ThreeRolls);
    }
    if talon != CHECKERS as i8 - 2 {
        return None;
    }
    let away: Vec<u8> =
        (2..=24).flat_map(|field| vec![field as u8; state.own(field) as usize]).collect();
    let &[p, q] = &away[..] else { return None };
    let (coin, other) = (COIN as u8, OPPONENT_COIN as u8);
    let reach =
        |p: u8, q: u8| (p + a == coin && q + b == other) || (p + b == coin && q + a == other);
    let against = state.theirs(OPPONENT_COIN) != 0;
    if p != coin && q != coin && (reach(p, q) || reach(q, p)) {
        return Some(Score::TwoTables { against });
    }
    let is_mezeas = (p, q) == (coin, coin) && (a == 1 || b == 1);
    is_mezeas.then_some(Score::Mezeas { against })
}

/// How a single checker of the opponent is hit.
enum Hits {
    /// By the first die, by the second, by their sum.
    True([bool; 3]),
    /// By the sum alone, with no way through.
    False,
    None,
}

/// G-27 to G-29.
fn hits(state: &OldState, [a, b]: [u8; 2], target: usize) -> Hits {
    let stands =
        |pips: u8| target.checked_sub(usize::from(pips)).filter(|&at| at > 0 && state.own(at) > 0);
    let mut by = [stands(a).is_some(), a != b && stands(b).is_some(), false];
    let mut is_false = false;
    if let Some(from) = stands(a + b) {
        let passes = |die: u8| state.theirs(from + usize::from(die)) <= 1;
        match passes(a) || passes(b) {
            true => by[2] = true,
            false => is_false = true,
        }
    }
    match (by.contains(&true), is_false) {
        (false, false) => Hits::None,
        (false, true) => Hits::False,
        (true, _) => Hits::True(by),
    }
}

/// G-30.
fn hits_coin(state: &OldState, [a, b]: [u8; 2]) -> bool {
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
fn fills(state: &OldState, [a, b]: [u8; 2], first: usize, ways: &[Way]) -> u8 {
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
            let Origin::Point(from) = step.from else { continue };
            let pips = field as u8 - from;
            if state.own(usize::from(from)) > 0 {
                found[0] |= pips == a;
                found[1] |= pips == b && a != b;
            }
        }
        if way.is_tout_d_une()
            && way.steps[1].is_some_and(|step| step.to == Target::Point(field as u8))
        {
            found[2] = true;
        }
    }
    found.into_iter().map(u8::from).sum()
}
