//! The engine as a Python module: `tavola._tavola`, the part of the package `tavola` that is
//! compiled.
//!
//! It holds no logic of its own. Questions are requests of `tavola batch` as texts of JSON, which
//! the Python part of the package writes and reads; arrays of positions are read and written where
//! NumPy keeps them. The lock of the interpreter is released while the engine works, and long work
//! is done on another thread, so that Ctrl-C ends it.
//!
//! ```python
//! import tavola
//!
//! engine = tavola.Engine()
//! engine.best("start", "31", ply=2)["plays"][0]["play"]  # '8/5 6/5'
//! engine.cube("start")["action"]                         # 'no_double_take'
//! ```

// The module of pyo3 can't have documentation on what its macros make.
#![allow(missing_docs)]

mod arrays;
mod engine;
mod error;
mod games;
mod network;
mod records;
mod working;

#[pyo3::pymodule]
mod _tavola {
    #[pymodule_export]
    use super::engine::{Engine, read_matches};
    #[pymodule_export]
    use super::error::TavolaError;
    #[pymodule_export]
    use super::games::{Games, afterstates};
    #[pymodule_export]
    use super::network::Network;
    #[pymodule_export]
    use super::records::{read_records, selfplay};

    /// The version of the package, which is that of the engine.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
