//! What searches cost and lose: `cargo run --release -p tavola-benches --example search --
//! DECISIONS [WEIGHTS]`, by default 300 decisions and the built-in network.
//!
//! Positions are those of 0-ply self-play of the network, rolls with one result included, in random
//! order. The unfiltered, unpruned 2-ply search evaluates what the other settings choose. Times are
//! of the processor, on one thread.

use std::path::Path;
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rustix::time::{ClockId, clock_gettime};
use tavola_evaluator::search::{Ranking, SearchSettings, SinglePlay};
use tavola_evaluator::{Estimate, Evaluator, NetEvaluator, Preset, Search, SearchWatch};
use tavola_net::Weights;
use tavola_rules::{Backgammon, Dice, Position};

const GAME: Backgammon = Backgammon::Standard;

fn main() {
    let mut args = std::env::args().skip(1);
    let decisions = args.next().map_or(300, |text| text.parse().expect("a number of decisions"));
    let main = network(&args.next().unwrap_or_else(|| model("default")));
    let pruning = network(&args.next().unwrap_or_else(|| model("prune")));
    let pairs = pairs(&main, decisions);

    let full = Preset::Full.at(2);
    let (reference, cost) = run(&main, None, full, &pairs);
    println!("{decisions} decisions, {:.1} afterstates each", {
        reference.iter().map(Vec::len).sum::<usize>() as f64 / reference.len() as f64
    });
    println!("{:<44} {:>9} {:>9} {:>9}", "", "ms", "changed", "lost mp");
    line("full 2-ply", cost, &reference, &reference);
    let show = |name: &str, settings: SearchSettings| {
        let (rankings, cost) = run(&main, Some(&pruning), settings, &pairs);
        line(name, cost, &rankings, &reference);
    };
    show("0-ply", Preset::Full.at(0));
    show("full 1-ply", Preset::Full.at(1));
    for preset in [Preset::Fast, Preset::Normal, Preset::Wide] {
        for ply in [1, 2] {
            for single_play in [SinglePlay::Evaluate, SinglePlay::Accept] {
                let settings = SearchSettings { single_play, ..preset.at(ply) };
                show(&format!("{preset} {ply}-ply, a sole play: {single_play:?}"), settings);
            }
        }
    }
}

fn model(name: &str) -> String {
    format!("{}/../models/{name}.safetensors", env!("CARGO_MANIFEST_DIR"))
}

fn network(file: &str) -> NetEvaluator<Backgammon> {
    let weights = Weights::load(Path::new(file)).expect("a readable weights file");
    NetEvaluator::new(&weights, GAME).expect("a network for backgammon")
}

/// Decisions of 0-ply games.
fn pairs(main: &NetEvaluator<Backgammon>, decisions: usize) -> Vec<(Position, Dice)> {
    // Four times as many as wanted, so that neighbors have little in common.
    let (mut pairs, mut game) = (Vec::new(), 0);
    while pairs.len() < 4 * decisions {
        pairs.extend(tavola_benches::games(main, game, 16).into_iter().flatten());
        game += 16;
    }
    pairs.shuffle(&mut ChaCha8Rng::seed_from_u64(1));
    pairs.truncate(decisions);
    pairs
}

type Rankings = Vec<Ranking<Position, tavola_equity::OutcomeProbs>>;

/// The rankings and the time of each on average.
fn run(
    main: &NetEvaluator<Backgammon>,
    pruning: Option<&NetEvaluator<Backgammon>>,
    settings: SearchSettings,
    pairs: &[(Position, Dice)],
) -> (Rankings, Duration) {
    let mut search =
        Search::new(GAME, main.fork(), pruning.map(|network| network.fork()), settings);
    let before = processor_time();
    let rankings = pairs
        .iter()
        .map(|(position, dice)| search.rank(position, *dice, SearchWatch::default()))
        .collect();
    let time = processor_time() - before;
    (rankings, time / pairs.len() as u32)
}

fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).expect("time is not negative")
}

fn line(name: &str, cost: Duration, rankings: &Rankings, reference: &Rankings) {
    let (mut changed, mut lost) = (0, Vec::new());
    for (ranking, reference) in rankings.iter().zip(reference) {
        let chosen = reference.iter().find(|play| play.state == ranking[0].state);
        let loss = chosen.expect("both list the same afterstates").loss;
        changed += u32::from(loss > 0.0);
        lost.push(f64::from(loss) * 1000.0);
    }
    let n = lost.len() as f64;
    let lost = Estimate::of(lost.into_iter());
    println!(
        "{name:<44} {:>9.3} {:>8.1}% {:>9.3} ± {:.3}",
        cost.as_secs_f64() * 1000.0,
        100.0 * f64::from(changed) / n,
        lost.mean,
        lost.half_width(),
    );
}
