//! Asks what holds a trained network back, its size, its way of learning or what it has seen:
//!
//! ```text
//! cargo run --release -p tavola-pipeline --example generalization -- \
//!     WEIGHTS 20000 'rate = 2e-4, epochs = 4' 'rate = 2e-4, batch_size = 1024' 'rate = 2e-4, width = 512'
//! ```
//!
//! The network plays itself so many games. In one state of seven it is asked what the state is worth
//! by looking at all rolls (the exact target); where that differs from what it says at once, it does
//! not agree with itself. Then it learns from these states, each time from where it was, with a rate
//! that falls to a tenth and the given keys of `[learner]`, and is asked again, about these and about
//! states of a quarter as many other games. If it can't agree with itself even where it was taught, it
//! is too small; if it agrees there and not elsewhere, it learns by heart. With `width` its second
//! layer grows to so many units first. `docs/experiments.md` has the results.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::Deserialize;
use tavola_evaluator::{Evaluator, NetEvaluator};
use tavola_net::{Weights, grown};
use tavola_play::{
    Chance, ExactSettings, RelabelSettings, SelfPlayGames, SelfPlaySettings, Workers, relabel,
    selfplay,
};
use tavola_rules::{Backgammon, Game};
use tavola_train::{ExploredPlays, Learner, LearnerSettings, Samples, TdTargets};

const GAME: Backgammon = Backgammon::Standard;
const SEED: u64 = 71;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("expected a weights file")?;
    let games: u64 = args.next().ok_or("expected a number of games")?.parse()?;
    let variants: Vec<(String, Variant)> = args
        .map(|text| Ok((text.clone(), toml::from_str(&text.replace(", ", "\n"))?)))
        .collect::<Result<_, toml::de::Error>>()?;

    let weights = Weights::load(Path::new(&file))?;
    let evaluator = NetEvaluator::new(&weights, GAME)?;
    let taught = exact_samples(&evaluator, 0..games)?;
    let others = exact_samples(&evaluator, games..games + (games / 4).max(1))?;
    println!(
        "{} states to learn from and {} others; differences of equity, root mean square, in \
         millipoints",
        taught.len(),
        others.len()
    );
    let rms = |learner: &Learner, samples: &Samples| 1000.0 * difference(learner, samples);
    let settings = LearnerSettings::default();
    let start = Learner::new(&GAME, settings.clone(), &weights)?;
    println!("taught    others    epoch");
    println!("{:>6.2} {:>9.2} {:>8}", rms(&start, &taught), rms(&start, &others), 0);
    for (text, Variant { rate, epochs, width, learner }) in variants {
        println!("{text}");
        let start = match width {
            None => weights.clone(),
            Some(width) => {
                let mut hidden = weights.arch.hidden.clone();
                *hidden.get_mut(1).ok_or("expected a network with a second layer")? = width;
                grown(&GAME, &weights, weights.encoder, &hidden, SEED).ok_or("it can't shrink")?
            }
        };
        let mut learner = Learner::new(&GAME, LearnerSettings { epochs: 1, ..learner }, &start)?;
        for epoch in 1..=epochs {
            // In ten parts, for the rate to fall.
            for part in 0..10 {
                let share = part_of(&taught, part, 10);
                let done = f64::from(10 * (epoch - 1) + part) / f64::from(10 * epochs - 1);
                let seed = u64::from(10 * epoch + part);
                learner.learn(&share, rate * (1.0 - 0.9 * done), seed)?;
            }
            // What it would play with: the mean of its weights, if there is one.
            let now = Learner::new(&GAME, settings.clone(), &learner.weights(Default::default()))?;
            println!("{:>6.2} {:>9.2} {epoch:>8}", rms(&now, &taught), rms(&now, &others));
        }
    }
    Ok(())
}

/// A way of learning.
#[derive(Deserialize)]
struct Variant {
    rate: f64,
    #[serde(default = "once")]
    epochs: u32,
    width: Option<usize>,
    #[serde(flatten)]
    learner: LearnerSettings,
}

const fn once() -> u32 {
    1
}

/// Some states of these games with their exact targets.
fn exact_samples(
    evaluator: &dyn Evaluator<Backgammon>,
    indices: std::ops::Range<u64>,
) -> Result<Samples, Box<dyn std::error::Error>> {
    let cancel = AtomicBool::new(false);
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let workers = Workers { threads, cancel: &cancel };
    let games = SelfPlayGames { run_seed: SEED, indices, starts: &[] };
    let settings = SelfPlaySettings::default();
    let records = selfplay(&GAME, evaluator, &settings, &games, workers, &|_| {})?;
    let labelling = RelabelSettings {
        sample: Chance::new(1.0 / 7.0)?,
        exact: ExactSettings { share: Chance::ALWAYS, only: true },
    };
    let labels = relabel(&GAME, evaluator, &records, &labelling, None, SEED, workers)?;
    let targets = TdTargets::new(0.0, ExploredPlays::default())?;
    let mut samples = Samples::new(GAME.layout().len());
    for (record, labels) in records.iter().zip(&labels) {
        targets.append_labelled::<Backgammon>(record, labels, &mut samples);
    }
    Ok(samples)
}

/// Every so many of the samples, from number `part` on.
fn part_of(samples: &Samples, part: u32, of: usize) -> Samples {
    let mut share = Samples::new(samples.stride());
    for i in (part as usize..samples.len()).step_by(of) {
        share.push(samples.cells(i), samples.targets()[i]);
    }
    share
}

/// How far the learner's equities are from the targets', root mean square, in points.
fn difference(learner: &Learner, samples: &Samples) -> f64 {
    let mut sum = 0.0;
    for start in (0..samples.len()).step_by(1024) {
        let end = (start + 1024).min(samples.len());
        let judged = learner.judge((start..end).map(|i| samples.cells(i)));
        for (judged, target) in judged.iter().zip(&samples.targets()[start..end]) {
            sum += f64::from(judged.equity() - target.equity()).powi(2);
        }
    }
    (sum / samples.len() as f64).sqrt()
}
