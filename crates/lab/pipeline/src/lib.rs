//! A training run from one configuration file: run directory, rounds, checkpoints, resume.
//!
//! A [`Plan`] is a checked configuration. [`run`](run()) carries it out in a run directory: each
//! round plays games, learns from them and leaves a checkpoint, and now and then the network
//! plays baselines. The observer gets a [`RunEvent`] for everything that happens; nothing is printed.
//! The result depends on the configuration alone: not on the number of threads, nor on how often
//! the run was stopped or killed and resumed.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use std::path::Path;
//! use std::sync::atomic::AtomicBool;
//!
//! use tavola_pipeline::{Begin, Plan, RunOptions, Tool, run};
//!
//! let config = r#"
//!     game = "hypergammon"
//!     rounds = 2
//!     games_per_round = 10
//!     network = { encoder = "tesauro", hidden = [8] }
//!     evaluation = { games = 10, opponents = ["random"] }
//! "#;
//! let plan = Plan::from_toml(config, Path::new("example.toml"))?;
//! # let folder = tempfile::tempdir()?;
//! let options = RunOptions {
//!     directory: folder.path().join("example"),
//!     begin: Begin::New,
//!     threads: NonZeroUsize::MIN,
//!     tool: Tool { version: env!("CARGO_PKG_VERSION").to_owned(), commit: None },
//! };
//! let report = run(&plan, &options, None, &|_: &_| {}, &AtomicBool::new(false))?;
//! assert!(report.finished);
//! assert_eq!(report.games, 20);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Recipe`] is a file of several runs, each of which goes on from those before it.
//!
//! What a run directory holds is written at [`run_dir`].

mod checkpoint;
mod config;
mod context;
mod curve;
mod cycle;
mod dataset;
mod error;
mod events;
mod manifest;
mod many;
mod memory;
mod metrics;
mod names;
mod recipe;
mod report;
mod run;
pub mod run_dir;
mod run_state;
mod sample;
mod seeds;
mod selfplay_pool;
mod shards;
mod states;
mod tensorboard;
mod trial;
mod two;

pub use checkpoint::{CheckpointState, Totals};
pub use config::{
    CheckpointSettings, Config, DatasetSettings, DistillSettings, EvaluationSettings,
    ExpectedBackupSettings, NetworkSettings, Override, Plan, PruningSettings, ReplaySettings,
    SiblingTargets, StatesSettings, TargetSettings, TdSettings, VarianceReductionSettings,
    WeightsFile, template,
};
pub use dataset::{
    DatasetManifest, DatasetOptions, DatasetReport, DatasetSummary, EquityBand, PhaseCount,
    ShardSummary, describe_dataset, generate_dataset,
};
pub use error::HoldsARun;
pub use events::{Observer, RunEvent};
pub use manifest::{FORMAT, Machine, Manifest, RunSession, Tool};
pub use metrics::{
    EvaluationMetrics, Metrics, RoundMetrics, StatesAtPly, StatesMetrics, read_metrics,
};
pub use recipe::{Recipe, RecipePhase};
pub use report::RunReport;
pub use run::{RunOptions, default_directory, run};
pub use run_dir::Begin;
pub use sample::{Sampled, SampledPosition, sample};
pub use seeds::{SeedMean, seed_means, write_seeds};
pub use shards::{SELFPLAY, open_selfplay};
pub use tavola_train::Schedule;
pub use trial::Trial;
