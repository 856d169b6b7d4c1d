//! How a result is reached, for people.

use std::fmt;

use tavola_rules::Game;

use crate::dice::TablesDice;
use crate::engine::Tables;
use crate::state::{TablesState, WAIT};
use crate::steps::{CheckerKind, MoveTrace, Origin, TablesStep, Target};

/// Most steps of a turn: a double in Puff.
const MOST_STEPS: usize = 4;

/// What a player does in a turn: up to four steps, in an order in which they can be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TablesPlay {
    steps: [TablesStep; MOST_STEPS],
    len: u8,
    idle: Idle,
}

/// Why nothing is played, where nothing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Idle {
    /// Nothing can be, or need be.
    Pass,
    /// The player is locked out.
    Barata,
    /// The opponent's turn continues.
    Wait,
}

impl Default for TablesPlay {
    fn default() -> Self {
        let nothing = TablesStep {
            from: Origin::Hand,
            to: Target::Off,
            checker: CheckerKind::Plain,
            hit: false,
        };
        Self { steps: [nothing; MOST_STEPS], len: 0, idle: Idle::Pass }
    }
}

impl MoveTrace for TablesPlay {
    fn push(&mut self, step: TablesStep) {
        self.steps[usize::from(self.len)] = step;
        self.len += 1;
    }
}

impl TablesPlay {
    /// The steps, one a die.
    pub fn steps(&self) -> &[TablesStep] {
        &self.steps[..usize::from(self.len)]
    }
}

/// The steps with blanks between; `pass`, `barata` or `wait` where there are none.
impl fmt::Display for TablesPlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.len == 0 {
            return f.write_str(match self.idle {
                Idle::Pass => "pass",
                Idle::Barata => "barata",
                Idle::Wait => "wait",
            });
        }
        for (i, step) in self.steps().iter().enumerate() {
            write!(f, "{}{step}", if i == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl Tables {
    /// Every distinct result of a roll, seen by the opponent, with one way to reach it. In the
    /// order of [`Game::afterstates`]; nothing if the game is over.
    pub fn plays(&self, state: &TablesState, dice: TablesDice) -> Vec<(TablesPlay, TablesState)> {
        if self.outcome(state).is_some() {
            return Vec::new();
        }
        let idle = if state.cells[WAIT] > 0 {
            Idle::Wait
        } else if self.is_barata(state) {
            Idle::Barata
        } else {
            Idle::Pass
        };
        let mut plays: Vec<(TablesPlay, TablesState)> = Vec::new();
        self.turns::<TablesPlay>(state, dice, |play, after| {
            plays.push((TablesPlay { idle, ..*play }, after));
        });
        let mut order = Vec::new();
        self.afterstates(state, dice, &mut order);
        // Both list the same afterstates; the way to one is the first that was found.
        order
            .into_iter()
            .map(|result| {
                let found = plays.iter().find(|(_, after)| *after == result);
                *found.expect("every result is reached by a turn")
            })
            .collect()
    }
}
