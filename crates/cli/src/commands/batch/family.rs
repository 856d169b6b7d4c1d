//! Requests about the historical games: what they may ask, and the answers.

use serde_json::Value;
use tavola_evaluator::Search;
use tavola_games::{PlayableGame, Tables, TablesDice, TablesState};
use tavola_rules::Game;

use super::fields::{Fields, quote, wrong};
use super::request::{self, OpName};
use super::{Body, Refusal, watch};
use crate::args::Form;
use crate::failure::Failure;
use crate::family;
use crate::lookahead::Lookahead;

/// A request about a historical game that can be answered.
#[derive(Debug)]
pub struct FamilyRequest {
    /// The game with its options.
    pub game: Tables,
    /// The position, from the player on roll.
    pub state: TablesState,
    /// What is asked.
    pub op: FamilyOp,
}

/// The operations with what only they need.
#[derive(Debug)]
pub enum FamilyOp {
    /// Every result of a roll.
    Legal {
        /// The roll.
        dice: TablesDice,
    },
    /// The plays of a roll, best first.
    Best {
        /// The roll.
        dice: TablesDice,
        /// The most plays to answer.
        top: usize,
        /// How far to look ahead.
        lookahead: Lookahead,
    },
    /// What the position is worth.
    Eval {
        /// How far to look ahead.
        lookahead: Lookahead,
    },
    /// The position in another form.
    Convert {
        /// The form.
        to: Form,
        /// Dice to draw on a board.
        dice: Option<TablesDice>,
    },
}

impl FamilyRequest {
    /// The rest of a request whose operation and game are known.
    pub fn parse(mut fields: Fields, name: OpName, game: Tables) -> Result<Self, Refusal> {
        let id = game.id();
        match name {
            OpName::Cube => {
                return Err(Refusal::unsupported(format!(
                    "{id} is played without a cube, expected op legal, best, eval or convert"
                )));
            }
            OpName::Rollout => {
                return Err(Refusal::unsupported(format!(
                    "rollouts know backgammon and its variants, not {id}, expected op legal, best, \
                     eval or convert"
                )));
            }
            _ => {}
        }
        refuse_terms(&mut fields, &id)?;
        let position = fields.value("position");
        let state = match fields.required("position", position)? {
            Value::String(text) => {
                game.parse_state(&text).map_err(|error| Refusal::new("position", error))?
            }
            other => {
                return Err(Refusal::new(
                    "position",
                    format!(
                        "\"position\" is {}, expected a text such as {:?}",
                        quote(&other),
                        game.write_state(&game.start())
                    ),
                ));
            }
        };
        let op = match name {
            OpName::Legal => FamilyOp::Legal { dice: needed_dice(&mut fields, &game)? },
            OpName::Best => {
                let lookahead = request::lookahead(&mut fields)?;
                let top = fields.number("top", 1, u64::from(u32::MAX))?;
                FamilyOp::Best {
                    dice: needed_dice(&mut fields, &game)?,
                    top: top.map_or(usize::MAX, |top| top as usize),
                    lookahead,
                }
            }
            OpName::Eval => FamilyOp::Eval { lookahead: request::lookahead(&mut fields)? },
            OpName::Convert => FamilyOp::Convert {
                to: request::form(&mut fields)?,
                dice: dice(&mut fields, &game)?,
            },
            OpName::Cube | OpName::Rollout => unreachable!("these were refused above"),
        };
        fields.finish()?;
        Ok(Self { game, state, op })
    }
}

/// Cube and score have no meaning here; what asks for nothing is let through.
fn refuse_terms(fields: &mut Fields, id: &str) -> Result<(), Refusal> {
    let refusal = |key: &str| {
        Err(Refusal::unsupported(format!(
            "{key:?} is given, but {id} is played without a cube and without matches"
        )))
    };
    for key in ["cube", "match"] {
        if fields.value(key).is_some() {
            return refusal(key);
        }
    }
    for key in ["jacoby", "beavers", "cubeful"] {
        if fields.flag(key)? == Some(true) {
            return refusal(key);
        }
    }
    Ok(())
}

/// Numbers in an array, or a text such as "321".
fn dice(fields: &mut Fields, game: &Tables) -> Result<Option<TablesDice>, Refusal> {
    let Some(value) = fields.value("dice") else { return Ok(None) };
    let text = match &value {
        Value::String(text) => Some(text.clone()),
        Value::Array(numbers)
            if numbers.iter().all(|n| n.as_u64().is_some_and(|n| (1..=6).contains(&n))) =>
        {
            Some(numbers.iter().map(Value::to_string).collect::<Vec<_>>().join("-"))
        }
        _ => None,
    };
    let Some(text) = text else {
        let example = Value::from(game.rolls()[1].0.numbers());
        let expected = format!("numbers from 1 to 6 such as {example}");
        return Err(Refusal::new("dice", wrong("dice", &value, &expected).message));
    };
    game.parse_roll(&text).map(Some).map_err(|error| Refusal::new("dice", error))
}

fn needed_dice(fields: &mut Fields, game: &Tables) -> Result<TablesDice, Refusal> {
    dice(fields, game)?.ok_or_else(|| {
        let example = game.rolls()[1].0;
        Refusal::new("dice", format!("no roll is given, expected \"dice\" such as {example}"))
    })
}

/// Who judges a historical game.
pub struct FamilyDesk {
    /// The game that the network was trained for.
    pub game: Tables,
    /// The search that it guides.
    pub search: Search<Tables>,
}

/// The answer; `desk` finds who judges, where somebody has to.
pub fn carry_out<'a>(
    request: &FamilyRequest,
    desk: impl FnOnce() -> Result<&'a mut FamilyDesk, Refusal>,
) -> Result<Body, Refusal> {
    let FamilyRequest { game, state, op } = request;
    Ok(match op {
        FamilyOp::Legal { dice } => Body::FamilyLegal { plays: family::plays(game, state, *dice) },
        FamilyOp::Best { dice, top, lookahead } => {
            let search = &mut desk()?.search;
            search.set_settings(lookahead.settings);
            let mut plays = family::rate(game, search, state, *dice, watch(lookahead));
            plays.truncate(*top);
            Body::FamilyBest { plays }
        }
        FamilyOp::Eval { lookahead } => {
            let search = &mut desk()?.search;
            search.set_settings(lookahead.settings);
            Body::FamilyEval(family::judgement(search, state, watch(lookahead)))
        }
        FamilyOp::Convert { to, dice } => Body::FamilyConvert {
            position: family::converted(game, state, *dice, *to)
                .map_err(|failure: Failure| Refusal::new("to", failure.message()))?,
        },
    })
}
