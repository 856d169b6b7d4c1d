//! `matrix`: the cube action at every score, the Crawford game and those after it apart.

use serde::Serialize;
use tavola_equity::CubeAction;
use tavola_evaluator::{PlayableGame, SituationOf};
use tavola_rules::notation::Stakes;
use tavola_rules::{Cube, MatchScore};

use super::{Operation, cube};
use crate::error::{EngineError, ErrorKind};
use crate::fields::Fields;
use crate::lookahead::Lookahead;
use crate::schema;
use crate::subject::Asked;

/// Asks for the cube action at every score.
#[derive(Clone, Copy, Debug, Default)]
pub struct Matrix {
    /// How far to look ahead. A time limit is for all scores together.
    pub lookahead: Lookahead,
}

/// Points to go up to which the matrix extends.
const AWAY: u16 = 9;

/// The action at every score by the points that the player and the opponent need; 1 is after the
/// Crawford game.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MatrixAnswer {
    /// The cube.
    #[schemars(schema_with = "schema::cube")]
    pub cube: Cube,
    /// Points to go up to which the matrix extends.
    pub away: u16,
    /// Plies of lookahead, where a time limit differs by score the least of them.
    pub ply: u8,
    /// `[player_away - 1][opponent_away - 1]`.
    pub scores: Vec<Vec<Cell>>,
    /// The Crawford game.
    pub crawford: Crawford,
    /// Money play.
    pub money: Cell,
}

/// The Crawford game, in which the cube is out of play: what the position is worth there.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Crawford {
    /// The player on roll needs one point: `[opponent_away - 2]`.
    pub player_leads: Vec<Cell>,
    /// The opponent needs one point: `[player_away - 2]`.
    pub opponent_leads: Vec<Cell>,
}

/// What is known at one score; equities are EMG.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Cell {
    /// What both sides should do.
    #[schemars(schema_with = "schema::action")]
    pub action: CubeAction,
    /// Rolling without a double.
    pub no_double: Option<f64>,
    /// A double that is taken.
    pub double_take: Option<f64>,
    /// A double that is passed.
    pub double_pass: Option<f64>,
}

impl Cell {
    /// A score at which such a cube can't be.
    const NONE: Self =
        Self { action: CubeAction::NoCube, no_double: None, double_take: None, double_pass: None };
}

impl Operation for Matrix {
    const NAME: &'static str = "matrix";
    const BEFORE_THE_ROLL: bool = true;
    type Answer = MatrixAnswer;

    fn read(fields: &mut Fields) -> Result<Self, EngineError> {
        Ok(Self { lookahead: Lookahead::read(fields, Lookahead::DEFAULT_PLY)? })
    }

    fn answer<G: PlayableGame>(&self, asked: &Asked<'_, G>) -> Result<MatrixAnswer, EngineError> {
        asked.expect_cube()?;
        asked.expect_unfinished()?;
        let cube = asked.terms()?.cube;
        let lookahead = self.lookahead.share(u32::from(AWAY * AWAY + 2 * (AWAY - 1) + 1));
        let mut ply = u8::MAX;
        let mut decide = |score: Option<MatchScore>| {
            let situation = SituationOf::<G> {
                cube: Some(cube),
                stakes: score.map(Stakes::Match),
                ..asked.situation
            };
            // A cube that can't be at this score has no action there.
            let terms = match asked.terms_of(&situation) {
                Err(error) if error.kind() == ErrorKind::Cube => return Ok(Cell::NONE),
                terms => terms?,
            };
            let analysis = cube::decide(asked, &terms, &lookahead)?;
            ply = ply.min(analysis.ply);
            let doubled = analysis.decision.double.ok();
            Ok::<_, EngineError>(Cell {
                action: analysis.decision.action,
                no_double: Some(analysis.decision.no_double.equity()),
                double_take: doubled.map(|doubled| doubled.take.equity()),
                double_pass: doubled.map(|doubled| doubled.pass.equity()),
            })
        };
        let mut scores = Vec::new();
        let mut crawford = Crawford { player_leads: Vec::new(), opponent_leads: Vec::new() };
        for player in 1..=AWAY {
            let mut row = Vec::new();
            for opponent in 1..=AWAY {
                let length = player.max(opponent);
                let (won, lost) = (length - player, length - opponent);
                let score = |made| {
                    Result::map_err(made, |error| EngineError::new(ErrorKind::Internal, error))
                };
                row.push(decide(Some(score(MatchScore::new(length, won, lost))?))?);
                let leader = match (player, opponent) {
                    (1, 2..) => &mut crawford.player_leads,
                    (2.., 1) => &mut crawford.opponent_leads,
                    _ => continue,
                };
                leader.push(decide(Some(score(MatchScore::crawford(length, won, lost))?))?);
            }
            scores.push(row);
        }
        let money = decide(None)?;
        Ok(MatrixAnswer { cube, away: AWAY, ply, scores, crawford, money })
    }
}
