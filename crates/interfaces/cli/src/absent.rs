//! What stands in for the parts that a build without their features lacks: the same commands and
//! options, each of which says what is missing.

use crate::failure::Failure;

/// Refuses what needs a part that this build lacks.
fn lacking(part: &str, feature: &str) -> Failure {
    Failure::input(format_args!(
        "this build has no {part}, expected a package, or one made with `cargo install --path \
         crates/interfaces/cli --features {feature}`"
    ))
}

/// A command that this build lacks. It takes whatever arguments it is given.
macro_rules! absent {
    ($module:ident, $args:ident, $part:literal, $feature:literal) => {
        #[cfg(not(feature = $feature))]
        pub mod $module {
            use std::ffi::OsString;

            /// Any arguments.
            #[derive(Debug, clap::Args)]
            #[command(about = concat!("Not in this build: ", $part))]
            pub struct $args {
                /// Arguments that no build without the command understands.
                #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
                pub rest: Vec<OsString>,
            }

            /// Says what is missing.
            pub fn run(
                _: &$args,
                _: &mut dyn crate::report::table::Out,
            ) -> crate::failure::Outcome {
                Err(super::lacking($part, $feature))
            }
        }
    };
}

absent!(serve, ServeArgs, "board for the browser", "board");
absent!(fleet, FleetCommand, "fleet of workers", "fleet");
absent!(worker, WorkerArgs, "fleet of workers", "fleet");

/// The page that shows a training run.
#[cfg(not(feature = "board"))]
pub mod watch {
    use std::convert::Infallible;
    use std::path::Path;

    use crate::args::Fleet;
    use crate::failure::Outcome;

    /// Says what is missing.
    pub fn start(_: u16, _: &Path, _: Option<&Fleet>) -> Outcome<Infallible> {
        Err(super::lacking("board for the browser", "board"))
    }

    /// There is no page to end.
    pub const fn end(_: Option<Infallible>, _: &Path) -> Outcome {
        Ok(())
    }
}

/// A fleet that can't be had.
#[cfg(not(feature = "fleet"))]
#[derive(Debug)]
pub enum Fleet {}

#[cfg(not(feature = "fleet"))]
impl Fleet {
    /// Says what is missing.
    pub fn missing() -> Failure {
        lacking("fleet of workers", "fleet")
    }
}

#[cfg(not(feature = "fleet"))]
impl tavola_evaluator::remote::Remote for Fleet {
    fn run(
        &self,
        _: &tavola_evaluator::remote::Task<'_>,
    ) -> Result<(), tavola_evaluator::remote::RemoteError> {
        match *self {}
    }
}

/// The match as a full screen.
#[cfg(not(feature = "screen"))]
pub mod screen {
    use std::io;

    use crate::failure::Failure;
    use crate::report::table::Out;

    /// Why a match on the screen ends early.
    pub enum ScreenError {
        /// This build has no full screen.
        NoTerminal(io::Error),
        /// Something failed, which can't be before it begins.
        #[expect(dead_code, reason = "the same errors as with the screen")]
        Failed(Failure),
    }

    /// Says what is missing.
    pub fn run<S>(_: &mut S, _: &mut dyn Out) -> Result<(), ScreenError> {
        Err(ScreenError::NoTerminal(io::Error::other("this build lacks the feature \"screen\"")))
    }
}

/// Why a drawing can't become PNG.
#[cfg(not(feature = "pictures"))]
pub fn no_png() -> String {
    "this build lacks the feature \"pictures\", expected a name that ends in .svg".to_owned()
}
