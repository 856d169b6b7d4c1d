//! `tavola duel merge`: counts the files of a duel that was played in parts.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use tavola_arena::{
    CubeDuelResult, CubePair, DuelHeader, DuelResult, LoggedPair, Merged, PairLog, Sprt,
};

use super::report::{Played, Side};
use super::sprt::SprtArgs;
use crate::args::OutputArgs;
use crate::failure::{Blame, Failure, Outcome};
use crate::report::warning;

/// Arguments of `duel merge`.
#[derive(Debug, Args)]
#[command(
    about = "Count the files of a duel that was played in parts together",
    long_about = "Count the files of a duel that was played in parts together.\n\n\
        Parts are files of `tavola duel --save` with the same players, game, seed, start positions \
        and judge of luck, played with other values of --first-pair. A pair that is in two of them \
        is refused, since it would count twice. With --sprt the result is that of the pairs up to \
        the one that decides.",
    after_help = "Example:\n  \
        tavola duel A B --games 1000 --save 1.pairs\n  \
        tavola duel A B --games 1000 --first-pair 500 --save 2.pairs\n  \
        tavola duel merge 1.pairs 2.pairs --out all.pairs"
)]
pub struct MergeArgs {
    /// Files of pairs
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The new file with all pairs
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// The sequential test.
    #[command(flatten)]
    pub sprt: SprtArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Writes the new file and tells the result.
pub fn run(args: &MergeArgs, out: &mut dyn Write) -> Outcome {
    let sprt = args.sprt.test()?;
    if PairLog::has_cube(&args.files[0]).or_input()? {
        return with_cube(args, sprt, out);
    }
    let merged = PairLog::merge(&args.files).or_input()?;
    let Merged { header, pairs, .. } = &merged;
    let result = DuelResult::of_pairs(header.game.clone(), header.seed, pairs, sprt)
        .ok_or_else(|| too_few(pairs.len()))?;
    keep(&merged, &args.out)?;
    played(&result, header).write(&args.output, out)
}

/// The same of pairs with a cube.
fn with_cube(args: &MergeArgs, sprt: Option<Sprt>, out: &mut dyn Write) -> Outcome {
    let merged = PairLog::<CubePair>::merge(&args.files).or_input()?;
    let Merged { header, pairs, .. } = &merged;
    let terms = header.terms.clone().unwrap_or_default();
    let result = CubeDuelResult::of_pairs(terms, header.unit(), header.seed, pairs, sprt)
        .ok_or_else(|| too_few(pairs.len()))?;
    keep(&merged, &args.out)?;
    played(&result, header).write(&args.output, out)
}

/// The result with what the file knows of the duel.
fn played<'a, R>(result: &'a R, header: &'a DuelHeader) -> Played<'a, R> {
    Played {
        result,
        luck_judge: header.luck_judge.as_deref(),
        a: Side { name: &header.a, version: "" },
        b: Side { name: &header.b, version: "" },
        starts: header.starts.len(),
        session: None,
    }
}

/// Writes the new file and says which pairs are not in it.
fn keep<P: LoggedPair>(merged: &Merged<P>, out: &Path) -> Outcome {
    merged.write(out).or_input()?;
    for (path, line) in &merged.left_out {
        warning::warn(&format_args!(
            "line {line} of {}, the last one, is torn or damaged: its pair is left out; play it \
             again with `tavola duel --resume`",
            path.display()
        ));
    }
    Ok(())
}

fn too_few(pairs: usize) -> Failure {
    Failure::input(format_args!("{pairs} pairs, a result takes at least 2"))
}
