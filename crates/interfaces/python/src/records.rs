//! Games that a network plays against itself, and files of such games, as arrays.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tavola_data::{
    DataError, FileHeader, GameLabels, Label, LabeledGame, RecordsReader, TurnColumns,
    write_records,
};
use tavola_engine::arrays::COUNTS;
use tavola_net::OUTPUTS;
use tavola_play::{
    ExploreSettings, Probability, SelfPlayGames, SelfPlaySettings, Workers, selfplay as play,
};
use tavola_rules::{Backgammon, Dice, Game, Position};

use crate::arrays;
use crate::engine::threads;
use crate::error;
use crate::network::Network;
use crate::working::{Progress, watched};

/// Columns as a dictionary of arrays.
fn dictionary<'py>(py: Python<'py>, columns: TurnColumns) -> PyResult<Bound<'py, PyDict>> {
    let arrays = PyDict::new(py);
    arrays.set_item("games", columns.games.into_pyarray(py))?;
    arrays.set_item("states", arrays::rows(py, columns.states, COUNTS))?;
    arrays.set_item("dice", arrays::rows(py, columns.dice, 2))?;
    arrays.set_item("afterstates", arrays::rows(py, columns.afterstates, COUNTS))?;
    arrays.set_item("probs", arrays::rows(py, columns.probs, OUTPUTS))?;
    arrays.set_item("explored", columns.explored.into_pyarray(py))?;
    arrays.set_item("points", columns.points.into_pyarray(py))?;
    Ok(arrays)
}

/// Games of a network against itself at 0-ply, one row a turn.
#[pyfunction]
#[pyo3(signature = (network, games, *, seed=1, first=0, random_play=0.0, random_opening_plays=0, threads=None, path=None, progress=None))]
#[allow(clippy::too_many_arguments)] // keywords of Python
pub fn selfplay<'py>(
    py: Python<'py>,
    network: &Network,
    games: u64,
    seed: u64,
    first: u64,
    random_play: f64,
    random_opening_plays: u32,
    threads: Option<i64>,
    path: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let random_play = Probability::new(random_play)
        .map_err(|error| error::request(py, format!("`random_play` is {error}")))?;
    let explore = ExploreSettings { random_play, random_opening_plays };
    let settings = SelfPlaySettings { explore, ..SelfPlaySettings::default() };
    let threads = self::threads(py, threads)?;
    let (game, evaluator) = (network.variant(), network.evaluator());
    let indices = first..first.saturating_add(games);
    let columns = watched(py, progress.as_ref(), |cancel, tell| {
        let games_of = SelfPlayGames { run_seed: seed, indices, starts: &[] };
        let done = AtomicU64::new(0);
        let observer = |_| {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            tell(Progress { done, total: games, equity: None });
        };
        let workers = Workers { threads, cancel };
        let records = play(&game, evaluator, &settings, &games_of, workers, &observer)
            .map_err(|error| error.to_string())?;
        let mut columns = TurnColumns::default();
        records.iter().for_each(|record| columns.push(record));
        let Some(path) = path else { return Ok(columns) };
        let header = FileHeader { game: game.id(), run_seed: seed };
        let records = records.into_iter().map(|record| {
            // What to learn follows from the game.
            let labels = GameLabels::new(vec![Label::FromGame; record.turns.len()]);
            LabeledGame { record, labels }
        });
        let records: Vec<_> = records.collect();
        write_records(&path, &header, &records).map_err(|error| tavola_files::chain(&error))?;
        Ok(columns)
    })?;
    let columns = columns.map_err(|error: String| error::refused(py, "input", &error))?;
    dictionary(py, columns)
}

/// The games of a records file of backgammon or a variant of it, one row a turn, and the game.
#[pyfunction]
pub fn read_records<'py>(
    py: Python<'py>,
    path: PathBuf,
) -> PyResult<(Bound<'py, PyDict>, &'static str)> {
    let read = watched(py, None, |_, _| {
        let (reader, game) = open(&path)?;
        let mut columns = TurnColumns::default();
        for record in reader {
            columns.push(&record?.record);
        }
        Ok((columns, game))
    })?;
    let (columns, game) =
        read.map_err(|error: DataError| error::refused(py, "input", &tavola_files::chain(&error)))?;
    Ok((dictionary(py, columns)?, game.name()))
}

/// The reader of a file, of whichever variant it is.
fn open(path: &std::path::Path) -> Result<(RecordsReader<Position, Dice>, Backgammon), DataError> {
    let first = Backgammon::Standard;
    match RecordsReader::open(path, &first.id()) {
        Err(DataError::OtherGame { found, path: file, expected }) => {
            match found.parse::<Backgammon>() {
                Ok(game) => Ok((RecordsReader::open(path, &game.id())?, game)),
                Err(_) => Err(DataError::OtherGame { found, path: file, expected }),
            }
        }
        opened => opened.map(|reader| (reader, first)),
    }
}
