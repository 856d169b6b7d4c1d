//! A match in the terminal, as lines and on the full screen of a pseudo-terminal.

#[path = "../cli/run.rs"]
#[expect(dead_code, reason = "the other tests use more of it")]
mod run;

mod plain;
#[cfg(unix)]
mod screen;
