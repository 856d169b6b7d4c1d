//! What can be asked about a position: one file for each operation, with its fields, how they are
//! read from JSON, and its answer in any game.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value};
use tavola_evaluator::search::SearchProgress;
use tavola_evaluator::{PlayableGame, SearchWatch};
use tavola_rules::did_you_mean;

pub use self::best::{Best, BestAnswer, EvaluatedPlay};
pub use self::convert::{Convert, Converted, Form, FormName};
pub use self::cube::{
    Cube, CubeAnswer, GammonValuesAnswer, Losses, MwcAnswer, PointsAnswer, Question,
};
pub use self::eval::{CubefulFigures, Eval, EvalAnswer, Evaluation};
pub use self::explain::{Against, NamedReply, PlayReasons};
pub use self::legal::{Legal, LegalAnswer, LegalPlay};
pub use self::matrix::{Cell, Crawford, Matrix, MatrixAnswer};
pub(crate) use self::rollout::trial_runner;
pub use self::rollout::{
    Candidates, MOST_TRIALS, Rolled, RolledAction, RolledCubeful, RolledFigures, RolledPlay,
    RolledPosition, Rollout, RolloutAnswer,
};
pub use self::show::{Show, ShowAnswer};
use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind};
use crate::fields::{Fields, quote};
use crate::lookahead::Lookahead;
use crate::many;
use crate::protocol;
use crate::schema::{Described, described};
use crate::subject::{Asked, Subject};
use crate::watch::{Event, Watch};

mod best;
mod convert;
mod cube;
mod eval;
mod explain;
mod legal;
mod matrix;
mod rollout;
mod show;

/// Something that can be asked about a position of any game.
pub trait Operation {
    /// What `op` calls it in JSON.
    const NAME: &'static str;

    /// Whether it is about the position before the roll: dice are ignored.
    const BEFORE_THE_ROLL: bool = false;

    /// Whether it says something about a cube that the position offers; otherwise the answer is
    /// about the position without the offer.
    const ABOUT_OFFERS: bool = false;

    /// What it answers.
    type Answer: Serialize + JsonSchema;

    /// Reads its own fields.
    ///
    /// # Errors
    ///
    /// [`EngineError`] for a field of the wrong type or out of range.
    fn read(fields: &mut Fields) -> Result<Self, EngineError>
    where
        Self: Sized;

    /// The answer.
    ///
    /// # Errors
    ///
    /// [`EngineError`] says why there is none.
    fn answer<G: PlayableGame>(&self, asked: &Asked<'_, G>) -> Result<Self::Answer, EngineError>;
}

/// How a request in JSON is answered by one operation.
type Answering = fn(&Engine, Fields, &Subject, &Watch<'_>) -> Result<String, EngineError>;

/// An operation as JSON knows it.
struct Known {
    name: &'static str,
    answering: Answering,
    described: fn(&mut SchemaGenerator) -> Described,
}

impl Known {
    const fn new<O: Operation>() -> Self {
        Self { name: O::NAME, answering: protocol::answer::<O>, described: described::<O> }
    }
}

/// Every operation.
const OPERATIONS: [Known; 8] = [
    Known::new::<Legal>(),
    Known::new::<Best>(),
    Known::new::<Eval>(),
    Known::new::<Convert>(),
    Known::new::<Cube>(),
    Known::new::<Matrix>(),
    Known::new::<Rollout>(),
    Known::new::<Show>(),
];

/// The names of all operations.
pub fn names() -> [&'static str; 8] {
    OPERATIONS.each_ref().map(|known| known.name)
}

/// Every operation with the schemas of its requests and answers.
pub(crate) fn all_described(generator: &mut SchemaGenerator) -> Vec<Described> {
    OPERATIONS.iter().map(|known| (known.described)(generator)).collect()
}

/// The answer to a request in JSON, whose id is taken, as an object of JSON.
pub(crate) fn answer(
    engine: &Engine,
    object: Map<String, Value>,
    default: &Subject,
    watch: &Watch<'_>,
) -> Result<String, EngineError> {
    if let Some(game) = many::game_of(&object)? {
        return many::answer(engine, object, game, default.model.as_deref());
    }
    let (fields, name) = protocol::open(object)?;
    match OPERATIONS.iter().find(|known| known.name == name) {
        Some(known) => (known.answering)(engine, fields, default, watch),
        None => {
            let names: Vec<&str> = OPERATIONS.iter().map(|known| known.name).collect();
            let (last, first) = names.split_last().expect("there are operations");
            Err(EngineError::new(
                ErrorKind::Op,
                format_args!(
                    "unknown op {}, expected {} or {last}{}",
                    quote(&Value::from(name.as_str())),
                    first.join(", "),
                    did_you_mean(&name, names.iter().copied())
                ),
            ))
        }
    }
}

/// Does a search that the caller watches and can cancel.
fn searched<T>(
    watch: &Watch<'_>,
    lookahead: &Lookahead,
    search: impl FnOnce(SearchWatch<'_>) -> T,
) -> Result<T, EngineError> {
    let progress = |progress: SearchProgress| (watch.events)(Event::Search(progress));
    let answer = search(SearchWatch {
        limit: lookahead.limit,
        cancel: Some(watch.cancel),
        progress: &progress,
    });
    watch.check()?;
    Ok(answer)
}
