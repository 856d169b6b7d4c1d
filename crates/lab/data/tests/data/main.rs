//! Files of labels.

mod file;
mod shard;
