//! Errors of the engine as exceptions.

use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use tavola_engine::{EngineError, ErrorKind};

pyo3::create_exception!(
    tavola,
    TavolaError,
    PyValueError,
    "Why there is no answer. Its message quotes what was found and says what was expected; its \
     attribute `kind` is a word for programs, as in docs/batch.md."
);

/// The exception of this kind.
pub fn refused(py: Python<'_>, kind: &str, message: &str) -> PyErr {
    let error = TavolaError::new_err(message.to_owned());
    // A new exception takes any attribute.
    let _ = error.value(py).setattr("kind", kind);
    error
}

/// What the engine answered.
pub fn of_engine(py: Python<'_>, error: &EngineError) -> PyErr {
    if error.kind() == ErrorKind::Canceled {
        return PyKeyboardInterrupt::new_err(());
    }
    let kind = serde_json::to_value(error.kind()).unwrap_or_default();
    refused(py, kind.as_str().unwrap_or("internal"), &error.to_string())
}

/// An argument that can't be used.
pub fn request(py: Python<'_>, message: impl std::fmt::Display) -> PyErr {
    refused(py, "request", &message.to_string())
}
