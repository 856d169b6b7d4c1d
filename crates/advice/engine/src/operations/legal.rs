//! `legal`: every play of a roll.

use serde::{Deserialize, Serialize};
use tavola_evaluator::PlayableGame;
use tavola_games::many::ManyGame;

use super::Operation;
use crate::error::Result;
use crate::many::ManyQuestion;
use crate::question::PositionQuestion;

/// Asks for every distinct afterstate of the roll, each with one way to play it.
#[derive(Clone, Copy, Debug, Default, Deserialize, schemars::JsonSchema)]
pub struct Legal {}

/// A legal play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct LegalPlay {
    /// The play in words.
    pub play: String,
    /// The afterstate in the notation of the game, the opponent on roll.
    pub position: String,
}

/// What [`Legal`] answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct LegalAnswer {
    /// The plays; none if the game is over or, in backgammon, if the player can't move.
    pub plays: Vec<LegalPlay>,
}

impl Operation for Legal {
    const NAME: &'static str = "legal";
    type Answer = LegalAnswer;
    type Many = LegalAnswer;

    fn answer<G: PlayableGame>(&self, asked: &PositionQuestion<'_, G>) -> Result<LegalAnswer> {
        let plays = asked.game.plays(asked.state(), asked.dice()?).into_iter();
        let named = plays.map(|(play, after)| LegalPlay {
            play: play.to_string(),
            position: asked.game.write_state(&after),
        });
        Ok(LegalAnswer { plays: named.collect() })
    }

    fn answer_many<G: ManyGame>(&self, asked: &ManyQuestion<'_, G>) -> Result<LegalAnswer> {
        let named = asked.plays()?.into_iter();
        let named = named.map(|(play, after)| LegalPlay { play, position: asked.written(&after) });
        Ok(LegalAnswer { plays: named.collect() })
    }
}
