//! What a program needs of a game beyond its rules: texts, boards, classes of positions, and
//! evaluators to play with.
//!
//! [`PlayableGame`] is everything that an engine, an arena or a command line asks of a game, so
//! that none of them knows which games there are. What one game has and another lacks is a
//! capability of the trait: [`HAS_CUBE`](PlayableGame::HAS_CUBE) and
//! [`cube_evaluator`](PlayableGame::cube_evaluator), [`phase`](PlayableGame::phase),
//! [`shots`](PlayableGame::shots), [`behind_tables`](PlayableGame::behind_tables).

use std::fmt::Display;
use std::sync::Arc;

use tavola_bearoff::{RaceSide, Tables, WholeGame};
use tavola_rules::board::Board;
use tavola_rules::notation::Situation;
use tavola_rules::{Game, WinKind};

pub use self::events::{EndingRule, TurnEvent};
use crate::cubeful::CubeEvaluator;
use crate::evaluator::Evaluator;
use crate::explain::{Features, Shots};
use crate::phase::{BackGame, Phase};

mod backgammon;
mod events;

/// A text that does not fit a game: a position, a roll, a play. It says what is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TextError(String);

impl TextError {
    /// The error with its causes in one line.
    pub fn new(error: impl std::error::Error + 'static) -> Self {
        Self(tavola_files::chain(&error))
    }

    /// This message.
    pub fn of(message: impl Display) -> Self {
        Self(message.to_string())
    }
}

/// A position of the game with what is known about it: dice, and in games with a cube also cube,
/// offer and score.
pub type SituationOf<G> = Situation<<G as Game>::State, <G as Game>::Roll>;

/// The forms in which a position can be written. [`Text`](Self::Text) exists in every game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenForm {
    /// GNU Position ID: the checkers alone.
    PositionId,
    /// GNU Match ID: cube, score and dice alone.
    MatchId,
    /// GNU Position ID and Match ID, with a colon between.
    GnubgId,
    /// XGID.
    Xgid,
    /// OGID.
    Ogid,
    /// A FIBS board.
    Fibs,
    /// 26 integers: opponent's bar, points 1 to 24, own bar.
    Ints,
    /// The game's own notation.
    Text,
}

/// A position in some [`WrittenForm`].
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
pub enum Written {
    /// 26 integers.
    Counts(Vec<i8>),
    /// Any other form.
    Text(String),
}

impl Display for Written {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Counts(counts) => {
                let counts: Vec<String> = counts.iter().map(i8::to_string).collect();
                f.write_str(&counts.join(","))
            }
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// The moves of a play in words, in an order that does not depend on how they were written.
fn sorted_moves(play: &str) -> Vec<String> {
    let plain = |word: &str| word.replace('*', "").to_lowercase();
    let mut moves: Vec<String> = play.split_whitespace().map(plain).collect();
    moves.sort_unstable();
    moves
}

/// What a program asks of a game, beyond its rules.
pub trait PlayableGame: Game {
    /// A play in words, by its `Display`.
    type Play: Copy + Display + Send + Sync + 'static;

    /// The name of the game's simple player on command lines and in configurations.
    const BASELINE: &'static str;

    /// Whether the game is played with a doubling cube and in matches.
    const HAS_CUBE: bool = false;

    /// The rules in a few sentences.
    fn brief(&self) -> &'static str;

    /// Reads a position with all that its text carries: dice, and in games with a cube also cube
    /// and score. `start` is the position at the start.
    ///
    /// # Errors
    ///
    /// [`TextError`] says what is wrong with it.
    fn parse(&self, text: &str) -> Result<SituationOf<Self>, TextError>;

    /// As [`parse`](Self::parse), with one line for everything in the text that no answer depends
    /// on, to be shown as a warning.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
    fn parse_with_warnings(
        &self,
        text: &str,
    ) -> Result<(SituationOf<Self>, Vec<String>), TextError> {
        Ok((self.parse(text)?, Vec::new()))
    }

    /// Reads a position; what else the text carries is ignored.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
    fn parse_state(&self, text: &str) -> Result<Self::State, TextError> {
        self.parse(text).map(|situation| situation.position)
    }

    /// Writes a position so that [`parse`](Self::parse) reads it.
    fn write_state(&self, state: &Self::State) -> String;

    /// Writes position, dice, cube and score so that [`parse`](Self::parse) reads them, as far as
    /// the notation of the game goes.
    fn write(&self, situation: &SituationOf<Self>) -> String {
        self.write_state(&situation.position)
    }

    /// The forms, apart from [`WrittenForm::Text`], in which positions of this game can be written.
    fn forms(&self) -> &'static [WrittenForm] {
        &[]
    }

    /// Writes a situation in a form; `None` if the game does not have this form.
    ///
    /// # Errors
    ///
    /// [`TextError`] if a number is too large for the form.
    fn write_as(
        &self,
        situation: &SituationOf<Self>,
        form: WrittenForm,
    ) -> Option<Result<Written, TextError>> {
        (form == WrittenForm::Text)
            .then(|| Ok(Written::Text(self.write_state(&situation.position))))
    }

    /// Reads a roll.
    ///
    /// # Errors
    ///
    /// [`TextError`] says what is wrong with it.
    fn parse_roll(&self, text: &str) -> Result<Self::Roll, TextError>;

    /// The numbers of a roll, the highest first.
    fn numbers(&self, roll: Self::Roll) -> Vec<u8>;

    /// Every distinct afterstate of a roll, seen by the opponent, with one way to reach it, in the
    /// order of [`Game::afterstates`]. Nothing if the game is over, or if it has no name for a turn
    /// without a play.
    fn plays(&self, state: &Self::State, roll: Self::Roll) -> Vec<(Self::Play, Self::State)>;

    /// As [`plays`](Self::plays) in words, where a turn without a play is listed as a pass.
    fn named_afterstates(
        &self,
        state: &Self::State,
        roll: Self::Roll,
    ) -> Vec<(String, Self::State)> {
        let plays = self.plays(state, roll);
        if plays.is_empty() && self.outcome(state).is_none() {
            return vec![("pass".to_owned(), self.flip(state))];
        }
        plays.into_iter().map(|(play, after)| (play.to_string(), after)).collect()
    }

    /// The play of a roll that leads to `after`, if there is one.
    fn play_to(
        &self,
        state: &Self::State,
        roll: Self::Roll,
        after: &Self::State,
    ) -> Option<Self::Play> {
        let mut plays = self.plays(state, roll).into_iter();
        plays.find(|(_, result)| result == after).map(|(play, _)| play)
    }

    /// Reads a play of a roll; the afterstate comes with it. Its moves may stand in any order, and
    /// the stars of hits may be left out.
    ///
    /// # Errors
    ///
    /// [`TextError`] if the text is not a legal play of the roll.
    fn parse_play(
        &self,
        text: &str,
        state: &Self::State,
        roll: Self::Roll,
    ) -> Result<(Self::Play, Self::State), TextError> {
        let plays = self.plays(state, roll);
        let exact = plays.iter().find(|(play, _)| play.to_string() == text.trim());
        let moves = sorted_moves(text);
        let same = || plays.iter().find(|(play, _)| sorted_moves(&play.to_string()) == moves);
        exact.or_else(same).copied().ok_or_else(|| {
            let of = plays.len();
            let such_as = |(play, _): &(Self::Play, _)| format!(" such as {play}");
            let such_as = plays.first().map_or_else(String::new, such_as);
            TextError::of(format_args!(
                "{text:?} is no play of {roll}, expected one of its {of} legal plays{such_as}"
            ))
        })
    }

    /// The board to draw, from the player on roll, where it can be done with arrows in these
    /// colors for plays of the roll.
    fn board_view(
        &self,
        situation: &SituationOf<Self>,
        plays: &[(Self::Play, &'static str)],
    ) -> Board;

    /// Pips that the player on roll still has to travel.
    fn pips(&self, state: &Self::State) -> u32;

    /// Checkers that the player on roll has borne off.
    fn borne_off(&self, state: &Self::State) -> u8;

    /// The most that the player on roll can still lose, whatever is rolled and played. Who is
    /// offered this much with a resignation can win no more by playing on.
    fn most_to_lose(&self, state: &Self::State) -> WinKind {
        let _ = state;
        self.largest_win()
    }

    /// The kind of game that an unfinished position is; `None` in games without such kinds.
    fn phase(&self, state: &Self::State) -> Option<Phase> {
        let _ = state;
        None
    }

    /// Both sides of a race, the player on roll first, each as far as the databases know it; `None`
    /// where the sides may still meet, and in games without such figures.
    fn race(
        &self,
        state: &Self::State,
        tables: &dyn Fn() -> Tables,
    ) -> Option<[Option<RaceSide>; 2]> {
        let _ = (state, tables);
        None
    }

    /// The back game that a position is, if it is one; never in games without such a thing.
    fn back_game(&self, state: &Self::State) -> Option<BackGame> {
        let _ = state;
        None
    }

    /// The opponent's shots at the blots of the player who has just played, by the state after the
    /// play; `None` in games without a count of shots.
    fn shots(&self, after: &Self::State) -> Option<Shots> {
        let _ = after;
        None
    }

    /// What a play does and what both sides have after it, by the states before and after; `None` in
    /// games without such words.
    fn features(&self, before: &Self::State, after: &Self::State) -> Option<Features> {
        let _ = (before, after);
        None
    }

    /// Checkers of the player on roll in both states that were hit in between; `None` as for
    /// [`shots`](Self::shots).
    fn checkers_hit(&self, before: &Self::State, after: &Self::State) -> Option<u8> {
        let _ = (before, after);
        None
    }

    /// The evaluator that the simple player follows.
    fn baseline(&self) -> Box<dyn Evaluator<Self>>;

    /// The game whose networks evaluate this one, given that a network was trained for the game of
    /// this id; `None` if it knows nothing of this game.
    fn trained_as(&self, id: &str) -> Option<Self> {
        (self.id() == id).then(|| self.clone())
    }

    /// The evaluator behind the endgame databases that know positions of this game.
    fn behind_tables(
        &self,
        evaluator: Box<dyn Evaluator<Self>>,
        tables: &dyn Fn() -> Tables,
    ) -> Box<dyn Evaluator<Self>> {
        let _ = tables;
        evaluator
    }

    /// The exact evaluator by a solution of this game; `None` if it is the solution of another one.
    fn solved_by(&self, solution: Arc<WholeGame>) -> Option<Box<dyn Evaluator<Self>>> {
        let _ = solution;
        None
    }

    /// An evaluator of plays and doubles with the cube, on top of cubeless ones; `None` in games
    /// without a cube.
    fn cube_evaluator(
        &self,
        main: &dyn Evaluator<Self>,
        pruning: Option<&dyn Evaluator<Self>>,
        tables: &dyn Fn() -> Tables,
    ) -> Option<Box<dyn CubeEvaluator<Self>>> {
        let _ = (main, pruning, tables);
        None
    }

    /// The rolls with which a game can begin, with their weights.
    fn opening_rolls(&self) -> Vec<(Self::Roll, u8)> {
        self.rolls().to_vec()
    }

    /// What is worth counting in this game.
    fn possible_events(&self) -> &'static [TurnEvent];

    /// What of it happened in the turn that led from `before`, seen by the player who made it, to
    /// `after`, seen by the opponent.
    fn turn_events(
        &self,
        before: &Self::State,
        roll: Self::Roll,
        after: &Self::State,
    ) -> Vec<TurnEvent>;

    /// What special rules had to say in that turn, in the words of a log: `+4: hit by 6 on 9`.
    fn turn_reasons(
        &self,
        before: &Self::State,
        roll: Self::Roll,
        after: &Self::State,
    ) -> Vec<String> {
        let events = self.turn_events(before, roll, after);
        events.into_iter().filter_map(TurnEvent::reason).map(str::to_owned).collect()
    }

    /// Whether players would call what happens in this state a turn: some games need turns in
    /// between, in which a player only waits or does not roll yet.
    fn is_whole_turn(&self, state: &Self::State) -> bool {
        let _ = state;
        true
    }

    /// The rules by which the game can end.
    fn possible_endings(&self) -> &'static [EndingRule] {
        &[EndingRule::BorneOff]
    }

    /// By which rule a finished game ended; `None` while it goes on.
    fn ending(&self, state: &Self::State) -> Option<EndingRule> {
        self.outcome(state).map(|_| EndingRule::BorneOff)
    }
}
