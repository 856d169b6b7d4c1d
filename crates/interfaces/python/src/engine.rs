//! The engine: questions as texts of JSON, and arrays of positions.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::thread::available_parallelism;

use numpy::{PyReadonlyArray2, PyReadwriteArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;
use tavola_bearoff::Store;
use tavola_engine::{
    Analysis, AnalysisProgress, EngineEvent, NamedMatch, Question, Rollouts, Watch,
};
use tavola_games::AnyGame;

use crate::arrays;
use crate::error;
use crate::working::{Progress, watched};

/// The most threads, as on the command line.
const MOST_THREADS: usize = tavola_files::limits::THREADS.default as usize;

/// The engine. The package's `Engine` asks it.
#[pyclass(frozen, module = "tavola._tavola")]
pub struct Engine {
    engine: tavola_engine::Engine,
    /// An engine that uses one thread for a question, for matches whose decisions are evaluated
    /// side by side.
    alone: OnceLock<tavola_engine::Engine>,
    tables: bool,
    default: Question,
}

/// The bear-off databases of the user, if they are wanted.
fn store(tables: bool) -> Option<Store> {
    tables.then(Store::of_user)
}

/// This many threads, or those of the machine.
pub fn threads(py: Python<'_>, wanted: Option<i64>) -> PyResult<NonZeroUsize> {
    match wanted {
        None => Ok(available_parallelism().unwrap_or(NonZeroUsize::MIN)),
        Some(threads) => {
            let possible = usize::try_from(threads).ok().and_then(NonZeroUsize::new);
            let possible = possible.filter(|threads| threads.get() <= MOST_THREADS);
            possible.ok_or_else(|| {
                let message = format!("`threads` is {threads}, expected 1 to {MOST_THREADS}");
                error::request(py, message)
            })
        }
    }
}

/// The content of a file of matches, up to the limit of its format.
#[pyfunction]
pub fn read_matches(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyBytes>> {
    let read = py.detach(|| tavola_files::read(&path, &tavola_matches::largest(&path)));
    let content = read.map_err(|error| {
        error::refused(py, "input", &format!("cannot read {}: {error}", path.display()))
    })?;
    Ok(PyBytes::new(py, &content))
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (model=None, *, game="backgammon", threads=None, tables=true))]
    fn new(
        py: Python<'_>,
        model: Option<PathBuf>,
        game: &str,
        threads: Option<i64>,
        tables: bool,
    ) -> PyResult<Self> {
        let game = game
            .parse::<AnyGame>()
            .map_err(|unknown| error::refused(py, "game", &unknown.to_string()))?;
        let threads = self::threads(py, threads)?;
        let engine = tavola_engine::Engine::new(threads, store(tables));
        if model.is_some() {
            // What is unusable is told where it is named.
            let loaded = py.detach(|| engine.network(model.as_deref(), &game.id()));
            loaded.map_err(|error| error::of_engine(py, &error))?;
        }
        let default = Question { model, ..Question::start(game.into()) };
        Ok(Self { engine, alone: OnceLock::new(), tables, default })
    }

    /// The answer to a request of `tavola batch`, both texts of JSON.
    #[pyo3(signature = (operation, request, progress=None, total=0))]
    fn answer(
        &self,
        py: Python<'_>,
        operation: &str,
        request: &str,
        progress: Option<Py<PyAny>>,
        total: u64,
    ) -> PyResult<String> {
        let reply = watched(py, progress.as_ref(), |cancel, tell| {
            let events = |event: EngineEvent<'_>| {
                if let EngineEvent::Rollout(so_far) = event {
                    let equity = (so_far.equity.mean, so_far.equity.standard_error);
                    tell(Progress { done: so_far.trials, total, equity: Some(equity) });
                }
            };
            let watch = Watch { cancel, events: &events };
            let request = request.as_bytes();
            self.engine.answer_request(Some(operation), request, &self.default, &watch)
        })?;
        Ok(reply.text)
    }

    /// Evaluates rows of 26 counts at 0-ply into `out`, five figures or six a row.
    fn evaluate(
        &self,
        py: Python<'_>,
        positions: PyReadonlyArray2<'_, i8>,
        mut out: PyReadwriteArray2<'_, f32>,
        outcomes: bool,
    ) -> PyResult<()> {
        let game = arrays::variant(py, &self.default.game.to_string())?;
        let model = self.default.model.as_ref();
        arrays::evaluate(py, &positions, &mut out, outcomes, |counts, columns, out, cancel| {
            let watch = Watch { cancel, events: &|_| {} };
            self.engine.evaluate_counts(game, model, counts, columns, out, &watch)
        })
    }

    /// The analysis of every match of a file, as a text of JSON.
    #[pyo3(signature = (file, source, *, ply=2, met=None, rollout_within=None, trials=324, progress=None))]
    #[allow(clippy::too_many_arguments)] // keywords of Python
    fn analyze(
        &self,
        py: Python<'_>,
        file: &[u8],
        source: &str,
        ply: u8,
        met: Option<String>,
        rollout_within: Option<f64>,
        trials: u64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let analysis = Analysis {
            model: self.default.model.clone(),
            met,
            rollouts: rollout_within.map(|within| Rollouts::new(within, trials)),
            workers: self.engine.threads(),
            ..Analysis::at_ply(ply).map_err(|error| error::of_engine(py, &error))?
        };
        let named = NamedMatch::read(source, file, None, tavola_matches::ReadWatch::default())
            .map_err(|error| error::of_engine(py, &error))?;
        let alone = self
            .alone
            .get_or_init(|| tavola_engine::Engine::new(NonZeroUsize::MIN, store(self.tables)));
        let found = watched(py, progress.as_ref(), |cancel, tell| {
            let watch = Watch { cancel, events: &|_| {} };
            let told = |AnalysisProgress { done, total, .. }: AnalysisProgress| {
                tell(Progress { done: done as u64, total: total as u64, equity: None });
            };
            alone.analyze_file(&named, &analysis, &watch, &told)
        })?;
        Ok(json!(found.map_err(|error| error::of_engine(py, &error))?).to_string())
    }

    /// Threads that a question uses.
    #[getter]
    fn threads(&self) -> usize {
        self.engine.threads().get()
    }

    /// The game.
    #[getter]
    fn game(&self) -> String {
        self.default.game.to_string()
    }
}
