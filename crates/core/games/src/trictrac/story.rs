//! What a turn of Le Grand Trictrac did and scored, in words and for statistics.

use tavola_evaluator::TurnEvent;

use super::TrictracOptions;
use super::pair;
use super::points::{Score, each_score};
use super::state::{HOLES, POINTS, RUN, WAIT};
use crate::dice::TablesDice;
use crate::plays::PlayKind;
use crate::state::OldState;

/// What is worth counting; the last one is of games with schools alone.
pub(crate) const POSSIBLE_EVENTS: &[TurnEvent] = &[
    TurnEvent::TrueHit,
    TurnEvent::FalseHit,
    TurnEvent::JanFilled,
    TurnEvent::JanKept,
    TurnEvent::CoinHit,
    TurnEvent::OpeningJan,
    TurnEvent::HoleWon,
    TurnEvent::DoubleHole,
    TurnEvent::SetLeft,
    TurnEvent::SetPlayedOut,
    TurnEvent::Pass,
    TurnEvent::DiceLost,
    TurnEvent::School,
];

impl TrictracOptions {
    /// What happened in a turn without a wait.
    pub(crate) fn turn_events(
        self,
        before: &OldState,
        roll: TablesDice,
        after: &OldState,
    ) -> Vec<TurnEvent> {
        let mut events = Vec::new();
        let left = after.flip();
        let points = self.points(before, roll);
        let mut note = |is_so: bool, event| {
            if is_so {
                events.push(event);
            }
        };
        note(points.hits > 0, TurnEvent::TrueHit);
        note(points.false_hits > 0, TurnEvent::FalseHit);
        note(points.filled > 0, TurnEvent::JanFilled);
        note(points.kept > 0, TurnEvent::JanKept);
        note(points.coin > 0, TurnEvent::CoinHit);
        note(points.opening + points.against > 0, TurnEvent::OpeningJan);
        let holes = left.cells[HOLES] - before.cells[HOLES];
        note(holes > 0, TurnEvent::HoleWon);
        note(holes > 1, TurnEvent::DoubleHole);
        let mut made = None;
        self.turns(before, roll, |play, state| {
            if state == *after {
                made.get_or_insert(play);
            }
        });
        note(made.is_some_and(|play| play.is_school()), TurnEvent::School);
        match made {
            Some(play) if play.goes() => note(true, TurnEvent::SetLeft),
            Some(play) if matches!(play.kind, PlayKind::Moves | PlayKind::Holds) => {
                note(left.cells[WAIT] < 0, TurnEvent::SetPlayedOut);
                let played = play.steps().len();
                note(played == 0 && !left.is_over(), TurnEvent::Pass);
                note(played == 1, TurnEvent::DiceLost);
            }
            _ => {}
        }
        events
    }

    /// The points of the roll, each with its name, then what the rules say beside them.
    pub(crate) fn turn_reasons(
        self,
        before: &OldState,
        roll: TablesDice,
        after: &OldState,
    ) -> Vec<String> {
        let (numbers, events) = (pair(roll), self.turn_events(before, roll, after));
        let mut reasons = Vec::new();
        let is = |event| events.contains(&event);
        each_score(before, numbers, &self.ways(before, numbers), |score, points| {
            let words = score.in_words(numbers);
            match score {
                // Only a play that takes it off scores, and who goes away gives nothing.
                Score::Exit if !is(TurnEvent::SetPlayedOut) && !is(TurnEvent::SetLeft) => {}
                _ if !score.is_opponents() => reasons.push(format!("+{points}: {words}")),
                _ if is(TurnEvent::SetLeft) => {}
                _ => reasons.push(format!("opponent +{points}: {words}")),
            }
        });
        let holes = after.flip().cells[HOLES] - before.cells[HOLES];
        match holes {
            ..=0 => {}
            1 => reasons.push("wins a hole".to_owned()),
            holes => reasons.push(format!("wins {holes} holes")),
        }
        reasons.extend(events.into_iter().filter_map(|event| {
            let words = event.reason()?;
            Some(match event {
                TurnEvent::Pass => format!("opponent +4: {words}"),
                TurnEvent::DiceLost => format!("opponent +2: {words}"),
                _ => words.to_owned(),
            })
        }));
        reasons
    }

    /// What a roll scores, in words.
    pub(crate) fn scores(self, state: &OldState, dice: TablesDice) -> String {
        let points = self.points(state, dice);
        let named = [
            ("opening jan", points.opening),
            ("hits", points.hits),
            ("corner", points.coin),
            ("filling", points.filled),
            ("keeping", points.kept),
            ("exit", points.exit),
        ];
        let mut words: Vec<String> = named
            .iter()
            .filter(|(_, points)| *points > 0)
            .map(|(name, points)| format!("{name} {points}"))
            .collect();
        if points.opponents() > 0 {
            words.push(format!("to the opponent {}", points.opponents()));
        }
        if words.is_empty() { "scores nothing".to_owned() } else { words.join(", ") }
    }
}

/// What is told of one side in words; `state` is seen by that side.
pub(crate) fn side_notes(state: &OldState) -> String {
    let cells = &state.cells;
    let mut notes =
        vec![format!("points {}", 2 * cells[POINTS].max(0)), format!("holes {}", cells[HOLES])];
    if cells[RUN] <= 0 {
        notes.push("interrupted".to_owned());
    }
    if cells[WAIT] > 0 {
        notes.push("waits".to_owned());
    }
    notes.join(", ")
}
