//! How other backgammon programs ask tavola, and how they are asked.
//!
//! A protocol is lines of text between two programs. This crate holds the grammar of those lines
//! and the state that they change; what they are about is asked of [`tavola_engine`], and the
//! streams are the caller's.
//!
//! - [`ubgi`]: the Universal Backgammon Interface, as an engine and as a check of other engines;
//! - [`gnubg`]: the sockets of GNU Backgammon, either way;
//! - [`Process`]: another engine as a child process.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use tavola_engine::{Engine, Question};
//! use tavola_protocols::ubgi::{Dialect, UbgiServer};
//!
//! let question = Question::start("backgammon".parse()?);
//! let server = UbgiServer::new(question, NonZeroUsize::MIN, |_| Engine::without_tables())
//!     .with_dialect(Dialect::V0_1);
//! let input = "position gnubgid 4HPwATDgc/ABMA\ndice 3 1\ngo role chequer depth 0\n";
//! let mut output = Vec::new();
//! server.serve(input.as_bytes(), &mut output)?;
//! assert!(String::from_utf8(output)?.ends_with("bestmove 8/5 6/5\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod gnubg;
mod lines;
mod process;
pub mod ubgi;

pub use lines::{Line, Lines};
pub use process::{EngineCommand, Process, ProcessEnd};
