//! Work on many machines, over NATS JetStream: self-play of training runs, and other tasks.
//!
//! A learner ([`Fleet`], a [`Remote`](tavola_evaluator::remote::Remote)) puts the items of a
//! [`Task`](tavola_evaluator::remote::Task), such as the games of a round, into a work-queue
//! stream, a shard of a few items a message. Workers ([`run_worker`]) take shards, do them and
//! send bytes back. A shard fixes its bytes, so the result of a task is the same with any workers,
//! failures and repetitions.
//!
//! | part | content |
//! |---|---|
//! | [`wire`] | subjects, messages and their limits |
//! | `link` | the connection, streams and consumers |
//! | `blob` | networks and settings in parts, by checksum |
//! | `kinds` | the kinds of work that workers know |
//! | `ledger` | which shards of a task are missing, in check, or settled; without a network |
//! | `learner` | what a learner knows of its workers |
//! | `task` | a task from its first shard to its last |
//! | `worker` | from a shard to its bytes |
//! | `status` | what a fleet is doing |
//!
//! Nothing is printed; the observer of the run gets warnings, that of a worker [`WorkerEvent`]s.
//!
//! ```
//! use tavola_fleet::Address;
//!
//! // The URL of a learner or worker may name a user, whom no message shows.
//! let url = "nats://me:secret@host:4222".to_owned();
//! let address = Address { url, ..Address::default() };
//! assert_eq!(address.shown(), "nats://host:4222");
//! ```

mod blob;
mod error;
mod kinds;
mod learner;
mod ledger;
mod link;
mod status;
mod task;
pub mod wire;
mod worker;

pub use error::FleetError;
pub use learner::{Fleet, FleetMonitor, FleetSettings};
pub use link::Address;
pub use status::{Backlog, FleetStatus, fleet_status};
pub use worker::{
    DoShard, WorkerEvent, WorkerReport, WorkerSettings, default_name, do_shard, run_worker,
    run_worker_with,
};
