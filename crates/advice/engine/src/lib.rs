//! Questions about positions of any game, and their answers.
//!
//! An [`Engine`] owns what answers need: networks, endgame databases, match equity tables and the
//! caches of searches. It prints nothing, reads no arguments and ends no process; the command line,
//! `tavola batch` and every other door ask it and show what it says.
//!
//! A [`Question`] is a position with what belongs to it, an [`Operation`] what is asked about it.
//! [`Engine::ask`] takes both, [`Engine::answer_line`] takes them as one line of JSON.
//!
//! ```
//! use tavola_engine::operations::{Best, Cube};
//! use tavola_engine::{Engine, Question, Watch};
//!
//! let engine = Engine::without_tables();
//! let watch = Watch::default();
//!
//! // The best opening play with 3-1.
//! let question = Question { dice: Some("31".to_owned()), ..Question::default() };
//! let best = engine.ask(&question, &Best { top: Some(1), ..Best::default() }, &watch)?;
//! assert_eq!(best.answer.plays[0].play, "8/5 6/5");
//!
//! // No player doubles at the start.
//! let question = Question::default();
//! let cube = engine.ask(&question, &Cube::default(), &watch)?;
//! assert_eq!(serde_json::to_value(&cube.answer)?["action"], "no_double_take");
//!
//! // The same engine over JSON.
//! let line = br#"{"id": 1, "op": "legal", "position": "start", "dice": [3, 1]}"#;
//! let answer = engine.answer_line(line, &question, &watch);
//! assert!(answer.starts_with(r#"{"id":1,"plays":[{"play":"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it is built
//!
//! `question` says what a question is about and turns it into a position of a game; `operations` has
//! one file for each thing that can be asked: its fields, which the command line and JSON
//! read, and the answer for any game. A new operation is such a file and its line in
//! `operations`. `session` holds the evaluators of a game between questions. `live` plays any
//! game against a user, `many` answers questions about games for more than two, and `quiz` asks about
//! positions.

mod analysis;
pub mod arrays;
mod bearoff;
mod cost;
mod effort;
mod engine;
mod error;
pub mod live;
pub mod many;
mod met;
mod network;
mod once;
pub mod operations;
mod protocol;
mod question;
pub mod quiz;
mod remote;
mod request;
mod rollout_file;
mod schema;
mod session;
mod terms;
mod watch;

pub use analysis::{
    ANALYSIS, Analyses, Analysis, AnalysisProgress, AnalysisReport, Difference, FailedFile,
    Finding, Findings, Gathered, NamedMatch, NoFindings, RandomShare, ReportSettings, Rollouts,
    SavedFindings, Verification, findings_in, open_analysis,
};
pub use bearoff::{BearoffAnswer, BearoffSide, ExactEquities};
pub use cost::Cost;
#[cfg(feature = "clap")]
pub use effort::named;
pub use effort::{Effort, time_limit};
pub use engine::Engine;
pub use error::{EngineError, ErrorKind, Lacking, Result};
pub use met::{DEFAULT_MET, MetPart, TakePoints, match_equity_table};
pub use network::{BUILT_IN, LoadedNetwork, version};
pub use operations::Operation;
#[cfg(feature = "clap")]
pub use operations::positive;
pub use protocol::{JsonReply, LONGEST_LINE, answer_line};
pub use question::{
    AnyAnswer, FullAnswer, MatchPoints, PositionQuestion, Question, Terms, TwoOrMany,
};
pub use remote::{ROLLOUT, Sources, open_rollout};
pub use rollout_file::RolloutFile;
pub use schema::batch_schema;
// What questions are made of.
pub use tavola_evaluator::search::MAX_PLY;
pub use tavola_games::AnyGame;
pub use tavola_rules::{Cube, MatchScore};
pub use terms::ResolvedTerms;
pub use watch::{EngineEvent, RolloutSoFar, Warning, Watch};
