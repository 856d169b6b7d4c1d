//! How a result is reached, for people.

use std::fmt;

use tavola_rules::Game;

use crate::dice::TablesDice;
use crate::engine::OldGame;
use crate::state::OldState;
use crate::steps::{MoveTrace, OldStep, Origin, Target};

/// Most steps of a turn: a double in Puff.
const MOST_STEPS: usize = 4;

/// What a player does in a turn: up to four steps, in an order in which they can be played, and what
/// the player says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OldPlay {
    steps: [OldStep; MOST_STEPS],
    len: u8,
    pub(crate) kind: PlayKind,
    /// The points that the player marks, where that is a decision (trictrac).
    marks: Option<u8>,
    /// The points that the roll is worth to the player, played in this way (trictrac).
    due: u8,
}

/// What is said beside the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlayKind {
    /// The roll is played, as far as it can be.
    Moves,
    /// The player is locked out.
    Barata,
    /// The opponent's turn continues.
    Waits,
    /// The roll is played after a hole, where going away was the other choice.
    Holds,
    /// The player goes away after a hole.
    Goes,
    /// The points of the roll end the match.
    Ends,
}

impl Default for OldPlay {
    fn default() -> Self {
        let nothing = OldStep::plain(Origin::Hand, Target::Off);
        let steps = [nothing; MOST_STEPS];
        Self { steps, len: 0, kind: PlayKind::Moves, marks: None, due: 0 }
    }
}

impl MoveTrace for OldPlay {
    fn push(&mut self, step: OldStep) {
        self.steps[usize::from(self.len)] = step;
        self.len += 1;
    }

    fn of(play: &Self) -> Self {
        *play
    }
}

impl OldPlay {
    /// A play without steps yet.
    pub(crate) fn said(kind: PlayKind, marks: Option<u8>, due: u8) -> Self {
        Self { kind, marks, due, ..Self::default() }
    }

    /// The steps. Those of two checkers to the own corner of trictrac "par puissance" stop one field
    /// short of what the dice show.
    pub fn steps(&self) -> &[OldStep] {
        &self.steps[..usize::from(self.len)]
    }

    /// The points that the player marks for the roll, in trictrac with schools.
    pub const fn marks(&self) -> Option<u8> {
        self.marks
    }

    /// Whether the player marks more or fewer points than the roll is worth.
    pub(crate) fn is_school(&self) -> bool {
        self.marks.is_some_and(|marks| marks != self.due)
    }

    /// Whether the player goes away, in trictrac.
    pub fn goes(&self) -> bool {
        self.kind == PlayKind::Goes
    }
}

/// The steps with blanks between, `pass`, `barata` or `wait` where there are none. In trictrac `hold`
/// stands before them where going away was possible, `go` for that, and `mark` where the points alone
/// end the match; where schools are played, `mark:4` and a blank come first, with the points that are
/// marked.
impl fmt::Display for OldPlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(points) = self.marks {
            write!(f, "mark:{points}")?;
            if self.kind == PlayKind::Ends {
                return Ok(());
            }
            f.write_str(" ")?;
        }
        match self.kind {
            PlayKind::Goes => return f.write_str("go"),
            PlayKind::Ends => return f.write_str("mark"),
            PlayKind::Holds => f.write_str("hold ")?,
            PlayKind::Moves | PlayKind::Barata | PlayKind::Waits => {}
        }
        if self.len == 0 {
            return f.write_str(match self.kind {
                PlayKind::Barata => "barata",
                PlayKind::Waits => "wait",
                _ => "pass",
            });
        }
        for (i, step) in self.steps().iter().enumerate() {
            write!(f, "{}{step}", if i == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl OldGame {
    /// Every distinct result of a roll, seen by the opponent, with one way to reach it. In the
    /// order of [`Game::afterstates`]; nothing if the game is over.
    pub fn plays(&self, state: &OldState, dice: TablesDice) -> Vec<(OldPlay, OldState)> {
        let mut plays = Vec::new();
        if self.outcome(state).is_some() {
            return plays;
        }
        let idle = if state.cells[self.rules().places.wait] > 0 {
            PlayKind::Waits
        } else if self.is_barata(state) {
            PlayKind::Barata
        } else {
            PlayKind::Moves
        };
        self.turns::<OldPlay>(state, dice, |play, after| {
            let kind = if play.kind == PlayKind::Moves { idle } else { play.kind };
            plays.push((OldPlay { kind, ..*play }, after));
        });
        plays
    }
}
