//! `matrix`: the cube action at every score, the Crawford game and those after it apart.

use serde::{Deserialize, Serialize};
use tavola_equity::CubeVerdict;
use tavola_evaluator::{PlayableGame, SituationOf};
use tavola_rules::notation::MoneyOrMatch;
use tavola_rules::{Cube, MatchScore};

use super::{Losses, Operation, cube};
use crate::effort::Effort;
use crate::error::{EngineError, ErrorKind, Result};
use crate::question::PositionQuestion;
use crate::terms::ResolvedTerms;

/// Asks for the cube action at every score. A time limit is for all scores together.
#[derive(Clone, Copy, Debug, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct Matrix {
    /// Points to go up to which the matrix extends, 2 to 25
    #[schemars(range(min = Self::MIN_AWAY, max = Self::MAX_AWAY))]
    pub away: u16,
}

impl Default for Matrix {
    fn default() -> Self {
        Self { away: Self::DEFAULT_AWAY }
    }
}

impl Matrix {
    /// The fewest points to go.
    pub const MIN_AWAY: u16 = 2;
    /// The most points to go: as far as the published match equity tables.
    pub const MAX_AWAY: u16 = 25;
    /// The points to go of a question that names none.
    pub const DEFAULT_AWAY: u16 = 9;
}

/// The action at every score by the points that the player and the opponent need; 1 is after the
/// Crawford game.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MatrixAnswer {
    /// The cube.
    pub cube: Cube,
    /// Points to go up to which the matrix extends.
    pub away: u16,
    /// Plies of lookahead; with a time limit the least of all scores.
    pub ply: u8,
    /// The action at each score.
    #[serde(flatten)]
    pub by_score: ByScore<Cell>,
    /// Money play, by the rules of the position where it is one of a money game.
    pub money: Cell,
    /// The stakes of [`money`](Self::money) in words.
    #[serde(skip)]
    pub money_terms: String,
}

/// Something at every score of a match.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ByScore<T> {
    /// `[player_away - 1][opponent_away - 1]`.
    pub scores: Vec<Vec<T>>,
    /// The Crawford game.
    pub crawford: Crawford<T>,
}

/// The Crawford game, in which the cube is out of play.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
#[schemars(inline)]
pub struct Crawford<T> {
    /// The player on roll needs one point: `[opponent_away - 2]`.
    pub player_leads: Vec<T>,
    /// The opponent needs one point: `[player_away - 2]`.
    pub opponent_leads: Vec<T>,
}

/// What is known at one score; equities are EMG.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Cell {
    /// What both sides should do.
    #[serde(flatten)]
    pub verdict: CubeVerdict,
    /// Rolling without a double.
    pub no_double: Option<f64>,
    /// A double that is taken.
    pub double_take: Option<f64>,
    /// A double that is passed.
    pub double_pass: Option<f64>,
    /// What the wrong actions give away; null where there is no choice.
    pub losses: Option<Losses>,
}

impl Operation for Matrix {
    const NAME: &'static str = "matrix";
    const SEARCHES: bool = true;
    const BEFORE_THE_ROLL: bool = true;
    const ABOUT_OFFERS: bool = true;
    type Answer = MatrixAnswer;
    type Many = ();

    fn answer<G: PlayableGame>(&self, asked: &PositionQuestion<'_, G>) -> Result<MatrixAnswer> {
        asked.effort().check_without_rollouts()?;
        asked.expect_cube()?;
        asked.expect_unfinished()?;
        cube::question(asked)?;
        let (cube, away) = (asked.terms()?.cube, self.away);
        let (mut ply, mut money_terms) = (u8::MAX, String::new());
        let (money, by_score) = ByScore::of(asked, away, |terms, effort| {
            let analysis =
                asked.with_session(|session| cube::decide(asked, session, terms, effort))??;
            ply = ply.min(analysis.ply);
            if terms.score.is_none() {
                money_terms = terms.to_string();
            }
            let doubled = analysis.decision.double.ok();
            Ok(Cell {
                verdict: analysis.decision.verdict(cube),
                no_double: Some(analysis.decision.no_double.equity()),
                double_take: doubled.map(|doubled| doubled.take.equity()),
                double_pass: doubled.map(|doubled| doubled.pass.equity()),
                losses: cube::losses(&analysis.decision),
            })
        })?;
        Ok(MatrixAnswer { cube, away, ply, by_score, money, money_terms })
    }
}

impl<T: Default> ByScore<T> {
    /// What is decided for money, by the rules of the position where it is one of a money game,
    /// then at every score up to `away` points to go; the default where the cube can't be.
    pub(super) fn of<G: PlayableGame>(
        asked: &PositionQuestion<'_, G>,
        away: u16,
        mut decide: impl FnMut(&ResolvedTerms, &Effort) -> Result<T>,
    ) -> Result<(T, Self)> {
        let effort = asked.effort().share(u32::from(away * away + 2 * (away - 1) + 1));
        let own =
            asked.situation.stakes.filter(|stakes| matches!(stakes, MoneyOrMatch::Money { .. }));
        let mut decide = |score: Option<MatchScore>| {
            let stakes = score.map(MoneyOrMatch::Match).or(own);
            match asked.terms_of(&SituationOf::<G> { stakes, ..asked.situation }) {
                Err(error) if error.kind() == ErrorKind::Cube => Ok(T::default()),
                terms => decide(&terms?, &effort),
            }
        };
        let money = decide(None)?;
        let internal = |error| EngineError::new(ErrorKind::Internal, error);
        let mut crawford = Crawford { player_leads: Vec::new(), opponent_leads: Vec::new() };
        let mut scores = Vec::new();
        for player in 1..=away {
            let mut row = Vec::new();
            for opponent in 1..=away {
                let length = player.max(opponent);
                let (won, lost) = (length - player, length - opponent);
                row.push(decide(Some(MatchScore::new(length, won, lost).map_err(internal)?))?);
                let leader = match (player, opponent) {
                    (1, 2..) => &mut crawford.player_leads,
                    (2.., 1) => &mut crawford.opponent_leads,
                    _ => continue,
                };
                let score = MatchScore::crawford(length, won, lost).map_err(internal)?;
                leader.push(decide(Some(score))?);
            }
            scores.push(row);
        }
        Ok((money, Self { scores, crawford }))
    }
}
