//! Matches of eXtreme Gammon (`.xg`), its positions (`.xgp`) and its texts of them, read only.
//!
//! The vendor publishes the layout. A file has a header with a picture, and an archive of files
//! that are compressed with zlib. One of them, `temp.xg`, holds a record of 2,560 bytes for each
//! match, game, cube action and play; `temp.xgc` holds comments.
//!
//! Boards decide: a play is the legal one that leads to the board after it, and a board that does
//! not follow from what was before is read as a position that was set up.

mod archive;
mod comments;
mod layout;
mod positions;
mod reader;
pub(crate) mod text;

pub(crate) use archive::is_xg;
pub(crate) use reader::read;

#[cfg(test)]
mod tests;
