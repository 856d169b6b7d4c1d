//! Le Grand Trictrac: a match of twelve holes.
//!
//! Nothing is captured. A roll scores points by what it could do, before it is played; twelve points
//! make a hole. Who wins a hole with an own roll either stays (tenir), and plays it, or goes away
//! (s'en aller): all checkers return, all points are lost, and the same player rolls again. A game of
//! the [`Game`] trait is the whole match, so a position includes both scores and its value is the
//! probability to win the match. The rule numbers (G-05 and so on) are those of
//! `docs/games/trictrac.md`.

mod moves;
mod options;
mod playable;
mod points;
mod rule_based;
mod score;
pub mod state;
mod text;

use std::fmt;

use rand::Rng;
use rustc_hash::FxHashSet;
use tavola_rules::{Cell, Game, Outcome, WinKind};

pub use self::moves::TrictracStep;
pub use self::options::{ExitExact, TrictracOptions};
pub use self::points::RollPoints;
pub use self::state::TrictracState;

use self::moves::{Way, is_out};
use self::score::POINTS_OF_A_HOLE;
use self::state::{HOLES, HOLES_TO_WIN, LAST_TURN, LAYOUT, OPPONENT_HOLES, POINTS, TURNS, WAIT};
use crate::dice::{DiceCount, TablesDice};
use crate::options::Switch;

/// Le Grand Trictrac with its options.
///
/// After going away, and after the last checker has left, the same player rolls again. The opponent
/// then has a turn between, in which nothing happens, so that turns alternate.
///
/// Points are marked by the program. With `ecole=on` the player who rolls says how many the roll is
/// worth; what is left out goes to the opponent, and what is too much is taken back and goes there
/// too. The opponent always marks such a school, and as always the points that a roll brings to the
/// opponent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trictrac {
    options: TrictracOptions,
}

/// What a player does after the points of a roll are marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrictracPlay {
    steps: [Option<TrictracStep>; 2],
    kind: Kind,
    /// The points that the player marks, where that is a decision.
    marks: Option<u8>,
    /// The points that the roll is worth to the player, played in this way.
    due: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    /// The roll is played.
    #[default]
    Moves,
    /// The roll is played after a hole, where going away was the other choice.
    Holds,
    /// The player goes away.
    Goes,
    /// The points of the roll end the match.
    Ends,
    /// The turn is the opponent's, who rolls again.
    Waits,
}

impl TrictracPlay {
    /// The moves, in an order in which they can be made; those of two checkers to the own corner
    /// "par puissance" stop one field short of what the dice show.
    pub fn steps(&self) -> impl Iterator<Item = &TrictracStep> {
        self.steps.iter().flatten()
    }

    /// The points that the player marks for the roll, where schools are played.
    pub const fn marks(&self) -> Option<u8> {
        self.marks
    }

    /// Whether the player marks more or fewer points than the roll is worth.
    fn is_school(&self) -> bool {
        self.marks.is_some_and(|marks| marks != self.due)
    }

    /// Whether the player goes away.
    pub fn goes(&self) -> bool {
        self.kind == Kind::Goes
    }
}

/// The moves with blanks between, with `hold` before them where going away was possible; `go`,
/// `pass`, `wait`, or `mark` where the points alone end the match. Where schools are played,
/// `mark:4` and a blank come first, with the points that are marked.
impl fmt::Display for TrictracPlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(points) = self.marks {
            write!(f, "mark:{points}")?;
            if self.kind == Kind::Ends {
                return Ok(());
            }
            f.write_str(" ")?;
        }
        match self.kind {
            Kind::Goes => return f.write_str("go"),
            Kind::Ends => return f.write_str("mark"),
            Kind::Waits => return f.write_str("wait"),
            Kind::Holds => f.write_str("hold ")?,
            Kind::Moves => {}
        }
        if self.steps[0].is_none() {
            return f.write_str("pass");
        }
        for (i, step) in self.steps().enumerate() {
            write!(f, "{}{step}", if i == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl Trictrac {
    /// The game with these options.
    pub const fn new(options: TrictracOptions) -> Self {
        Self { options }
    }

    /// The options.
    pub const fn options(&self) -> &TrictracOptions {
        &self.options
    }

    /// Pips that the player on roll still has to travel to bear off all.
    pub fn pips(&self, state: &TrictracState) -> u32 {
        (1..=24).map(|field| state.own(field) as u32 * (25 - field) as u32).sum()
    }

    /// What a roll brings to both players before it is played; nothing in a turn of waiting.
    pub fn points(&self, state: &TrictracState, dice: TablesDice) -> RollPoints {
        if state.cells[WAIT] > 0 {
            return RollPoints::default();
        }
        let numbers = pair(dice);
        RollPoints::new(state, numbers, &self.options.ways(state, numbers))
    }

    /// Every distinct result of a roll, seen by the opponent, with one way to it.
    fn turns(
        &self,
        state: &TrictracState,
        dice: TablesDice,
        mut found: impl FnMut(TrictracPlay, TrictracState),
    ) {
        if state.cells[WAIT] > 0 {
            let mut marked = *state;
            marked.cells[WAIT] = 0;
            let play = TrictracPlay { kind: Kind::Waits, ..TrictracPlay::default() };
            return found(play, marked.flip());
        }
        let numbers = pair(dice);
        let ways = self.options.ways(state, numbers);
        let points = RollPoints::new(state, numbers, &ways);
        // Where exits are free, some ways may take the last checker off, which scores, and others
        // not.
        let (exits, others): (Vec<Way>, Vec<Way>) =
            ways.into_iter().partition(|way| is_out(&way.after));
        let (mut seen, mut gone) = (FxHashSet::default(), FxHashSet::default());
        for (ways, points) in [(exits, points), (others, RollPoints { exit: 0, ..points })] {
            if ways.is_empty() {
                continue;
            }
            for marking in self.markings(points.own()) {
                turns_after(state, &ways, &points, marking, &mut |play, after| {
                    // With the exit there may be more holes to go away with.
                    if seen.insert(after) && (!play.goes() || gone.insert(play.marks)) {
                        found(play, after);
                    }
                });
            }
        }
    }

    /// What the player may mark for a roll that is worth `due` points. What is due comes first, so
    /// that it is chosen among equals.
    fn markings(&self, due: u8) -> Vec<Marking> {
        if self.options.ecole == Switch::Off {
            return vec![Marking { marks: None, due }];
        }
        let others = (0..=due.max(POINTS_OF_A_HOLE as u8)).step_by(2);
        let others = others.filter(|&marks| marks != due);
        let marks = [due].into_iter().chain(others);
        marks.map(|marks| Marking { marks: Some(marks), due }).collect()
    }
}

/// What the player marks for a roll.
#[derive(Clone, Copy, Debug)]
struct Marking {
    /// The points that are said, where that is a decision.
    marks: Option<u8>,
    /// The points that the roll is worth.
    due: u8,
}

/// Every distinct result of a roll whose points the player has marked in this way.
fn turns_after(
    state: &TrictracState,
    ways: &[Way],
    points: &RollPoints,
    marking: Marking,
    found: &mut impl FnMut(TrictracPlay, TrictracState),
) {
    let Marking { marks, due } = marking;
    let said = marks.unwrap_or(due);
    let play = |kind| TrictracPlay { kind, marks, due, ..TrictracPlay::default() };
    let mut marked = *state;
    let holes = marked.mark(said.min(due));
    if marked.is_over() {
        return found(play(Kind::Ends), marked.flip());
    }
    // Nothing more is marked for the roll of a player who goes away, schools included (G-43).
    let gone = (holes > 0).then(|| {
        let mut gone = marked;
        gone.clear_points();
        new_set(&mut gone);
        found(play(Kind::Goes), gone.flip());
        gone
    });
    marked.mark_opponent(points.opponents());
    if marked.is_over() {
        let kind = if holes > 0 { Kind::Holds } else { Kind::Ends };
        return found(play(kind), marked.flip());
    }
    let kind = if holes > 0 { Kind::Holds } else { Kind::Moves };
    let mut seen: Vec<TrictracState> = Vec::with_capacity(ways.len());
    for &Way { mut after, steps, dice, .. } in ways {
        if seen.contains(&after) {
            continue;
        }
        seen.push(after);
        after.cells[POINTS..=OPPONENT_HOLES]
            .copy_from_slice(&marked.cells[POINTS..=OPPONENT_HOLES]);
        after.mark_opponent(2 * (2 - dice));
        // Schools come last.
        after.mark_opponent(said.abs_diff(due));
        if is_out(&after) && !after.is_over() {
            new_set(&mut after);
        } else {
            after.cells[TURNS] = (after.cells[TURNS] + 1).min(LAST_TURN);
        }
        // The last checker may leave with no point more than going away brings.
        if gone != Some(after) {
            found(TrictracPlay { steps, ..play(kind) }, after.flip());
        }
    }
}

/// The dice.
fn pair(dice: TablesDice) -> [u8; 2] {
    let [a, b, _] = dice.into();
    [a, b]
}

/// All checkers return, and the player who has just moved rolls.
fn new_set(state: &mut TrictracState) {
    state.set_up();
    state.cells[WAIT] = -1;
}

impl Game for Trictrac {
    type State = TrictracState;
    type Roll = TablesDice;

    const TOTAL_WEIGHT: u32 = 216;

    fn id(&self) -> String {
        self.options.to_string()
    }

    fn start(&self) -> TrictracState {
        let mut state = TrictracState::EMPTY;
        state.set_up();
        state.clear_points();
        state
    }

    /// The dice that decided who begins, which are no double (G-04).
    fn opening_roll(&self, rng: &mut impl Rng) -> TablesDice {
        loop {
            let roll = self.roll(rng);
            if !roll.is_double() {
                return roll;
            }
        }
    }

    fn roll(&self, rng: &mut impl Rng) -> TablesDice {
        TablesDice::roll(DiceCount::Two, rng)
    }

    fn rolls(&self) -> &'static [(TablesDice, u8)] {
        DiceCount::Two.rolls()
    }

    fn afterstates(
        &self,
        state: &TrictracState,
        roll: TablesDice,
        afterstates: &mut Vec<TrictracState>,
    ) {
        self.turns(state, roll, |_, after| afterstates.push(after));
    }

    #[inline]
    fn flip(&self, state: &TrictracState) -> TrictracState {
        state.flip()
    }

    fn outcome(&self, state: &TrictracState) -> Option<Outcome> {
        if state.cells[HOLES] >= HOLES_TO_WIN {
            Some(Outcome::WinSingle)
        } else if state.cells[OPPONENT_HOLES] <= -HOLES_TO_WIN {
            Some(Outcome::LoseSingle)
        } else {
            None
        }
    }

    fn largest_win(&self) -> WinKind {
        WinKind::Single
    }

    fn layout(&self) -> &'static [Cell] {
        &LAYOUT
    }

    fn cells(state: &TrictracState) -> &[i8] {
        &state.cells
    }
}
