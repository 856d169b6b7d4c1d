//! Boards to look at: [`Tables::board_text`] for a terminal, [`Tables::board_svg`] for a page.
//!
//! Both show a position from the player on roll: he travels from 1 at the lower right to the left,
//! up to 13 and to the right to 24, and points are numbered as he counts them. Where the opponent
//! enters depends on the game and is told beside the board, with hands, bars and all else that the
//! rules count.

mod svg;
mod text;

use tavola_rules::Game;

use crate::engine::Tables;
use crate::options::TablesOptions;
use crate::rules::{FirstTurnRule, LockRule};
use crate::state::{
    BAR, BARATAS, FIRST_TURN, HAND, INHERITED, LOST, MARKED_OFF, OFF, TablesState, WAIT,
};

/// One of the two sides, seen from the player on roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Player,
    Opponent,
}

/// The checkers on a point.
#[derive(Clone, Copy, Debug)]
struct Stack {
    side: Side,
    /// Marked ones, which are drawn first.
    marked: u8,
    plain: u8,
}

impl Stack {
    fn height(self) -> u8 {
        self.marked + self.plain
    }
}

impl Tables {
    /// What stands on a point of the player on roll.
    fn stack(&self, state: &TablesState, point: usize) -> Stack {
        let plain = state.point(point);
        let marked = if self.rules().marked > 0 { state.marked(point) } else { 0 };
        Stack {
            side: if plain + marked < 0 { Side::Opponent } else { Side::Player },
            marked: marked.unsigned_abs(),
            plain: plain.unsigned_abs(),
        }
    }

    /// What is told of one side in words; `state` is seen by that side.
    fn side_notes(&self, state: &TablesState) -> String {
        let cells = &state.cells;
        let mut notes = vec![format!("pips {}", self.pips(state))];
        let marked = self.rules().marked > 0;
        let places =
            [("hand", HAND), (if marked { "bar (marked)" } else { "bar" }, BAR), ("off", OFF)];
        for (name, index) in places {
            if cells[index] > 0 {
                notes.push(format!("{name} {}", cells[index]));
            }
        }
        if marked && cells[MARKED_OFF] > 0 {
            notes.push(format!("marked off {}", cells[MARKED_OFF]));
        }
        if let LockRule::Barata { .. } = self.rules().lock {
            notes.push(format!("Baratas {}", cells[BARATAS].max(0)));
        }
        if self.rules().first_turn == FirstTurnRule::EnterEach && cells[FIRST_TURN] > 0 {
            notes.push("first turn".to_owned());
        }
        if matches!(self.options(), TablesOptions::Buffa(_)) {
            let dice: Vec<String> = (1..=6)
                .flat_map(|n: usize| vec![n.to_string(); cells[INHERITED - 1 + n].max(0) as usize])
                .collect();
            if !dice.is_empty() {
                notes.push(format!("inherits {}", dice.join(" ")));
            }
        }
        for (index, note) in [(WAIT, "waits"), (LOST, "has lost")] {
            if cells[index] > 0 {
                notes.push(note.to_owned());
            }
        }
        notes.join(", ")
    }

    /// Where the two sides enter, in the numbering of the player on roll.
    fn entry_note(&self, player: &str, opponent: &str) -> String {
        let [first, last] = [1, 6].map(|point| self.opposite(point));
        format!("{player} enters on 1-6, {opponent} on {first}-{last}")
    }

    /// The id of the game, and the moment.
    fn title(&self, dice: Option<crate::dice::TablesDice>) -> String {
        match dice {
            Some(dice) => format!("{}, roll {dice}", self.id()),
            None => self.id(),
        }
    }
}
