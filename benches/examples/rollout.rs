//! What rollouts cost and how far their games spread: `cargo run --release -p tavola-benches
//! --example rollout -- SECONDS [WEIGHTS [PRUNING]]`, by default 2 seconds for each line and the
//! built-in networks.
//!
//! Games are played at 0-ply on one thread, with the bear-off databases of the user. A second is
//! one of processor time. The standard deviations are those of one game's equity, of the same games
//! without and with variance reduction.

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tavola_bearoff::Store;
use tavola_evaluator::rollout::{Luck, Rollout, RolloutSettings, RolloutWatch};
use tavola_evaluator::{Evaluator, NetEvaluator, TableEvaluator};
use tavola_net::Weights;
use tavola_rules::notation::decode_position_id;
use tavola_rules::{Backgammon, Position};

const GAME: Backgammon = Backgammon::Standard;

/// Games of a call: whole sets of first rolls.
const GAMES: u64 = 144;

fn main() {
    let mut args = std::env::args().skip(1);
    let seconds = args.next().map_or(2.0, |text| text.parse().expect("a number of seconds"));
    let budget = Duration::from_secs_f64(seconds);
    let (tables, _) = Store::of_user().load_all(&|_| {});
    let behind_tables = |path: String| TableEvaluator::new(tables.clone(), network(&path));
    let evaluator = behind_tables(args.next().unwrap_or_else(|| model("default")));
    let pruning = behind_tables(args.next().unwrap_or_else(|| model("prune")));

    println!(
        "{:<28} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "", "games/s", "SD left", "SD off", "ratio", "equity"
    );
    for (name, id) in [("middle game", "62aCAQPWnBsAAw"), ("opening", "4HPwATDgc/ABMA")] {
        let position = decode_position_id(id).expect("the positions are well written");
        for truncate in [None, Some(5), Some(7), Some(11), Some(15)] {
            for luck in [Luck::Left, Luck::TakenOff] {
                let truncate = truncate.and_then(NonZeroU32::new);
                let settings = RolloutSettings {
                    trials: u64::MAX,
                    truncate,
                    luck,
                    ..RolloutSettings::default()
                };
                let name = match (truncate, luck) {
                    (None, Luck::Left) => format!("{name}, to the end"),
                    (None, Luck::TakenOff) => format!("{name}, variance-reduced"),
                    (Some(turns), Luck::Left) => format!("{name}, {turns} rolls"),
                    (Some(turns), Luck::TakenOff) => format!("{name}, {turns}, variance-reduced"),
                };
                line(&name, &evaluator, &pruning, settings, position, budget);
            }
        }
    }
}

/// Rolls out for so much processor time and prints what it has come to.
fn line(
    name: &str,
    evaluator: &dyn Evaluator<Backgammon>,
    pruning: &dyn Evaluator<Backgammon>,
    settings: RolloutSettings,
    position: Position,
    budget: Duration,
) {
    let off = settings.luck == Luck::TakenOff;
    let mut rollout = Rollout::of_state(GAME, evaluator, Some(pruning), "", settings, position)
        .expect("the settings are possible and the game goes on");
    let started = processor_time();
    let cancel = AtomicBool::new(false);
    rollout.run(&mut RolloutWatch {
        cancel: &cancel,
        progress: &mut |rollout| {
            let enough = rollout.trials() >= GAMES && processor_time() - started >= budget;
            cancel.store(enough, std::sync::atomic::Ordering::Relaxed);
        },
    });
    let seconds = (processor_time() - started).as_secs_f64();
    let (figures, root) = (rollout.figures(0), (rollout.trials() as f64).sqrt());
    let deviation = |error: f64| error * root;
    let left = deviation(figures.plain_equity().standard_error);
    let reduced = deviation(figures.equity().standard_error);
    let (reduced, ratio) = match off {
        true => (format!("{reduced:.3}"), format!("{:.1}", left / reduced)),
        false => (String::new(), String::new()),
    };
    let per_s = rollout.trials() as f64 / seconds;
    let equity = figures.equity().mean;
    println!("{name:<28} {per_s:>9.0} {left:>9.3} {reduced:>9} {ratio:>9} {equity:>+9.4}");
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).expect("a process has not taken less than no time")
}

fn model(name: &str) -> String {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    models.join(format!("{name}.safetensors")).display().to_string()
}

fn network(path: &str) -> Box<dyn Evaluator<Backgammon>> {
    let weights = Weights::load(Path::new(path)).expect("a weights file");
    Box::new(NetEvaluator::new(&weights, GAME).expect("a network for backgammon"))
}
