//! Le Grand Trictrac for programs: texts, the board, what is counted.

use tavola_evaluator::{EndingRule, Evaluator, PlayableGame, SituationOf, TextError, TurnEvent};
use tavola_rules::Game;
use tavola_rules::board::{Board, BoardView, Half, Orientation, Side, Stack, Trays};
use tavola_rules::notation::Situation;

use super::points::{Score, each_score};
use super::state::{HOLES, OFF, OPPONENT_OFF, POINTS, RUN, TrictracState, WAIT};
use super::{Kind, Trictrac, TrictracOptions, TrictracPlay, pair};
use crate::dice::{DiceCount, TablesDice};
use crate::options::Switch;
use crate::rule_based::RuleBasedEvaluator;

impl PlayableGame for Trictrac {
    type Play = TrictracPlay;

    const BASELINE: &'static str = "rule-based";

    fn brief(&self) -> &'static str {
        "Fifteen checkers a side start on 1 and move against each other; one enemy closes a field, \
         and nothing is captured. A roll scores, before it is played, by what it could do: single \
         checkers that it could hit, six fields (a jan) that it fills or keeps full with two \
         checkers each, the enemy's corner. Twelve points are a hole, two if the opponent scored \
         nothing in between. Who wins a hole by an own roll holds and plays it, or goes: all \
         checkers return, all points are lost, and the same player rolls. The own corner, 12, is \
         entered and left by two together. Twelve holes win the match."
    }

    fn parse(&self, text: &str) -> Result<SituationOf<Self>, TextError> {
        self.parse_position(text).map(Situation::of).map_err(TextError::new)
    }

    fn write_state(&self, state: &TrictracState) -> String {
        self.write_position(state)
    }

    fn parse_roll(&self, text: &str) -> Result<TablesDice, TextError> {
        DiceCount::Two.parse(text, TrictracOptions::NAME)
    }

    fn numbers(&self, roll: TablesDice) -> Vec<u8> {
        roll.numbers().to_vec()
    }

    fn plays(&self, state: &TrictracState, roll: TablesDice) -> Vec<(TrictracPlay, TrictracState)> {
        let mut plays = Vec::new();
        if self.outcome(state).is_none() {
            self.turns(state, roll, |play, after| plays.push((play, after)));
        }
        plays
    }

    fn board_view(
        &self,
        situation: &SituationOf<Self>,
        _: &[(TrictracPlay, &'static str)],
    ) -> Board {
        let state = &situation.position;
        let cells = &state.cells;
        let (title, status) = match situation.dice {
            None => (self.id(), String::new()),
            // What the roll scores is for the player to find.
            Some(dice) if self.options().ecole == Switch::On => {
                (format!("{}, roll {dice}", self.id()), String::new())
            }
            Some(dice) => (format!("{}, roll {dice}", self.id()), self.scores(state, dice)),
        };
        Board::from(BoardView {
            points: std::array::from_fn(|i| Stack::plain(cells[i + 1])),
            bar: [Stack::plain(0); 2],
            bar_half: Half::Lower,
            trays: Trays::Off([OFF, OPPONENT_OFF].map(|index| cells[index].unsigned_abs())),
            entry: None,
            cube: None,
            dice: Vec::new(),
            notes: [side_notes(state), side_notes(&state.flip())],
            title,
            status,
            plays: Vec::new(),
            arrows: Vec::new(),
            orientation: Orientation::default(),
            on_roll: Side::Player,
        })
    }

    fn pips(&self, state: &TrictracState) -> u32 {
        self.pips(state)
    }

    fn borne_off(&self, state: &TrictracState) -> u8 {
        state.cells[OFF].unsigned_abs()
    }

    fn baseline(&self) -> Box<dyn Evaluator<Self>> {
        Box::new(RuleBasedEvaluator::new(*self))
    }

    /// No match begins with a double (G-04).
    fn opening_rolls(&self) -> Vec<(TablesDice, u8)> {
        self.rolls().iter().copied().filter(|(roll, _)| !roll.is_double()).collect()
    }

    fn trained_as(&self, id: &str) -> Option<Self> {
        id.parse().ok().map(Self::new)
    }

    fn possible_events(&self) -> &'static [TurnEvent] {
        use TurnEvent::{
            CoinHit, DiceLost, DoubleHole, FalseHit, HoleWon, JanFilled, JanKept, OpeningJan, Pass,
            School, SetLeft, SetPlayedOut, TrueHit,
        };
        // The last one is of games with schools alone.
        const ALL: &[TurnEvent] = &[
            TrueHit,
            FalseHit,
            JanFilled,
            JanKept,
            CoinHit,
            OpeningJan,
            HoleWon,
            DoubleHole,
            SetLeft,
            SetPlayedOut,
            Pass,
            DiceLost,
            School,
        ];
        match self.options().ecole {
            Switch::On => ALL,
            Switch::Off => &ALL[..ALL.len() - 1],
        }
    }

    fn turn_events(
        &self,
        before: &TrictracState,
        roll: TablesDice,
        after: &TrictracState,
    ) -> Vec<TurnEvent> {
        let mut events = Vec::new();
        if before.cells[WAIT] > 0 {
            return events;
        }
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
        let left = after.flip();
        let holes = left.cells[HOLES] - before.cells[HOLES];
        note(holes > 0, TurnEvent::HoleWon);
        note(holes > 1, TurnEvent::DoubleHole);
        let play = self.plays(before, roll).into_iter().find(|(_, state)| state == after);
        note(play.is_some_and(|(play, _)| play.is_school()), TurnEvent::School);
        match play {
            Some((play, _)) if play.goes() => note(true, TurnEvent::SetLeft),
            Some((TrictracPlay { kind: Kind::Moves | Kind::Holds, steps, .. }, _)) => {
                note(left.cells[WAIT] < 0, TurnEvent::SetPlayedOut);
                let played = steps.iter().flatten().count();
                note(played == 0 && !left.is_over(), TurnEvent::Pass);
                note(played == 1, TurnEvent::DiceLost);
            }
            _ => {}
        }
        events
    }

    /// The points of the roll, each with its name, then what the rules say beside them.
    fn turn_reasons(
        &self,
        before: &TrictracState,
        roll: TablesDice,
        after: &TrictracState,
    ) -> Vec<String> {
        let (numbers, events) = (pair(roll), self.turn_events(before, roll, after));
        let mut reasons = Vec::new();
        if before.cells[WAIT] > 0 {
            return reasons;
        }
        let is = |event| events.contains(&event);
        each_score(before, numbers, &self.options().ways(before, numbers), |score, points| {
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

    fn is_whole_turn(&self, state: &TrictracState) -> bool {
        state.cells[WAIT] <= 0
    }

    fn possible_endings(&self) -> &'static [EndingRule] {
        &[EndingRule::Holes]
    }

    fn ending(&self, state: &TrictracState) -> Option<EndingRule> {
        self.outcome(state).map(|_| EndingRule::Holes)
    }
}

impl Trictrac {
    /// What a roll scores, in words.
    fn scores(&self, state: &TrictracState, dice: TablesDice) -> String {
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
fn side_notes(state: &TrictracState) -> String {
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
