//! Measures how many samples a second are learned, by network, batch size and number of threads:
//!
//! ```text
//! cargo run --release -p tavola-train --example learn_speed [-- SECONDS [THREADS]]
//! ```

use std::error::Error;
use std::time::Instant;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rayon::ThreadPoolBuilder;
use tavola_data::Samples;
use tavola_equity::OutcomeProbs;
use tavola_net::{EncoderKind, Hidden, Interface, initial_weights};
use tavola_rules::{Backgammon, Game, Outcome};
use tavola_train::{Learner, LearnerSettings, StageSeconds};

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let least_seconds: f64 = std::env::args().nth(1).map_or(Ok(1.0), |text| text.parse())?;
    let threads: usize = std::env::args().nth(2).map_or(Ok(1), |text| text.parse())?;
    ThreadPoolBuilder::new().num_threads(threads).build()?.install(|| measure(least_seconds))
}

fn measure(least_seconds: f64) -> Result<(), Box<dyn Error + Send + Sync>> {
    let game = Backgammon::Standard;
    let samples = samples(game, 8192);
    println!("network          inputs  batch  samples/s   encode forward backward update");
    for (encoder, hidden, sparse_adam) in [
        (EncoderKind::OneHot, Hidden::from(&[128][..]), false),
        (EncoderKind::Tesauro, Hidden::from(&[512, 256, 64][..]), false),
        (EncoderKind::Expert, Hidden { widths: &[768, 128, 64], products: true }, true),
    ] {
        for batch_size in [128, 256, 512, 1024] {
            let weights = initial_weights(&Interface::of(&game), encoder, hidden, 1).unwrap();
            let settings = LearnerSettings { batch_size, sparse_adam, ..Default::default() };
            let mut learner = Learner::new(&Interface::of(&game), settings, &weights)?;
            learner.learn(&samples, 1e-4, 0)?;
            let (mut learned, mut seconds) = (0, StageSeconds::default());
            let began = Instant::now();
            while began.elapsed().as_secs_f64() < least_seconds {
                let report = learner.learn(&samples, 1e-4, learned as u64)?;
                learned += report.samples;
                seconds += report.seconds;
            }
            let percent = |stage: f64| 100.0 * stage / seconds.total();
            println!(
                "{:<16} {:>6} {batch_size:>6} {:>10.0}    {:>4.0} % {:>4.0} % {:>5.0} % {:>4.0} %",
                hidden.widths.iter().map(usize::to_string).collect::<Vec<_>>().join("-"),
                weights.arch.inputs,
                learned as f64 / began.elapsed().as_secs_f64(),
                percent(seconds.encode),
                percent(seconds.forward),
                percent(seconds.backward),
                percent(seconds.update),
            );
        }
    }
    Ok(())
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
