//! `tavola duel merge`: counts the files of a duel that was played in parts.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use tavola_arena::{DuelReport, DuelResult, NamedPlayer, PairLog};

use super::sprt::SprtArgs;
use crate::args::FormArgs;
use crate::failure::{Blame, Failure, Outcome};
use crate::outputs::{Content, OutputFile, writes};
use crate::report::provenance::Provenance;
use crate::report::table::Out;
use crate::report::warning;

/// Merge pair files.
///
/// Reports the result of a duel that was played in parts.
///
/// Parts are files of `tavola duel --save` with the same players, game, seed, start positions and
/// luck evaluator, played with other values of --first-pair. A pair that is in two of them is
/// refused, since it would count twice. With --sprt the result is that of the pairs up to the one
/// that decides.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  \
        tavola duel A B --games 1000 --save 1.pairs\n  \
        tavola duel A B --games 1000 --first-pair 500 --save 2.pairs\n  \
        tavola duel merge 1.pairs 2.pairs --out all.pairs")]
pub struct MergeArgs {
    /// Files of pairs
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The new file with all pairs
    #[arg(long, short = 'o', value_name = "FILE", value_parser = writes(Content::Pairs))]
    pub out: OutputFile,
    /// The sequential test.
    #[command(flatten)]
    pub sprt: SprtArgs,
    /// Text, JSON, CSV or Markdown.
    #[command(flatten)]
    pub output: FormArgs,
}

/// Writes the new file and tells the result.
pub fn run(args: &MergeArgs, out: &mut dyn Out) -> Outcome {
    let sprt = args.sprt.test()?;
    let merged = PairLog::merge(&args.files).or_input()?;
    let (header, pairs) = (&merged.header, &merged.pairs);
    let result = DuelResult::of_pairs(header, pairs, sprt).ok_or_else(|| {
        Failure::input(format_args!("{} pairs, a result takes at least 2", pairs.len()))
    })?;
    args.out.make_room()?;
    merged.write(&args.out).or_work_in("the pairs are not merged")?;
    for (path, end) in &merged.ends {
        if let Some(why) = end.warning() {
            let path = path.display();
            warning::warn(&format_args!("{path}: {why}; `tavola duel --resume` plays them"));
        }
    }
    let player = |name: &str| NamedPlayer { name: name.to_owned(), version: String::new() };
    let report = DuelReport {
        result,
        luck_evaluator: header.luck_evaluator.clone(),
        a: player(&header.a),
        b: player(&header.b),
        starts: header.starts.len(),
        timing: None,
        networks: Vec::new(),
    };
    super::report::write(&report, &Provenance::of(NonZeroUsize::MIN, []), &args.output, out)
}
