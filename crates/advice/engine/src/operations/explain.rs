//! What `best` says of a play when it is asked to explain.

use serde::Serialize;
use tavola_evaluator::PlayableGame;
use tavola_evaluator::explain::{self, Change, EvaluatedPlay, Features, Reply, Shots};

use super::best::Ranked;
use super::eval::Evaluation;
use crate::schema;
use crate::session::Session;
use crate::subject::PositionQuestion;

/// The reasons for a play, with the texts of plays.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PlayReasons {
    /// What roll and play have changed together.
    #[schemars(schema_with = "schema::change")]
    pub since_roll: Change,
    /// The change against another play.
    pub against: Option<Against>,
    /// What the opponent may hit, in games in which shots are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::shots")]
    pub shots: Option<Shots>,
    /// What the play makes, and what both sides have after it, in games that have words for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::features")]
    pub features: Option<Features>,
    /// The opponent's best reply to each roll, their best roll first; none if the play ends the
    /// game.
    pub replies: Vec<NamedReply>,
}

/// The play that another one is compared with.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Against {
    /// The play in words.
    pub play: String,
    /// The change against it.
    #[serde(flatten)]
    #[schemars(schema_with = "schema::change")]
    pub change: Change,
}

/// A reply with its text. Figures are those of the player who made the play that is explained.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct NamedReply {
    /// The roll.
    pub dice: Vec<u8>,
    /// The weight of the roll.
    pub weight: u8,
    /// The reply in words.
    pub play: String,
    /// Cubeless money equity after the reply, in points.
    pub equity: f32,
    /// Win, win gammon, win backgammon, lose gammon, lose backgammon.
    pub probs: [f32; 5],
    /// Checkers that the reply hits, in games in which shots are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hits: Option<u8>,
}

/// The reasons for plays, the best first. `before` is what the position was worth before the roll.
pub(super) fn reasons<G: PlayableGame>(
    asked: &PositionQuestion<'_, G>,
    session: &mut Session<G>,
    before: &Evaluation,
    plays: &[Ranked<G::State>],
    name: &dyn Fn(&G::State) -> String,
) -> Vec<PlayReasons> {
    let game = asked.game;
    let evaluated: Vec<EvaluatedPlay<G::State>> = plays
        .iter()
        .map(|play| EvaluatedPlay { position: play.after, probs: play.probs, ply: play.ply })
        .collect();
    let reasons = explain::explain(game, &mut *session.main, &before.probs, &evaluated);
    let named = |after: &G::State, reply: &Reply<G>| NamedReply {
        dice: game.numbers(reply.roll),
        weight: reply.weight,
        play: game
            .play_to(after, reply.roll, &reply.position)
            .map_or_else(|| "pass".to_owned(), |play| play.to_string()),
        equity: reply.equity,
        probs: reply.probs.cumulative().to_array(),
        hits: reply.hits,
    };
    plays
        .iter()
        .zip(reasons)
        .map(|(play, reasons)| PlayReasons {
            since_roll: reasons.since_roll,
            against: reasons
                .against
                .map(|(other, change)| Against { play: name(&plays[other].after), change }),
            shots: reasons.shots,
            features: game.features(asked.state(), &play.after),
            replies: reasons.replies.iter().map(|reply| named(&play.after, reply)).collect(),
        })
        .collect()
}
