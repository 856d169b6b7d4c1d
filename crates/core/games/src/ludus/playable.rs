//! Ludus duodecim scriptorum for programs: texts, the board, what is counted.

use tavola_evaluator::{Evaluator, PlayableGame, SituationOf, TextError, TurnEvent};
use tavola_rules::Game;
use tavola_rules::board::{Board, ScriptaView, Stack};
use tavola_rules::notation::Situation;

use super::state::{BAR, HAND, LAST_ENTRY, LudusState, OFF, OPPONENT_BAR, OPPONENT_ENTRY, WAIT};
use super::{Ludus, LudusPlay};
use crate::dice::{DiceCount, TablesDice};
use crate::rule_based::RuleBasedEvaluator;

impl PlayableGame for Ludus {
    type Play = LudusPlay;

    const BASELINE: &'static str = "rule-based";

    fn brief(&self) -> &'static str {
        "Fifteen checkers a side enter on six points of their own and travel twenty-four points that \
         both share, the same way. Three dice, used one by one or added up: a sum is one jump. \
         Checkers that stand together may move together. No checker leaves the entry points before \
         all have entered. A single checker is hit, by one or by several, and enters again; two close a \
         point. Three equal dice give another roll. From the last six points checkers leave by exact \
         count, once all are there; first off wins."
    }

    fn parse(&self, text: &str) -> Result<SituationOf<Self>, TextError> {
        self.parse_position(text).map(Situation::of).map_err(TextError::new)
    }

    fn write_state(&self, state: &LudusState) -> String {
        self.write_position(state)
    }

    fn parse_roll(&self, text: &str) -> Result<TablesDice, TextError> {
        DiceCount::Three.parse(text, super::LudusOptions::NAME)
    }

    fn numbers(&self, roll: TablesDice) -> Vec<u8> {
        roll.numbers().to_vec()
    }

    fn plays(&self, state: &LudusState, roll: TablesDice) -> Vec<(LudusPlay, LudusState)> {
        let mut plays = Vec::new();
        if self.outcome(state).is_none() {
            let waits = state.cells[WAIT] > 0;
            self.turns::<LudusPlay>(state, roll, |play, after| {
                plays.push((LudusPlay { waits, ..play }, after));
            });
        }
        plays
    }

    fn board_view(&self, situation: &SituationOf<Self>, _: &[(LudusPlay, &'static str)]) -> Board {
        let (state, dice) = (&situation.position, situation.dice);
        let cells = &state.cells;
        let title = dice.map_or_else(|| self.id(), |dice| format!("{}, roll {dice}", self.id()));
        let entry =
            |index: usize, sign: i8| std::array::from_fn(|i| (sign * cells[index + i]) as u8);
        Board::from(ScriptaView {
            entry: [entry(1, 1), entry(OPPONENT_ENTRY, -1)],
            track: std::array::from_fn(|i| Stack::plain(cells[LAST_ENTRY + 1 + i])),
            bar: [cells[BAR] as u8, cells[OPPONENT_BAR].unsigned_abs()],
            notes: [self.side_notes(state), self.side_notes(&state.flip())],
            title,
            ..ScriptaView::default()
        })
    }

    fn pips(&self, state: &LudusState) -> u32 {
        self.pips(state)
    }

    fn borne_off(&self, state: &LudusState) -> u8 {
        state.cells[OFF].unsigned_abs()
    }

    fn baseline(&self) -> Box<dyn Evaluator<Self>> {
        Box::new(RuleBasedEvaluator::new(*self))
    }

    fn trained_as(&self, id: &str) -> Option<Self> {
        id.parse().ok().map(Self::new)
    }

    fn possible_events(&self) -> &'static [TurnEvent] {
        use TurnEvent::{DiceLost, Hit, LockedOut, Pass, StackMoved, Triple};
        &[Hit, StackMoved, Triple, Pass, LockedOut, DiceLost]
    }

    fn turn_events(
        &self,
        before: &LudusState,
        roll: TablesDice,
        after: &LudusState,
    ) -> Vec<TurnEvent> {
        let mut events = Vec::new();
        if before.cells[WAIT] > 0 {
            return events;
        }
        let left = after.flip();
        if left.cells[OPPONENT_BAR] < before.cells[OPPONENT_BAR] {
            events.push(TurnEvent::Hit);
        }
        let shown: u32 = roll.numbers().iter().map(|&number| u32::from(number)).sum();
        if self.pips(before) - self.pips(&left) > shown {
            events.push(TurnEvent::StackMoved);
        }
        if left.cells[WAIT] < 0 {
            events.push(TurnEvent::Triple);
        }
        match self.rolled::<()>(before, roll).dice {
            0 if before.cells[BAR] > 0 => events.push(TurnEvent::LockedOut),
            0 => events.push(TurnEvent::Pass),
            count if count < roll.numbers().len() => events.push(TurnEvent::DiceLost),
            _ => {}
        }
        events
    }

    fn is_whole_turn(&self, state: &LudusState) -> bool {
        state.cells[WAIT] <= 0
    }
}

impl Ludus {
    /// What is told of one side in words; `state` is seen by that side.
    fn side_notes(&self, state: &LudusState) -> String {
        let cells = &state.cells;
        let mut notes = vec![format!("pips {}", self.pips(state))];
        for (name, index) in [("hand", HAND), ("bar", BAR), ("off", OFF)] {
            if cells[index] > 0 {
                notes.push(format!("{name} {}", cells[index]));
            }
        }
        if cells[WAIT] > 0 {
            notes.push("waits".to_owned());
        }
        notes.join(", ")
    }
}
