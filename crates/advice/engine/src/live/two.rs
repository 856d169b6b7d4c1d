//! An old game for two, without a cube, while it is played.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use tavola_evaluator::{EndingRule, PlayableGame};
use tavola_games::{AnyGame, OldGame};
use tavola_rules::Game;
use tavola_rules::board::{Board, BoardView, ScriptaView, Side, Stack, Trays};
use tavola_rules::notation::Situation;

use super::table::{TableQuestion, Turn};
use super::{
    Awaited, DiceSource, GameBoard, GameEnd, Hint, LiveError, Mistake, SeatAction, in_words,
};
use crate::effort::Effort;
use crate::error::{EngineError, ErrorKind, Result};
use crate::operations::{Best, BestAnswer};
use crate::question::Question;

/// Advice looks this far ahead: these games have more plays a roll than backgammon.
pub(super) const PLY: u8 = 1;

/// Checkers of a side in the game of three rows.
const SCRIPTA_CHECKERS: u8 = 15;

type State = <OldGame as Game>::State;
type Roll = <OldGame as Game>::Roll;

/// A game for two: the position of the seat on roll, and the roll that it plays.
#[derive(Clone)]
pub(super) struct TwoTurn {
    game: OldGame,
    state: State,
    on_roll: Option<usize>,
    roll: Option<Roll>,
    dice: DiceSource,
}

impl TwoTurn {
    /// A game before the opening roll.
    pub(super) fn new(game: OldGame, dice: DiceSource) -> Self {
        Self { state: game.start(), on_roll: None, roll: None, game, dice }
    }

    fn seat(&self) -> usize {
        self.on_roll.unwrap_or(0)
    }

    /// Whether a roll of real dice comes next.
    fn throws_real_dice(&self) -> bool {
        self.dice == DiceSource::Typed && self.game.is_whole_turn(&self.state)
    }

    /// Whether the dice that find who begins are the first roll: then it is no double.
    fn opens_with_a_die_each(&self) -> bool {
        self.game.opening_rolls().len() < self.game.rolls().len()
    }

    fn named(&self) -> Vec<(String, State)> {
        self.roll.map_or_else(Vec::new, |roll| self.game.named_afterstates(&self.state, roll))
    }

    /// The play that a text names, in the words of the game.
    fn parse(&self, text: &str) -> Result<(String, State), LiveError> {
        let unplayable = || LiveError::Play(format!("{text:?} can't be played, there is no roll"));
        let roll = self.roll.ok_or_else(unplayable)?;
        // A turn in which nothing moves has a name too.
        let named = self.named().into_iter().find(|(play, _)| play == text.trim());
        if let Some(named) = named {
            return Ok(named);
        }
        let parsed = self.game.parse_play(text, &self.state, roll);
        parsed
            .map(|(play, after)| (play.to_string(), after))
            .map_err(|error| LiveError::Play(error.to_string()))
    }

    /// The position as a seat sees it.
    fn seen_by(&self, seat: usize) -> Situation<State, Roll> {
        let is_over = self.game.outcome(&self.state).is_some();
        let is_seats = self.seat() == seat;
        let position = if is_seats { self.state } else { self.game.flip(&self.state) };
        let dice = self.roll.filter(|_| is_seats && !is_over);
        Situation { dice, ..Situation::of(position) }
    }

    /// Checkers borne off by the user and by the other side.
    fn off(&self, user: usize) -> [u8; 2] {
        let state = self.seen_by(user).position;
        [self.game.borne_off(&state), self.game.borne_off(&self.game.flip(&state))]
    }

    /// The plays of the roll by the engine, best first.
    fn ranked(
        &self,
        effort: Effort,
        best: &Best,
        asking: &TableQuestion<'_>,
    ) -> Result<BestAnswer> {
        let question = Question {
            position: Some(self.position()),
            dice: self.roll.map(|roll| roll.to_string()),
            effort,
            ..Question::start(AnyGame::from(self.game).into())
        };
        asking.ask(question, best)
    }
}

impl Turn for TwoTurn {
    fn brief(&self) -> &'static str {
        self.game.brief()
    }

    fn awaited(&self) -> Awaited {
        let Some(outcome) = self.game.outcome(&self.state) else {
            return match (self.on_roll, self.roll) {
                (None, _) => Awaited::Opening,
                (Some(seat), None) if self.throws_real_dice() => Awaited::Dice(seat),
                (Some(seat), None) => Awaited::Roll(seat),
                (Some(seat), Some(_)) => Awaited::Play(seat),
            };
        };
        let points = outcome.points();
        let winner = match points {
            0 => None,
            1.. => Some(self.seat()),
            _ => Some(1 - self.seat()),
        };
        let mut gains = vec![0.0; 2];
        if let Some(winner) = winner {
            gains[winner] = f64::from(points.unsigned_abs());
        }
        let how =
            self.game.ending(&self.state).unwrap_or(EndingRule::BorneOff).meaning().to_owned();
        Awaited::GameOver(GameEnd { winner, gains, how })
    }

    fn on_roll(&self) -> Option<usize> {
        self.on_roll
    }

    fn throw(&self, rng: &mut ChaCha8Rng) -> (usize, Vec<u8>) {
        let (seat, roll) = match self.on_roll {
            None => {
                let starter = usize::from(!rng.random_bool(0.5));
                (starter, self.game.opening_roll(rng))
            }
            Some(seat) => (seat, self.game.roll(rng)),
        };
        (seat, self.game.numbers(roll))
    }

    fn act(&mut self, seat: usize, action: &SeatAction) -> Result<SeatAction, LiveError> {
        let roll = |dice: &[u8]| {
            let roll = self.game.parse_roll(&in_words(dice.to_vec()));
            roll.map_err(|error| LiveError::Dice(error.to_string()))
        };
        match action {
            SeatAction::Roll { dice: Some(dice) } => {
                self.roll = match (self.on_roll, self.dice) {
                    // A die each finds who begins; in some games these are the first roll.
                    (None, DiceSource::Typed) if !self.opens_with_a_die_each() => {
                        let faces = dice.iter().map(|&die| vec![die; self.thrown().0]);
                        faces.into_iter().try_for_each(|faces| roll(&faces).map(drop))?;
                        None
                    }
                    _ => Some(roll(dice)?),
                };
                self.on_roll = Some(seat);
                Ok(action.clone())
            }
            SeatAction::Play { play } => {
                let (play, after) = self.parse(play)?;
                (self.state, self.roll, self.on_roll) = (after, None, Some(1 - seat));
                Ok(SeatAction::Play { play })
            }
            _ => Err(LiveError::Play(format!("{:?} belongs to games with a cube", action.name()))),
        }
    }

    fn next_game(&mut self) -> Result<(), LiveError> {
        *self = Self::new(self.game, self.dice);
        Ok(())
    }

    fn roll(&self) -> Option<Vec<u8>> {
        self.roll.map(|roll| self.game.numbers(roll))
    }

    fn told_roll(&self) -> Option<Vec<u8>> {
        // In turns between, no dice are thrown.
        self.roll().filter(|_| self.game.is_whole_turn(&self.state))
    }

    fn thrown(&self) -> (usize, u8) {
        (self.game.numbers(self.game.rolls()[0].0).len(), 6)
    }

    fn plays(&self) -> Vec<String> {
        self.named().into_iter().map(|(play, _)| play).collect()
    }

    fn reasons(&self, _: usize, action: &SeatAction) -> Vec<String> {
        let SeatAction::Play { play } = action else { return Vec::new() };
        match (self.roll, self.parse(play)) {
            (Some(roll), Ok((_, after))) => self.game.turn_reasons(&self.state, roll, &after),
            _ => Vec::new(),
        }
    }

    fn drawing(&self, user: usize, _: &[String]) -> Board {
        self.game.board_view(&self.seen_by(user), &[])
    }

    fn board(&self, user: usize) -> GameBoard {
        match self.drawing(user, &[]) {
            Board::Points(view) => points(*view, self.off(user)),
            Board::Scripta(view) => scripta(*view, self.off(user)),
            Board::Round(_) => unreachable!("round boards are for more than two players"),
        }
    }

    fn position(&self) -> String {
        self.game.write_state(&self.state)
    }

    fn decide(&self, _: usize, asking: &TableQuestion<'_>) -> Result<SeatAction> {
        let (plays, effort) = (self.named(), asking.setup.strength.effort());
        let answer = self.ranked(effort, &Best::default(), asking)?;
        let noisy = answer.plays.iter().filter_map(|ranked| {
            let after = self.game.parse_state(&ranked.position).ok()?;
            let (play, _) = plays.iter().find(|(_, state)| *state == after)?;
            let noise = asking.noise(self.game.identity_cells(&after));
            Some((play, f64::from(ranked.equity) + noise))
        });
        let chosen = asking.choose(noisy).ok_or_else(|| {
            EngineError::new(ErrorKind::Internal, "no play of the roll was evaluated")
        })?;
        Ok(SeatAction::Play { play: chosen.clone() })
    }

    fn hint(&self, asking: &TableQuestion<'_>) -> Result<Hint> {
        let best = Best { top: Some(5), ..Best::default() };
        Ok(Hint::Plays(Box::new(self.ranked(Effort::at(PLY), &best, asking)?)))
    }

    fn mistake(&self, action: &SeatAction, asking: &TableQuestion<'_>) -> Result<Option<Mistake>> {
        let SeatAction::Play { play } = action else { return Ok(None) };
        let played = Some(self.parse(play)?.0);
        let best = Best { top: Some(1), played, ..Best::default() };
        let effort = Effort::at(asking.ply.unwrap_or(PLY));
        Ok(Mistake::of(self.ranked(effort, &best, asking)?))
    }
}

fn signed(stack: &Stack) -> i8 {
    let sign = if stack.side == Side::Player { 1 } else { -1 };
    sign * stack.height() as i8
}

fn points(view: BoardView, off: [u8; 2]) -> GameBoard {
    let hand = match view.trays {
        Trays::Hand(hand) => hand,
        Trays::Off(_) => [0; 2],
    };
    GameBoard::Points {
        points: view.points.iter().map(|stack| [signed(stack), stack.marked as i8]).collect(),
        bar: view.bar.map(Stack::height),
        hand,
        off,
    }
}

fn scripta(view: ScriptaView, off: [u8; 2]) -> GameBoard {
    let on_track = |side: Side| -> u8 {
        view.track.iter().filter(|stack| stack.side == side).map(|stack| stack.height()).sum()
    };
    let hand = |index: usize, side: Side| {
        let entered = view.entry[index].iter().sum::<u8>() + view.bar[index] + off[index];
        SCRIPTA_CHECKERS.saturating_sub(entered + on_track(side))
    };
    GameBoard::Scripta {
        hand: [hand(0, Side::Player), hand(1, Side::Opponent)],
        track: view.track.iter().map(signed).collect(),
        entry: view.entry,
        bar: view.bar,
        off,
    }
}
