//! A game without a cube against the engine while it is played: any game of the registry.
//!
//! A [`LiveGame`] is to these games what a [`LiveMatch`](crate::live_match::LiveMatch) is to
//! backgammon: it holds the score and the running game, takes the plays of the user and asks an
//! [`Engine`] for the engine's own. Rolls are made by the computer. They follow from the seed and
//! the number of turns so far, so a play that is taken back meets the same rolls again.
//!
//! ```
//! use tavola_engine::live_game::{GameAwaited, GameSetup, LiveGame};
//! use tavola_engine::live_match::USER;
//! use tavola_engine::{Engine, Watch};
//! use tavola_games::Tables;
//!
//! let setup = GameSetup { seed: 4, ..GameSetup::default() };
//! let mut live = LiveGame::new(Tables::new("tabula".parse()?), setup);
//! let (engine, watch) = (Engine::without_tables(), Watch::default());
//! while let Some(play) = live.decide(&engine, &watch)? {
//!     live.play(play)?;
//! }
//! assert!(matches!(live.awaited(), GameAwaited::Play(USER, _)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod exchange;
mod saved;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};
use tavola_evaluator::{Ending, PlayableGame, Preset, TextError};
use tavola_games::AnyGame;
use tavola_rules::Player;
use tavola_rules::notation::Situation;

pub use self::exchange::{
    AnyLiveGame, GameAction, GameBoard, GameView, GameWaiting, NewGame, PlayInQuestion,
};
pub use self::saved::saved_game;
use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind};
use crate::live_match::{ENGINE, Mistake, Strength, USER, noise};
use crate::lookahead::Lookahead;
use crate::operations::{Best, BestAnswer, Eval, EvalAnswer};
use crate::subject::Subject;
use crate::watch::Watch;

/// What is agreed before a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameSetup {
    /// The points that win; 0 plays on as long as one likes.
    pub length: u16,
    /// What the user and the engine are called.
    pub names: [String; 2],
    /// How well the engine plays.
    pub strength: Strength,
    /// Gives the dice and the noise of weak play.
    pub seed: u64,
    /// The weights file of the network; `None` is the built-in one.
    pub model: Option<PathBuf>,
}

impl Default for GameSetup {
    /// One point against the engine at its usual strength.
    fn default() -> Self {
        Self {
            length: 1,
            names: ["You".to_owned(), "tavola".to_owned()],
            strength: Strength::default(),
            seed: 0,
            model: None,
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameEnd {
    /// Who won; `None` in a drawn game.
    pub winner: Option<Player>,
    /// What it is worth.
    pub points: u32,
    /// The rule that ended it.
    pub ending: Ending,
}

/// What must happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameAwaited<R> {
    /// The player plays the roll.
    Play(Player, R),
    /// The game is over, and another one follows.
    GameOver(GameEnd),
    /// Nothing follows.
    MatchOver(GameEnd),
}

/// Why something can't be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LiveGameError {
    /// The text is no play of the roll.
    #[error(transparent)]
    Play(#[from] TextError),
    /// The game runs.
    #[error("the game is not over, expected a next game only after it")]
    GameRuns,
    /// The game is over.
    #[error("the game is over, expected no play")]
    GameOver,
    /// All points were played for.
    #[error("nothing follows, for one side has won the points that were agreed")]
    MatchOver,
    /// There is no earlier decision in this game.
    #[error("there is nothing to take back in this game")]
    NothingToTakeBack,
}

/// A turn that was played.
#[derive(Clone, Debug)]
struct Done<G: PlayableGame> {
    player: Player,
    before: G::State,
    roll: G::Roll,
    /// In words.
    play: String,
    /// There was no other play.
    is_forced: bool,
}

/// A turn to be made: the play in words, and the state that it leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn<S> {
    /// In the notation of the game.
    pub play: String,
    /// Seen by the opponent of the player who makes it.
    pub after: S,
}

/// A game against the engine while it is played.
#[derive(Clone, Debug)]
pub struct LiveGame<G: PlayableGame> {
    game: G,
    setup: GameSetup,
    score: [u64; 2],
    finished: Vec<Vec<Done<G>>>,
    done: Vec<Done<G>>,
    state: G::State,
    on_roll: Player,
    roll: G::Roll,
}

/// Advice looks this far ahead: these games have more plays a roll than backgammon.
const PLY: u8 = 1;

fn lookahead() -> Lookahead {
    Lookahead::new(Some(PLY), Preset::default(), None, PLY)
}

impl<G: PlayableGame> LiveGame<G>
where
    AnyGame: From<G>,
{
    /// A game after its first roll. Who begins is drawn.
    pub fn new(game: G, setup: GameSetup) -> Self {
        let state = game.start();
        let roll = game.rolls()[0].0;
        let (score, finished, done) = ([0; 2], Vec::new(), Vec::new());
        let mut live = Self { game, setup, score, finished, done, state, on_roll: USER, roll };
        live.begin();
        live
    }

    fn begin(&mut self) {
        self.state = self.game.start();
        let mut rng = self.dice_generator();
        self.on_roll = if rng.random_bool(0.5) { USER } else { ENGINE };
        self.roll = self.game.opening_roll(&mut rng);
    }

    /// The generator of the next roll.
    fn dice_generator(&self) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.setup.seed);
        rng.set_stream(self.decision());
        rng
    }

    /// A number that no other turn has.
    fn decision(&self) -> u64 {
        (self.finished.iter().map(Vec::len).sum::<usize>() + self.finished.len() + self.done.len())
            as u64
    }

    /// The game.
    pub const fn game(&self) -> &G {
        &self.game
    }

    /// What was agreed.
    pub const fn setup(&self) -> &GameSetup {
        &self.setup
    }

    /// Changes how well the engine plays from now on.
    pub fn set_strength(&mut self, strength: Strength) {
        self.setup.strength = strength;
    }

    /// The name of a player.
    pub fn name(&self, player: Player) -> &str {
        &self.setup.names[player.index()]
    }

    /// The points of both seats, without the running game.
    pub const fn score(&self) -> [u64; 2] {
        self.score
    }

    /// The number of the running game, from 1.
    pub fn game_number(&self) -> usize {
        self.finished.len() + 1
    }

    /// What must happen next.
    pub fn awaited(&self) -> GameAwaited<G::Roll> {
        let Some(outcome) = self.game.outcome(&self.state) else {
            return GameAwaited::Play(self.on_roll, self.roll);
        };
        let points = outcome.points();
        let winner = match points {
            0 => None,
            1.. => Some(self.on_roll),
            _ => Some(self.on_roll.flip()),
        };
        let points = points.unsigned_abs();
        let ending = self.game.ending(&self.state).unwrap_or(Ending::BorneOff);
        let end = GameEnd { winner, points, ending };
        let total = winner.map_or(0, |winner| self.score[winner.index()] + u64::from(points));
        match self.setup.length {
            length if length > 0 && total >= u64::from(length) => GameAwaited::MatchOver(end),
            _ => GameAwaited::GameOver(end),
        }
    }

    /// Position and roll, seen by a player.
    pub fn seen_by(&self, player: Player) -> Situation<G::State, G::Roll> {
        let is_over = self.game.outcome(&self.state).is_some();
        let is_players = self.on_roll == player;
        let position = if is_players { self.state } else { self.game.flip(&self.state) };
        let dice = Some(self.roll).filter(|_| is_players && !is_over);
        Situation { dice, ..Situation::of(position) }
    }

    /// Which player is on roll.
    pub const fn on_roll(&self) -> Player {
        self.on_roll
    }

    /// The plays of the roll; none if the game is over.
    pub fn plays(&self) -> Vec<Turn<G::State>> {
        let plays = self.game.named_afterstates(&self.state, self.roll);
        plays.into_iter().map(|(play, after)| Turn { play, after }).collect()
    }

    /// The only play of the roll, where there is no choice.
    pub fn forced(&self) -> Option<Turn<G::State>> {
        match self.awaited() {
            GameAwaited::Play(..) => {
                let plays = self.plays();
                if plays.len() == 1 { plays.into_iter().next() } else { None }
            }
            _ => None,
        }
    }

    /// The play of the awaited roll that a text names.
    ///
    /// # Errors
    ///
    /// [`LiveGameError::Play`], [`LiveGameError::GameOver`].
    pub fn parse_play(&self, text: &str) -> Result<Turn<G::State>, LiveGameError> {
        if self.game.outcome(&self.state).is_some() {
            return Err(LiveGameError::GameOver);
        }
        // A turn in which nothing moves has a name too.
        let named = self.plays().into_iter().find(|turn| turn.play == text.trim());
        if let Some(turn) = named {
            return Ok(turn);
        }
        let (play, after) = self.game.parse_play(text, &self.state, self.roll)?;
        Ok(Turn { play: play.to_string(), after })
    }

    /// Makes a turn of the player on roll, and rolls for the next one.
    ///
    /// # Errors
    ///
    /// [`LiveGameError`] if it is no play of the roll; nothing is changed then.
    pub fn play(&mut self, turn: Turn<G::State>) -> Result<(), LiveGameError> {
        let legal = self.plays();
        if legal.is_empty() {
            return Err(LiveGameError::GameOver);
        }
        if !legal.iter().any(|other| other.after == turn.after) {
            // The text says what is wrong with it.
            self.parse_play(&turn.play)?;
            return Err(LiveGameError::Play(TextError::of(format_args!(
                "{:?} does not lead there, expected its own afterstate",
                turn.play
            ))));
        }
        self.done.push(Done {
            player: self.on_roll,
            before: self.state,
            roll: self.roll,
            play: turn.play,
            is_forced: legal.len() == 1,
        });
        self.state = turn.after;
        self.on_roll = self.on_roll.flip();
        self.roll = self.game.roll(&mut self.dice_generator());
        Ok(())
    }

    /// Puts the result of the game into the score and begins the next one.
    ///
    /// # Errors
    ///
    /// [`LiveGameError::GameRuns`], [`LiveGameError::MatchOver`].
    pub fn next_game(&mut self) -> Result<(), LiveGameError> {
        let end = match self.awaited() {
            GameAwaited::GameOver(end) => end,
            GameAwaited::MatchOver(_) => return Err(LiveGameError::MatchOver),
            GameAwaited::Play(..) => return Err(LiveGameError::GameRuns),
        };
        if let Some(winner) = end.winner {
            self.score[winner.index()] += u64::from(end.points);
        }
        self.finished.push(std::mem::take(&mut self.done));
        self.begin();
        Ok(())
    }

    /// Goes back to the last decision of the user before this one, within the game. The rolls that
    /// follow are the same again.
    ///
    /// # Errors
    ///
    /// [`LiveGameError::NothingToTakeBack`].
    pub fn take_back(&mut self) -> Result<(), LiveGameError> {
        let is_decision = |done: &Done<G>| done.player == USER && !done.is_forced;
        let last = self.done.iter().rposition(is_decision);
        let last = last.ok_or(LiveGameError::NothingToTakeBack)?;
        let Done { player, before, roll, .. } = self.done[last];
        (self.on_roll, self.state, self.roll) = (player, before, roll);
        self.done.truncate(last);
        Ok(())
    }

    /// How many turns the game has had.
    pub fn turns(&self) -> usize {
        self.done.len()
    }

    /// A turn of the game in words, such as `You: 6-5-3, hand-6 hand-5 hand-3`.
    pub fn turn_in_words(&self, index: usize) -> Option<String> {
        let Done { player, before, roll, play, is_forced } = self.done.get(index)?;
        let name = self.name(*player);
        // In turns between, nobody rolls.
        let roll = match self.game.is_whole_turn(before) {
            true => format!("{roll}, "),
            false => String::new(),
        };
        let only = if *is_forced && play.contains('-') { " (the only play)" } else { "" };
        Some(format!("{name}: {roll}{play}{only}"))
    }

    /// A question about the position, as the player on roll sees it.
    fn subject(&self, with_roll: bool) -> Subject {
        Subject {
            position: Some(self.game.write_state(&self.state)),
            dice: with_roll.then(|| self.roll.to_string()),
            model: self.setup.model.clone(),
            ..Subject::start(AnyGame::from(self.game.clone()))
        }
    }

    /// Whether the engine can play the game: it needs a network for it.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `model`.
    pub fn check_network(&self, engine: &Engine, watch: &Watch<'_>) -> Result<(), EngineError> {
        let start = Subject { position: None, dice: None, ..self.subject(false) };
        let eval = Eval { lookahead: Strength::default().lookahead(), cubeful: None };
        engine.ask(&start, &eval, watch).map(drop)
    }

    /// What the engine plays now; `None` if it has nothing to play. The game is not changed.
    ///
    /// # Errors
    ///
    /// [`EngineError`], such as a network of another game or a cancelled search.
    pub fn decide(
        &self,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Option<Turn<G::State>>, EngineError> {
        let GameAwaited::Play(ENGINE, _) = self.awaited() else { return Ok(None) };
        let plays = self.plays();
        if plays.len() == 1 {
            return Ok(plays.into_iter().next());
        }
        let best = Best { lookahead: self.setup.strength.lookahead(), ..Best::default() };
        let ranked = engine.ask(&self.subject(true), &best, watch)?.answer.plays;
        let sigma = self.setup.strength.noise();
        let noisy = ranked.iter().filter_map(|ranked| {
            let after = self.game.parse_state(&ranked.position).ok()?;
            let turn = plays.iter().find(|turn| turn.after == after)?;
            let noise = match sigma {
                0.0 => 0.0,
                _ => sigma * noise(self.setup.seed, self.decision(), G::cells(&after)),
            };
            Some((turn, f64::from(ranked.equity) + noise))
        });
        let chosen = match sigma {
            // Plays that were searched deepest come first, and only those are comparable.
            0.0 => noisy.into_iter().next(),
            _ => noisy.max_by(|(_, a), (_, b)| a.total_cmp(b)),
        };
        let chosen = chosen.ok_or_else(|| {
            EngineError::new(ErrorKind::Internal, "no play of the roll was evaluated")
        })?;
        Ok(Some(chosen.0.clone()))
    }

    /// The plays of the user's roll, best first.
    ///
    /// # Errors
    ///
    /// [`EngineError`].
    pub fn hint(&self, engine: &Engine, watch: &Watch<'_>) -> Result<BestAnswer, EngineError> {
        let best = Best { lookahead: lookahead(), top: Some(5), ..Best::default() };
        Ok(engine.ask(&self.subject(true), &best, watch)?.answer)
    }

    /// What the position is worth to the player on roll, before the roll.
    ///
    /// # Errors
    ///
    /// [`EngineError`].
    pub fn evaluate(&self, engine: &Engine, watch: &Watch<'_>) -> Result<EvalAnswer, EngineError> {
        let eval = Eval { lookahead: lookahead(), cubeful: None };
        Ok(engine.ask(&self.subject(false), &eval, watch)?.answer)
    }

    /// What a play of the user loses, before it is made; `None` if it is the best one.
    ///
    /// # Errors
    ///
    /// [`EngineError`].
    pub fn mistake(
        &self,
        turn: &Turn<G::State>,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Option<Mistake>, EngineError> {
        let played = Some(turn.play.clone());
        let best = Best { lookahead: lookahead(), top: Some(1), played, ..Best::default() };
        let answer = engine.ask(&self.subject(true), &best, watch)?.answer;
        let both = answer.played.zip(answer.plays.into_iter().next());
        Ok(both
            .map(|(played, best)| Mistake {
                chosen: played.play,
                better: best.play,
                loss: f64::from(played.loss).abs(),
            })
            .filter(|mistake| mistake.loss > 0.0))
    }
}
