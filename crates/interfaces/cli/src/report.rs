//! Everything that becomes text for people: numbers, tables, boards, progress, warnings.

pub mod advice;
pub mod board;
pub mod format;
pub mod picture;
pub mod progress;
pub mod provenance;
pub mod table;
pub mod train_log;
pub mod warning;
pub mod xg_text;
