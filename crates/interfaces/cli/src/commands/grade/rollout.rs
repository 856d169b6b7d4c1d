//! `tavola grade rollout`: decisions rated by rollouts.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use tavola_arena::grade::{RolloutGraderSettings, RolloutRating};
use tavola_engine::operations::MOST_TRIALS;
use tavola_engine::{Effort, positive};
use tavola_evaluator::Preset;
use tavola_evaluator::rollout::StopRules;
use tavola_evaluator::search::{MAX_PLY, MoveFilter};

use crate::args::{ModelArg, TableArgs, ThreadArgs, number};
use crate::failure::Outcome;
use crate::networks;
use crate::outputs::{Content, OutputFile, writes};
use crate::report::format;
use crate::report::table::Out;

/// Rate the plays of decisions by rollouts.
///
/// Of each decision of SAMPLE, the plays that a search finds plausible are rolled out on the same
/// dice, variance-reduced, and those that clearly lose are dropped early. The reference has their
/// equities with standard errors. SAMPLE is what `tavola grade sample` has drawn, or a reference
/// that is to be graded anew: by a better network, say.
///
/// What is graded is kept in a file beside --out, whose name ends in .part. The same command
/// resumes there after a break of any kind, and ends with the reference of an unbroken run. The
/// number of threads has no influence.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        tavola grade rollout sample.jsonl --out reference.jsonl\n  \
        tavola grade rollout benches/grade/rollouts.jsonl --out again.jsonl --model better.safetensors")]
pub struct GradeRolloutArgs {
    /// Sample, or reference to be graded anew
    #[arg(value_name = "SAMPLE")]
    pub sample: PathBuf,
    /// Where to write the reference
    #[arg(long, short = 'o', value_name = "FILE", value_parser = writes(Content::Graded))]
    pub out: OutputFile,
    /// Search that finds the plausible plays: plies, and a preset if it is not the normal one
    #[arg(long, value_name = "PLY[/PRESET]", default_value = "2/wide", value_parser = ahead)]
    pub look: Effort,
    /// Roll out the best two and plays that lose at most this much, in points, by the first look
    #[arg(long, value_name = "X", default_value_t = 0.08, value_parser = within)]
    pub within: f32,
    /// Roll out this many plays at most
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u16).range(2..=500))]
    pub top: u16,
    /// How both sides play the games
    #[arg(long, value_name = "PLY[/PRESET]", default_value = "1/fast", value_parser = ahead)]
    pub play: Effort,
    /// Cut games short after N rolls
    #[arg(long, value_name = "N", default_value = "11")]
    pub truncate: NonZeroU32,
    /// Play all games to their end
    #[arg(long, conflicts_with_all = ["truncate", "leaf"])]
    pub to_the_end: bool,
    /// How games are graded where they are cut short
    #[arg(long, value_name = "PLY[/PRESET]", default_value = "1", value_parser = ahead)]
    pub leaf: Effort,
    /// Games for each play, at most
    #[arg(long, short = 'n', value_name = "N", default_value_t = 5184, value_parser = clap::value_parser!(u64).range(2..=MOST_TRIALS))]
    pub trials: u64,
    /// Seed of the dice; each decision has its own dice from it
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Enough once the equities of all plays that are not dropped have this standard error
    #[arg(long, value_name = "X", default_value_t = 0.004, value_parser = positive)]
    pub until_se: f64,
    /// Enough once the best play is ahead of all others by N joint standard deviations
    #[arg(long, value_name = "X", value_parser = positive)]
    pub until_jsd: Option<f64>,
    /// Drop a play once it is behind by N joint standard deviations
    #[arg(long, value_name = "X", default_value_t = 4.0, value_parser = positive)]
    pub drop_jsd: f64,
    /// The network that grades.
    #[command(flatten)]
    pub model: ModelArg,
    /// Bear-off databases.
    #[command(flatten)]
    pub tables: TableArgs,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
}

/// Plies, or plies and a preset behind a slash.
pub(super) fn ahead(text: &str) -> Result<Effort, String> {
    let effort = text.parse::<Effort>().ok().filter(|effort| effort.ply.is_some());
    effort.ok_or_else(|| {
        let presets = Preset::ALL.map(Preset::name).join(", ");
        format!(
            "expected plies from 0 to {MAX_PLY}, and perhaps a preset behind them ({presets}), as \
             in 1/fast"
        )
    })
}

/// How much a play may lose by the first look.
fn within(text: &str) -> Result<f32, String> {
    number(0.0..=6.0, "points from 0 to 6")(text)
}

impl GradeRolloutArgs {
    fn settings(&self) -> RolloutGraderSettings {
        RolloutGraderSettings {
            first_look: self.look,
            candidates: MoveFilter {
                keep: 2,
                extra: usize::from(self.top) - 2,
                within: self.within,
            },
            play: self.play,
            truncate: (!self.to_the_end).then_some(self.truncate),
            leaf: self.leaf,
            trials: self.trials,
            seed: self.seed,
            stop: StopRules {
                standard_error: Some(self.until_se),
                lead: self.until_jsd,
                time: None,
            },
            drop: self.drop_jsd,
        }
    }
}

/// Grades, and says how sure the figures are.
pub fn run(args: &GradeRolloutArgs, out: &mut dyn Out) -> Outcome {
    let rating = RolloutRating {
        sample: &args.sample,
        out: &args.out,
        model: args.model.model.as_deref(),
        tables: !args.tables.no_tables,
        settings: args.settings(),
    };
    let promise = "stopping; the decisions that are graded are kept";
    let rated =
        networks::run_job(promise, args.threads.count(), Duration::ZERO, |job, _| rating.run(job))?;
    let (decisions, seconds) = (format::plural(rated.number, "decision"), rated.time.as_secs_f64());
    write!(out, "{decisions}, {} plays rated in {seconds:.0} s; ", rated.plays)?;
    super::write_errors(rated, "best play's ", out)?;
    writeln!(out, "{}", args.out.display())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_have_a_preset_or_the_normal_one() {
        assert_eq!(ahead("2"), Ok(Effort::at(2)));
        assert_eq!(ahead("1/fast"), Ok(Effort::new(1, Preset::Fast)));
        for text in ["", "4", "-1", "x", "1/", "1/quick", "/fast"] {
            assert!(ahead(text).unwrap_err().contains("as in 1/fast"), "{text:?}");
        }
        for text in ["nan", "-0.1", "7", "x"] {
            assert!(within(text).unwrap_err().contains("0 to 6"), "{text:?}");
        }
    }
}
