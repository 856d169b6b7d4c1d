//! Networks and their files.

mod network_file;
mod properties;
