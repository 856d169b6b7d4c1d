//! What a board of a tables game shows.

use tavola_rules::Game;
use tavola_rules::board::{BoardView, Half, Orientation, Side, Stack, Trays};

use crate::dice::TablesDice;
use crate::engine::Tables;
use crate::options::TablesOptions;
use crate::rules::{FirstTurnRule, LockRule};
use crate::state::{
    BAR, BARATAS, FIRST_TURN, HAND, INHERITED, LOST, MARKED_OFF, OFF, OPPONENT_BAR, OPPONENT_HAND,
    TablesState, WAIT,
};

impl Tables {
    /// The board of a position with its roll, seen from the player on roll: they travel from 1 at
    /// the lower right to the left, up to 13 and to the right to 24. Hands are at the left, and
    /// all else that the rules count is said in words.
    pub fn board(&self, state: &TablesState, dice: Option<TablesDice>) -> BoardView {
        let cells = state.cells();
        let bar = |count: i8| match (self.rules().marked > 0, Stack::plain(count)) {
            (true, stack) => Stack { marked: stack.plain, plain: 0, ..stack },
            (false, stack) => stack,
        };
        BoardView {
            points: std::array::from_fn(|i| self.stack(state, i + 1)),
            bar: [bar(cells[BAR]), bar(cells[OPPONENT_BAR])],
            bar_half: Half::Lower,
            trays: Trays::Hand([HAND, OPPONENT_HAND].map(|index| cells[index].unsigned_abs())),
            entry: Some([(1, 6), (self.opposite(1), self.opposite(6))]),
            cube: None,
            dice: Vec::new(),
            notes: [self.side_notes(state), self.side_notes(&self.flip(state))],
            title: match dice {
                Some(dice) => format!("{}, roll {dice}", self.id()),
                None => self.id(),
            },
            status: String::new(),
            plays: Vec::new(),
            arrows: Vec::new(),
            orientation: Orientation::default(),
            on_roll: Side::Player,
        }
    }

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
}
