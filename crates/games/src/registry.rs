//! Every game of the project by name.
//!
//! Programs are generic over [`Game`]; which one is played is known only when a name is typed. An
//! [`AnyGame`] is that name's game, and [`AnyGame::visit`] goes from the value to the type: it
//! calls a [`GameVisitor`], whose method is generic, with the game at hand. So a program needs one
//! visitor for each thing that it does, and no line that knows the games there are.

use std::fmt;
use std::str::FromStr;

use tavola_evaluator::{Evaluator, PipCountEvaluator};
use tavola_rules::board::{self, Charset, Color};
use tavola_rules::notation::{encode_position_id, parse_situation_with_checkers};
use tavola_rules::{Backgammon, Game, moves};

use crate::engine::Tables;
use crate::events::{self, Ending, Event};
use crate::options::{OptionsError, TablesOptions};
use crate::rule_based::RuleBasedEvaluator;

/// A text that does not fit a game: a position, a roll. It says what is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TextError(String);

impl TextError {
    fn new(error: impl std::error::Error) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            message = format!("{message}: {error}");
            source = error.source();
        }
        Self(message)
    }
}

/// What a program around a game asks of it, beyond its rules: texts, boards, and a player to
/// measure against.
pub trait PlayableGame: Game {
    /// The rules in a few sentences.
    fn brief(&self) -> &'static str;

    /// Reads a position.
    ///
    /// # Errors
    ///
    /// [`TextError`] says what is wrong with it.
    fn parse_state(&self, text: &str) -> Result<Self::State, TextError>;

    /// Writes a position so that [`parse_state`](Self::parse_state) reads it.
    fn write_state(&self, state: &Self::State) -> String;

    /// Reads a roll.
    ///
    /// # Errors
    ///
    /// [`TextError`] says what is wrong with it.
    fn parse_roll(&self, text: &str) -> Result<Self::Roll, TextError>;

    /// Every distinct result of a roll, seen by the opponent, with one way to reach it in words;
    /// nothing if the game is over. A pass is listed.
    fn named_results(&self, state: &Self::State, roll: Self::Roll) -> Vec<(String, Self::State)>;

    /// The board as lines of text without a newline at the end, from the player on roll.
    fn draw_text(
        &self,
        state: &Self::State,
        roll: Option<Self::Roll>,
        charset: Charset,
        color: Color,
    ) -> String;

    /// The board as a self-contained SVG image, from the player on roll.
    fn draw_svg(&self, state: &Self::State, roll: Option<Self::Roll>) -> String;

    /// The name of the game's simple player on command lines and in configurations.
    const BASELINE: &'static str;

    /// The judge that the simple player follows.
    fn baseline(&self) -> Box<dyn Evaluator<Self>>;

    /// The rolls with which a game can begin, with their weights.
    fn opening_rolls(&self) -> Vec<(Self::Roll, u8)> {
        self.rolls().to_vec()
    }

    /// What is worth counting in this game.
    fn possible_events(&self) -> &'static [Event];

    /// What of it happened in the turn that led from `before`, seen by the player who made it, to
    /// `after`, seen by his opponent.
    fn turn_events(
        &self,
        before: &Self::State,
        roll: Self::Roll,
        after: &Self::State,
    ) -> Vec<Event>;

    /// Whether players would call what happens in this state a turn: some games need turns in
    /// between, in which a player only waits or does not roll yet.
    fn is_whole_turn(&self, state: &Self::State) -> bool {
        let _ = state;
        true
    }

    /// The rules by which the game can end.
    fn possible_endings(&self) -> &'static [Ending] {
        &[Ending::BorneOff]
    }

    /// By which rule a finished game ended; `None` while it goes on.
    fn ending(&self, state: &Self::State) -> Option<Ending> {
        self.outcome(state).map(|_| Ending::BorneOff)
    }
}

impl PlayableGame for Backgammon {
    fn brief(&self) -> &'static str {
        match self {
            Self::Standard => "Backgammon as it is played everywhere.",
            Self::Nackgammon => "Backgammon with four checkers a side in the back.",
            Self::Hypergammon => "Backgammon with three checkers a side, on 24, 23 and 22.",
            Self::Longgammon => "Backgammon with all checkers on 24.",
        }
    }

    fn parse_state(&self, text: &str) -> Result<Self::State, TextError> {
        if text.trim().eq_ignore_ascii_case("start") {
            return Ok(self.start_position());
        }
        parse_situation_with_checkers(text, self.checkers())
            .map(|situation| situation.position)
            .map_err(TextError::new)
    }

    fn write_state(&self, state: &Self::State) -> String {
        encode_position_id(state)
    }

    fn parse_roll(&self, text: &str) -> Result<Self::Roll, TextError> {
        text.parse().map_err(TextError::new)
    }

    fn named_results(&self, state: &Self::State, roll: Self::Roll) -> Vec<(String, Self::State)> {
        if self.outcome(state).is_some() {
            return Vec::new();
        }
        let plays = moves::plays(state, roll);
        if plays.is_empty() {
            return vec![("pass".to_owned(), self.flip(state))];
        }
        plays.into_iter().map(|(play, after)| (play.to_string(), after)).collect()
    }

    fn draw_text(
        &self,
        state: &Self::State,
        roll: Option<Self::Roll>,
        charset: Charset,
        color: Color,
    ) -> String {
        board::text(&situation(state, roll), charset, color)
    }

    fn draw_svg(&self, state: &Self::State, roll: Option<Self::Roll>) -> String {
        board::svg(&situation(state, roll), None)
    }

    const BASELINE: &'static str = "pip-count";

    fn baseline(&self) -> Box<dyn Evaluator<Self>> {
        Box::new(PipCountEvaluator::new(*self))
    }

    fn opening_rolls(&self) -> Vec<(Self::Roll, u8)> {
        events::opening_rolls_of_backgammon(*self)
    }

    fn possible_events(&self) -> &'static [Event] {
        events::OF_BACKGAMMON
    }

    fn turn_events(
        &self,
        before: &Self::State,
        roll: Self::Roll,
        after: &Self::State,
    ) -> Vec<Event> {
        events::of_backgammon(before, roll, after)
    }
}

fn situation(
    position: &tavola_rules::Position,
    dice: Option<tavola_rules::Dice>,
) -> tavola_rules::notation::Situation {
    let mut situation = tavola_rules::notation::Situation::from(*position);
    situation.dice = dice;
    situation
}

impl PlayableGame for Tables {
    fn brief(&self) -> &'static str {
        self.options().brief()
    }

    fn parse_state(&self, text: &str) -> Result<Self::State, TextError> {
        self.parse_position(text).map_err(TextError::new)
    }

    fn write_state(&self, state: &Self::State) -> String {
        self.write_position(state)
    }

    fn parse_roll(&self, text: &str) -> Result<Self::Roll, TextError> {
        let dice: crate::TablesDice = text.parse().map_err(TextError::new)?;
        let count = self.rules().dice;
        if dice.count() == count {
            Ok(dice)
        } else {
            Err(TextError(format!(
                "{text:?} has {} dice, expected {} in {}",
                dice.count().get(),
                count.get(),
                self.options().name()
            )))
        }
    }

    fn named_results(&self, state: &Self::State, roll: Self::Roll) -> Vec<(String, Self::State)> {
        self.plays(state, roll).into_iter().map(|(play, after)| (play.to_string(), after)).collect()
    }

    fn draw_text(
        &self,
        state: &Self::State,
        roll: Option<Self::Roll>,
        charset: Charset,
        color: Color,
    ) -> String {
        self.board_text(state, roll, charset, color)
    }

    fn draw_svg(&self, state: &Self::State, roll: Option<Self::Roll>) -> String {
        self.board_svg(state, roll)
    }

    const BASELINE: &'static str = "rule-based";

    fn baseline(&self) -> Box<dyn Evaluator<Self>> {
        Box::new(RuleBasedEvaluator::new(self.clone()))
    }

    fn possible_events(&self) -> &'static [Event] {
        self.possible_events()
    }

    fn turn_events(
        &self,
        before: &Self::State,
        roll: Self::Roll,
        after: &Self::State,
    ) -> Vec<Event> {
        self.turn_events(before, roll, after)
    }

    fn is_whole_turn(&self, state: &Self::State) -> bool {
        self.is_whole_turn(state)
    }

    fn possible_endings(&self) -> &'static [Ending] {
        self.possible_endings()
    }

    fn ending(&self, state: &Self::State) -> Option<Ending> {
        self.ending_of(state)
    }
}

/// A game of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyGame {
    /// Backgammon or a variant of it.
    Backgammon(Backgammon),
    /// One of the historical games.
    Tables(Tables),
}

/// A name that is no game of the project.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownGame {
    /// There is no such game.
    #[error("unknown game {input:?}, expected {expected}")]
    Name {
        /// As given.
        input: String,
        /// The names that would do.
        expected: String,
    },
    /// The game has no such options.
    #[error(transparent)]
    Options(OptionsError),
}

/// Something to do with a game whose type is not known before.
pub trait GameVisitor {
    /// What comes of it.
    type Output;

    /// Does it with this game.
    fn visit<G: PlayableGame>(self, game: &G) -> Self::Output;
}

impl AnyGame {
    /// Every game with its default options.
    pub fn all() -> Vec<Self> {
        let backgammon = Backgammon::ALL.into_iter().map(Self::Backgammon);
        let tables = TablesOptions::ALL.into_iter().map(|game| Self::Tables(Tables::new(game)));
        backgammon.chain(tables).collect()
    }

    /// The names of all games, as [`FromStr`] reads them.
    pub fn names() -> Vec<&'static str> {
        let backgammon = Backgammon::ALL.into_iter().map(Backgammon::name);
        backgammon.chain(TablesOptions::ALL.iter().map(TablesOptions::name)).collect()
    }

    /// The [`id`](Game::id) of the game: its name and options.
    pub fn id(&self) -> String {
        match self {
            Self::Backgammon(game) => game.id(),
            Self::Tables(game) => game.id(),
        }
    }

    /// Does what the visitor does with this game.
    pub fn visit<V: GameVisitor>(&self, visitor: V) -> V::Output {
        match self {
            Self::Backgammon(game) => visitor.visit(game),
            Self::Tables(game) => visitor.visit(game),
        }
    }
}

/// The id.
impl fmt::Display for AnyGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id())
    }
}

impl FromStr for AnyGame {
    type Err = UnknownGame;

    fn from_str(text: &str) -> Result<Self, UnknownGame> {
        if let Ok(game) = text.parse() {
            return Ok(Self::Backgammon(game));
        }
        match text.parse() {
            Ok(options) => Ok(Self::Tables(Tables::new(options))),
            Err(OptionsError::Game { input, .. }) => {
                Err(UnknownGame::Name { input, expected: Self::names().join(", ") })
            }
            Err(error) => Err(UnknownGame::Options(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct StartText;

    impl GameVisitor for StartText {
        type Output = (String, &'static str);

        fn visit<G: PlayableGame>(self, game: &G) -> Self::Output {
            let start = game.start();
            assert_eq!(game.parse_state(&game.write_state(&start)), Ok(start));
            assert_eq!(game.parse_state("start"), Ok(start));
            let (roll, _) = game.rolls()[3];
            assert_eq!(game.parse_roll(&roll.to_string()), Ok(roll));
            let mut results = Vec::new();
            game.results(&start, roll, &mut results);
            let mut named: Vec<_> = game.named_results(&start, roll);
            assert_eq!(named.len(), results.len());
            named.retain(|(_, after)| !results.contains(after));
            assert!(named.is_empty());
            let text = game.draw_text(&start, Some(roll), Charset::Ascii, Color::Never);
            assert_eq!(text.lines().count(), 13, "{text}");
            assert!(game.draw_svg(&start, Some(roll)).starts_with("<svg"));
            let mut out = Vec::new();
            game.baseline().evaluate(&[start], &mut out);
            assert!(out[0].0.iter().sum::<f32>() > 0.999);
            (game.id(), G::BASELINE)
        }
    }

    #[test]
    fn every_game_is_found_by_its_name_and_does_all_that_is_asked() {
        assert_eq!(AnyGame::all().len(), AnyGame::names().len());
        for (game, name) in AnyGame::all().into_iter().zip(AnyGame::names()) {
            assert_eq!(name.parse(), Ok(game.clone()));
            let (id, baseline) = game.visit(StartText);
            assert_eq!(id, name);
            assert_eq!(id, game.to_string());
            assert_eq!(baseline == "pip-count", matches!(game, AnyGame::Backgammon(_)));
        }
    }

    #[test]
    fn unknown_names_are_told_all_the_known_ones() {
        let error = "ludo".parse::<AnyGame>().unwrap_err().to_string();
        assert!(error.contains("\"ludo\"") && error.contains("backgammon, "), "{error}");
        assert!(error.ends_with("tabula, puff, fallas, emperador, buffa"), "{error}");
        let error = "tabula:speed=on".parse::<AnyGame>().unwrap_err().to_string();
        assert!(error.contains("`gammons`"), "{error}");
        let roll = "31".parse::<AnyGame>();
        assert!(roll.is_err());
    }
}
