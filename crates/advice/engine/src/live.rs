//! A running game of a user against the engine: backgammon with its cube and matches, any other
//! game for two, and games for more.
//!
//! A [`Live`] holds what was agreed, what was done, and the score. It says what is [`Awaited`] and
//! of which seat, takes a [`SeatAction`], and asks an [`Engine`] for the actions of the other seats,
//! for hints and for the cost of mistakes. All go to the `table`, which knows what is played:
//! `matches` (with a cube), `chouette`, `two` (for two) or `many` (for more than two).
//!
//! Everything follows from the [`Setup`], whose seed gives the dice and the noise of weak play, and
//! from the actions. A saved game is these two, so that an action that is taken back meets the same
//! rolls again.
//!
//! ```
//! use tavola_engine::live::{Awaited, Live, NewGame};
//! use tavola_engine::{Engine, Watch};
//!
//! let engine = Engine::without_tables();
//! for game in ["backgammon", "tabula", "astronomy"] {
//!     let asked = NewGame { game: game.to_owned(), seed: Some(4), ..NewGame::default() };
//!     let mut live = Live::begin(asked, 0)?;
//!     live.go_on(&engine, &Watch::default())?;
//!     assert_eq!(live.to_act(), Some(live.user()));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod action;
mod advice;
mod chouette;
mod cube;
mod many;
mod matches;
mod new_game;
mod progress;
mod review;
mod saved;
mod setup;
mod strength;
mod table;
#[cfg(test)]
mod tests;
mod two;
mod view;
mod words;

use tavola_rules::board::Board;

use self::action::in_words;
pub use self::action::{SeatAction, words_of_win};
pub use self::chouette::{ChouetteTable, ChouetteView, MemberView};
pub use self::many::{ManySeats, Opponents, many_games};
pub use self::matches::MatchTable;
pub use self::new_game::NewGame;
pub use self::review::{Review, ReviewedPlay, ReviewedPlayer};
pub use self::saved::read_matches;
pub use self::setup::{Awaited, CubeChoice, DiceSource, GameEnd, LiveError, Setup, StartPosition};
pub use self::strength::Strength;
pub use self::table::{Hint, Mistake, PositionValue};
use self::table::{Table, TableQuestion, table_of};
pub use self::view::{GameBoard, GameView, LoggedTurn, PlayerView, ShownCube, Waiting};
use crate::engine::Engine;
use crate::error::Result;
use crate::watch::Watch;

/// Something that was done.
#[derive(Clone, Debug)]
struct Done {
    seat: usize,
    action: SeatAction,
    /// The user had a choice.
    decided: bool,
    /// There was no other play.
    forced: bool,
    /// The roll of a play, where it belongs into its line.
    roll: Option<Vec<u8>>,
    /// What special rules had to say.
    reasons: Vec<String>,
    /// The member of a team that it is about, where it could be another one.
    about: Option<usize>,
}

/// A running game of a user against the engine.
#[derive(Clone)]
pub struct Live {
    setup: Setup,
    table: Table,
    /// The table before the first action of the game.
    begun: Table,
    /// Points of each seat, without the game on the table.
    score: Vec<f64>,
    finished: Vec<Vec<Done>>,
    done: Vec<Done>,
    /// The seat that looks at the game, where each person has a device.
    viewer: Option<usize>,
}

impl Live {
    /// A game before its first roll.
    ///
    /// # Errors
    ///
    /// [`EngineError`](crate::EngineError) of kind `game` or `request`: an unknown game, or options
    /// that don't fit.
    pub fn new(setup: Setup) -> Result<Self> {
        let table = table_of(&setup)?;
        let begun = table.clone();
        let score = match table.cubed().and_then(MatchTable::score) {
            Some(score) => [score.player(), score.opponent()].map(f64::from).to_vec(),
            None => vec![0.0; setup.names.len()],
        };
        let (finished, done) = (Vec::new(), Vec::new());
        Ok(Self { setup, table, begun, score, finished, done, viewer: None })
    }

    /// What was agreed.
    pub const fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Changes how well the engine plays from now on.
    ///
    /// # Errors
    ///
    /// [`EngineError`](crate::EngineError) of kind `request` for what a game for more than two does
    /// not know.
    pub fn set_strength(&mut self, strength: Strength) -> Result<()> {
        strength.check(self.setup.is_many(), &self.setup.game)?;
        self.setup.strength = strength;
        Ok(())
    }

    /// Warns the user before mistakes from now on.
    pub fn set_tutor(&mut self) {
        self.setup.tutor = true;
    }

    /// Looks at the game from a seat, which is the user's from then on. `None` looks as people at one
    /// board do: from the seat that must act.
    pub fn look_from(&mut self, seat: Option<usize>) {
        self.viewer = seat;
    }

    /// The seat of the user, from 0: the one that looks, else of several people the one who must act.
    pub fn user(&self) -> usize {
        if let Some(seat) = self.viewer {
            return seat;
        }
        let acts = self.seat_to_act().filter(|&seat| self.setup.is_person(seat));
        acts.unwrap_or(self.setup.seat)
    }

    /// What a seat is called.
    pub fn name(&self, seat: usize) -> &str {
        &self.setup.names[seat]
    }

    /// The match, where the game has a cube.
    pub fn cubed(&self) -> Option<&MatchTable> {
        self.table.cubed()
    }

    /// The chouette, where one is played.
    pub fn chouette(&self) -> Option<&ChouetteTable> {
        self.table.chouette()
    }

    /// The points of each seat; the game on the table counts once it is over.
    pub fn score(&self) -> Vec<f64> {
        let gains = match self.table.awaited() {
            Awaited::GameOver(end) => end.gains,
            _ => vec![0.0; self.score.len()],
        };
        self.score.iter().zip(gains).map(|(score, gain)| score + gain).collect()
    }

    /// The number of the game, from 1.
    pub fn game_number(&self) -> usize {
        self.finished.len() + 1
    }

    /// What must happen next.
    pub fn awaited(&self) -> Awaited {
        match self.table.awaited() {
            Awaited::GameOver(end) if self.is_won() => Awaited::MatchOver(end),
            awaited => awaited,
        }
    }

    fn is_won(&self) -> bool {
        let length = f64::from(self.setup.length);
        length > 0.0 && self.score().iter().any(|score| *score >= length)
    }

    /// Which seat must act; `None` before the opening roll and after a game. Typed dice are awaited
    /// of the user, for both sides.
    pub fn to_act(&self) -> Option<usize> {
        match self.table.awaited() {
            Awaited::Dice(_) => Some(self.user()),
            _ => self.seat_to_act(),
        }
    }

    /// The seat that has to act, except where dice have to be typed.
    fn seat_to_act(&self) -> Option<usize> {
        match self.table.awaited() {
            Awaited::Dice(_) => None,
            awaited => awaited.seat(),
        }
    }

    /// Whether the engine has to act, or the rules leave it one thing to do.
    pub fn engine_acts(&self) -> bool {
        match self.to_act() {
            Some(seat) => !self.setup.is_person(seat) || self.goes_by_itself().is_some(),
            None => self.goes_by_itself().is_some(),
        }
    }

    /// The seat on roll; `None` before the opening roll.
    pub fn on_roll(&self) -> Option<usize> {
        self.table.on_roll()
    }

    /// The plays of the roll in words; none if no play is awaited.
    pub fn plays(&self) -> Vec<String> {
        match self.table.awaited() {
            Awaited::Play(_) => self.table.plays(),
            _ => Vec::new(),
        }
    }

    /// The play of the awaited roll that a text names, in the words of the game.
    ///
    /// # Errors
    ///
    /// [`LiveError`] if it is not a play of the roll.
    pub fn name_play(&self, text: &str) -> Result<String, LiveError> {
        let (seat, mut table) = (self.user(), self.table.clone());
        match table.act(seat, &SeatAction::Play { play: text.to_owned() })? {
            SeatAction::Play { play } => Ok(play),
            _ => Ok(text.to_owned()),
        }
    }

    /// The numbers of the roll to be played, the highest first.
    pub fn roll(&self) -> Option<Vec<u8>> {
        self.table.roll()
    }

    /// The board as the user sees it.
    pub fn drawing(&self) -> Board {
        self.table.drawing(self.user(), &self.setup.names)
    }

    /// How many rolls or turns there were: the next roll follows from this and the seed.
    fn clock(&self) -> u64 {
        match self.cubed() {
            Some(_) => self.count(|action| matches!(action, SeatAction::Roll { .. })),
            None => self.turns(),
        }
    }

    /// Plays and games so far.
    fn turns(&self) -> u64 {
        let plays = self.count(|action| matches!(action, SeatAction::Play { .. }));
        plays + self.finished.len() as u64
    }

    /// How many actions there were of a kind.
    fn count(&self, is_one: impl Fn(&SeatAction) -> bool) -> u64 {
        self.games().flatten().filter(|done| is_one(&done.action)).count() as u64
    }

    /// What was done in each game, the last one included.
    fn games(&self) -> impl Iterator<Item = &Vec<Done>> {
        self.finished.iter().chain([&self.done])
    }

    fn asking<'a>(&'a self, engine: &'a Engine, watch: &'a Watch<'a>) -> TableQuestion<'a> {
        // A number that no other decision has.
        let decision = match self.cubed() {
            Some(_) => self.count(|_| true),
            None => self.turns(),
        };
        TableQuestion { engine, watch, setup: &self.setup, decision, ply: None }
    }
}
