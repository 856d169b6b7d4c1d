//! Self-play of a training run on many machines, over NATS JetStream.
//!
//! A learner ([`Fleet`], a [`GameSource`](tavola_pipeline::GameSource) of a run) puts the games of
//! a round into a work-queue stream, a shard of a few games a message. Workers ([`run_worker`])
//! take shards, play them and send the games back. A shard fixes its games bit for bit, so the
//! network of a run is the same with any workers, failures and repetitions.
//!
//! | part | content |
//! |---|---|
//! | [`wire`] | subjects, messages and their limits |
//! | `link` | the connection, streams and consumers |
//! | `blob` | networks and settings in parts, by checksum |
//! | `ledger` | which shards of a round are missing, in check, or settled; without a network |
//! | `learner` | a round from its first shard to its last |
//! | `worker` | from a shard to its games |
//! | `status` | what a fleet is doing |
//!
//! Nothing is printed; the observer of the run gets warnings, that of a worker [`WorkerEvent`]s.

mod blob;
mod error;
mod learner;
mod ledger;
mod link;
mod status;
pub mod wire;
mod worker;

pub use error::FleetError;
pub use learner::{Fleet, FleetSettings};
pub use link::Address;
pub use status::{Backlog, FleetStatus, fleet_status};
pub use worker::{
    PlayShard, WorkerEvent, WorkerReport, WorkerSettings, default_name, honest, run_worker,
    run_worker_with,
};
