//! What evaluating the luck costs and what it gains, for some evaluators, on the same games.
//!
//! `cargo run --release -p tavola-play --example luck_cost -- A B PAIRS PRUNING JUDGE...`: files of
//! weights of two players, the number of pairs, the network that prunes, and those that evaluate
//! luck. For each way: processor seconds of one thread, the deviation of a pair, and how many times
//! less processor time it takes to the same interval than without an evaluator.

use std::env;
use std::error::Error;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tavola_arena::{Duel, DuelSettings};
use tavola_evaluator::{Evaluator, NetEvaluator, Pruning};
use tavola_net::Weights;
use tavola_play::{EvaluatorAgent, LuckEvaluator, Workers};
use tavola_rules::Backgammon;

fn processor_time() -> Result<Duration, Box<dyn Error>> {
    Ok(clock_gettime(ClockId::ProcessCPUTime).try_into()?)
}

fn network(file: &str) -> Result<NetEvaluator<Backgammon>, Box<dyn Error>> {
    Ok(NetEvaluator::new(&Weights::load(Path::new(file))?, Backgammon::Standard)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [a, b, pairs, pruning, evaluators @ ..] = args.as_slice() else {
        return Err("expected A B PAIRS PRUNING JUDGE...".into());
    };
    let (a, b) = (network(a)?, network(b)?);
    let (a, b) = (EvaluatorAgent::new(Box::new(a)), EvaluatorAgent::new(Box::new(b)));
    let quick = network(pruning)?;
    let settings = DuelSettings { pairs: pairs.parse()?, ..DuelSettings::default() };
    let cancel = AtomicBool::new(false);
    let workers = Workers { threads: NonZeroUsize::MIN, cancel: &cancel };

    let play = |luck: Option<LuckEvaluator<'_, Backgammon>>| -> Result<_, Box<dyn Error>> {
        let duel = Duel { luck, ..Duel::new(&Backgammon::Standard, &a, &b) };
        let began = processor_time()?;
        let result = duel.play(&settings, workers, &|_| {})?;
        let ppg = result.luck_adjusted.unwrap_or(result.points);
        Ok((ppg, (processor_time()? - began).as_secs_f64()))
    };
    let deviation = |error: f64| error * (settings.pairs as f64).sqrt();
    let (raw, raw_seconds) = play(None)?;
    println!(
        "raw: {:.4} ppg, SD {:.3}, {raw_seconds:.2} s",
        raw.mean,
        deviation(raw.standard_error)
    );
    for evaluator in evaluators {
        let network = network(evaluator)?;
        let prunings = [("all", None), ("1", Some((1, 0.0))), ("2 within 0.08", Some((2, 0.08)))];
        for (name, pruning) in prunings {
            let pruning = pruning
                .map(|(keep, within)| (&quick as &dyn Evaluator<_>, Pruning { keep, within }));
            let (ppg, seconds) = play(Some(LuckEvaluator { evaluator: &network, pruning }))?;
            let fewer = (raw.standard_error / ppg.standard_error).powi(2);
            println!(
                "{evaluator}, {name}: {:.4} ppg, SD {:.3}, {:.1} x the time, {fewer:.1} x fewer games, \
                 {:.2} x less time",
                ppg.mean,
                deviation(ppg.standard_error),
                seconds / raw_seconds,
                fewer * raw_seconds / seconds
            );
        }
    }
    Ok(())
}
