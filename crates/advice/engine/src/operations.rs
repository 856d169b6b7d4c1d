//! What can be asked about a position: one file for each operation, with its fields, which the
//! command line and requests in JSON read, and its answer in any game.

use std::sync::LazyLock;

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tavola_evaluator::search::SearchProgress;
use tavola_evaluator::{PlayableGame, SearchWatch};
use tavola_games::many::ManyGame;
use tavola_rules::{alternatives, did_you_mean};

pub use self::best::{Best, BestAnswer, EvaluatedPlay};
pub use self::convert::{Convert, ConvertTarget, Converted, TargetName};
pub use self::cube::{Cube, CubeAnswer, CubeQuestion, Losses, MwcAnswer, PointsAnswer};
pub use self::eval::{CubefulFigures, Eval, EvalAnswer, Evaluation};
pub use self::explain::{Against, NamedReply, PlayReasons, signed_equity};
pub(crate) use self::explain::{ComparedPlay, why};
pub use self::legal::{Legal, LegalAnswer, LegalPlay};
pub use self::matrix::{ByScore, Cell, Crawford, Matrix, MatrixAnswer};
pub use self::play_matrix::{PlayCell, PlayMatrix, PlayMatrixAnswer};
pub use self::race::RaceAnswer;
#[cfg(feature = "clap")]
pub use self::rollout::positive;
pub(crate) use self::rollout::trial_runner;
pub use self::rollout::{
    Certainty, MOST_TRIALS, RolledAction, RolledCubeful, RolledFigures, RolledPlay, RolledPosition,
    Rollout, RolloutAnswer, RolloutResult, Spread,
};
pub use self::show::{Show, ShowAnswer};
pub use self::team::TeamAnswer;
use crate::effort::Effort;
use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind, Result};
use crate::many::ManyQuestion;
use crate::protocol;
use crate::question::{PositionQuestion, Question};
use crate::request::{self, quote};
use crate::schema;
use crate::watch::{EngineEvent, Watch};

mod best;
mod convert;
mod cube;
mod eval;
mod explain;
mod legal;
mod matrix;
mod play_matrix;
mod race;
mod rollout;
mod show;
mod team;

/// Half of the interval of the loss of the best play, which is zero: what another one may be better
/// by. `rivals`: their losses and intervals.
pub(crate) fn interval_of_best(rivals: impl Iterator<Item = (f64, f64)>) -> f64 {
    rivals.map(|(loss, interval)| interval - loss).fold(0.0, f64::max)
}

/// The play that leads to a state of a ranking of these plays.
fn play_to<'a, P, S: PartialEq>(plays: &'a [(P, S)], after: &S) -> &'a P {
    let found = plays.iter().find(|(_, afterstate)| afterstate == after);
    &found.expect("a ranking is one of these plays").0
}

/// Something that can be asked about a position of any game.
pub trait Operation: DeserializeOwned + JsonSchema {
    /// What `op` calls it in JSON.
    const NAME: &'static str;

    /// Whether it is about the position before the roll: dice are ignored.
    const BEFORE_THE_ROLL: bool = false;

    /// Whether it says something about a cube that the position offers; otherwise the answer is
    /// about the position without the offer.
    const ABOUT_OFFERS: bool = false;

    /// Whether it searches: it takes an [`Effort`].
    const SEARCHES: bool = false;

    /// What it answers.
    type Answer: Serialize + JsonSchema;

    /// What it answers in games for more than two players.
    type Many: Serialize;

    /// The answer.
    ///
    /// # Errors
    ///
    /// [`EngineError`] says why there is none.
    fn answer<G: PlayableGame>(&self, asked: &PositionQuestion<'_, G>) -> Result<Self::Answer>;

    /// The answer about a game for more than two players.
    ///
    /// # Errors
    ///
    /// [`EngineError`] says why there is none.
    fn answer_many<G: ManyGame>(&self, asked: &ManyQuestion<'_, G>) -> Result<Self::Many> {
        Err(asked.two_alone())
    }
}

/// How a request in JSON is answered by one operation, whose schema comes first.
type Answering = fn(&Engine, &Value, JsonRequest<'_>) -> Result<String>;

/// A request in JSON, to be answered by a line.
pub(crate) struct JsonRequest<'a> {
    /// The text of its id.
    pub(crate) id: Option<&'a str>,
    /// All else that stands in it.
    pub(crate) fields: Map<String, Value>,
    /// What it is about where it names nothing.
    pub(crate) default: &'a Question,
    /// Who watches.
    pub(crate) watch: &'a Watch<'a>,
}

/// An operation as JSON knows it.
struct Known {
    name: &'static str,
    request: LazyLock<Value, fn() -> Value>,
    answering: Answering,
    answer: fn(&mut SchemaGenerator) -> Value,
}

impl Known {
    const fn new<O: Operation>() -> Self {
        Self {
            name: O::NAME,
            request: LazyLock::new(schema::request::<O>),
            answering: protocol::answer::<O>,
            answer: schema::answer::<O::Answer>,
        }
    }
}

/// Every operation.
static OPERATIONS: [Known; 9] = [
    Known::new::<Legal>(),
    Known::new::<Best>(),
    Known::new::<Eval>(),
    Known::new::<Convert>(),
    Known::new::<Cube>(),
    Known::new::<Matrix>(),
    Known::new::<PlayMatrix>(),
    Known::new::<Rollout>(),
    Known::new::<Show>(),
];

/// The names of all operations.
pub fn names() -> [&'static str; 9] {
    OPERATIONS.each_ref().map(|known| known.name)
}

/// Every operation by its name, with the schemas of its requests and answers.
pub(crate) fn all_described(
    generator: &mut SchemaGenerator,
) -> impl Iterator<Item = (&'static str, Value, Value)> {
    OPERATIONS.iter().map(|known| (known.name, known.request.clone(), (known.answer)(generator)))
}

/// The line that answers a request in JSON.
pub(crate) fn answer(engine: &Engine, asking: JsonRequest<'_>) -> Result<String> {
    let name = request::operation(&asking.fields)?;
    match OPERATIONS.iter().find(|known| known.name == name) {
        Some(known) => (known.answering)(engine, &known.request, asking),
        None => {
            let names = names();
            Err(EngineError::new(
                ErrorKind::Op,
                format_args!(
                    "unknown op {}, expected {}{}",
                    quote(&Value::from(name)),
                    alternatives(names),
                    did_you_mean(name, names)
                ),
            ))
        }
    }
}

/// Does a search that the caller watches and can cancel.
fn searched<T>(
    watch: &Watch<'_>,
    effort: &Effort,
    search: impl FnOnce(SearchWatch<'_>) -> T,
) -> Result<T> {
    let progress = |progress: SearchProgress| (watch.events)(EngineEvent::Search(progress));
    let answer =
        search(SearchWatch { limit: effort.time, cancel: Some(watch.cancel), progress: &progress });
    watch.check()?;
    Ok(answer)
}
