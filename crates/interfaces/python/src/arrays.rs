//! Arrays of NumPy, read and written where they are.

use std::sync::atomic::AtomicBool;

use numpy::ndarray::Array2;
use numpy::{
    PyArray2, PyArrayMethods, PyReadonlyArray2, PyReadwriteArray2, PyUntypedArrayMethods, ToPyArray,
};
use pyo3::prelude::*;
use tavola_engine::EngineError;
use tavola_engine::arrays::{COUNTS, Columns};
use tavola_rules::{Backgammon, Position};

use crate::error;
use crate::working::watched;

/// Rows of an array that are evaluated on this thread: too few to wait for.
const FEW: usize = 4096;

/// The rows of 26 counts in an array.
pub fn counts<'a>(py: Python<'_>, array: &'a PyReadonlyArray2<'_, i8>) -> PyResult<&'a [i8]> {
    let shape = array.shape();
    if shape[1] != COUNTS {
        let found = shape[1];
        let message = format!("the array has {found} columns, expected {COUNTS} counts a position");
        return Err(error::request(py, message));
    }
    if !array.is_c_contiguous() {
        let message = "the array of positions is not contiguous, expected one row behind another";
        return Err(error::request(py, message));
    }
    Ok(array.as_slice()?)
}

/// The places for figures, `width` of them a row.
pub fn figures<'a>(
    py: Python<'_>,
    array: &'a mut PyReadwriteArray2<'_, f32>,
    rows: usize,
    width: usize,
) -> PyResult<&'a mut [f32]> {
    if array.shape() != [rows, width] {
        let found = array.shape();
        let message = format!("`out` has the shape {found:?}, expected [{rows}, {width}]");
        return Err(error::request(py, message));
    }
    // A slice takes the order of Fortran too, and any address.
    if !array.is_c_contiguous() || !array.data().is_aligned() {
        let message = "`out` is transposed, strided or not aligned, expected a C-contiguous array";
        return Err(error::request(py, message));
    }
    Ok(array.as_slice_mut()?)
}

/// Evaluates rows of 26 counts into `out`, five figures or six a row, by `work`, which can be
/// canceled where it takes long.
pub fn evaluate(
    py: Python<'_>,
    positions: &PyReadonlyArray2<'_, i8>,
    out: &mut PyReadwriteArray2<'_, f32>,
    outcomes: bool,
    work: impl FnOnce(&[i8], Columns, &mut [f32], &AtomicBool) -> Result<(), EngineError> + Send,
) -> PyResult<()> {
    let counts = counts(py, positions)?;
    let columns = if outcomes { Columns::Outcomes } else { Columns::Cumulative };
    let rows = counts.len() / COUNTS;
    let out = figures(py, out, rows, columns.width())?;
    let evaluated = if rows <= FEW {
        py.detach(|| work(counts, columns, out, &AtomicBool::new(false)))
    } else {
        watched(py, None, |cancel, _| work(counts, columns, out, cancel))?
    };
    evaluated.map_err(|error| error::of_engine(py, &error))
}

/// The variant of backgammon of this name.
pub fn variant(py: Python<'_>, name: &str) -> PyResult<Backgammon> {
    name.parse().map_err(|unknown: tavola_rules::UnknownName| {
        error::refused(py, "game", &unknown.to_string())
    })
}

/// Rows of numbers as an array.
pub fn rows<'py, T: numpy::Element>(
    py: Python<'py>,
    numbers: Vec<T>,
    width: usize,
) -> Bound<'py, PyArray2<T>> {
    let rows = numbers.len() / width;
    let array = Array2::from_shape_vec((rows, width), numbers).expect("rows of this width");
    PyArray2::from_owned_array(py, array)
}

/// The counts of positions as an array.
pub fn positions<'py>(py: Python<'py>, positions: &[Position]) -> Bound<'py, PyArray2<i8>> {
    let counts: Vec<i8> = positions.iter().flat_map(Position::counts).collect();
    rows(py, counts, COUNTS)
}

/// A matrix that the engine keeps, copied.
pub fn matrix<'py>(py: Python<'py>, numbers: &[f32], width: usize) -> Bound<'py, PyArray2<f32>> {
    let rows = numbers.len() / width;
    numpy::ndarray::ArrayView2::from_shape((rows, width), numbers)
        .expect("rows of this width")
        .to_pyarray(py)
}
