//! Asks what holds a trained network back, its size, its way of learning or what it has seen:
//!
//! ```text
//! cargo run --release -p tavola-pipeline --example generalization -- \
//!     WEIGHTS 3000 'rate = 2e-4, epochs = 4' 'rate = 2e-4, pairwise_loss_weight = 0' 'rate = 2e-4, width = 512'
//! ```
//!
//! The network plays that many games against itself. Each state but the start gets its expected
//! backup, the 1-ply value. Then the network learns these targets, each time from where it was,
//! with a rate that falls to a tenth and the given keys of `[learner]`. The table has its errors on
//! these states and on those of a quarter as many other games. Large errors on both: the network is
//! too small. Small ones on the first alone: it overfits. With `width` its second layer grows to
//! that many units first.
//!
//! Beside the states there are the runners-up of close decisions, within 0.08 points. For these
//! pairs the table has the error of the difference and the equity lost by the choice.
//! `docs/log/README.md` has the results.

mod errors;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::Deserialize;
use tavola_data::{Label, Samples};
use tavola_evaluator::{Evaluator, NetEvaluator};
use tavola_net::{Weights, grown};
use tavola_play::labels::{BackupDepth, ExplorationTarget, PairwiseSettings};
use tavola_play::{
    LabelSettings, Labeller, LuckEvaluator, Probability, SelfPlayGames, SelfPlaySettings,
    TdTargets, Workers, label_games, selfplay,
};
use tavola_rules::{Backgammon, Game};
use tavola_train::{Learner, LearnerSettings};

use errors::Errors;

const GAME: Backgammon = Backgammon::Standard;
const SEED: u64 = 71;

/// How near the runner-up of a close decision is, in points.
const WITHIN: f32 = 0.08;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("expected a weights file")?;
    let games: u64 = args.next().ok_or("expected a number of games")?.parse()?;
    let variants: Vec<(String, Variant)> = args
        .map(|text| Ok((text.clone(), toml::from_str(&text.replace(", ", "\n"))?)))
        .collect::<Result<_, toml::de::Error>>()?;

    let weights = Weights::load(Path::new(&file))?;
    let evaluator = NetEvaluator::new(&weights, GAME)?;
    let taught = samples(&evaluator, 0..games)?;
    let others = samples(&evaluator, games..games + (games / 4).max(1))?;
    println!(
        "{} states to learn from and {} others, runners-up among them",
        taught.len(),
        others.len()
    );
    println!("millipoints, root mean square: error of states, of differences in pairs; mean loss");
    println!("taught                    others                    epoch");
    let show = |learner: &Learner, epoch: u32| {
        let [taught, others] = [&taught, &others].map(|samples| Errors::of(learner, [samples]));
        println!("{taught}   {others}   {epoch:>5}");
    };
    let settings = LearnerSettings::default();
    show(&Learner::new(&GAME, settings.clone(), &weights)?, 0);
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
            show(&now, epoch);
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

/// The states of these games but the start, and the runners-up, with their expected backups.
fn samples(
    evaluator: &dyn Evaluator<Backgammon>,
    indices: std::ops::Range<u64>,
) -> Result<Samples, Box<dyn std::error::Error>> {
    let cancel = AtomicBool::new(false);
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let workers = Workers { threads, cancel: &cancel };
    let games = SelfPlayGames { run_seed: SEED, indices, starts: &[] };
    let settings = SelfPlaySettings::default();
    let records = selfplay(&GAME, evaluator, &settings, &games, workers, &|_| {})?;
    // The next evaluation less the luck is the expected backup.
    let settings = LabelSettings::Td {
        sample: Probability::ALWAYS,
        expected_backup_share: Probability::NEVER,
        pairwise: Some(PairwiseSettings { within: WITHIN, depth: BackupDepth::One }),
    };
    let luck = LuckEvaluator { evaluator: evaluator, pruning: None };
    let labeller = || Labeller::new(&GAME, evaluator, settings, Some(&luck), SEED);
    let mut labels = label_games(&records, labeller, workers)?;
    // The first roll has no luck.
    labels.iter_mut().for_each(|game| game.labels[0] = Label::Skip);
    let targets = TdTargets::new(0.0, ExplorationTarget::default())?;
    let mut samples = Samples::new(GAME.layout().len());
    for (record, labels) in records.iter().zip(&labels) {
        targets.append_labelled::<Backgammon>(record, labels, &mut samples);
    }
    Ok(samples)
}

/// Each `of`-th of the samples, from number `part` on, with the second ones of pairs.
fn part_of(samples: &Samples, part: u32, of: usize) -> Samples {
    let mut share = Samples::new(samples.stride());
    let chosen = (0..samples.len()).filter(|&i| !samples.is_second(i));
    for i in chosen.skip(part as usize).step_by(of) {
        share.push(samples.cells(i), samples.targets()[i]);
        if let Some(second) = samples.second_of(i) {
            share.push_second(samples.cells(second), samples.targets()[second]);
        }
    }
    share
}
