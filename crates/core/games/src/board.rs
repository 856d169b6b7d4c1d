//! What a board of an old game shows.

use tavola_rules::Game;
use tavola_rules::board::{Board, BoardView, Half, Orientation, ScriptaView, Side, Stack, Trays};

use crate::dice::TablesDice;
use crate::engine::OldGame;
use crate::ludus::state::{LAST_ENTRY, OPPONENT_ENTRY};
use crate::options::{OldOptions, Switch};
use crate::rules::{FirstTurnRule, LockRule};
use crate::state::{BARATAS, FIRST_TURN, INHERITED, LOST, MARKED_OFF, OldState};
use crate::trictrac;

impl OldGame {
    /// The board of a position with its roll, seen from the player on roll: they travel from 1 at
    /// the lower right to the left, up to 13 and to the right to 24. Hands are at the left, and
    /// all else that the rules count is said in words.
    pub fn board(&self, state: &OldState, dice: Option<TablesDice>) -> Board {
        let (cells, places) = (state.cells(), &self.rules().places);
        let notes = [self.side_notes(state), self.side_notes(&self.flip(state))];
        let title = dice.map_or_else(|| self.id(), |dice| format!("{}, roll {dice}", self.id()));
        if let OldOptions::Ludus(_) = self.options() {
            let entry =
                |index: usize, sign: i8| std::array::from_fn(|i| (sign * cells[index + i]) as u8);
            return Board::from(ScriptaView {
                entry: [entry(1, 1), entry(OPPONENT_ENTRY, -1)],
                track: std::array::from_fn(|i| Stack::plain(cells[LAST_ENTRY + 1 + i])),
                bar: places.bar.map(|index| cells[index].unsigned_abs()),
                notes,
                title,
                ..ScriptaView::default()
            });
        }
        let aside = |[own, other]: [usize; 2]| [own, other].map(|at| cells[at].unsigned_abs());
        let (trays, entry, status) = match self.options() {
            OldOptions::Trictrac(options) => {
                // With schools, what the roll scores is for the player to find.
                let told = dice.filter(|_| options.ecole == Switch::Off);
                let status = told.map_or_else(String::new, |dice| options.scores(state, dice));
                (Trays::Off(aside(places.off)), None, status)
            }
            _ => {
                let entry = [(1, 6), (self.opposite(1), self.opposite(6))];
                (Trays::Hand(aside(places.hand)), Some(entry), String::new())
            }
        };
        let bar = |count: i8| match (self.rules().marked > 0, Stack::plain(count)) {
            (true, stack) => Stack { marked: stack.plain, plain: 0, ..stack },
            (false, stack) => stack,
        };
        Board::from(BoardView {
            points: std::array::from_fn(|i| self.stack(state, i + 1)),
            bar: places.bar.map(|index| bar(cells[index])),
            bar_half: Half::Lower,
            trays,
            entry,
            cube: None,
            dice: Vec::new(),
            notes,
            title,
            status,
            plays: Vec::new(),
            arrows: Vec::new(),
            orientation: Orientation::default(),
            on_roll: Side::Player,
        })
    }

    /// What stands on a point of the player on roll.
    fn stack(&self, state: &OldState, point: usize) -> Stack {
        let plain = state.point(point);
        let marked = if self.rules().marked > 0 { state.marked(point) } else { 0 };
        Stack {
            side: if plain + marked < 0 { Side::Opponent } else { Side::Player },
            marked: marked.unsigned_abs(),
            plain: plain.unsigned_abs(),
        }
    }

    /// What is told of one side in words; `state` is seen by that side.
    fn side_notes(&self, state: &OldState) -> String {
        if self.options().is_trictrac() {
            return trictrac::side_notes(state);
        }
        let (cells, places) = (&state.cells, &self.rules().places);
        let mut notes = vec![format!("pips {}", self.pips(state))];
        let marked = self.rules().marked > 0;
        let bar = if marked { "bar (marked)" } else { "bar" };
        for (name, index) in
            [("hand", places.hand[0]), (bar, places.bar[0]), ("off", places.off[0])]
        {
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
        if matches!(self.options(), OldOptions::Buffa(_)) {
            let dice: Vec<String> = (1..=6)
                .flat_map(|n: usize| vec![n.to_string(); cells[INHERITED - 1 + n].max(0) as usize])
                .collect();
            if !dice.is_empty() {
                notes.push(format!("inherits {}", dice.join(" ")));
            }
        }
        if cells[places.wait] > 0 {
            notes.push("waits".to_owned());
        }
        if !matches!(self.options(), OldOptions::Ludus(_)) && cells[LOST] > 0 {
            notes.push("has lost".to_owned());
        }
        notes.join(", ")
    }
}
