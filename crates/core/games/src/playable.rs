//! The old games as evaluators, players and statistics see them.
//!
//! What is remarkable in a turn and how a game ends changes nothing in how it is played; it is for
//! those who want to know what a rule is worth.

use tavola_evaluator::{EndingRule, Evaluator, PlayableGame, SituationOf, TextError, TurnEvent};
use tavola_rules::board::Board;
use tavola_rules::notation::Situation;
use tavola_rules::{Game, Outcome, WinKind};

use crate::dice::TablesDice;
use crate::engine::{OldGame, PlayedTurns};
use crate::options::{OldOptions, PuffCap, PuffOptions, Switch};
use crate::plays::OldPlay;
use crate::rule_based::RuleBasedEvaluator;
use crate::rules::{DiceOrder, FirstTurnRule, LockRule, StuckRule};
use crate::state::{
    BAR, FIRST_TURN, HAND, INHERITED, LOST, MARKED_OFF, OFF, OPPONENT_BAR, OPPONENT_HAND,
    OPPONENT_OFF, OPPONENT_TALLY, OldState, WAIT,
};
use crate::trictrac;

impl PlayableGame for OldGame {
    type Play = OldPlay;

    const BASELINE: &'static str = "rule-based";

    fn brief(&self) -> &'static str {
        self.options().brief()
    }

    fn parse(&self, text: &str) -> Result<SituationOf<Self>, TextError> {
        self.parse_position(text).map(Situation::of).map_err(TextError::new)
    }

    fn write_state(&self, state: &Self::State) -> String {
        self.write_position(state)
    }

    fn parse_roll(&self, text: &str) -> Result<Self::Roll, TextError> {
        self.rules().dice.parse(text, self.options().name())
    }

    fn numbers(&self, roll: Self::Roll) -> Vec<u8> {
        roll.numbers().to_vec()
    }

    fn plays(&self, state: &Self::State, roll: Self::Roll) -> Vec<(Self::Play, Self::State)> {
        self.plays(state, roll)
    }

    fn board_view(&self, situation: &SituationOf<Self>, _: &[(Self::Play, &'static str)]) -> Board {
        self.board(&situation.position, situation.dice)
    }

    fn pips(&self, state: &Self::State) -> u32 {
        self.pips(state)
    }

    fn borne_off(&self, state: &Self::State) -> u8 {
        let cells = state.cells();
        let marked = if self.rules().marked > 0 { cells[MARKED_OFF].max(0) } else { 0 };
        (cells[self.rules().places.off[0]].max(0) + marked).unsigned_abs()
    }

    fn most_to_lose(&self, state: &Self::State) -> WinKind {
        self.most_to_lose_with(state.cells()[self.rules().places.off[0]])
    }

    fn baseline(&self) -> Box<dyn Evaluator<Self>> {
        Box::new(RuleBasedEvaluator::new(*self))
    }

    /// No match of Trictrac begins with a double (G-04).
    fn opening_rolls(&self) -> Vec<(TablesDice, u8)> {
        let can_begin = |roll: TablesDice| !(self.options().is_trictrac() && roll.is_double());
        self.rolls().iter().copied().filter(|&(roll, _)| can_begin(roll)).collect()
    }

    /// With other options a state means the same, as long as its layout does.
    fn trained_as(&self, id: &str) -> Option<Self> {
        let trained = Self::new(id.parse().ok()?);
        let is_same_game = trained.options().name() == self.options().name();
        (is_same_game && trained.layout() == self.layout()).then_some(trained)
    }

    fn possible_events(&self) -> &'static [TurnEvent] {
        use TurnEvent::{
            Barata, CapBinds, DiceLeft, DiceLost, Double, ExtraRoll, FirstTurnLoss, GuardOff, Hit,
            InheritedDeclined, InheritedPlayed, InheritedWin, LockedOut, OwnBarata, Pass,
            StackMoved, Triple,
        };
        match self.options() {
            OldOptions::Tabula(_) => &[Hit, Pass, LockedOut, DiceLost, FirstTurnLoss],
            OldOptions::Puff(_) => &[Hit, Pass, LockedOut, DiceLost, CapBinds, Double, ExtraRoll],
            OldOptions::Fallas(_) => &[Hit, Pass, LockedOut, DiceLost, GuardOff],
            OldOptions::Emperador(_) => &[Hit, Pass, LockedOut, DiceLost, Barata, OwnBarata],
            OldOptions::TodasTablas(_) => &[Hit, Pass, LockedOut, DiceLost],
            OldOptions::Ludus(_) => &[Hit, StackMoved, Triple, Pass, LockedOut, DiceLost],
            OldOptions::Trictrac(options) => match options.ecole {
                Switch::On => trictrac::POSSIBLE_EVENTS,
                Switch::Off => &trictrac::POSSIBLE_EVENTS[..trictrac::POSSIBLE_EVENTS.len() - 1],
            },
            OldOptions::Buffa(_) => &[
                Hit,
                Pass,
                LockedOut,
                DiceLost,
                FirstTurnLoss,
                DiceLeft,
                InheritedPlayed,
                InheritedDeclined,
                InheritedWin,
            ],
        }
    }

    fn turn_events(&self, before: &OldState, dice: TablesDice, after: &OldState) -> Vec<TurnEvent> {
        let mut events = Vec::new();
        if before.cells[self.rules().places.wait] > 0 {
            return events;
        }
        let left = self.flip(after);
        match self.options() {
            OldOptions::Ludus(options) => return options.turn_events(self, before, dice, &left),
            OldOptions::Trictrac(options) => return options.turn_events(before, dice, after),
            _ => {}
        }
        let captives = |state: &OldState| state.cells[OPPONENT_BAR] + state.cells[OPPONENT_HAND];
        if captives(&left) < captives(before) {
            events.push(TurnEvent::Hit);
        }
        if self.is_heir(before) {
            // Inherited dice and turns to wait are all that differs where nothing moves.
            let played = (0..INHERITED).any(|i| i != WAIT && before.cells[i] != left.cells[i]);
            events.push(if played {
                TurnEvent::InheritedPlayed
            } else {
                TurnEvent::InheritedDeclined
            });
            if played && self.outcome(after).is_some() {
                events.push(TurnEvent::InheritedWin);
            }
            return events;
        }
        if self.is_barata(before) {
            events.push(TurnEvent::Barata);
            if (1..=6).all(|point| before.plain(point) > 0) {
                events.push(TurnEvent::OwnBarata);
            }
            return events;
        }
        let rules = self.rules();
        let PlayedTurns { played, unused, .. } = self.rolled::<()>(before, dice);
        let is_first =
            rules.first_turn == FirstTurnRule::EnterEach && before.cells[FIRST_TURN] == 1;
        let waiting = before.cells[BAR]
            + if rules.order == DiceOrder::LowFirst { before.cells[HAND] } else { 0 };
        match (played, unused.is_empty()) {
            (0, _) if waiting > 0 => events.push(TurnEvent::LockedOut),
            (0, _) => events.push(TurnEvent::Pass),
            (_, false) => events.push(TurnEvent::DiceLost),
            _ => {}
        }
        if is_first && !unused.is_empty() {
            events.push(TurnEvent::FirstTurnLoss);
        }
        if left.cells[OFF] > before.cells[OFF] && rules.marked > 0 {
            events.push(TurnEvent::GuardOff);
        }
        if let OldOptions::Puff(options) = self.options() {
            self.puff_events(options, before, dice, &left, &mut events);
        }
        if left.cells[INHERITED..INHERITED + 6].iter().any(|&n| n < 0) && rules.inherit.is_some() {
            events.push(TurnEvent::DiceLeft);
        }
        events
    }

    fn turn_reasons(&self, before: &OldState, dice: TablesDice, after: &OldState) -> Vec<String> {
        match self.options() {
            OldOptions::Trictrac(_) if before.cells[self.rules().places.wait] > 0 => Vec::new(),
            OldOptions::Trictrac(options) => options.turn_reasons(before, dice, after),
            _ => {
                let events = self.turn_events(before, dice, after);
                events.into_iter().filter_map(TurnEvent::reason).map(str::to_owned).collect()
            }
        }
    }

    fn is_whole_turn(&self, state: &OldState) -> bool {
        state.cells[self.rules().places.wait] <= 0 && !self.is_heir(state)
    }

    fn possible_endings(&self) -> &'static [EndingRule] {
        use EndingRule::{Barata, BorneOff, Dead, Holes, Prime, Stuck};
        let rules = self.rules();
        if self.options().is_trictrac() {
            return &[Holes];
        }
        match (rules.lock, rules.stuck, rules.can_be_dead()) {
            (LockRule::Barata { .. }, ..) => &[BorneOff, Barata, Dead],
            (LockRule::Prime, ..) => &[BorneOff, Prime, Dead],
            (LockRule::Turn, StuckRule::Loses, _) => &[BorneOff, Stuck, Dead],
            (LockRule::Turn, StuckRule::Passes, true) => &[BorneOff, Dead],
            (LockRule::Turn, StuckRule::Passes, false) => &[BorneOff],
        }
    }

    fn ending(&self, state: &OldState) -> Option<EndingRule> {
        let outcome = self.outcome(state)?;
        let cells = &state.cells;
        match self.options() {
            OldOptions::Ludus(_) => return Some(EndingRule::BorneOff),
            OldOptions::Trictrac(_) => return Some(EndingRule::Holes),
            _ => {}
        }
        Some(if cells[LOST] != 0 {
            EndingRule::Stuck
        } else if self.rules().is_off(cells[OFF], cells[MARKED_OFF])
            || self.rules().is_off(-cells[OPPONENT_OFF], -cells[OPPONENT_TALLY])
        {
            EndingRule::BorneOff
        } else if outcome == Outcome::Draw {
            EndingRule::Dead
        } else if self.rules().lock == LockRule::Prime {
            EndingRule::Prime
        } else {
            EndingRule::Barata
        })
    }
}

impl OldGame {
    /// Whether the player on roll has inherited dice to play before the roll.
    pub(crate) fn is_heir(&self, state: &OldState) -> bool {
        self.rules().inherit.is_some()
            && state.cells[INHERITED..INHERITED + 6].iter().any(|&n| n > 0)
    }

    fn puff_events(
        &self,
        options: &PuffOptions,
        before: &OldState,
        dice: TablesDice,
        left: &OldState,
        events: &mut Vec<TurnEvent>,
    ) {
        if options.cap == PuffCap::Middle {
            let free = Self::new(OldOptions::Puff(PuffOptions { cap: PuffCap::None, ..*options }));
            let afterstates = |game: &Self| {
                let mut afterstates = Vec::new();
                game.afterstates(before, dice, &mut afterstates);
                afterstates.sort_unstable_by_key(|state| state.cells);
                afterstates
            };
            if afterstates(self) != afterstates(&free) {
                events.push(TurnEvent::CapBinds);
            }
        }
        if dice.is_double() {
            events.push(TurnEvent::Double);
        }
        if left.cells[WAIT] < 0 {
            events.push(TurnEvent::ExtraRoll);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events of the first way to play a roll whose words begin like this.
    fn events(game: &str, position: &str, roll: &str, play: &str) -> Vec<TurnEvent> {
        let game = OldGame::new(game.parse().unwrap());
        let state = game.parse_position(position).unwrap();
        let dice = roll.parse().unwrap();
        let plays = game.plays(&state, dice);
        let found = plays.iter().find(|(words, _)| words.to_string().starts_with(play));
        let (_, after) = found.unwrap_or_else(|| panic!("{play} is not in {plays:?}"));
        game.turn_events(&state, dice, after)
    }

    #[test]
    fn special_rules_are_seen_when_they_have_a_say() {
        use TurnEvent::*;
        for (game, position, roll, play, expected) in [
            // Golden test 2 of Tabula: the 3 is closed, a 5 hits.
            (
                "tabula",
                "hand:15 first / 3:2 5:1 hand:12",
                "355",
                "",
                &[Hit, DiceLost, FirstTurnLoss][..],
            ),
            ("tabula", "10:14 bar:1 / 1:2 4:2 6:11", "144", "pass", &[LockedOut]),
            ("puff", "4:15 / 6:2 1:13", "52", "pass", &[Pass]),
            ("puff", "5:13 8:2 / 1:15", "32", "", &[CapBinds]),
            ("puff", "20:15 / 1:15", "66", "", &[Double]),
            ("fallas", "start", "555", "pass", &[Pass]),
            ("fallas", "start", "666", "19-off", &[GuardOff]),
            (
                "emperador",
                "1:9 2:1 4:1 6:1 15:2 bar:1 / 22:2 20:2 3:11",
                "321",
                "barata",
                &[Barata],
            ),
            (
                "emperador",
                "1:1 2:1 3:1 4:1 5:1 6:1 15:8 bar:1 / 13:15",
                "321",
                "barata",
                &[Barata, OwnBarata],
            ),
            ("buffa", "23:1 22:1 24:13 / 1:15", "542", "22-24", &[DiceLost, DiceLeft]),
            ("buffa", "1:15 inherits:54 / 23:1 24:14", "321", "pass", &[InheritedDeclined]),
            ("buffa", "1:15 inherits:54 / 23:1 24:14", "321", "1-", &[InheritedPlayed]),
            ("buffa", "24:1 inherits:5 / 1:15", "321", "24-off", &[InheritedPlayed, InheritedWin]),
        ] {
            let mut found = events(game, position, roll, play);
            found.sort_unstable();
            let mut expected = expected.to_vec();
            expected.sort_unstable();
            assert_eq!(found, expected, "{game} {position} {roll} {play}");
            let possible = OldGame::new(game.parse().unwrap());
            let possible = possible.possible_events();
            assert!(found.iter().all(|event| possible.contains(event)), "{game} {found:?}");
        }
    }

    #[test]
    fn a_heir_has_no_turn_of_his_own_yet() {
        let game = OldGame::new("buffa".parse().unwrap());
        let heir = game.parse_position("1:15 inherits:54 / 23:1 24:14").unwrap();
        assert!(!game.is_whole_turn(&heir) && game.is_whole_turn(&game.start()));
    }

    #[test]
    fn games_can_end_by_their_own_rules_alone() {
        use EndingRule::*;
        for (game, expected) in [
            ("tabula", &[BorneOff][..]),
            ("puff:direction=reverse", &[BorneOff, Dead]),
            ("fallas", &[BorneOff, Dead]),
            ("fallas:historical_fail=on", &[BorneOff, Stuck, Dead]),
            ("emperador", &[BorneOff, Barata, Dead]),
            ("emperador:barata=historical", &[BorneOff, Prime, Dead]),
        ] {
            let game = OldGame::new(game.parse().unwrap());
            assert_eq!(game.possible_endings(), expected, "{game:?}");
        }
    }

    #[test]
    fn names_are_different() {
        for game in OldOptions::all().map(OldGame::new) {
            let mut names: Vec<_> =
                game.possible_events().iter().map(|event| event.name()).collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count);
        }
    }
}
