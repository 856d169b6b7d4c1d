//! The engine over HTTP: an API in JSON, and the board as a page.
//!
//! Every operation of `tavola batch` is a path under `/api/v1`; matches against the engine, long
//! work as jobs and a page that uses all of it stand beside. [`Server::start`] listens, and
//! [`Server::stop`] ends what runs. Nothing is computed here: workers ask a
//! [`tavola_engine::Engine`], so that the threads of the network never wait for a search.
//!
//! ```
//! use std::sync::Arc;
//! use tavola_engine::Engine;
//! use tavola_serve::{Server, ServerSettings};
//!
//! let default = tavola_engine::Question::default();
//! let server = Server::start(ServerSettings::default(), Arc::new(Engine::without_tables()), default)?;
//! assert_ne!(server.address().port(), 0);
//! server.stop();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The document of the API is written by `openapi` from the schemas that the engine makes of the
//! code that reads requests. A second description in types of a documentation crate would be one
//! more thing to keep equal.

mod access;
mod ask;
mod clock;
mod connections;
mod error;
mod games;
mod jobs;
mod metrics;
mod openapi;
mod page;
mod pool;
mod routes;
mod run_page;
mod seats;
mod server;
mod state;
mod store;

pub use openapi::document;
pub use server::{ServeError, Server};
pub use state::{FleetWatch, ServerSettings};
pub use store::new_token;
