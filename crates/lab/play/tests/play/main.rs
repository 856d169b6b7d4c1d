//! Self-play and the files that it writes.

mod properties;
mod selfplay;
mod shards;
