//! Self-play records: the facts of a game and what to learn from it, in memory and on disk.
//!
//! A [`GameRecord`] holds what happened: the rolls, states, evaluations and the outcome. It has no
//! training targets, so a new kind of target needs no new games. [`GameLabels`] are the targets;
//! they are worth keeping, because evaluation is expensive and the evaluator may be gone.
//! [`RecordsWriter`] and [`RecordsReader`] keep both in a file that is refused when anything about
//! it is wrong: a network that learns from damaged games would look healthy and play badly.
//!
//! [`Samples`] are states with their targets, [`Returns`] the same before lambda is chosen.
//! [`ShardWriter`] and [`ShardReader`] keep these in files that are read block by block, so that they
//! may be larger than memory.
//!
//! ```
//! use tavola_data::{FileHeader, LabeledGameOf, RecordsReader, RecordsWriter};
//! use tavola_rules::{Backgammon, Dice, Position};
//!
//! # let folder = tempfile::tempdir()?;
//! let path = folder.path().join("round-1.records");
//! let header = FileHeader { game: "backgammon".to_owned(), run_seed: 7 };
//! let records: Vec<LabeledGameOf<Backgammon>> = Vec::new();
//! let mut writer = RecordsWriter::create(&path, &header)?;
//! for record in &records {
//!     writer.write(record)?;
//! }
//! writer.finish()?;
//!
//! let reader = RecordsReader::<Position, Dice>::open(&path, "backgammon")?;
//! assert_eq!(reader.header(), &header);
//! assert_eq!(reader.collect::<Result<Vec<_>, _>>()?, records);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blocks;
mod columns;
mod file;
mod label;
mod record;
mod returns;
mod samples;
mod shard;

pub use blocks::DataError;
pub use columns::TurnColumns;
pub use file::{
    FileHeader, RecordsReader, RecordsWriter, VERSION, games_from_bytes, games_to_bytes,
    read_records, write_records,
};
pub use label::{Comparison, GameLabels, Label, LabeledGame, LabeledGameOf, LabelsOf};
pub use record::{Choice, GameRecord, RecordOf, Turn};
pub use returns::{Return, Returns};
pub use samples::Samples;
pub use shard::{BLOCK_ENTRIES, SHARD_VERSION, ShardReader, ShardWriter};
