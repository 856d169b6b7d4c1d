//! What goes to stderr in words: errors, and warnings that say what to do next.

use std::fmt;
use std::io::{self, Write};

use crate::failure::Failure;

/// Something that a user should know before he trusts a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// The network was trained for a variant with another start.
    OtherStart {
        /// The game of the network.
        network: String,
        /// The game asked for.
        game: String,
    },
    /// Endgame tables could not be kept or had to be generated again, for this reason.
    Tables(String),
    /// Speed is measured in a build without optimisation.
    UnoptimisedBuild,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherStart { network, game } => write!(
                f,
                "the network was trained for {network} and may misjudge positions that only {game} \
                 has; name one that was trained for {game} with --model"
            ),
            Self::Tables(reason) => f.write_str(reason),
            Self::UnoptimisedBuild => write!(
                f,
                "this build is not optimised, so the figures say little; use cargo build --release"
            ),
        }
    }
}

impl Warning {
    /// Prints the warning to stderr.
    pub fn print(&self) {
        line(&format!("warning: {self}"));
    }
}

/// Prints why the program fails: the one place where errors are printed.
pub fn error(failure: &Failure) {
    let prefix = if failure.is_stop() { "" } else { "error: " };
    line(&format!("{prefix}{}", failure.message()));
}

/// Prints a line that is worth keeping, such as a step of a long job.
pub fn note(text: &str) {
    line(text);
}

/// There is nobody left to tell when stderr is closed, so a failed write is ignored.
fn line(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
