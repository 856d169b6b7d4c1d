//! What doors that are not written in Rust ask of a running game, whichever kind it is.
//!
//! Matches, games without a cube and games for more than two differ in what they are to be, what a
//! user can do and what is shown. A door that serves them needs no more than this trait: it begins
//! one, keeps its text, does actions and shows the view.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::live_game::{AnyLiveGame, GameAction, GameView, NewGame, PlayInQuestion};
use crate::live_match::{Action, Happened, Hint, LiveMatch, MatchView, Mistake, NewMatch};
use crate::operations::BestAnswer;
use crate::watch::Watch;

/// A game of a user against the engine while it is played.
pub trait Running: Clone + Send + Sized + 'static {
    /// What it is to be.
    type Setup: DeserializeOwned + JsonSchema + Send + 'static;
    /// What the user does.
    type Action: DeserializeOwned + JsonSchema + Send + 'static;
    /// What the user thinks of doing.
    type Question: DeserializeOwned + JsonSchema + Send + 'static;
    /// What was done, by whom.
    type Event: Serialize + JsonSchema + Send + 'static;
    /// All that a page shows.
    type View: Serialize + JsonSchema + Send + 'static;
    /// Advice.
    type Advice: Serialize + JsonSchema + Send + 'static;

    /// Begins one; `seed` counts where none is named.
    ///
    /// # Errors
    ///
    /// [`EngineError`] says what is wrong with the setup.
    fn begin(setup: Self::Setup, seed: u32) -> Result<Self, EngineError>;

    /// Reads the text of [`write`](Self::write) back; errors call it `name`.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `request`.
    fn read(text: &[u8], name: &str) -> Result<Self, EngineError>;

    /// The game as a text.
    fn write(&self) -> String;

    /// Whether the engine has what it needs to play it.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `model`.
    fn check_network(&self, engine: &Engine, watch: &Watch<'_>) -> Result<(), EngineError>;

    /// Lets the engine act until the user has to.
    ///
    /// # Errors
    ///
    /// [`EngineError`], such as a cancelled search.
    fn let_engine_act(&mut self, engine: &Engine, watch: &Watch<'_>) -> Result<(), EngineError>;

    /// Does what the user asks for, lets the engine act until the user has to, and tells what was
    /// done. Nothing is changed where there is an error.
    ///
    /// # Errors
    ///
    /// [`EngineError`].
    fn turn(
        &mut self,
        action: &Self::Action,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Vec<Self::Event>, EngineError>;

    /// All that was done in the running game.
    fn history(&self) -> Vec<Self::Event>;

    /// All that a page shows.
    fn view(&self) -> Self::View;

    /// Advice on what the user has to decide.
    ///
    /// # Errors
    ///
    /// [`EngineError`].
    fn advice(&self, engine: &Engine, watch: &Watch<'_>) -> Result<Self::Advice, EngineError>;

    /// What something loses, before it is done; `None` if nothing.
    ///
    /// # Errors
    ///
    /// [`EngineError`].
    fn loss(
        &self,
        question: &Self::Question,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Option<Mistake>, EngineError>;
}

impl Running for LiveMatch {
    type Setup = NewMatch;
    type Action = Action;
    type Question = Action;
    type Event = Happened;
    type View = MatchView;
    type Advice = Hint;

    fn begin(setup: NewMatch, seed: u32) -> Result<Self, EngineError> {
        Self::new(setup.setup(seed)?)
            .map_err(|error| EngineError::request(format_args!("no such match: {error}")))
    }

    fn read(text: &[u8], name: &str) -> Result<Self, EngineError> {
        Self::from_json(text, name).map_err(EngineError::request)
    }

    fn write(&self) -> String {
        self.to_json()
    }

    fn check_network(&self, engine: &Engine, watch: &Watch<'_>) -> Result<(), EngineError> {
        Self::check_network(self, engine, watch)
    }

    fn let_engine_act(&mut self, engine: &Engine, watch: &Watch<'_>) -> Result<(), EngineError> {
        Self::let_engine_act(self, engine, watch).map_err(|error| error.told())
    }

    fn turn(
        &mut self,
        action: &Action,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Vec<Happened>, EngineError> {
        Self::turn(self, action, engine, watch).map_err(|error| error.told())
    }

    fn history(&self) -> Vec<Happened> {
        Self::history(self)
    }

    fn view(&self) -> MatchView {
        Self::view(self)
    }

    fn advice(&self, engine: &Engine, watch: &Watch<'_>) -> Result<Hint, EngineError> {
        self.hint(engine, watch)
    }

    fn loss(
        &self,
        question: &Action,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Option<Mistake>, EngineError> {
        let choice = self.choice(question).map_err(|error| error.told())?;
        self.mistake(&choice, engine, watch)
    }
}

impl Running for AnyLiveGame {
    type Setup = NewGame;
    type Action = GameAction;
    type Question = PlayInQuestion;
    /// In words.
    type Event = String;
    type View = GameView;
    type Advice = BestAnswer;

    fn begin(setup: NewGame, seed: u32) -> Result<Self, EngineError> {
        Self::begin(setup, seed)
    }

    fn read(text: &[u8], name: &str) -> Result<Self, EngineError> {
        Self::from_json(text, name)
    }

    fn write(&self) -> String {
        self.to_json()
    }

    fn check_network(&self, engine: &Engine, watch: &Watch<'_>) -> Result<(), EngineError> {
        Self::check_network(self, engine, watch)
    }

    fn let_engine_act(&mut self, engine: &Engine, watch: &Watch<'_>) -> Result<(), EngineError> {
        Self::let_engine_act(self, engine, watch)
    }

    fn turn(
        &mut self,
        action: &GameAction,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Vec<String>, EngineError> {
        let before = self.turns();
        self.act(action, engine, watch)?;
        Ok(new_turns(self.view().log, before, action))
    }

    fn history(&self) -> Vec<String> {
        self.view().log
    }

    fn view(&self) -> GameView {
        Self::view(self)
    }

    fn advice(&self, engine: &Engine, watch: &Watch<'_>) -> Result<BestAnswer, EngineError> {
        self.hint(engine, watch)
    }

    fn loss(
        &self,
        question: &PlayInQuestion,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Option<Mistake>, EngineError> {
        self.mistake(&question.play, engine, watch)
    }
}

/// The turns of a log that an action has added to those before.
pub(crate) fn new_turns<T>(mut log: Vec<T>, before: usize, action: &GameAction) -> Vec<T> {
    match action {
        GameAction::Play { .. } => log.split_off(before.min(log.len())),
        GameAction::NextGame => log,
        GameAction::TakeBack => Vec::new(),
    }
}
