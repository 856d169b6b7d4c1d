//! Fits the efficiencies of the cube to games of a network against itself: `cargo run --release -p
//! tavola-benches --example cube_fit -- GAMES SEED THREADS [WEIGHTS [PRUNING]]`, by default 2,000
//! games, seed 1, one thread and the built-in networks.
//!
//! Games are for money at 0-ply with the cube model in force; the luck is evaluated by the same
//! network. Then that model plays as many games against the one that was in force before
//! efficiencies were fitted: 0.68 with contact, 0.6 to 0.7 in races, whoever owns the cube.
//! `docs/cube.md` has the afterstates.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use tavola_arena::{Duel, DuelSettings};
use tavola_equity::{Efficiency, EfficiencyModel};
use tavola_evaluator::Pruning;
use tavola_evaluator::{CubefulEvaluator, NetEvaluator};
use tavola_net::Weights;
use tavola_play::{CubeTerms, CubefulAgent, LuckEvaluator, Workers};
use tavola_rules::{Backgammon, Options};

mod fit;
mod samples;

use crate::fit::{FitSettings, FittedEfficiency, fit_efficiency};

const GAME: Backgammon = Backgammon::Standard;

fn main() {
    let mut args = std::env::args().skip(1);
    let mut number = |default: u64| {
        args.next()
            .map_or(default, |text| text.parse().expect("a number of games, a seed, threads"))
    };
    let (games, seed, threads) = (number(2000), number(1), number(1));
    let evaluator = network(&args.next().unwrap_or_else(|| model("default")));
    let prune = network(&args.next().unwrap_or_else(|| model("prune")));
    let threads = NonZeroUsize::new(threads as usize).expect("at least one thread");

    let cubeful = CubefulEvaluator::new(GAME, Box::new(evaluator.clone()), None);
    let pruning = Pruning { keep: 2, within: 0.08 };
    let luck = LuckEvaluator { evaluator: &evaluator, pruning: Some((&prune, pruning)) };
    let model = EfficiencyModel::default();
    let (short_pips, long_pips) = (model.short_pips, model.long_pips);
    let settings = FitSettings { games, seed, short_pips, long_pips };
    let cancel = AtomicBool::new(false);
    let fit = fit_efficiency(&cubeful, &luck, settings, Workers { threads, cancel: &cancel })
        .expect("networks play on");

    println!("{} games, seed {seed}, cube model before: {model}", fit.games);
    println!(
        "{:<24} {:>22} {:>9} {:>7} {:>12}",
        "", "x (95 % CI)", "rolls", "games", "evaluator's error"
    );
    for (stage, fits) in [
        ("contact".to_owned(), fit.contact),
        (format!("race of {short_pips} pips"), fit.short_race),
        (format!("race of {long_pips} pips"), fit.long_race),
    ] {
        for (owner, fitted) in ["owned", "centred"].into_iter().zip(fits) {
            let name = format!("{stage}, {owner}");
            match fitted {
                None => println!("{name:<24} {:>22}", "too few"),
                Some(FittedEfficiency { x, rolls, games, grader_error }) => println!(
                    "{name:<24} {:>22} {rolls:>9} {games:>7} {grader_error:>+12.4}",
                    format!("{:.3} ± {:.3}", x.mean, 1.96 * x.standard_error)
                ),
            }
        }
    }

    let terms = CubeTerms::money(&Options { cube_limit: Some(64), ..Options::default() })
        .expect("64 is a cube");
    let agent = |model| CubefulAgent::new(cubeful.fork().with_efficiency(model));
    let (now, before) = (agent(model), agent(guessed()));
    let duel = Duel { format: &terms, luck: Some(luck), ..Duel::new(&GAME, &now, &before) };
    let settings = DuelSettings { pairs: (games / 2).max(2), seed, ..DuelSettings::default() };
    let result = duel
        .play(&settings, Workers { threads, cancel: &cancel }, &|_| {})
        .expect("networks play on");
    let ppg = result.luck_adjusted.unwrap_or(result.points);
    println!(
        "\nthis model against the guessed one: {:+.4} ± {:.4} ppg (95 % CI, luck off), {} games",
        ppg.mean,
        1.96 * ppg.standard_error,
        2 * result.pairs
    );
}

/// What was used before efficiencies were fitted.
fn guessed() -> EfficiencyModel {
    let uniform = |x| Efficiency::new(x, x, x, 0.95).expect("between 0 and 1");
    EfficiencyModel {
        contact: uniform(0.68),
        short_race: uniform(0.6),
        long_race: uniform(0.7),
        ..EfficiencyModel::default()
    }
}

fn network(path: &str) -> NetEvaluator<Backgammon> {
    let weights = Weights::load(Path::new(path)).expect("a weights file");
    NetEvaluator::new(&weights, GAME).expect("a network for backgammon")
}

fn model(name: &str) -> String {
    format!("{}/../models/{name}.safetensors", env!("CARGO_MANIFEST_DIR"))
}
