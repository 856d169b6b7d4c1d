//! Le Grand Trictrac: a match of twelve holes.
//!
//! Nothing is captured. A roll scores points by what it could do, before it is played; twelve points
//! make a hole. Who wins a hole with an own roll either stays (tenir), and plays it, or goes away
//! (s'en aller): all checkers return, all points are lost, and the same player rolls again. A game of
//! the [`Game`](tavola_rules::Game) trait is the whole match, so a position includes both scores and its value is the
//! probability to win the match. The rule numbers (G-05 and so on) are those of
//! `docs/games/trictrac.md`.

mod moves;
mod options;
mod points;
mod rule_based;
mod score;
pub mod state;
mod story;

use rustc_hash::FxHashSet;
use tavola_rules::Outcome;

pub use self::options::{ExitExact, TrictracOptions};
pub use self::points::RollPoints;

pub(crate) use self::rule_based::win_probability;
pub(crate) use self::story::{POSSIBLE_EVENTS, side_notes};

use self::moves::{Way, is_out};
use self::score::POINTS_OF_A_HOLE;
use self::state::{HOLES, HOLES_TO_WIN, LAST_TURN, OPPONENT_HOLES, POINTS, TURNS, WAIT};
use crate::dice::TablesDice;
use crate::options::Switch;
use crate::plays::{OldPlay, PlayKind};
use crate::state::OldState;
use crate::steps::MoveTrace as _;

/// After going away, and after the last checker has left, the same player rolls again.
///
/// Points are marked by the program. With `ecole=on` the player who rolls says how many the roll is
/// worth; what is left out goes to the opponent, and what is too much is taken back and goes there
/// too. The opponent always marks such a school, and as always the points that a roll brings to the
/// opponent.
impl TrictracOptions {
    /// What a roll brings to both players before it is played; nothing in a turn of waiting.
    pub fn points(self, state: &OldState, dice: TablesDice) -> RollPoints {
        if state.cells[WAIT] > 0 {
            return RollPoints::default();
        }
        let numbers = pair(dice);
        RollPoints::new(state, numbers, &self.ways(state, numbers))
    }

    /// Every distinct result of a roll, seen by the opponent, with one way to it.
    pub(crate) fn turns(
        self,
        state: &OldState,
        dice: TablesDice,
        mut found: impl FnMut(OldPlay, OldState),
    ) {
        let numbers = pair(dice);
        let ways = self.ways(state, numbers);
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
                    if seen.insert(after) && (!play.goes() || gone.insert(play.marks())) {
                        found(play, after);
                    }
                });
            }
        }
    }

    /// What the player may mark for a roll that is worth `due` points. What is due comes first, so
    /// that it is chosen among equals.
    fn markings(self, due: u8) -> Vec<Marking> {
        if self.ecole == Switch::Off {
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
    state: &OldState,
    ways: &[Way],
    points: &RollPoints,
    marking: Marking,
    found: &mut impl FnMut(OldPlay, OldState),
) {
    let Marking { marks, due } = marking;
    let said = marks.unwrap_or(due);
    let play = |kind| OldPlay::said(kind, marks, due);
    let mut marked = *state;
    let holes = marked.mark(said.min(due));
    if marked.is_over() {
        return found(play(PlayKind::Ends), marked.flip());
    }
    // Nothing more is marked for the roll of a player who goes away, schools included (G-43).
    let gone = (holes > 0).then(|| {
        let mut gone = marked;
        gone.clear_points();
        new_set(&mut gone);
        found(play(PlayKind::Goes), gone.flip());
        gone
    });
    marked.mark_opponent(points.opponents());
    if marked.is_over() {
        let kind = if holes > 0 { PlayKind::Holds } else { PlayKind::Ends };
        return found(play(kind), marked.flip());
    }
    let kind = if holes > 0 { PlayKind::Holds } else { PlayKind::Moves };
    let mut seen: Vec<OldState> = Vec::with_capacity(ways.len());
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
            let mut play = play(kind);
            steps.into_iter().flatten().for_each(|step| play.push(step));
            found(play, after.flip());
        }
    }
}

/// The dice.
pub(crate) fn pair(dice: TablesDice) -> [u8; 2] {
    let [a, b, _] = dice.into();
    [a, b]
}

/// All checkers return, and the player who has just moved rolls.
fn new_set(state: &mut OldState) {
    state.set_up();
    state.cells[WAIT] = -1;
}

/// The position at the start of the match.
pub(crate) fn start() -> OldState {
    let mut state = OldState::EMPTY;
    state.set_up();
    state.clear_points();
    state
}

/// How a match has ended, if it has.
pub(crate) fn outcome(state: &OldState) -> Option<Outcome> {
    if state.cells[HOLES] >= HOLES_TO_WIN {
        Some(Outcome::WinSingle)
    } else if state.cells[OPPONENT_HOLES] <= -HOLES_TO_WIN {
        Some(Outcome::LoseSingle)
    } else {
        None
    }
}
