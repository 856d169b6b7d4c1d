//! Legal plays and games as arrays, for learners in Python.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use tavola_engine::arrays::{COUNTS, position_of};
use tavola_play::SteppedGames;
use tavola_rules::{Backgammon, Dice, Game};

use crate::arrays;
use crate::error;

/// What a roll can lead to: one row of 26 counts for each distinct position, seen by the opponent,
/// who is then on roll. There is always one, as a player who can't move passes.
#[pyfunction]
#[pyo3(signature = (position, dice, game="backgammon"))]
pub fn afterstates<'py>(
    py: Python<'py>,
    position: PyReadonlyArray1<'_, i8>,
    dice: (i64, i64),
    game: &str,
) -> PyResult<Bound<'py, PyArray2<i8>>> {
    let game = arrays::variant(py, game)?;
    let counts = position.as_slice()?;
    if counts.len() != COUNTS {
        let message = format!("the position has {} counts, expected {COUNTS}", counts.len());
        return Err(error::request(py, message));
    }
    let position = position_of(game, 0, counts).map_err(|error| error::of_engine(py, &error))?;
    // What is no byte is no die either.
    let [one, two] = [dice.0, dice.1].map(|die| u8::try_from(die).unwrap_or(0));
    let dice = Dice::new(one, two).map_err(|_| {
        let message =
            format!("the roll is ({}, {}), expected two dice from 1 to 6", dice.0, dice.1);
        error::refused(py, "dice", &message)
    })?;
    if game.outcome(&position).is_some() {
        return Err(error::refused(py, "position", "the game is over, expected one to play"));
    }
    let mut found = Vec::new();
    game.afterstates(&position, dice, &mut found);
    Ok(arrays::positions(py, &found))
}

/// Games side by side that Python steps through. Where a game is over the next one begins.
#[pyclass(module = "tavola._tavola")]
pub struct Games {
    games: SteppedGames<Backgammon>,
}

#[pymethods]
impl Games {
    #[new]
    #[pyo3(signature = (count, *, seed=0, game="backgammon"))]
    fn new(py: Python<'_>, count: i64, seed: u64, game: &str) -> PyResult<Self> {
        if !(1..=1_000_000).contains(&count) {
            let message = format!("`count` is {count}, expected 1 to 1000000 games");
            return Err(error::request(py, message));
        }
        let game = arrays::variant(py, game)?;
        Ok(Self { games: SteppedGames::new(game, count as usize, seed) })
    }

    /// Makes a play in each game, by its number in the list of that game, and rolls again. Gives
    /// the points of each mover, 0 while the game goes on, and whether the game was over.
    #[allow(clippy::type_complexity)] // two arrays
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        plays: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<(Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<bool>>)> {
        let plays = plays.as_array();
        if plays.len() != self.games.states().len() {
            let (found, games) = (plays.len(), self.games.states().len());
            return Err(error::request(py, format!("{found} plays, expected {games}: one a game")));
        }
        let plays: Vec<i64> = plays.iter().copied().collect();
        let games = &mut self.games;
        let steps = py.detach(|| games.step(&plays));
        let steps = steps.map_err(|error| error::refused(py, "play", &error.to_string()))?;
        let points: Vec<f32> = steps.iter().map(|step| step.points as f32).collect();
        let over: Vec<bool> = steps.iter().map(|step| step.over).collect();
        Ok((points.into_pyarray(py), over.into_pyarray(py)))
    }

    /// The positions, from their players on roll.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i8>> {
        arrays::positions(py, self.games.states())
    }

    /// What the last step led to, seen by the opponents of those who made the plays; the start
    /// before the first one. Unlike `positions` it shows how a game ended.
    #[getter]
    fn reached<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i8>> {
        arrays::positions(py, self.games.reached())
    }

    /// The rolls, the higher die first.
    #[getter]
    fn dice<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i8>> {
        let dice = self.games.rolls().iter();
        let dice = dice.flat_map(|dice| [dice.high() as i8, dice.low() as i8]).collect();
        arrays::rows(py, dice, 2)
    }

    /// How many plays each game has, at least one.
    #[getter]
    fn plays<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let ends = self.games.offsets().windows(2);
        ends.map(|ends| (ends[1] - ends[0]) as i64).collect::<Vec<_>>().into_pyarray(py)
    }

    /// Where in the afterstates those of each game begin, and their number at the end.
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let offsets = self.games.offsets().iter();
        offsets.map(|&offset| offset as i64).collect::<Vec<_>>().into_pyarray(py)
    }

    /// What the plays lead to, one game after the other.
    #[getter]
    fn afterstates<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i8>> {
        arrays::positions(py, self.games.afterstates())
    }

    /// The numbers of the games within the run.
    #[getter]
    fn numbers<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.games.numbers().to_vec().into_pyarray(py)
    }

    fn __len__(&self) -> usize {
        self.games.states().len()
    }
}
