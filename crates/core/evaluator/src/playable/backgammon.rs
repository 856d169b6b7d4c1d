//! Backgammon and its variants as playable games: the only ones with a cube and with endgame
//! databases.

use std::sync::Arc;

use tavola_bearoff::{RaceSide, Tables, WholeGame};
use tavola_rules::board::{Board, BoardView};
use tavola_rules::moves::{self, Play};
use tavola_rules::notation::{
    self, MatchId, Reading, Situation, encode_position_id, read_situation,
};
use tavola_rules::{Backgammon, Dice, Game, Position, WinKind, movegen};

use super::events::TurnEvent;
use super::{PlayableGame, TextError, Written, WrittenForm};
use crate::cubeful::{CubeEvaluator, CubefulEvaluator};
use crate::evaluator::Evaluator;
use crate::evaluators::{PipCountEvaluator, SolvedEvaluator, TableEvaluator};
use crate::explain::{self, Features, Shots};
use crate::phase::{BackGame, Phase};

impl PlayableGame for Backgammon {
    type Play = Play;

    const BASELINE: &'static str = "pip-count";
    const HAS_CUBE: bool = true;

    fn brief(&self) -> &'static str {
        match self {
            Self::Standard => "Backgammon as it is played everywhere.",
            Self::Nackgammon => "Backgammon with four checkers a side in the back.",
            Self::Hypergammon => "Backgammon with three checkers a side, on 24, 23 and 22.",
            Self::Longgammon => "Backgammon with all checkers on 24.",
        }
    }

    fn parse(&self, text: &str) -> Result<Situation, TextError> {
        self.parse_with_warnings(text).map(|(situation, _)| situation)
    }

    fn parse_with_warnings(&self, text: &str) -> Result<(Situation, Vec<String>), TextError> {
        let Reading { situation, ignored } = read_situation(text, *self).map_err(TextError::new)?;
        Ok((situation, ignored.iter().map(ToString::to_string).collect()))
    }

    fn write_state(&self, state: &Position) -> String {
        encode_position_id(state)
    }

    fn write(&self, situation: &Situation) -> String {
        // A cube or a score that is too large for an XGID is left out.
        let bare = || Situation { dice: situation.dice, ..Situation::of(situation.position) };
        let write = |situation: &Situation| notation::Form::Xgid.write(situation);
        write(situation)
            .or_else(|_| write(&bare()))
            .unwrap_or_else(|_| encode_position_id(&situation.position))
    }

    fn forms(&self) -> &'static [WrittenForm] {
        use WrittenForm::{Fibs, GnubgId, Ints, MatchId, Ogid, PositionId, Xgid};
        &[PositionId, MatchId, GnubgId, Xgid, Ogid, Fibs, Ints]
    }

    fn write_as(
        &self,
        situation: &Situation,
        form: WrittenForm,
    ) -> Option<Result<Written, TextError>> {
        let text = match form {
            WrittenForm::Ints => {
                return Some(Ok(Written::Counts(situation.position.counts().to_vec())));
            }
            WrittenForm::PositionId | WrittenForm::Text => {
                Ok(encode_position_id(&situation.position))
            }
            WrittenForm::MatchId => MatchId::from_situation(situation).encode(),
            WrittenForm::GnubgId => notation::Form::PositionAndMatchId.write(situation),
            WrittenForm::Xgid => notation::Form::Xgid.write(situation),
            WrittenForm::Ogid => notation::Form::Ogid.write(situation),
            WrittenForm::Fibs => notation::Form::Fibs.write(situation),
        };
        Some(text.map(Written::Text).map_err(TextError::new))
    }

    fn parse_roll(&self, text: &str) -> Result<Dice, TextError> {
        text.parse().map_err(TextError::new)
    }

    fn numbers(&self, roll: Dice) -> Vec<u8> {
        vec![roll.high(), roll.low()]
    }

    fn plays(&self, state: &Position, roll: Dice) -> Vec<(Play, Position)> {
        if self.outcome(state).is_some() { Vec::new() } else { moves::plays(state, roll) }
    }

    fn play_to(&self, state: &Position, roll: Dice, after: &Position) -> Option<Play> {
        moves::play_to(state, roll, after)
    }

    fn parse_play(
        &self,
        text: &str,
        state: &Position,
        roll: Dice,
    ) -> Result<(Play, Position), TextError> {
        notation::parse_play(text, state, roll).map_err(TextError::new)
    }

    fn board_view(&self, situation: &Situation, plays: &[(Play, &'static str)]) -> Board {
        let view = plays.iter().fold(BoardView::from(situation), |board, (play, color)| {
            board.with_play(&situation.position, play, color)
        });
        view.into()
    }

    fn pips(&self, state: &Position) -> u32 {
        state.pip_count()
    }

    fn borne_off(&self, state: &Position) -> u8 {
        state.off()
    }

    /// A single game once the player has borne off a checker, no more than a gammon in a
    /// race with no checker of theirs on the bar or in the opponent's home, otherwise a backgammon.
    fn most_to_lose(&self, position: &Position) -> WinKind {
        let is_back = position.bar() > 0 || (19..=24).any(|point| position.point(point) > 0);
        if position.off() > 0 {
            WinKind::Single
        } else if position.has_contact() || is_back {
            WinKind::Backgammon
        } else {
            WinKind::Gammon
        }
    }

    fn race(&self, state: &Position, tables: &dyn Fn() -> Tables) -> Option<[Option<RaceSide>; 2]> {
        if state.has_contact() {
            return None;
        }
        let tables = tables();
        Some([*state, state.flip()].map(|side| RaceSide::of(&tables, &side)))
    }

    fn phase(&self, state: &Position) -> Option<Phase> {
        (self.checkers() == Self::Standard.checkers()).then(|| Phase::of(state))
    }

    fn back_game(&self, state: &Position) -> Option<BackGame> {
        self.phase(state).and_then(|_| BackGame::of(state))
    }

    fn shots(&self, after: &Position) -> Option<Shots> {
        Some(explain::shots(after))
    }

    fn features(&self, before: &Position, after: &Position) -> Option<Features> {
        Some(Features::of(before, after))
    }

    fn checkers_hit(&self, before: &Position, after: &Position) -> Option<u8> {
        Some(after.bar() - before.bar())
    }

    fn baseline(&self) -> Box<dyn Evaluator<Self>> {
        Box::new(PipCountEvaluator::new(*self))
    }

    /// With as many checkers a side, positions of one variant can arise in the other.
    fn trained_as(&self, id: &str) -> Option<Self> {
        id.parse().ok().filter(|trained: &Self| trained.checkers() == self.checkers())
    }

    fn behind_tables(
        &self,
        evaluator: Box<dyn Evaluator<Self>>,
        tables: &dyn Fn() -> Tables,
    ) -> Box<dyn Evaluator<Self>> {
        Box::new(TableEvaluator::new(tables(), evaluator))
    }

    fn solved_by(&self, solution: Arc<WholeGame>) -> Option<Box<dyn Evaluator<Self>>> {
        (solution.checkers() == self.checkers())
            .then(|| Box::new(SolvedEvaluator::new(solution)) as Box<dyn Evaluator<Self>>)
    }

    fn cube_evaluator(
        &self,
        main: &dyn Evaluator<Self>,
        pruning: Option<&dyn Evaluator<Self>>,
        tables: &dyn Fn() -> Tables,
    ) -> Option<Box<dyn CubeEvaluator<Self>>> {
        let pruning = pruning.map(Evaluator::fork);
        let evaluator = CubefulEvaluator::new(*self, main.fork(), pruning);
        Some(Box::new(evaluator.with_tables(tables())))
    }

    /// Never a double.
    fn opening_rolls(&self) -> Vec<(Dice, u8)> {
        self.rolls().iter().copied().filter(|(dice, _)| !dice.is_double()).collect()
    }

    fn possible_events(&self) -> &'static [TurnEvent] {
        &[TurnEvent::Hit, TurnEvent::Pass, TurnEvent::LockedOut]
    }

    fn turn_events(&self, before: &Position, roll: Dice, after: &Position) -> Vec<TurnEvent> {
        let mut events = Vec::new();
        // The afterstate is seen by the opponent, who is on roll.
        if after.bar() > before.opponent_bar() {
            events.push(TurnEvent::Hit);
        }
        let mut afterstates = Vec::new();
        movegen::afterstates(before, roll, &mut afterstates);
        if afterstates.is_empty() {
            events.push(if before.bar() > 0 { TurnEvent::LockedOut } else { TurnEvent::Pass });
        }
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_the_rules_allow_can_be_lost() {
        let most = |mine: &[(usize, u8)], theirs: &[(usize, u8)]| {
            let position = Position::from_points(mine, theirs, 15).unwrap();
            Backgammon::Standard.most_to_lose(&position)
        };
        // One is off, and another is back before a closed board.
        assert_eq!(most(&[(6, 13), (25, 1)], &[(6, 8)]), WinKind::Single);
        assert_eq!(most(&[(6, 14)], &[(6, 15)]), WinKind::Single);
        // In a race: all past the opponent's home, or one still there.
        assert_eq!(most(&[(6, 14), (18, 1)], &[(5, 8)]), WinKind::Gammon);
        assert_eq!(most(&[(6, 14), (19, 1)], &[(5, 8)]), WinKind::Backgammon);
        // A checker that can be hit can be sent back.
        assert_eq!(most(&[(6, 14), (13, 1)], &[(5, 7), (14, 1)]), WinKind::Backgammon);
        let start = Position::STANDARD;
        assert_eq!(Backgammon::Standard.most_to_lose(&start), WinKind::Backgammon);
    }
}
