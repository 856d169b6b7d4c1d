//! A game for more than two players while it is played: a user in one seat, the engine in the others.

use std::path::Path;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tavola_games::many::{ManyEvaluator, ManyGame, ManyPlayer, RuleBasedPlayer, ThreeDice};

use super::evaluator;
use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind};
use crate::network::Network;

/// The players of the other seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Opponents {
    /// The network of the game.
    Network,
    /// The rules of thumb of the game.
    RuleBased,
}

impl Opponents {
    /// The strongest that come with the program for the game of this id.
    pub fn strongest(game: &str) -> Self {
        if Network::games().any(|name| name == game) { Self::Network } else { Self::RuleBased }
    }
}

/// Chooses plays for the seats of the engine, and advises the user.
#[derive(Clone, Debug)]
pub struct Mind<G: ManyGame>(Option<ManyEvaluator<G>>);

impl<G: ManyGame> Mind<G> {
    /// One that follows the rules of thumb, or a network: that of a weights file, or the built-in
    /// one.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `model`.
    pub fn new(
        engine: &Engine,
        game: &G,
        opponents: Opponents,
        model: Option<&Path>,
    ) -> Result<Self, EngineError> {
        Ok(Self(match opponents {
            Opponents::Network => Some(evaluator(engine, game, model)?),
            Opponents::RuleBased => None,
        }))
    }

    /// What every play is worth, if it is a network.
    pub(super) fn evaluator(&mut self) -> Option<&mut ManyEvaluator<G>> {
        self.0.as_mut()
    }

    /// The index of the best of these states for the seat that decides in `state`.
    fn best(&mut self, game: &G, state: &G::State, results: &[G::State]) -> usize {
        match &mut self.0 {
            Some(evaluator) => {
                evaluator.best(game.on_roll(state), results, &mut vec![0.0; G::PLAYERS])
            }
            None => RuleBasedPlayer.choose(game, state, results),
        }
    }
}

/// A turn that was played.
#[derive(Clone, Debug)]
pub(super) struct Done<G: ManyGame> {
    pub(super) seat: usize,
    before: G::State,
    pub(super) roll: Option<ThreeDice>,
    pub(super) play: String,
    is_forced: bool,
}

impl<G: ManyGame> Done<G> {
    /// The position in which it was played.
    pub(super) const fn before(&self) -> &G::State {
        &self.before
    }
}

/// A turn of a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManyTurn {
    /// The seat, from 0.
    pub seat: usize,
    /// The roll; none if the seat has decided on offered dice.
    pub roll: Option<ThreeDice>,
    /// The play in words.
    pub play: String,
}

/// A running game. Rolls follow from the seed and the number of turns so far, so a play that is taken
/// back meets the same rolls again.
#[derive(Clone, Debug)]
pub struct ManyLive<G: ManyGame> {
    game: G,
    seat: usize,
    seed: u64,
    score: Vec<f32>,
    pub(super) finished: Vec<Vec<Done<G>>>,
    pub(super) done: Vec<Done<G>>,
    state: G::State,
    roll: Option<ThreeDice>,
}

impl<G: ManyGame> ManyLive<G> {
    /// A game from the start with a user in this seat; seat 0 begins.
    pub fn new(game: G, seat: usize, seed: u64) -> Self {
        let state = game.start(0);
        let mut live = Self {
            state,
            seat: seat % G::PLAYERS,
            seed,
            score: vec![0.0; G::PLAYERS],
            finished: Vec::new(),
            done: Vec::new(),
            roll: None,
            game,
        };
        live.throw();
        live
    }

    /// Rolls, if it is time to.
    fn throw(&mut self) {
        let earlier: usize = self.finished.iter().map(|done| done.len() + 1).sum();
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream((earlier + self.done.len()) as u64);
        self.roll = self.game.rolls(&self.state).then(|| self.game.roll(&mut rng));
    }

    /// The game.
    pub const fn game(&self) -> &G {
        &self.game
    }

    /// The position.
    pub const fn state(&self) -> &G::State {
        &self.state
    }

    /// The seat of the user, from 0.
    pub const fn seat(&self) -> usize {
        self.seat
    }

    /// The seat that decides next.
    pub fn on_roll(&self) -> usize {
        self.game.on_roll(&self.state)
    }

    /// The roll to be played; `None` if the seat decides on offered dice, or the game is over.
    pub fn roll(&self) -> Option<ThreeDice> {
        self.roll.filter(|_| self.payoffs().is_none())
    }

    /// What each seat has won, once the game is over.
    pub fn payoffs(&self) -> Option<Vec<f32>> {
        self.game.payoffs(&self.state)
    }

    /// Points of each seat, without the running game.
    pub fn score(&self) -> &[f32] {
        &self.score
    }

    /// The number of the running game, from 1.
    pub fn game_number(&self) -> usize {
        self.finished.len() + 1
    }

    /// The seed of the dice.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// The plays of the seat that decides, in words, each with what it leads to; none if the game
    /// is over.
    pub fn plays(&self) -> Vec<(String, G::State)> {
        match self.payoffs() {
            Some(_) => Vec::new(),
            None => self.game.plays(&self.state, self.roll),
        }
    }

    /// Makes a play of the seat that decides.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `play` if it is none of the [`plays`](Self::plays).
    pub fn play(&mut self, words: &str) -> Result<(), EngineError> {
        let plays = self.plays();
        let is_forced = plays.len() == 1;
        let wanted = sorted(words);
        let found = plays.into_iter().find(|(play, _)| sorted(play) == wanted);
        let Some((play, after)) = found else {
            let message = match (self.payoffs(), self.roll) {
                (Some(_), _) => format!("{words:?} can't be played, for the game is over"),
                (_, Some(roll)) => {
                    format!("{words:?} is not a play of {roll}, expected one of the listed plays")
                }
                (_, None) => format!(
                    "{words:?} is not a play of the offered dice, expected one of the listed plays"
                ),
            };
            return Err(EngineError::new(ErrorKind::Play, message));
        };
        let (seat, roll) = (self.on_roll(), self.roll);
        let before = std::mem::replace(&mut self.state, after);
        self.done.push(Done { seat, before, roll, play, is_forced });
        self.throw();
        Ok(())
    }

    /// Reads a turn of a file: the roll, `-` for offered dice, and the play.
    pub(super) fn redo(&mut self, roll: &str, play: &str) -> Result<(), String> {
        self.roll = match (roll, self.game.rolls(&self.state)) {
            ("-", false) => None,
            ("-", true) => return Err("\"-\" is not a roll, and no dice are offered".to_owned()),
            (_, false) => return Err(format!("{roll:?} is a roll where dice are offered")),
            (roll, true) => Some(self.game.parse_roll(roll).map_err(|error| error.to_string())?),
        };
        self.play(play).map_err(|error| error.to_string())
    }

    /// The engine plays in its seats, and the user where there is no choice: the next turn; `None`
    /// once the user has to choose or the game is over.
    ///
    /// # Errors
    ///
    /// None is expected: the play is one of the listed ones.
    pub fn step(&mut self, mind: &mut Mind<G>) -> Result<Option<ManyTurn>, EngineError> {
        let plays = self.plays();
        let chosen = match &plays[..] {
            [] => return Ok(None),
            [_] => 0,
            _ if self.on_roll() == self.seat => return Ok(None),
            _ => self.best_of(&plays, mind),
        };
        let (seat, roll, play) = (self.on_roll(), self.roll, plays[chosen].0.clone());
        self.play(&play)?;
        Ok(Some(ManyTurn { seat, roll, play }))
    }

    fn best_of(&self, plays: &[(String, G::State)], mind: &mut Mind<G>) -> usize {
        let states: Vec<G::State> = plays.iter().map(|(_, state)| state.clone()).collect();
        mind.best(&self.game, &self.state, &states)
    }

    /// Which of the [`plays`](Self::plays) is best, counted from 0; `None` if there is none.
    pub fn best(&self, mind: &mut Mind<G>) -> Option<usize> {
        let plays = self.plays();
        (!plays.is_empty()).then(|| self.best_of(&plays, mind))
    }

    /// Puts the result of the game into the score and begins the next one, in which the next seat
    /// rolls first.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `request` if the game is not over.
    pub fn next_game(&mut self) -> Result<(), EngineError> {
        let payoffs = self.payoffs().ok_or_else(|| {
            EngineError::request("the game is not over, expected a next game only after it")
        })?;
        self.score.iter_mut().zip(payoffs).for_each(|(score, payoff)| *score += payoff);
        self.finished.push(std::mem::take(&mut self.done));
        self.state = self.game.start(self.finished.len() % G::PLAYERS);
        self.throw();
        Ok(())
    }

    /// Goes back to the last choice of the user in this game.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `request` if there is none.
    pub fn take_back(&mut self) -> Result<(), EngineError> {
        let last = self
            .last_choice()
            .ok_or_else(|| EngineError::request("there is nothing to take back in this game"))?;
        self.state = self.done[last].before.clone();
        self.roll = self.done[last].roll;
        self.done.truncate(last);
        Ok(())
    }

    /// Where the user has chosen last in this game.
    pub(super) fn last_choice(&self) -> Option<usize> {
        self.done.iter().rposition(|done| done.seat == self.seat && !done.is_forced)
    }
}

/// The moves of a play in an order of their own, for the user may make them in any.
fn sorted(play: &str) -> Vec<&str> {
    let mut moves: Vec<&str> = play.split_whitespace().collect();
    moves.sort_unstable();
    moves
}
