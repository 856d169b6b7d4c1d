//! A running game for more than two players as JSON, for doors that are not written in Rust.
//!
//! ```
//! use tavola_engine::many::{AnyManyLive, NewManyGame};
//! use tavola_engine::{Engine, Running, Watch};
//!
//! let setup: NewManyGame = serde_json::from_str(r#"{"game": "astronomy", "seat": 3}"#)?;
//! let mut live = AnyManyLive::begin(setup, 5)?;
//! live.let_engine_act(&Engine::without_tables(), &Watch::default())?;
//! assert_eq!((live.view().seat, live.view().players.len()), (3, 7));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tavola_games::many::{AnyManyGame, ManyGame};
use tavola_games::with_many_game;
use tavola_rules::board::{Board, Charset, Color};

use super::live::Done;
use super::{ManyLive, ManyPlay, ManyPlays, Mind, Opponents, ranked};
use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind};
use crate::live_game::{GameAction, PlayInQuestion};
use crate::live_match::{Mistake, check_name};
use crate::running::{Running, new_turns};
use crate::watch::Watch;

/// Plays of a hint.
const ADVISED: usize = 5;

/// What a game is to be; a field that is missing has the usual value.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewManyGame {
    /// The name of a game for more than two players: `four-seasons` or `astronomy`.
    pub game: String,
    /// The seat of the user, from 1; seat 1 begins the first game.
    #[schemars(range(min = 1, max = 7))]
    pub seat: u8,
    /// The players of the other seats; missing: the strongest that come with the program.
    pub opponents: Option<Opponents>,
    /// Gives the dice; missing: other ones each time.
    pub seed: Option<u32>,
    /// What the user is called, up to 24 characters.
    #[schemars(length(min = 1, max = 24))]
    pub name: String,
}

impl Default for NewManyGame {
    fn default() -> Self {
        Self {
            game: "four-seasons".to_owned(),
            seat: 1,
            opponents: None,
            seed: None,
            name: "You".to_owned(),
        }
    }
}

/// A game for more than two players, and what its seats are called.
#[derive(Clone, Debug, Serialize)]
pub struct ManySeats {
    /// The game.
    pub game: String,
    /// The seats in turn order.
    pub seats: Vec<&'static str>,
}

/// Every game for more than two players.
pub fn many_games() -> Vec<ManySeats> {
    let seats = |game: &AnyManyGame| {
        with_many_game!(game, |game| {
            let players = game.board(&game.start(0), None).players;
            let seats = players.iter().map(|player| player.name).collect();
            ManySeats { game: game.id(), seats }
        })
    };
    AnyManyGame::ALL.iter().map(seats).collect()
}

/// A player at the board.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ManyPlayerView {
    /// The season or planet.
    pub name: String,
    /// The colour of the checkers, as CSS writes it.
    pub color: String,
    /// What is counted beside the board, by its name: `hand`, `bar` and `off`, or `left`, `captured`
    /// and `closed` (1 while the start cell does not count for others).
    pub beside: Vec<(String, u8)>,
    /// Points, without the running game.
    pub score: f32,
}

/// A turn that was played.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ManyTurnView {
    /// The seat, from 1.
    pub seat: usize,
    /// The roll; null if it was about offered dice.
    pub roll: Option<String>,
    /// The play in words.
    pub play: String,
    /// The cells after it: of each the seat whose checkers stand there, from 1, and how many.
    pub cells: Vec<(usize, u8)>,
}

/// What a game waits for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "for", rename_all = "snake_case")]
pub enum ManyWaiting {
    /// The user plays the roll, or decides on offered dice.
    Play {
        /// The numbers, the highest first.
        numbers: Vec<u8>,
        /// Whether another offers them.
        offered: bool,
        /// Every distinct play in words, its moves with spaces between.
        plays: Vec<String>,
    },
    /// The engine has to act: only where it was interrupted.
    Engine,
    /// The next game.
    GameOver {
        /// What each seat has won.
        payoffs: Vec<f32>,
    },
}

/// All of a game that a page shows.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ManyView {
    /// The game.
    pub game: String,
    /// Its rules in a few sentences.
    pub rules: String,
    /// What the user is called.
    pub name: String,
    /// The seat of the user, from 1.
    pub seat: usize,
    /// The seat that decides next, from 1.
    pub on_roll: usize,
    /// The players in the order of their seats.
    pub players: Vec<ManyPlayerView>,
    /// The players of the other seats.
    pub opponents: Opponents,
    /// The number of the game, from 1.
    pub game_number: usize,
    /// The seed of the dice.
    pub seed: u64,
    /// What is waited for.
    pub waiting: ManyWaiting,
    /// The cells of the ring: of each the seat whose checkers stand there, from 1, and how many.
    pub cells: Vec<(usize, u8)>,
    /// What the user calls each cell; null where the user's checkers never stand.
    pub numbers: Vec<Option<usize>>,
    /// The position in the notation of the game.
    pub position: String,
    /// The board in letters.
    pub text: String,
    /// The turns of the game.
    pub log: Vec<ManyTurnView>,
    /// Whether there is something to take back.
    pub may_take_back: bool,
}

/// What stands at the head of a file.
const FORMAT: &str = "tavola game for several in progress";
const VERSION: u32 = 1;

/// The text of a running game: the setup and one short text a turn, the roll and the play. Reading
/// it plays the games again by the rules, so that no file can hold an impossible one.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    version: u32,
    game: String,
    seat: u8,
    opponents: Opponents,
    seed: u64,
    name: String,
    games: Vec<Vec<String>>,
}

/// A running game with what is agreed beside it.
#[derive(Clone)]
struct Seated<G: ManyGame> {
    live: ManyLive<G>,
    opponents: Opponents,
    name: String,
}

/// What every running game can be asked.
trait Live: Send {
    fn boxed(&self) -> Box<dyn Live>;
    fn turns(&self) -> usize;
    fn view(&self) -> ManyView;
    fn go_on(&mut self, engine: &Engine, watch: &Watch<'_>) -> Result<(), EngineError>;
    fn act(&mut self, action: &GameAction) -> Result<(), EngineError>;
    fn advice(&self, engine: &Engine, most: usize) -> Result<ManyPlays, EngineError>;
    fn mind(&self, engine: &Engine) -> Result<(), EngineError>;
    fn write(&self) -> String;
}

impl<G: ManyGame> Seated<G> {
    fn read(game: G, file: File) -> Result<Self, String> {
        let mut live = ManyLive::new(game, usize::from(file.seat.max(1)) - 1, file.seed);
        for (number, turns) in (1..).zip(&file.games) {
            if number > 1 {
                live.next_game().map_err(|error| format!("game {number}: {error}"))?;
            }
            for (step, text) in (1..).zip(turns) {
                let (roll, play) = text.split_once(' ').unwrap_or((text, ""));
                live.redo(roll, play)
                    .map_err(|why| format!("game {number}, turn {step}: {why}"))?;
            }
        }
        Ok(Self { live, opponents: file.opponents, name: file.name })
    }

    fn mind(&self, engine: &Engine) -> Result<Mind<G>, EngineError> {
        Mind::new(engine, self.live.game(), self.opponents, None)
    }

    fn cells(&self, state: &G::State) -> Vec<(usize, u8)> {
        let cells = self.live.game().board(state, None).cells;
        cells.into_iter().map(|(seat, count)| (seat + 1, count)).collect()
    }

    fn log(&self) -> Vec<ManyTurnView> {
        let done = &self.live.done;
        let after = |turn: usize| done.get(turn + 1).map_or(self.live.state(), Done::before);
        let shown = |(index, turn): (usize, &Done<G>)| ManyTurnView {
            seat: turn.seat + 1,
            roll: turn.roll.map(|roll| roll.to_string()),
            play: turn.play.clone(),
            cells: self.cells(after(index)),
        };
        done.iter().enumerate().map(shown).collect()
    }

    fn waiting(&self) -> ManyWaiting {
        let live = &self.live;
        if let Some(payoffs) = live.payoffs() {
            return ManyWaiting::GameOver { payoffs };
        }
        if live.on_roll() != live.seat() {
            return ManyWaiting::Engine;
        }
        let offered = live.game().offered(live.state()).filter(|_| live.roll().is_none());
        ManyWaiting::Play {
            numbers: live.roll().or(offered).map_or_else(Vec::new, |dice| dice.numbers().to_vec()),
            offered: offered.is_some(),
            plays: live.plays().into_iter().map(|(play, _)| play).collect(),
        }
    }
}

impl<G: ManyGame> Live for Seated<G> {
    fn boxed(&self) -> Box<dyn Live> {
        Box::new(self.clone())
    }

    fn turns(&self) -> usize {
        self.live.done.len()
    }

    fn view(&self) -> ManyView {
        let live = &self.live;
        let (game, state) = (live.game(), live.state());
        let board = game.board(state, live.roll());
        let players = board.players.iter().zip(live.score()).map(|(player, score)| {
            let beside = player.beside.iter().map(|&(name, count)| (name.to_owned(), count));
            ManyPlayerView {
                name: player.name.to_owned(),
                color: player.color.to_owned(),
                beside: beside.collect(),
                score: *score,
            }
        });
        ManyView {
            game: game.id(),
            rules: game.brief().to_owned(),
            name: self.name.clone(),
            seat: live.seat() + 1,
            on_roll: live.on_roll() + 1,
            players: players.collect(),
            opponents: self.opponents,
            game_number: live.game_number(),
            seed: live.seed(),
            waiting: self.waiting(),
            cells: self.cells(state),
            numbers: (0..board.cells.len()).map(|at| game.number(live.seat(), at)).collect(),
            position: game.write_state(state),
            text: Board::from(board).text(Charset::Ascii, Color::Never),
            log: self.log(),
            may_take_back: live.last_choice().is_some(),
        }
    }

    fn go_on(&mut self, engine: &Engine, watch: &Watch<'_>) -> Result<(), EngineError> {
        let mut mind = self.mind(engine)?;
        let mut after = self.live.clone();
        while after.step(&mut mind)?.is_some() {
            watch.check()?;
        }
        self.live = after;
        Ok(())
    }

    fn act(&mut self, action: &GameAction) -> Result<(), EngineError> {
        match action {
            GameAction::Play { play } => self.live.play(play),
            GameAction::NextGame => self.live.next_game(),
            GameAction::TakeBack => self.live.take_back(),
        }
    }

    fn advice(&self, engine: &Engine, most: usize) -> Result<ManyPlays, EngineError> {
        let live = &self.live;
        let plays = live.plays();
        if plays.is_empty() || live.on_roll() != live.seat() {
            return Err(EngineError::request("the user has no roll to play, expected one"));
        }
        let mut mind = self.mind(engine)?;
        if let Some(evaluator) = mind.evaluator() {
            let mut plays = ranked(live.game(), live.on_roll(), plays, evaluator);
            plays.truncate(most);
            return Ok(ManyPlays { plays, warning: None });
        }
        let best = live.best(&mut mind).unwrap_or_default();
        let (play, after) = &plays[best];
        let position = live.game().write_state(after);
        Ok(ManyPlays {
            plays: vec![ManyPlay { play: play.clone(), position, payoffs: Vec::new() }],
            warning: None,
        })
    }

    fn mind(&self, engine: &Engine) -> Result<(), EngineError> {
        Self::mind(self, engine).map(drop)
    }

    fn write(&self) -> String {
        let live = &self.live;
        let games = live.finished.iter().chain([&live.done]).map(|turns| {
            let text = |done: &Done<G>| {
                let roll = done.roll.map_or_else(|| "-".to_owned(), |roll| roll.to_string());
                format!("{roll} {}", done.play)
            };
            turns.iter().map(text).collect()
        });
        let file = File {
            format: FORMAT.to_owned(),
            version: VERSION,
            game: live.game().id(),
            seat: live.seat() as u8 + 1,
            opponents: self.opponents,
            seed: live.seed(),
            name: self.name.clone(),
            games: games.collect(),
        };
        let mut text = serde_json::to_string_pretty(&file).expect("plain data");
        text.push('\n');
        text
    }
}

/// A running game for more than two players, whichever it is.
pub struct AnyManyLive(Box<dyn Live>);

impl Clone for AnyManyLive {
    fn clone(&self) -> Self {
        Self(self.0.boxed())
    }
}

/// Checks the seat of the user.
fn check_seat<G: ManyGame>(game: &G, seat: u8) -> Result<(), EngineError> {
    if (1..=G::PLAYERS).contains(&usize::from(seat)) {
        return Ok(());
    }
    Err(EngineError::request(format_args!(
        "\"seat\" is {seat}, expected a number from 1 to {} in {}",
        G::PLAYERS,
        game.id()
    )))
}

impl Running for AnyManyLive {
    type Setup = NewManyGame;
    type Action = GameAction;
    type Question = PlayInQuestion;
    type Event = ManyTurnView;
    type View = ManyView;
    type Advice = ManyPlays;

    fn begin(setup: NewManyGame, seed: u32) -> Result<Self, EngineError> {
        let game: AnyManyGame =
            setup.game.parse().map_err(|error| EngineError::new(ErrorKind::Game, error))?;
        let [name, _] = check_name(&setup.name)?;
        with_many_game!(game, |game| {
            check_seat(&game, setup.seat)?;
            let opponents = setup.opponents.unwrap_or_else(|| Opponents::strongest(&game.id()));
            let seed = setup.seed.unwrap_or(seed).into();
            let live = ManyLive::new(game, usize::from(setup.seat) - 1, seed);
            Ok(Self(Box::new(Seated { live, opponents, name })))
        })
    }

    fn read(text: &[u8], name: &str) -> Result<Self, EngineError> {
        let unusable = |why: String| {
            EngineError::request(format_args!("{name} is not a game that can be resumed: {why}"))
        };
        let file: File =
            serde_json::from_slice(text).map_err(|error| unusable(error.to_string()))?;
        if (file.format.as_str(), file.version) != (FORMAT, VERSION) {
            return Err(unusable(format!(
                "it says {:?} version {}, expected {FORMAT:?} version {VERSION}",
                file.format, file.version
            )));
        }
        let game: AnyManyGame = file.game.parse().map_err(EngineError::request)?;
        with_many_game!(game, |game| {
            check_seat(&game, file.seat)?;
            let seated = Seated::read(game, file).map_err(unusable)?;
            Ok(Self(Box::new(seated)))
        })
    }

    fn write(&self) -> String {
        self.0.write()
    }

    fn check_network(&self, engine: &Engine, _: &Watch<'_>) -> Result<(), EngineError> {
        self.0.mind(engine)
    }

    fn let_engine_act(&mut self, engine: &Engine, watch: &Watch<'_>) -> Result<(), EngineError> {
        self.0.go_on(engine, watch)
    }

    fn turn(
        &mut self,
        action: &GameAction,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Vec<ManyTurnView>, EngineError> {
        let mut after = self.clone();
        after.0.go_on(engine, watch)?;
        let before = after.0.turns();
        after.0.act(action)?;
        after.0.go_on(engine, watch)?;
        *self = after;
        Ok(new_turns(self.history(), before, action))
    }

    fn history(&self) -> Vec<ManyTurnView> {
        self.view().log
    }

    fn view(&self) -> ManyView {
        self.0.view()
    }

    fn advice(&self, engine: &Engine, _: &Watch<'_>) -> Result<ManyPlays, EngineError> {
        self.0.advice(engine, ADVISED)
    }

    /// Points that a play loses by the network; the rules of thumb have none.
    fn loss(
        &self,
        question: &PlayInQuestion,
        engine: &Engine,
        _: &Watch<'_>,
    ) -> Result<Option<Mistake>, EngineError> {
        let ManyPlays { plays, .. } = self.0.advice(engine, usize::MAX)?;
        let worth = |play: &ManyPlay| play.payoffs.first().copied();
        let mut tried = self.clone();
        tried.0.act(&GameAction::Play { play: question.play.clone() })?;
        let chosen = tried.history().pop().map_or_else(String::new, |turn| turn.play);
        let found = plays.iter().find(|play| play.play == chosen).and_then(worth);
        let (Some(best), Some(found)) = (plays.first(), found) else { return Ok(None) };
        let loss = f64::from(worth(best).unwrap_or(found) - found);
        Ok((loss > 0.0).then(|| Mistake { chosen, better: best.play.clone(), loss }))
    }
}
