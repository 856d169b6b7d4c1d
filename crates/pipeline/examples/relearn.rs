//! Learns anew from the games that a run has kept, with other settings, and measures the result in
//! close decisions of later rounds:
//!
//! ```text
//! cargo run --release -p tavola-pipeline --example relearn -- \
//!     WEIGHTS RUN/records ROUNDS TESTS [SETTINGS...]
//! ```
//!
//! `ROUNDS` rounds are read; the last `TESTS` of them are not learned from. Settings are those of
//! the `[learner]` table, `encoder` and `hidden` of `[network]`, and `rate` (falling linearly to a
//! twentieth), separated by semicolons: `'rate = 1e-4; epochs = 2; encoder = "expert"'`. Each goes
//! over all rounds so often, from the same weights. The table says how far the network is off in
//! states and in the difference of two plays, root mean square, and how much it loses by choosing
//! the wrong one, in millipoints, by the evaluations in the records, which are noisy themselves.
//! Evaluation takes most of the time of a run, so this answers in minutes instead of hours.
//! `docs/log/README.md` has the results.

mod errors;

use std::path::Path;

use serde::Deserialize;
use tavola_data::{LabelledGame, LabelledGameOf, Samples, read_records};
use tavola_net::{EncoderKind, Weights, grown};
use tavola_play::TdTargets;
use tavola_play::labels::ExplorationTarget;
use tavola_rules::{Backgammon, Game};
use tavola_train::{Learner, LearnerSettings};

use errors::Errors;

const GAME: Backgammon = Backgammon::Standard;

/// Of the random weights that growing needs.
const SEED: u64 = 5;

/// One way to learn.
#[derive(Deserialize)]
struct Variant {
    rate: f64,
    encoder: Option<EncoderKind>,
    hidden: Option<Vec<usize>>,
    #[serde(flatten)]
    learner: LearnerSettings,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let mut next = |what: &str| args.next().ok_or(format!("expected {what}"));
    let weights = Weights::load(Path::new(&next("a weights file")?))?;
    let records = next("the folder of a run's records")?;
    let count: usize = next("a number of rounds")?.parse()?;
    let tests: usize = next("a number of rounds to test with")?.parse()?;
    let mut rounds = (1..=count)
        .map(|round| read_round(&Path::new(&records).join(format!("round-{round:06}.records"))))
        .collect::<Result<Vec<_>, _>>()?;
    let test = rounds.split_off(count.checked_sub(tests).ok_or("more tests than rounds")?);
    println!(" state   diff.   lost");
    report(&weights, &test, "at the start")?;
    for text in args {
        println!("{text}");
        let variant: Variant = toml::from_str(&text.replace(';', "\n"))?;
        let (encoder, hidden) = (variant.encoder, variant.hidden);
        let encoder = encoder.unwrap_or(weights.encoder);
        let hidden = hidden.unwrap_or_else(|| weights.arch.hidden.clone());
        let start = grown(&GAME, &weights, encoder, &hidden, SEED)
            .ok_or("the network can't be grown to that")?;
        let passes = variant.learner.epochs;
        let settings = LearnerSettings { epochs: 1, ..variant.learner };
        let mut learner = Learner::new(&GAME, settings, &start)?;
        let steps = (passes * rounds.len()) as f64;
        for pass in 0..passes {
            for (i, round) in rounds.iter().enumerate() {
                let step = pass * rounds.len() + i;
                let rate = variant.rate * (1.0 - 0.95 * step as f64 / steps);
                learner.learn(round, rate, step as u64)?;
            }
            let learned = learner.weights(Default::default());
            report(&learned, &test, &format!("after pass {}", pass + 1))?;
        }
    }
    Ok(())
}

fn read_round(path: &Path) -> Result<Samples, Box<dyn std::error::Error>> {
    let games: Vec<LabelledGameOf<Backgammon>> = read_records(path, &GAME.id())?;
    let targets = TdTargets::new(0.0, ExplorationTarget::default())?;
    let mut samples = Samples::new(GAME.layout().len());
    for LabelledGame { record, labels } in &games {
        targets.append_labelled::<Backgammon>(record, labels, &mut samples);
    }
    Ok(samples)
}

/// Prints how far the network is off, in millipoints.
fn report(
    weights: &Weights,
    test: &[Samples],
    what: &str,
) -> Result<(), Box<dyn std::error::Error>> {
    let network = Learner::new(&GAME, LearnerSettings::default(), weights)?;
    println!("{}  {what}", Errors::of(&network, test));
    Ok(())
}
