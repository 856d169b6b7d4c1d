//! Who judges the luck of a duel.

use std::path::PathBuf;

use clap::Args;
use tavola_evaluator::{Evaluator, NetEvaluator, Pruning};
use tavola_games::Tables;
use tavola_net::Weights;
use tavola_play::LuckJudge;
use tavola_rules::{Backgammon, Game};

use crate::failure::{Blame, Outcome};
use crate::judge::{self, Judge};
use crate::report::warning;

/// How the pruning network thins out the results that the judge looks at. Between two networks at
/// 0-ply (docs/arena.md), judging all results takes twice as long for a quarter fewer games, and
/// judging the best one alone a quarter more games for a twentieth less time.
const PRUNING: Pruning = Pruning { keep: 2, within: 0.08 };

/// Who judges the luck.
#[derive(Debug, Args)]
pub struct LuckArgs {
    /// Weights file of the network that judges the luck [default: the built-in network]
    #[arg(long, value_name = "FILE")]
    pub luck_judge: Option<PathBuf>,
    /// Leave the luck in: several times the games for the same certainty, but between two
    /// networks many more games a second
    #[arg(long, conflicts_with = "luck_judge")]
    pub no_luck: bool,
}

/// The judge of luck.
pub struct CliLuckJudge<G: Game> {
    evaluator: NetEvaluator<G>,
    pruning: Option<Box<dyn Evaluator<G>>>,
    /// Everything that its judgements depend on.
    pub identity: String,
    /// The same with what people call it.
    pub name: String,
}

impl<G: Game> CliLuckJudge<G> {
    /// The judge as a duel wants it.
    pub fn judge(&self) -> LuckJudge<'_, G> {
        let pruning = self.pruning.as_deref().map(|network| (network, PRUNING));
        LuckJudge { judge: &self.evaluator, pruning }
    }
}

fn identity(weights: &Weights, pruning: Option<Pruning>) -> String {
    let pruned = pruning
        .map_or_else(String::new, |Pruning { keep, .. }| format!(" of {keep} results a roll"));
    format!("{}, 0-ply{pruned}", judge::version(weights))
}

/// Who judges the luck: the network asked for, or the built-in one if it can.
pub fn of_backgammon(
    args: &LuckArgs,
    game: Backgammon,
) -> Outcome<Option<CliLuckJudge<Backgammon>>> {
    if args.no_luck {
        return Ok(None);
    }
    let file = args.luck_judge.as_deref();
    let weights = judge::load_weights(file)?;
    let name = judge::name(file);
    let judge = Judge::new(&weights, &name)?;
    match judge.suits(game) {
        Ok(problem) => {
            // A player may have been warned of the built-in network already.
            if let Some(problem) = problem.filter(|_| file.is_some()) {
                warning::warn(&problem);
            }
            let pruning = judge::pruning_network(game)?;
            let how = pruning.as_ref().map(|_| PRUNING);
            let identity = identity(&weights, how);
            let name = format!("{name}, {identity}");
            let identity = judge::pruned(identity, how);
            Ok(Some(CliLuckJudge { evaluator: judge.evaluator, pruning, identity, name }))
        }
        Err(_) if file.is_none() => {
            warning::note(&format!(
                "the luck stays in: the built-in network can't judge {}; name one that can with \
                 --luck-judge",
                game.name()
            ));
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}

/// Who judges the luck in a historical game: the network asked for, as none is built in.
pub fn of_family(args: &LuckArgs, game: &Tables) -> Outcome<Option<CliLuckJudge<Tables>>> {
    let Some(file) = args.luck_judge.as_deref() else { return Ok(None) };
    let weights = judge::load_weights(Some(file))?;
    let name = judge::name(Some(file));
    let evaluator =
        NetEvaluator::new(&weights, game.clone()).or_input_in(format_args!("cannot use {name}"))?;
    let identity = identity(&weights, None);
    let name = format!("{name}, {identity}");
    Ok(Some(CliLuckJudge { evaluator, pruning: None, identity, name }))
}
