//! How far a command looks ahead.

use std::time::Duration;

use clap::Args;
use tavola_engine::Lookahead;
use tavola_evaluator::Preset;
use tavola_evaluator::search::MAX_PLY;

use crate::args::{preset, time_limit};

/// How far to look ahead.
#[derive(Debug, Args)]
pub struct LookaheadArgs {
    /// Rolls to look ahead, 0 to 3; 0 is the bare network [default: 2, or as far as --time allows]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(..=i64::from(MAX_PLY)))]
    pub ply: Option<u8>,
    /// How wide to look; full leaves nothing out
    #[arg(long, value_name = "NAME", default_value_t, value_parser = preset())]
    pub preset: Preset,
    /// Look deeper until the time is over, such as 200ms or 5s; what is reached depends on the
    /// machine, so the answer may differ from one time to the next
    #[arg(long, value_name = "TIME", value_parser = time_limit)]
    pub time: Option<Duration>,
}

impl LookaheadArgs {
    /// What the arguments say.
    pub fn lookahead(&self) -> Lookahead {
        Lookahead::new(self.ply, self.preset, self.time, Lookahead::DEFAULT_PLY)
    }
}
