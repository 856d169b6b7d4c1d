//! What a request asks.

use std::num::NonZeroU32;

use clap::ValueEnum;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tavola_evaluator::Preset;
use tavola_evaluator::rollout::{Luck, MAX_CANDIDATES, RolloutSettings, StopRules};
use tavola_evaluator::search::MAX_PLY;
use tavola_games::AnyGame;
use tavola_rules::notation::{Situation, Stakes};
use tavola_rules::{Backgammon, Dice};

use super::Refusal;
use super::family::FamilyRequest;
use super::fields::{Fields, quote, wrong};
use crate::args::Form;
use crate::lookahead::{Lookahead, time_limit};
use crate::query;
use crate::rollout::{DEFAULT_TOP, DEFAULT_TRIALS, MOST_TRIALS};
use crate::terms::Terms;

/// A request that can be answered, by the kind of its game.
#[derive(Debug)]
pub enum AnyRequest {
    /// About backgammon or a variant of it.
    Backgammon(Request),
    /// About a historical game.
    Family(FamilyRequest),
}

/// A request about backgammon.
#[derive(Debug)]
pub struct Request {
    /// The variant of backgammon.
    pub game: Backgammon,
    /// The position, with cube and score in force.
    pub situation: Situation,
    /// Whether figures with a cube are wanted, if the request says so.
    pub cubeful: Option<bool>,
    /// What is asked.
    pub op: Op,
}

/// The operations with what only they need.
#[derive(Debug)]
pub enum Op {
    /// Every result of a roll.
    Legal {
        /// The roll.
        dice: Dice,
    },
    /// The plays of a roll, best first.
    Best {
        /// The roll.
        dice: Dice,
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
    /// Whether to double and take.
    Cube {
        /// How far to look ahead.
        lookahead: Lookahead,
    },
    /// What the position, or the plays of its roll if it has one, are worth when played out.
    Rollout {
        /// How.
        settings: Box<RolloutSettings>,
        /// The most plays to roll out.
        top: usize,
    },
    /// The position in another form.
    Convert {
        /// The form.
        to: Form,
    },
}

/// The names of [`Op`], before anything else of the request is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpName {
    /// See [`Op::Legal`].
    Legal,
    /// See [`Op::Best`].
    Best,
    /// See [`Op::Eval`].
    Eval,
    /// See [`Op::Cube`].
    Cube,
    /// See [`Op::Rollout`].
    Rollout,
    /// See [`Op::Convert`].
    Convert,
}

/// Plies that the contract allows to ask for; more than the engine can look ahead yet.
const MOST_PLIES: u64 = 10;

impl AnyRequest {
    /// The request of a JSON object, which has no `id` any more; `game` is the one that is meant
    /// when the request names none.
    pub fn parse(object: Map<String, Value>, game: &AnyGame) -> Result<Self, Refusal> {
        let mut fields = Fields::new(object);
        if let Some(version) = fields.value("v")
            && version.as_u64() != Some(1)
        {
            return Err(wrong("v", &version, "1"));
        }
        let name = fields.text("op")?;
        let name = op_name(&fields.required("op", name)?)?;
        let game = match fields.text("game")? {
            None => game.clone(),
            Some(text) => text.parse().map_err(|error| Refusal::new("game", error))?,
        };
        match game {
            AnyGame::Backgammon(game) => Request::parse(fields, name, game).map(Self::Backgammon),
            AnyGame::Tables(game) => FamilyRequest::parse(fields, name, game).map(Self::Family),
        }
    }
}

impl Request {
    /// The rest of a request whose operation and game are known.
    fn parse(mut fields: Fields, name: OpName, game: Backgammon) -> Result<Self, Refusal> {
        let position = fields.value("position");
        let position = fields.required("position", position)?;
        let mut situation = parse_position(&position, game)?;
        if !matches!(name, OpName::Eval | OpName::Cube) {
            situation.dice = parse_dice(&mut fields)?.or(situation.dice);
        }
        surroundings(&mut fields, &mut situation)?;
        let cubeful = match name {
            OpName::Best | OpName::Eval => fields.flag("cubeful")?,
            _ => None,
        };
        let op = match name {
            OpName::Legal => Op::Legal { dice: dice_of(&situation)? },
            OpName::Best => {
                let lookahead = lookahead(&mut fields)?;
                let top = fields.number("top", 1, u64::from(u32::MAX))?;
                Op::Best {
                    dice: dice_of(&situation)?,
                    top: top.map_or(usize::MAX, |top| top as usize),
                    lookahead,
                }
            }
            OpName::Eval => Op::Eval { lookahead: lookahead(&mut fields)? },
            OpName::Cube => Op::Cube { lookahead: lookahead(&mut fields)? },
            OpName::Rollout => rollout(&mut fields)?,
            OpName::Convert => Op::Convert { to: form(&mut fields)? },
        };
        fields.finish()?;
        Ok(Self { game, situation, cubeful, op })
    }

    /// Whether cube or score are others than at the beginning of a game for money.
    pub fn terms_matter(&self) -> bool {
        Terms::matter_in(&self.situation)
    }
}

fn op_name(name: &str) -> Result<OpName, Refusal> {
    match name {
        "legal" => Ok(OpName::Legal),
        "best" => Ok(OpName::Best),
        "eval" => Ok(OpName::Eval),
        "cube" => Ok(OpName::Cube),
        "rollout" => Ok(OpName::Rollout),
        "convert" => Ok(OpName::Convert),
        _ => Err(Refusal::new(
            "op",
            format!(
                "unknown op {}, expected legal, best, eval, convert, cube or rollout",
                quote(&Value::from(name))
            ),
        )),
    }
}

/// A text in any accepted notation, or an array of 26 integers.
fn parse_position(value: &Value, game: Backgammon) -> Result<Situation, Refusal> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(numbers) => numbers.iter().map(Value::to_string).collect::<Vec<_>>().join(","),
        other => {
            return Err(Refusal::new(
                "position",
                format!("\"position\" is {}, expected a text or 26 integers", quote(other)),
            ));
        }
    };
    query::parse_position(&text, game).map_err(|error| Refusal::new("position", error))
}

/// Two numbers in an array, or a text such as "31".
fn parse_dice(fields: &mut Fields) -> Result<Option<Dice>, Refusal> {
    let Some(value) = fields.value("dice") else { return Ok(None) };
    let dice = match &value {
        Value::String(text) => text.parse().ok(),
        other => serde_json::from_value(other.clone()).ok(),
    };
    dice.map(Some).ok_or_else(|| {
        let found = quote(&value);
        Refusal::new(
            "dice",
            format!("\"dice\" is {found}, expected two numbers from 1 to 6 such as [3,1]"),
        )
    })
}

/// The roll of the request or the position.
fn dice_of(situation: &Situation) -> Result<Dice, Refusal> {
    situation.dice.ok_or_else(|| {
        Refusal::new("dice", "no roll is given, expected \"dice\" or a position that carries them")
    })
}

/// Cube, score and money rules that the request names itself, instead of the position's.
fn surroundings(fields: &mut Fields, situation: &mut Situation) -> Result<(), Refusal> {
    let cube = r#"{"value": 2, "owner": "center"|"player"|"opponent"}"#;
    situation.cube = of_the_rules(fields, "cube", cube)?.or(situation.cube);
    let score = r#"{"length": 7, "player": 3, "opponent": 5, "crawford": false}"#;
    let score = of_the_rules(fields, "match", score)?;
    situation.stakes = score.map(Stakes::Match).or(situation.stakes);
    let jacoby = fields.flag("jacoby")?;
    let beavers = fields.flag("beavers")?;
    for (key, flag) in [("jacoby", jacoby), ("beavers", beavers)] {
        if flag == Some(true) && matches!(situation.stakes, Some(Stakes::Match(_))) {
            return Err(Refusal::request(format!(
                "{key:?} is true in a match, expected it in money play only"
            )));
        }
    }
    if jacoby.is_some() || beavers.is_some() {
        situation.stakes = Some(match situation.stakes {
            Some(Stakes::Money { jacoby: j, beavers: b }) => {
                Stakes::Money { jacoby: jacoby.unwrap_or(j), beavers: beavers.or(b) }
            }
            Some(stakes @ Stakes::Match(_)) => stakes,
            None => Stakes::Money { jacoby: jacoby.unwrap_or(false), beavers },
        });
    }
    Ok(())
}

/// A cube or a match score, which the rules know how to read; `example` is one, for messages.
fn of_the_rules<T: DeserializeOwned>(
    fields: &mut Fields,
    key: &'static str,
    example: &str,
) -> Result<Option<T>, Refusal> {
    let Some(value) = fields.value(key) else { return Ok(None) };
    let quoted = quote(&value);
    serde_json::from_value(value).map(Some).map_err(|error| {
        Refusal::request(format!("{key:?} is {quoted}: {error}, for example {example}"))
    })
}

/// How to judge. Without `ply` the bare network does, unless there is time for more.
pub fn lookahead(fields: &mut Fields) -> Result<Lookahead, Refusal> {
    let ply = match fields.number("ply", 0, MOST_PLIES)? {
        Some(ply) if ply > u64::from(MAX_PLY) => {
            return Err(Refusal::unsupported(format!(
                "\"ply\" is {ply}, but this version looks at most {MAX_PLY} ahead"
            )));
        }
        ply => ply.map(|ply| ply as u8),
    };
    let preset = match fields.text("preset")? {
        None => Preset::default(),
        Some(name) => name.parse().map_err(|error| Refusal::new("preset", error))?,
    };
    let limit = fields
        .text("time")?
        .map(|text| time_limit(&text).map_err(|expected| wrong("time", &text.into(), &expected)))
        .transpose()?;
    Ok(Lookahead::new(ply, preset, limit, 0))
}

/// How to roll out.
fn rollout(fields: &mut Fields) -> Result<Op, Refusal> {
    let default = RolloutSettings::default();
    let trials = fields.number("trials", 2, MOST_TRIALS)?.unwrap_or(DEFAULT_TRIALS);
    let seed = fields.number("seed", 0, u64::MAX)?.unwrap_or(default.seed);
    let top = fields.number("top", 1, MAX_CANDIDATES as u64)?;
    let truncate = fields.number("truncate", 1, u32::MAX.into())?;
    let luck = match fields.flag("vr")? {
        Some(false) => Luck::Left,
        Some(true) | None => Luck::TakenOff,
    };
    let stop = StopRules {
        standard_error: fields.positive("until_se")?,
        lead: fields.positive("until_jsd")?,
    };
    let Lookahead { settings: play, limit, .. } = lookahead(fields)?;
    if limit.is_some() {
        return Err(Refusal::unsupported(
            "\"time\" can't be given for a rollout, expected trials, until_se or until_jsd",
        ));
    }
    let truncate = truncate.and_then(|rolls| NonZeroU32::new(rolls as u32));
    let settings = RolloutSettings { trials, seed, truncate, luck, play, stop, ..default };
    let settings = Box::new(settings);
    Ok(Op::Rollout { settings, top: top.map_or(DEFAULT_TOP, |top| top as usize) })
}

pub fn form(fields: &mut Fields) -> Result<Form, Refusal> {
    let name = fields.text("to")?;
    let name = fields.required("to", name)?;
    Form::from_str(&name, true).map_err(|_| {
        let names: Vec<String> = Form::value_variants().iter().map(|form| form.name()).collect();
        wrong("to", &Value::from(name), &names.join(", "))
    })
}
