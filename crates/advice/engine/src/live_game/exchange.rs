//! A running game without a cube as JSON, for doors that are not written in Rust.
//!
//! The same as for matches: a [`NewGame`] begins one, a [`GameAction`] is a turn of the user, and a
//! [`GameView`] is all that a page needs to draw any of these games. An [`AnyLiveGame`] is one whose
//! game is known by name alone.
//!
//! ```
//! use tavola_engine::live_game::{AnyLiveGame, GameWaiting, NewGame};
//! use tavola_engine::{Engine, Watch};
//!
//! let setup: NewGame = serde_json::from_str(r#"{"game": "tabula", "seed": 4}"#)?;
//! let mut live = AnyLiveGame::begin(setup, 0)?;
//! live.let_engine_act(&Engine::without_tables(), &Watch::default())?;
//! assert!(matches!(live.view().waiting, GameWaiting::Play { .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tavola_evaluator::PlayableGame;
use tavola_games::{AnyGame, with_game};
use tavola_rules::Player;
use tavola_rules::board::{Board, BoardView, Charset, Color, ScriptaView, Side, Stack, Trays};

use super::saved::game_of_json;
use super::{GameAwaited, GameEnd, GameSetup, LiveGame, LiveGameError};
use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind};
use crate::live_match::{ENGINE, Mistake, Strength, USER, check_name};
use crate::operations::BestAnswer;
use crate::watch::Watch;

/// The most points that are played for.
const MOST_POINTS: u16 = 64;

/// Checkers of a side in the game of three rows.
const SCRIPTA_CHECKERS: u8 = 15;

/// What a game is to be; a field that is missing has the usual value.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewGame {
    /// The name of a game without a cube, such as `tabula` or `trictrac`.
    pub game: String,
    /// The points that win, 0 plays on as long as one likes, at most 64.
    #[schemars(range(max = 64))]
    pub length: u16,
    /// How well the engine plays.
    pub strength: Strength,
    /// Gives the dice and the noise of weak play; missing: another one each time.
    pub seed: Option<u32>,
    /// What the user is called, up to 24 characters.
    #[schemars(length(min = 1, max = 24))]
    pub name: String,
}

impl Default for NewGame {
    fn default() -> Self {
        Self {
            game: "tabula".to_owned(),
            length: 1,
            strength: Strength::default(),
            seed: None,
            name: "You".to_owned(),
        }
    }
}

/// A turn of the user.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(tag = "act", rename_all = "snake_case", deny_unknown_fields)]
pub enum GameAction {
    /// Plays the roll.
    Play {
        /// The play in words, its moves in any order.
        play: String,
    },
    /// Begins the next game.
    NextGame,
    /// Goes back to the last decision of the user in this game.
    TakeBack,
}

/// A play that the user thinks of.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayInQuestion {
    /// In words.
    pub play: String,
}

/// What a game waits for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "for", rename_all = "snake_case")]
pub enum GameWaiting {
    /// The user plays the roll.
    Play {
        /// The roll, as the game writes it.
        roll: String,
        /// Its numbers, the highest first.
        numbers: Vec<u8>,
        /// Every distinct play in words, its moves with spaces between.
        plays: Vec<String>,
    },
    /// The engine has to act: only where it was interrupted.
    Engine,
    /// The next game.
    GameOver(GameResultView),
    /// Nothing: the points that were agreed are won.
    MatchOver(GameResultView),
}

/// How a game ended.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GameResultView {
    /// Who won: 1 is the user, 2 the engine; null in a drawn game.
    pub winner: Option<u8>,
    /// What it is worth.
    pub points: u32,
    /// The rule that ended it, in words.
    pub how: String,
}

/// What stands on a board, those of the user positive.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GameBoard {
    /// Twenty-four points in the numbering of the user.
    Points {
        /// Of each point: the checkers, and how many of them are marked.
        #[schemars(with = "Vec<[i8; 2]>")]
        points: Vec<[i8; 2]>,
        /// Checkers on the bar, of the user and of the engine.
        bar: [u8; 2],
        /// Checkers that have not entered yet.
        hand: [u8; 2],
    },
    /// Three rows of twelve cells: the track is the upper and the lower one, from left to right
    /// above and back below.
    Scripta {
        /// The checkers on the cells 7 to 30.
        #[schemars(with = "Vec<i8>")]
        track: Vec<i8>,
        /// Checkers on the entry cells 1 to 6, of the user and of the engine.
        entry: [[u8; 6]; 2],
        /// Checkers on the bar.
        bar: [u8; 2],
        /// Checkers that have not entered yet.
        hand: [u8; 2],
    },
}

/// All of a game that a page shows, seen by the user.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GameView {
    /// The game with its options.
    pub game: String,
    /// Its rules in a few sentences.
    pub rules: String,
    /// What the user and the engine are called.
    pub names: [String; 2],
    /// The points that win, 0 for no end.
    pub length: u16,
    /// The points of both, without the running game.
    pub score: [u64; 2],
    /// The number of the game, from 1.
    pub game_number: usize,
    /// How well the engine plays.
    pub strength: Strength,
    /// The seed of the dice.
    pub seed: u64,
    /// What is waited for.
    pub waiting: GameWaiting,
    /// The checkers.
    pub board: GameBoard,
    /// Checkers that are borne off, of the user and of the engine.
    pub off: [u8; 2],
    /// What is counted, in words, of the user and of the engine.
    pub notes: [String; 2],
    /// The board in letters.
    pub text: String,
    /// The turns of the game in words.
    pub log: Vec<String>,
    /// Whether there is something to take back.
    pub may_take_back: bool,
}

/// What every running game can be asked.
trait Live: Send {
    fn boxed(&self) -> Box<dyn Live>;
    fn turns(&self) -> usize;
    fn view(&self) -> GameView;
    fn act(
        &mut self,
        action: &GameAction,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<(), EngineError>;
    fn let_engine_act(&mut self, engine: &Engine, watch: &Watch<'_>) -> Result<(), EngineError>;
    fn hint(&self, engine: &Engine, watch: &Watch<'_>) -> Result<BestAnswer, EngineError>;
    fn mistake(
        &self,
        play: &str,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Option<Mistake>, EngineError>;
    fn check_network(&self, engine: &Engine, watch: &Watch<'_>) -> Result<(), EngineError>;
    fn to_json(&self) -> String;
}

/// A running game without a cube, whichever it is.
pub struct AnyLiveGame(Box<dyn Live>);

impl Clone for AnyLiveGame {
    fn clone(&self) -> Self {
        Self(self.0.boxed())
    }
}

impl AnyLiveGame {
    /// How many turns the running game has had.
    pub fn turns(&self) -> usize {
        self.0.turns()
    }

    /// Begins a game; `seed` counts where none is named.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `request`, `game` or `unsupported`.
    pub fn begin(asked: NewGame, seed: u32) -> Result<Self, EngineError> {
        let game: AnyGame =
            asked.game.parse().map_err(|error| EngineError::new(ErrorKind::Game, error))?;
        if game.backgammon().is_some() {
            return Err(EngineError::unsupported(format_args!(
                "{game} is played in matches with a cube, expected a game without one such as \
                 tabula"
            )));
        }
        if asked.length > MOST_POINTS {
            return Err(EngineError::request(format_args!(
                "\"length\" is {}, expected a number from 0 to {MOST_POINTS}",
                asked.length
            )));
        }
        let setup = GameSetup {
            length: asked.length,
            names: check_name(&asked.name)?,
            strength: asked.strength,
            seed: asked.seed.unwrap_or(seed).into(),
            model: None,
        };
        Ok(with_game!(game, |game| Self(Box::new(LiveGame::new(game, setup)))))
    }

    /// Reads the text of [`to_json`](Self::to_json) back; `path` is what errors call it.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `request`.
    pub fn from_json(bytes: &[u8], path: &str) -> Result<Self, EngineError> {
        let game = game_of_json(bytes).ok_or_else(|| {
            EngineError::request(format_args!("{path} is no running game without a cube"))
        })?;
        with_game!(game, |game| {
            let live = LiveGame::from_json(game, bytes, path);
            live.map(|live| Self(Box::new(live))).map_err(EngineError::request)
        })
    }

    /// The game as a text.
    pub fn to_json(&self) -> String {
        self.0.to_json()
    }

    /// Whether the engine can play the game: it needs a network for it.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `model`.
    pub fn check_network(&self, engine: &Engine, watch: &Watch<'_>) -> Result<(), EngineError> {
        self.0.check_network(engine, watch)
    }

    /// All that a page shows.
    pub fn view(&self) -> GameView {
        self.0.view()
    }

    /// Does what the user asks for, and lets the engine act until the user has to decide. Nothing
    /// is changed where there is an error.
    ///
    /// # Errors
    ///
    /// [`EngineError`].
    pub fn act(
        &mut self,
        action: &GameAction,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<(), EngineError> {
        self.0.act(action, engine, watch)
    }

    /// Lets the engine act, and plays what leaves no choice, until the user has to decide.
    ///
    /// # Errors
    ///
    /// [`EngineError`]; nothing is changed then.
    pub fn let_engine_act(
        &mut self,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<(), EngineError> {
        self.0.let_engine_act(engine, watch)
    }

    /// The plays of the user's roll, best first.
    ///
    /// # Errors
    ///
    /// [`EngineError`].
    pub fn hint(&self, engine: &Engine, watch: &Watch<'_>) -> Result<BestAnswer, EngineError> {
        self.0.hint(engine, watch)
    }

    /// What a play of the user loses, before it is made; `None` if it is the best one.
    ///
    /// # Errors
    ///
    /// [`EngineError`].
    pub fn mistake(
        &self,
        play: &str,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Option<Mistake>, EngineError> {
        self.0.mistake(play, engine, watch)
    }
}

fn told(error: LiveGameError) -> EngineError {
    match error {
        LiveGameError::Play(error) => EngineError::new(ErrorKind::Play, error),
        error => EngineError::request(error),
    }
}

impl<G: PlayableGame> LiveGame<G>
where
    AnyGame: From<G>,
{
    /// What the engine plays, and the user where there is no choice, until the user has to decide.
    fn go_on(&mut self, engine: &Engine, watch: &Watch<'_>) -> Result<(), EngineError> {
        loop {
            let turn = match self.forced() {
                Some(turn) => Some(turn),
                None => self.decide(engine, watch)?,
            };
            let Some(turn) = turn else { return Ok(()) };
            self.play(turn).map_err(told)?;
        }
    }

    fn waiting(&self) -> GameWaiting {
        let seen = |end: GameEnd| GameResultView {
            winner: end.winner.map(|winner| if winner == USER { 1 } else { 2 }),
            points: end.points,
            how: end.ending.meaning().to_owned(),
        };
        match self.awaited() {
            GameAwaited::Play(USER, roll) => GameWaiting::Play {
                roll: roll.to_string(),
                numbers: self.game().numbers(roll),
                plays: self.plays().into_iter().map(|turn| turn.play).collect(),
            },
            GameAwaited::Play(Player::Two, _) => GameWaiting::Engine,
            GameAwaited::GameOver(end) => GameWaiting::GameOver(seen(end)),
            GameAwaited::MatchOver(end) => GameWaiting::MatchOver(seen(end)),
        }
    }
}

impl<G: PlayableGame> Live for LiveGame<G>
where
    AnyGame: From<G>,
{
    fn boxed(&self) -> Box<dyn Live> {
        Box::new(self.clone())
    }

    fn turns(&self) -> usize {
        LiveGame::turns(self)
    }

    fn view(&self) -> GameView {
        let game = self.game();
        let situation = self.seen_by(USER);
        let view = game.board_view(&situation, &[]);
        let state = situation.position;
        let off = [game.borne_off(&state), game.borne_off(&game.flip(&state))];
        let (board, notes) = match &view {
            Board::Points(view) => (points(view), view.notes.clone()),
            Board::Scripta(view) => (scripta(view, off), view.notes.clone()),
            Board::Round(_) => unreachable!("round boards are for more than two players"),
        };
        GameView {
            game: game.id(),
            rules: game.brief().to_owned(),
            names: [USER, ENGINE].map(|player| self.name(player).to_owned()),
            length: self.setup().length,
            score: self.score(),
            game_number: self.game_number(),
            strength: self.setup().strength,
            seed: self.setup().seed,
            waiting: self.waiting(),
            board,
            off,
            notes,
            text: view.text(Charset::Ascii, Color::Never),
            log: (0..self.turns()).filter_map(|index| self.turn_in_words(index)).collect(),
            may_take_back: self.clone().take_back().is_ok(),
        }
    }

    fn act(
        &mut self,
        action: &GameAction,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<(), EngineError> {
        let mut after = self.clone();
        after.go_on(engine, watch)?;
        match action {
            GameAction::Play { play } => {
                let turn = after.parse_play(play).map_err(told)?;
                after.play(turn).map_err(told)?;
            }
            GameAction::NextGame => after.next_game().map_err(told)?,
            GameAction::TakeBack => after.take_back().map_err(told)?,
        }
        after.go_on(engine, watch)?;
        *self = after;
        Ok(())
    }

    fn let_engine_act(&mut self, engine: &Engine, watch: &Watch<'_>) -> Result<(), EngineError> {
        let mut after = self.clone();
        after.go_on(engine, watch)?;
        *self = after;
        Ok(())
    }

    fn hint(&self, engine: &Engine, watch: &Watch<'_>) -> Result<BestAnswer, EngineError> {
        match self.awaited() {
            GameAwaited::Play(USER, _) => LiveGame::hint(self, engine, watch),
            _ => Err(EngineError::request("the user has no roll to play, expected one")),
        }
    }

    fn mistake(
        &self,
        play: &str,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Option<Mistake>, EngineError> {
        let turn = self.parse_play(play).map_err(told)?;
        LiveGame::mistake(self, &turn, engine, watch)
    }

    fn check_network(&self, engine: &Engine, watch: &Watch<'_>) -> Result<(), EngineError> {
        LiveGame::check_network(self, engine, watch)
    }

    fn to_json(&self) -> String {
        LiveGame::to_json(self)
    }
}

fn points(view: &BoardView) -> GameBoard {
    let signed = |stack: &Stack| {
        let sign = if stack.side == Side::Player { 1 } else { -1 };
        [sign * stack.height() as i8, stack.marked as i8]
    };
    let hand = match view.trays {
        Trays::Hand(hand) => hand,
        Trays::Off(_) => [0; 2],
    };
    GameBoard::Points {
        points: view.points.iter().map(signed).collect(),
        bar: view.bar.map(Stack::height),
        hand,
    }
}

fn scripta(view: &ScriptaView, off: [u8; 2]) -> GameBoard {
    let on_track = |side: Side| -> u8 {
        view.track.iter().filter(|stack| stack.side == side).map(|stack| stack.height()).sum()
    };
    let hand = |index: usize, side: Side| {
        let entered = view.entry[index].iter().sum::<u8>() + view.bar[index] + off[index];
        SCRIPTA_CHECKERS.saturating_sub(entered + on_track(side))
    };
    let signed = |stack: &Stack| {
        let sign = if stack.side == Side::Player { 1 } else { -1 };
        sign * stack.height() as i8
    };
    GameBoard::Scripta {
        track: view.track.iter().map(signed).collect(),
        entry: view.entry,
        bar: view.bar,
        hand: [hand(0, Side::Player), hand(1, Side::Opponent)],
    }
}
