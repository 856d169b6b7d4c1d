//! Asks what holds a trained network back, its size, its way of learning or what it has seen:
//!
//! ```text
//! cargo run --release -p tavola-pipeline --example generalization -- \
//!     WEIGHTS 3000 'rate = 2e-4, epochs = 4' 'rate = 2e-4, rival_weight = 0' 'rate = 2e-4, width = 512'
//! ```
//!
//! The network plays itself so many games. At each state but the start it is asked what the state is worth by
//! looking at all rolls (the exact target); where that differs from what it says at once, it does
//! not agree with itself. Then it learns from these states, each time from where it was, with a rate
//! that falls to a tenth and the given keys of `[learner]`, and is asked again, about these and about
//! states of a quarter as many other games. If it can't agree with itself even where it was taught, it
//! is too small; if it agrees there and not elsewhere, it learns by heart. With `width` its second
//! layer grows to so many units first.
//!
//! Beside the states there are their rivals, see `targets.luck.rivals_within`: second choices within 0.08
//! points. Of them the example says how well the difference of such two is known, and what choosing
//! between them costs on average, if looking at all rolls is right. `docs/log/README.md` has the results.

mod errors;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::Deserialize;
use tavola_data::Label;
use tavola_evaluator::{Evaluator, NetEvaluator};
use tavola_net::{Weights, grown};
use tavola_play::{
    Chance, ExactSettings, LuckJudge, RelabelSettings, RivalSettings, RollsAhead, SelfPlayGames,
    SelfPlaySettings, Workers, relabel, selfplay,
};
use tavola_rules::{Backgammon, Game};
use tavola_train::{ExploredPlays, Learner, LearnerSettings, Samples, TdTargets};

use errors::Errors;

const GAME: Backgammon = Backgammon::Standard;
const SEED: u64 = 71;

/// How near the second choice has to be, in points.
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
        "{} states to learn from and {} others, rivals among them",
        taught.len(),
        others.len()
    );
    println!(
        "millipoints, root mean square: error of states, of differences between rivals; mean loss"
    );
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

/// The states of these games but the start, and their rivals, with their exact targets.
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
    // What is left of the judgement of the next state without its luck is the exact target.
    let labelling = RelabelSettings {
        sample: Chance::ALWAYS,
        exact: ExactSettings::default(),
        rivals: RivalSettings { within: WITHIN, ahead: RollsAhead::One },
        imitate: None,
    };
    let luck = LuckJudge { judge: evaluator, pruning: None };
    let mut labels = relabel(&GAME, evaluator, &records, &labelling, Some(&luck), SEED, workers)?;
    // Luck is not taken off the first roll, so what is left there is not exact.
    labels.iter_mut().for_each(|game| game.labels[0] = Label::Skip);
    let targets = TdTargets::new(0.0, ExploredPlays::default())?;
    let mut samples = Samples::new(GAME.layout().len());
    for (record, labels) in records.iter().zip(&labels) {
        targets.append_labelled::<Backgammon>(record, labels, &mut samples);
    }
    Ok(samples)
}

/// Every so many of the samples, from number `part` on, with their rivals.
fn part_of(samples: &Samples, part: u32, of: usize) -> Samples {
    let mut share = Samples::new(samples.stride());
    let chosen = (0..samples.len()).filter(|&i| !samples.is_rival(i));
    for i in chosen.skip(part as usize).step_by(of) {
        share.push(samples.cells(i), samples.targets()[i]);
        if let Some(rival) = samples.rival_of(i) {
            share.push_rival(samples.cells(rival), samples.targets()[rival]);
        }
    }
    share
}
