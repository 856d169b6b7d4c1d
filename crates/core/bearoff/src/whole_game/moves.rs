//! Sides of few checkers, and what each roll can make of them.

use rayon::prelude::*;
use tavola_rules::Position;

use super::MAX_WHOLE_GAME_CHECKERS;
use crate::generate::rolls;

/// Most checkers of a side.
const MOST: usize = MAX_WHOLE_GAME_CHECKERS as usize;

/// Where a checker can be: borne off, on a point of its owner's numbering, on the bar.
const PLACES: usize = 26;

/// A checker that was borne off; also one that the game does not have.
const OFF: u8 = 0;

/// A checker that was hit.
const BAR: u8 = 25;

/// The last point of the home.
const HOME: u8 = 6;

/// The checkers of one side, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Side(u16);

/// Where the checkers of a side are, ascending; those that the game does not have are off.
type Places = [u8; MOST];

/// All sides of this number of checkers.
pub(super) struct Sides {
    checkers: u8,
    places: Vec<Places>,
    numbers: Vec<Side>,
    pips: Vec<u16>,
    /// Points with a checker or more, bit p - 1 for point p, in the owner's numbering.
    held: Vec<u32>,
    /// The points as the opponent numbers them.
    held_for_opponent: Vec<u32>,
    hits: Vec<Hits>,
}

/// The bit of a point.
const fn bit(point: u8) -> u32 {
    1 << (point - 1)
}

fn at(places: Places) -> usize {
    places.iter().fold(0, |index, &place| index * PLACES + usize::from(place))
}

impl Sides {
    pub(super) fn new(checkers: u8) -> Self {
        let mut places = Vec::new();
        let missing = MOST - usize::from(checkers);
        let last = |i: usize| if i < missing { OFF } else { BAR };
        for a in OFF..=last(0) {
            for b in a..=last(1).max(a) {
                for c in b..=last(2).max(b) {
                    places.push([a, b, c]);
                }
            }
        }
        let mut numbers = vec![Side(0); PLACES.pow(MOST as u32)];
        for (number, &place) in places.iter().enumerate() {
            let number = u16::try_from(number).expect("there are 3,276 sides at most");
            numbers[at(place)] = Side(number);
        }
        let on_points = |places: &Places, of: fn(u8) -> u8| -> u32 {
            places
                .iter()
                .filter(|p| (1..=24).contains(*p))
                .map(|&p| bit(of(p)))
                .fold(0, |a, b| a | b)
        };
        let held = places.iter().map(|side| on_points(side, |p| p)).collect();
        let held_for_opponent = places.iter().map(|side| on_points(side, |p| 25 - p)).collect();
        let pips =
            places.iter().map(|side| side.iter().map(|&place| u16::from(place)).sum()).collect();
        let mut sides =
            Self { checkers, places, numbers, pips, held, held_for_opponent, hits: Vec::new() };
        sides.hits = (0..sides.count()).map(|side| sides.hits_of(side)).collect();
        sides
    }

    pub(super) const fn checkers(&self) -> u8 {
        self.checkers
    }

    pub(super) fn count(&self) -> usize {
        self.places.len()
    }

    /// The side that has borne off everything.
    pub(super) fn finished(&self) -> Side {
        Side(0)
    }

    /// All sides that have not.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = Side> + use<> {
        (1..self.places.len() as u16).map(Side)
    }

    /// Where the value of a position stands.
    #[inline]
    pub(super) fn index(&self, mine: Side, theirs: Side) -> usize {
        usize::from(mine.0) * self.places.len() + usize::from(theirs.0)
    }

    pub(super) fn pips(&self, side: Side) -> usize {
        self.pips[usize::from(side.0)].into()
    }

    fn number(&self, mut places: Places) -> Side {
        places.sort_unstable();
        self.numbers[at(places)]
    }

    /// Whether the sides claim no point both.
    pub(super) fn fit(&self, mine: Side, theirs: Side) -> bool {
        self.held[usize::from(mine.0)] & self.held_for_opponent[usize::from(theirs.0)] == 0
    }

    /// Whether a checker of one side still has to pass one of the other.
    pub(super) fn in_contact(&self, mine: Side, theirs: Side) -> bool {
        let rearmost = |side: Side| self.places[usize::from(side.0)][MOST - 1];
        rearmost(mine) + rearmost(theirs) > 25
    }

    /// Points that a side loses when its opponent has borne off everything.
    pub(super) fn loss(&self, side: Side) -> u8 {
        let places = &self.places[usize::from(side.0)];
        let on_board = places.iter().filter(|&&place| place != OFF).count();
        if on_board < usize::from(self.checkers) {
            1
        } else if places[MOST - 1] > 24 - HOME {
            3
        } else {
            2
        }
    }

    /// The point, in the numbering of the opponent, on which this side has two checkers or more;
    /// 0 if there is none. There is never a second one.
    pub(super) fn closed_to_opponent(&self, side: Side) -> u8 {
        let places = &self.places[usize::from(side.0)];
        let pair = places.windows(2).find(|two| two[0] == two[1] && (1..=24).contains(&two[0]));
        pair.map_or(0, |two| 25 - two[0])
    }

    /// What becomes of this side when it is hit.
    #[inline]
    pub(super) fn hits(&self, side: Side) -> &Hits {
        &self.hits[usize::from(side.0)]
    }

    fn hits_of(&self, side: usize) -> Hits {
        let places = self.places[side];
        let mut blots = [0; MOST];
        for (blot, &place) in blots.iter_mut().zip(&places) {
            let alone = places.iter().filter(|&&other| other == place).count() == 1;
            if alone && (1..=24).contains(&place) {
                *blot = bit(25 - place);
            }
        }
        let after = std::array::from_fn(|set| {
            let mut left = places;
            for (i, place) in left.iter_mut().enumerate() {
                if set & (1 << i) != 0 && blots[i] != 0 {
                    *place = BAR;
                }
            }
            self.number(left)
        });
        Hits { blots, any: blots.iter().fold(0, |any, blot| any | blot), after }
    }

    /// The sides of a position; `None` if it has another number of checkers.
    pub(super) fn of(&self, position: &Position) -> Option<(Side, Side)> {
        if position.checkers() != self.checkers {
            return None;
        }
        let (mut mine, mut theirs) = ([OFF; MOST], [OFF; MOST]);
        let (mut my_next, mut their_next) = (0, 0);
        for (i, &count) in position.counts().iter().enumerate() {
            let place = i as u8;
            for _ in 0..count.max(0) {
                mine[my_next] = place;
                my_next += 1;
            }
            for _ in 0..(-count).max(0) {
                theirs[their_next] = 25 - place;
                their_next += 1;
            }
        }
        Some((self.number(mine), self.number(theirs)))
    }

    /// The position of two sides that fit.
    ///
    /// # Panics
    ///
    /// If they do not fit or both have finished.
    pub(super) fn position(&self, mine: Side, theirs: Side) -> Position {
        let mut counts = [0; 26];
        let on_board =
            |side: Side| self.places[usize::from(side.0)].into_iter().filter(|&place| place != OFF);
        on_board(mine).for_each(|place| counts[usize::from(place)] += 1);
        on_board(theirs).for_each(|place| counts[usize::from(25 - place)] -= 1);
        Position::from_counts(&counts, self.checkers).expect("the sides fit")
    }
}

/// What hits make of a side.
pub(super) struct Hits {
    /// The point of each checker that stands alone, in the numbering of the opponent; 0 for others.
    blots: [u32; MOST],
    any: u32,
    /// The side by the set of checkers that were hit.
    after: [Side; 1 << MOST],
}

impl Hits {
    /// The side after the opponent has landed on these points.
    #[inline]
    pub(super) fn after(&self, landings: u32) -> Side {
        if landings & self.any == 0 {
            return self.after[0];
        }
        let set =
            self.blots.iter().enumerate().map(|(i, &blot)| usize::from(blot & landings != 0) << i);
        self.after[set.sum::<usize>()]
    }
}

/// A way to play a roll: what it makes of the side, and where its checkers landed in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Step {
    pub(super) side: Side,
    pub(super) landings: u32,
}

/// All ways to play each roll, for every side and every point that may be closed to it.
pub(super) struct Moves {
    /// By side and closed point, 0 for none.
    lists: Vec<List>,
}

/// Points that may be closed, and none.
const CLOSED: usize = 25;

impl Moves {
    pub(super) fn new(sides: &Sides) -> Self {
        let lists = (0..sides.count() * CLOSED)
            .into_par_iter()
            .map(|i| List::new(sides, sides.places[i / CLOSED], (i % CLOSED) as u8))
            .collect();
        Self { lists }
    }

    /// The ways of a side to which `closed` is closed.
    #[inline]
    pub(super) fn of(&self, side: Side, closed: u8) -> &List {
        &self.lists[usize::from(side.0) * CLOSED + usize::from(closed)]
    }
}

/// The ways to play each of the 21 rolls.
pub(super) struct List {
    steps: Vec<Step>,
    ends: [u16; 21],
}

/// A roll that has been played in part.
struct Walk<'a> {
    sides: &'a Sides,
    closed: u8,
    found: Vec<(usize, u8, Step)>,
}

impl List {
    /// # Shapes
    ///
    /// The steps of all rolls one after the other; `ends[i]` is where those of roll i end.
    fn new(sides: &Sides, places: Places, closed: u8) -> Self {
        let mut list = Self { steps: Vec::new(), ends: [0; 21] };
        // Nothing can stand where the opponent has a point, and who has finished has no turn.
        if places == [OFF; MOST] || (closed != 0 && places.contains(&closed)) {
            return list;
        }
        for (roll, ([high, low], _)) in rolls().enumerate() {
            let mut walk = Walk { sides, closed, found: Vec::new() };
            let (high, low) = (high as u8, low as u8);
            if high == low {
                walk.play(places, &[high; 4], 0, 0, 0);
            } else {
                walk.play(places, &[high, low], 0, 0, 0);
                walk.play(places, &[low, high], 0, 0, 0);
            }
            // As many dice as possible, and the larger one if either but not both can be played.
            let most = walk.found.iter().map(|&(dice, _, _)| dice).max().unwrap_or(0);
            let is_legal = |&&(dice, first, _): &&(usize, u8, Step)| {
                let larger = walk.found.iter().any(|&(dice, first, _)| dice == 1 && first == high);
                dice == most && (most != 1 || first == high || !larger)
            };
            let mut steps: Vec<Step> =
                walk.found.iter().filter(is_legal).map(|&(_, _, step)| step).collect();
            steps.sort_unstable();
            steps.dedup();
            list.steps.append(&mut steps);
            list.ends[roll] =
                u16::try_from(list.steps.len()).expect("three checkers have few ways to move");
        }
        list.steps.shrink_to_fit();
        list
    }

    /// The ways to play a roll, in the order of the 21 rolls; a pass where nothing moves.
    #[inline]
    pub(super) fn afterstates(&self, roll: usize) -> &[Step] {
        let start = if roll == 0 { 0 } else { self.ends[roll - 1] };
        &self.steps[usize::from(start)..usize::from(self.ends[roll])]
    }
}

impl Walk<'_> {
    /// Plays these dice in this order as far as they go, in every way.
    fn play(&mut self, places: Places, dice: &[u8], played: usize, first: u8, landings: u32) {
        let mut moved = false;
        if let Some((&die, rest)) = dice.split_first() {
            for i in 0..MOST {
                if let Some(to) = self.target(&places, i, die) {
                    moved = true;
                    let mut next = places;
                    next[i] = to;
                    next.sort_unstable();
                    let landing = if to == OFF { 0 } else { bit(to) };
                    let first = if played == 0 { die } else { first };
                    self.play(next, rest, played + 1, first, landings | landing);
                }
            }
        }
        if !moved {
            let step = Step { side: self.sides.number(places), landings };
            self.found.push((played, first, step));
        }
    }

    /// Where a die takes a checker, if it may move.
    fn target(&self, places: &Places, i: usize, die: u8) -> Option<u8> {
        let from = places[i];
        let rearmost = places[MOST - 1];
        if from == OFF || (rearmost == BAR && from != BAR) {
            return None;
        }
        if from > die {
            let to = from - die;
            return (to != self.closed).then_some(to);
        }
        // Off, once all are home: by the exact number, or by a higher one from the rearmost point.
        (rearmost <= HOME && (from == die || from == rearmost)).then_some(OFF)
    }
}
