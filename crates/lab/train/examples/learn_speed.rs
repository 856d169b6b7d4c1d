//! Measures how many samples a second one core learns from, by network and batch size. Where the
//! system tells (Linux), seconds are those that the core worked for us, so that figures from a
//! shared machine can be compared:
//!
//! ```text
//! cargo run --release -p tavola-train --example learn_speed [-- SECONDS]
//! ```

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tavola_data::Samples;
use tavola_equity::OutcomeProbs;
use tavola_net::{EncoderKind, initial_weights};
use tavola_rules::{Backgammon, Game, Outcome};
use tavola_train::{Learner, LearnerSettings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let least_seconds: f64 = std::env::args().nth(1).map_or(Ok(1.0), |text| text.parse())?;
    let game = Backgammon::Standard;
    let samples = samples(game, 8192);
    println!("network          inputs  batch  samples/s   encode forward backward update");
    for (encoder, hidden) in [
        (EncoderKind::Tesauro, &[256, 32][..]),
        (EncoderKind::Tesauro, &[512, 256, 64]),
        (EncoderKind::OneHot, &[512, 256, 64]),
    ] {
        for batch_size in [128, 256, 512, 1024] {
            let weights = initial_weights(&game, encoder, hidden, 1);
            let settings = LearnerSettings { batch_size, ..LearnerSettings::default() };
            let mut learner = Learner::new(&game, settings, &weights)?;
            learner.learn(&samples, 1e-4, 0)?;
            let (mut learnt, mut encode, mut forward, mut backward, mut update) =
                (0, 0.0, 0.0, 0.0, 0.0);
            let mut total = 0.0;
            let began = cpu_seconds();
            while total < least_seconds {
                let report = learner.learn(&samples, 1e-4, learnt as u64)?;
                learnt += report.samples;
                encode += report.seconds.encode;
                forward += report.seconds.forward;
                backward += report.seconds.backward;
                update += report.seconds.update;
                total += report.seconds.total();
            }
            let worked = cpu_seconds().zip(began).map_or(total, |(now, began)| now - began);
            let percent = |seconds: f64| 100.0 * seconds / total;
            println!(
                "{:<16} {:>6} {batch_size:>6} {:>10.0}    {:>4.0} % {:>4.0} % {:>5.0} % {:>4.0} %",
                hidden.iter().map(usize::to_string).collect::<Vec<_>>().join("-"),
                weights.arch.inputs,
                learnt as f64 / worked,
                percent(encode),
                percent(forward),
                percent(backward),
                percent(update),
            );
        }
    }
    Ok(())
}

/// Seconds that a core has worked for this thread, if the system tells.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? * 1e-9)
}

/// States of games between random players; what they are taught does not matter for the speed.
fn samples(game: Backgammon, number: usize) -> Samples {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut samples = Samples::new(game.layout().len());
    let mut state = game.start();
    let mut afterstates = Vec::new();
    while samples.len() < number {
        samples.push(
            Backgammon::cells(&state),
            OutcomeProbs::certain(Outcome::ALL[samples.len() % 6]),
        );
        afterstates.clear();
        game.afterstates(&state, game.roll(&mut rng), &mut afterstates);
        state = afterstates[samples.len() % afterstates.len()];
        if game.outcome(&state).is_some() {
            state = game.start();
        }
    }
    samples
}
