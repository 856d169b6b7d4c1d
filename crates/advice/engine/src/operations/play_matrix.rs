//! `play_matrix`: the best play of a roll at every score.

use serde::{Deserialize, Serialize};
use tavola_evaluator::PlayableGame;

use super::best::Best;
use super::matrix::{ByScore, Matrix};
use super::{Operation, play_to};
use crate::error::{EngineError, ErrorKind, Result};
use crate::question::PositionQuestion;

/// Plays that are evaluated at the full depth at each score.
const COMPARED: usize = 5;

/// Asks for the best play at every score. A time limit is for all scores together.
#[derive(Clone, Copy, Debug, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct PlayMatrix {
    /// Points to go up to which the matrix extends, 2 to 25
    #[schemars(range(min = Matrix::MIN_AWAY, max = Matrix::MAX_AWAY))]
    pub away: u16,
}

impl Default for PlayMatrix {
    fn default() -> Self {
        Self { away: Matrix::DEFAULT_AWAY }
    }
}

/// The best play at every score by the points that the player and the opponent need; 1 is after the
/// Crawford game. A cell is null where the cube of the position can't be.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PlayMatrixAnswer {
    /// Points to go up to which the matrix extends.
    pub away: u16,
    /// Plies of lookahead; with a time limit the least of all scores.
    pub ply: u8,
    /// The play at each score.
    #[serde(flatten)]
    pub by_score: ByScore<Option<PlayCell>>,
    /// Money play, by the rules of the position where it is one of a money game.
    pub money: Option<PlayCell>,
}

/// The best play at one score; equities are EMG.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PlayCell {
    /// The play in words.
    pub play: String,
    /// What it is worth.
    pub equity: f64,
    /// The second best play; null where there is none.
    pub second: Option<String>,
    /// What that loses.
    pub second_loss: Option<f64>,
    /// What the best play for money loses here; null if that was not evaluated as deep.
    pub money_play_loss: Option<f64>,
}

impl Operation for PlayMatrix {
    const NAME: &'static str = "play_matrix";
    const SEARCHES: bool = true;
    type Answer = PlayMatrixAnswer;
    type Many = ();

    fn answer<G: PlayableGame>(&self, asked: &PositionQuestion<'_, G>) -> Result<PlayMatrixAnswer> {
        asked.effort().check_without_rollouts()?;
        asked.expect_cube()?;
        asked.expect_unfinished()?;
        let plays = asked.game.plays(asked.state(), asked.dice()?);
        let afterstates: Vec<G::State> = plays.iter().map(|(_, after)| *after).collect();
        if afterstates.is_empty() {
            return Err(EngineError::new(ErrorKind::Dice, "the roll has no legal play"));
        }
        let name = |after: &G::State| play_to(&plays, after).to_string();
        let (mut ply, mut money_play) = (u8::MAX, None);
        // Money comes first, so that its play is known at every score.
        let (money, by_score) = ByScore::of(asked, self.away, |terms, effort| {
            let ranking = asked.with_session(|session| {
                Best::rank_with_cube(asked, session, &afterstates, COMPARED, terms, effort)
            })??;
            let first = ranking[0];
            ply = ply.min(first.ply);
            let second = ranking.get(1).filter(|second| second.ply == first.ply);
            let money: G::State = *money_play.get_or_insert(first.after);
            let as_deep =
                |it: &&super::best::Ranked<G::State>| it.after == money && it.ply == first.ply;
            Ok(Some(PlayCell {
                play: name(&first.after),
                equity: first.utility().into(),
                second: second.map(|second| name(&second.after)),
                second_loss: second.map(|second| second.loss.into()),
                money_play_loss: ranking.iter().find(as_deep).map(|it| it.loss.into()),
            }))
        })?;
        Ok(PlayMatrixAnswer { away: self.away, ply, by_score, money })
    }
}
