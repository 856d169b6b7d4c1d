//! A game for more than two players while it is played: a user in one seat, a network in the others.

use std::path::Path;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tavola_games::many::{ManyEvaluator, ManyGame, ThreeDice};

use super::evaluator;
use crate::engine::Engine;
use crate::error::EngineError;

/// A running game. Dice follow from the seed.
#[derive(Debug)]
pub struct ManyLive<G: ManyGame> {
    game: G,
    state: G::State,
    user: usize,
    dice: ChaCha8Rng,
    evaluator: ManyEvaluator<G>,
    asked: Option<Asked<G>>,
}

/// What the user is asked: the roll, unless it is about offered dice, and the plays.
#[derive(Clone, Debug)]
struct Asked<G: ManyGame> {
    roll: Option<ThreeDice>,
    plays: Vec<(String, G::State)>,
}

/// What happens next in a running game.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// The game is over: what each seat has won.
    Over(Vec<f32>),
    /// A network has played in this seat.
    Played {
        /// The seat, from 0.
        seat: usize,
        /// The roll; none if it has decided on offered dice.
        roll: Option<ThreeDice>,
        /// The play in words.
        play: String,
    },
    /// The user has to choose one of these plays.
    Choose {
        /// The roll; none if it is about offered dice.
        roll: Option<ThreeDice>,
        /// The plays in words.
        plays: Vec<String>,
    },
}

impl<G: ManyGame> ManyLive<G> {
    /// A game from the start, in which seat 0 begins.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `model`.
    pub fn new(
        engine: &Engine,
        game: &G,
        model: Option<&Path>,
        user: usize,
        seed: u64,
    ) -> Result<Self, EngineError> {
        Ok(Self {
            game: game.clone(),
            state: game.start(0),
            user: user % G::PLAYERS,
            dice: ChaCha8Rng::seed_from_u64(seed),
            evaluator: evaluator(engine, game, model)?,
            asked: None,
        })
    }

    /// The position.
    pub const fn state(&self) -> &G::State {
        &self.state
    }

    /// The seat of the user, from 0.
    pub const fn user(&self) -> usize {
        self.user
    }

    /// Goes on: a network plays, or the user is asked, as often as it takes an answer.
    pub fn step(&mut self) -> Turn {
        if let Some(payoffs) = self.game.payoffs(&self.state) {
            return Turn::Over(payoffs);
        }
        let seat = self.game.on_roll(&self.state);
        if self.asked.is_none() {
            let roll = self.game.rolls(&self.state).then(|| self.game.roll(&mut self.dice));
            let plays = self.game.plays(&self.state, roll);
            self.asked = Some(Asked { roll, plays });
        }
        let asked = self.asked.clone().expect("was made");
        if seat == self.user {
            let plays = asked.plays.into_iter().map(|(play, _)| play).collect();
            return Turn::Choose { roll: asked.roll, plays };
        }
        let best = self.best();
        let (play, state) = asked.plays[best].clone();
        (self.state, self.asked) = (state, None);
        Turn::Played { seat, roll: asked.roll, play }
    }

    /// Which of the plays that the user may choose is best by the network, counted from 0; the
    /// first outside of the user's turn.
    pub fn best(&mut self) -> usize {
        let Some(asked) = &self.asked else { return 0 };
        let states: Vec<G::State> = asked.plays.iter().map(|(_, state)| state.clone()).collect();
        let seat = self.game.on_roll(&self.state);
        self.evaluator.best(seat, &states, &mut vec![0.0; G::PLAYERS])
    }

    /// Makes a play of those that the user may choose, counted from 0; whether there is one of this
    /// number.
    pub fn choose(&mut self, play: usize) -> bool {
        let chosen = self.asked.as_ref().and_then(|asked| asked.plays.get(play)).cloned();
        let Some((_, state)) = chosen else { return false };
        (self.state, self.asked) = (state, None);
        true
    }
}
