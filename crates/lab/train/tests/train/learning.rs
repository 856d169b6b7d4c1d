//! What a learner does, from outside.

use std::collections::BTreeMap;
use std::fs;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rayon::ThreadPoolBuilder;
use tavola_data::Samples;
use tavola_equity::OutcomeProbs;
use tavola_net::{EncoderKind, Hidden, Interface, Weights, WeightsError, initial_weights};
use tavola_rules::{Backgammon, Game, Outcome, Position};
use tavola_train::{Learner, LearnerError, LearnerSettings};

const GAME: Backgammon = Backgammon::Standard;

/// States of random games, with the targets that the side with more checkers on the board and the
/// bar wins, and by a gammon one time in four whatever they look like.
fn samples(number: usize, seed: u64) -> Samples {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut samples = Samples::new(GAME.layout().len());
    let mut state = Position::STANDARD;
    let mut afterstates = Vec::new();
    while samples.len() < number {
        let cells = Backgammon::cells(&state);
        let lead: i32 = cells[..samples.stride()].iter().map(|&count| i32::from(count)).sum();
        let mut target =
            OutcomeProbs::certain(if lead > 0 { Outcome::WinSingle } else { Outcome::LoseSingle });
        target.0[Outcome::WinGammon as usize] = 0.25;
        target.0[Outcome::WinSingle as usize] *= 0.75;
        target.0[Outcome::LoseSingle as usize] *= 0.75;
        samples.push(cells, target);
        afterstates.clear();
        GAME.afterstates(&state, GAME.roll(&mut rng), &mut afterstates);
        state = afterstates[samples.len() % afterstates.len()];
        if GAME.outcome(&state).is_some() {
            state = Position::STANDARD;
        }
    }
    samples
}

fn settings() -> LearnerSettings {
    LearnerSettings { batch_size: 16, ..LearnerSettings::default() }
}

fn start() -> Weights {
    initial_weights(&Interface::of(&GAME), EncoderKind::Tesauro, &[24, 8], 3).unwrap()
}

fn learner() -> Learner {
    Learner::new(&Interface::of(&GAME), settings(), &start()).unwrap()
}

fn network(learner: &Learner) -> Weights {
    learner.weights(BTreeMap::new())
}

#[test]
fn the_loss_falls_on_a_small_fixed_set() {
    let samples = samples(64, 1);
    let mut learner = learner();
    let first = learner.learn(&samples, 3e-3, 0).unwrap();
    assert!((first.loss - 6f64.ln()).abs() < 0.3, "{first:?}");
    assert_eq!((first.samples, first.batches), (64, 4));
    for seed in 1..60 {
        learner.learn(&samples, 3e-3, seed).unwrap();
    }
    let last = learner.learn(&samples, 3e-3, 60).unwrap();
    // The targets are 3/4 and 1/4 of two outcomes: that is their entropy.
    let entropy = -(0.75 * 0.75f64.ln() + 0.25 * 0.25f64.ln());
    assert!(last.loss > entropy && last.loss < entropy + 0.05, "{last:?}, least {entropy}");
    assert_eq!(learner.steps(), 61 * 4);
}

#[test]
fn the_same_seeds_give_the_same_weights_and_others_do_not() {
    let samples = samples(50, 2);
    let learn = |seed| {
        let mut learner = learner();
        learner.learn(&samples, 1e-3, seed).unwrap();
        network(&learner)
    };
    assert_eq!(learn(1), learn(1));
    assert_ne!(learn(1), learn(2));
    assert_ne!(learn(1).layers, start().layers);
}

#[test]
fn two_epochs_are_two_passes() {
    let samples = samples(50, 2);
    let settings = LearnerSettings { epochs: 2, ..settings() };
    let mut learner = Learner::new(&Interface::of(&GAME), settings, &start()).unwrap();
    let report = learner.learn(&samples, 1e-3, 1).unwrap();
    // 50 samples make 4 batches of 12 or 13.
    assert_eq!((report.samples, report.batches, learner.steps()), (100, 8, 8));
}

#[test]
fn a_rate_of_zero_changes_nothing() {
    let mut learner = learner();
    learner.learn(&samples(20, 1), 0.0, 1).unwrap();
    assert_eq!(network(&learner), start());
}

/// The error of the differences between the states of pairs, root mean square in points,
/// after some learning.
fn error_of_differences(pairwise_loss_weight: f64) -> f32 {
    let states = samples(80, 3);
    let mut pairs = Samples::new(states.stride());
    for i in (0..80).step_by(2) {
        // Both much better for the player on roll than they look, the second a little more so.
        let probabilities = |win: f32| OutcomeProbs([1.0 - win, 0.0, 0.0, win, 0.0, 0.0]);
        let win = 0.5 + (i % 8) as f32 / 20.0;
        pairs.push(states.cells(i), probabilities(win));
        pairs.push_sibling(states.cells(i + 1), probabilities(win + 0.1));
    }
    let settings = LearnerSettings { pairwise_loss_weight, ..settings() };
    let mut learner = Learner::new(&Interface::of(&GAME), settings, &start()).unwrap();
    for seed in 0..20 {
        // Samples for a step are counted without siblings of one before them.
        assert_eq!(learner.learn(&pairs, 1e-3, seed).unwrap().batches, 3);
    }
    let evaluated = learner.evaluate((0..80).map(|i| pairs.cells(i)));
    let errors = evaluated.chunks(2).map(|pair| pair[1].equity() - pair[0].equity() - 0.2);
    (errors.map(|error| error * error).sum::<f32>() / 40.0).sqrt()
}

#[test]
fn differences_of_pairs_are_learned_the_better_the_heavier_they_weigh() {
    let [without, with] = [0.0, 30.0].map(error_of_differences);
    assert!(with < 0.75 * without, "{with}, {without}");
}

/// The distance between the largest and the smallest logit after many steps on decided states.
fn spread_of_logits(logit_l2: f64) -> f32 {
    let mut samples = Samples::new(GAME.layout().len());
    samples.push(Backgammon::cells(&Position::STANDARD), OutcomeProbs::certain(Outcome::WinSingle));
    let settings = LearnerSettings { logit_l2, ..settings() };
    let mut learner = Learner::new(&Interface::of(&GAME), settings, &start()).unwrap();
    for seed in 0..4_000 {
        learner.learn(&samples, 1e-3, seed).unwrap();
    }
    let probabilities = learner.evaluate([Backgammon::cells(&Position::STANDARD)])[0].0;
    let (least, most) =
        probabilities.iter().fold((1.0_f32, 0.0_f32), |(a, b), &p| (a.min(p), b.max(p)));
    (most / least.max(f32::MIN_POSITIVE)).ln()
}

#[test]
fn the_logits_of_a_decided_state_come_to_rest() {
    let (penalised, free) = (spread_of_logits(1e-5), spread_of_logits(0.0));
    // Where exp(-x) is about 1e-5 times half of x.
    assert!((8.0..13.0).contains(&penalised), "{penalised}");
    assert!(free > penalised + 3.0, "{free}");
}

#[test]
fn the_mean_of_weights_goes_on_after_a_save() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("learner.checkpoint");
    let settings = LearnerSettings { weight_averaging_steps: Some(30), ..settings() };
    let new = |settings: &LearnerSettings| {
        Learner::new(&Interface::of(&GAME), settings.clone(), &start()).unwrap()
    };
    let parts = [samples(400, 1), samples(330, 2), samples(470, 3)];
    let (mut straight, mut last) = (new(&settings), learner());
    let mut learner = new(&settings);
    for (seed, part) in parts.iter().enumerate() {
        straight.learn(part, 1e-3, seed as u64).unwrap();
        last.learn(part, 1e-3, seed as u64).unwrap();
        learner.learn(part, 1e-3, seed as u64).unwrap();
        learner.save(&path).unwrap();
        learner = Learner::load(&Interface::of(&GAME), settings.clone(), &path).unwrap();
    }
    assert_eq!(network(&learner), network(&straight));
    // The mean is what plays, and not the last weights, which learning goes on from.
    assert_ne!(network(&straight), network(&last));
    let without = Learner::load(&Interface::of(&GAME), self::settings(), &path).unwrap();
    assert_eq!(network(&without), network(&last));
}

#[test]
fn sparse_adam_learns_too_and_leaves_what_never_occurs_alone() {
    let samples = samples(64, 1);
    let settings = LearnerSettings { sparse_adam: true, ..settings() };
    let start = initial_weights(&Interface::of(&GAME), EncoderKind::Patterns, &[24, 8], 3).unwrap();
    let mut learner = Learner::new(&Interface::of(&GAME), settings, &start).unwrap();
    let first = learner.learn(&samples, 1e-3, 0).unwrap().loss;
    let last = (1..30).map(|seed| learner.learn(&samples, 1e-3, seed).unwrap().loss).last();
    assert!(last.is_some_and(|last| last < 0.8 * first), "{last:?}, {first}");
    let (before, after) = (&start.layers[0], &network(&learner).layers[0]);
    let rows = before.weights.chunks(24).zip(after.weights.chunks(24));
    let unchanged = rows.filter(|(before, after)| before == after).count();
    // Few games show few patterns.
    assert!(unchanged > before.inputs / 2 && unchanged < before.inputs - 100, "{unchanged}");
}

#[test]
fn learning_resumes_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("learner.checkpoint");
    let parts = [samples(40, 1), samples(33, 2), samples(47, 3)];

    let mut straight = learner();
    for (seed, part) in parts.iter().enumerate() {
        straight.learn(part, 1e-3, seed as u64).unwrap();
    }

    let mut stopped = learner();
    stopped.learn(&parts[0], 1e-3, 0).unwrap();
    stopped.save(&path).unwrap();
    // What comes after the save must not matter.
    stopped.learn(&parts[2], 1e-1, 9).unwrap();
    let mut resumed = Learner::load(&Interface::of(&GAME), settings(), &path).unwrap();
    for (seed, part) in parts.iter().enumerate().skip(1) {
        resumed.learn(part, 1e-3, seed as u64).unwrap();
    }

    assert_eq!(network(&resumed), network(&straight));
    assert_eq!(resumed.steps(), straight.steps());
    assert_ne!(network(&resumed), network(&stopped));
    // The moments too: both write the same file.
    let again = folder.path().join("again.checkpoint");
    straight.save(&path).unwrap();
    resumed.save(&again).unwrap();
    assert_eq!(fs::read(&path).unwrap(), fs::read(&again).unwrap());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn damaged_and_foreign_checkpoints_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("learner.checkpoint");
    learner().save(&path).unwrap();
    let sound = fs::read(&path).unwrap();
    let load = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        Learner::load(&Interface::of(&GAME), settings(), &path).unwrap_err()
    };
    for position in (20..sound.len()).step_by(211).chain([sound.len() - 1]) {
        let mut changed = sound.clone();
        changed[position] ^= 4;
        assert!(load(&changed).to_string().contains("is damaged"), "byte {position}");
        assert!(load(&sound[..position]).to_string().contains("is damaged"));
    }
    // Sound by its checksum, yet senseless.
    let mut senseless = sound[..28].to_vec();
    senseless.extend(u64::MAX.to_le_bytes());
    senseless.extend(tavola_files::crc32(&senseless).to_le_bytes());
    assert!(load(&senseless).to_string().contains("is damaged"));
    for foreign in [&b"hello"[..], b"", &start().to_bytes().unwrap()] {
        assert!(load(foreign).to_string().contains("begins with"));
    }
    let missing = folder.path().join("missing");
    let error = Learner::load(&Interface::of(&GAME), settings(), &missing).unwrap_err();
    assert!(error.to_string().contains("missing"), "{error}");
}

#[test]
fn what_does_not_fit_is_refused_with_its_name() {
    let mut other = start();
    other.game = "tabula".to_owned();
    let error = Learner::new(&Interface::of(&GAME), settings(), &other).unwrap_err();
    assert!(matches!(error, LearnerError::Weights(WeightsError::OtherGame { .. })));

    let mut learner = learner();
    let empty = Samples::new(GAME.layout().len());
    assert!(matches!(learner.learn(&empty, 1e-3, 1), Err(LearnerError::NoSamples)));
    let mut short = Samples::new(3);
    short.push(&[1, 2, 3], OutcomeProbs::certain(Outcome::WinSingle));
    assert!(matches!(learner.learn(&short, 1e-3, 1), Err(LearnerError::Cells { found: 3, .. })));
    for rate in [-1.0, f64::NAN, f64::INFINITY] {
        let error = learner.learn(&samples(4, 1), rate, 1).unwrap_err();
        assert!(matches!(error, LearnerError::LearningRate { .. }));
    }
    assert_eq!(network(&learner), start());

    for broken in [
        LearnerSettings { batch_size: 0, ..settings() },
        LearnerSettings { epochs: 0, ..settings() },
        LearnerSettings { beta_1: 1.0, ..settings() },
        LearnerSettings { beta_2: -0.5, ..settings() },
        LearnerSettings { epsilon: 0.0, ..settings() },
        LearnerSettings { gradient_clip: Some(f64::NAN), ..settings() },
        LearnerSettings { logit_l2: -1e-5, ..settings() },
        LearnerSettings { pairwise_loss_weight: -1.0, ..settings() },
        LearnerSettings { weight_averaging_steps: Some(0), ..settings() },
    ] {
        let error = Learner::new(&Interface::of(&GAME), broken, &start()).unwrap_err();
        assert!(matches!(error, LearnerError::Setting { .. }), "{error}");
    }
}

#[test]
fn a_loss_out_of_control_is_reported() {
    let mut learner = learner();
    let samples = samples(64, 1);
    let error = (0..50).find_map(|seed| learner.learn(&samples, 1e30, seed).err());
    assert!(matches!(error, Some(LearnerError::Diverged { .. })), "{error:?}");
}

#[test]
fn settings_are_read_with_their_defaults() {
    let read = toml::from_str::<LearnerSettings>;
    assert_eq!(read("").unwrap(), LearnerSettings::default());
    assert_eq!(read("gradient_clip = 2.5").unwrap().gradient_clip, Some(2.5));
    assert!(read("batchsize = 3").is_err());
}

#[test]
fn a_learner_learns_the_same_on_any_number_of_threads() {
    // Wide enough, and batches large enough, for parts on threads of their own.
    let hidden = Hidden { widths: &[512, 32], products: true };
    let start =
        initial_weights(&Interface::of(&Backgammon::Standard), EncoderKind::Tesauro, hidden, 3)
            .unwrap();
    let samples = samples(900, 1);
    for sparse_adam in [false, true] {
        let settings = LearnerSettings { batch_size: 450, sparse_adam, ..settings() };
        let learned = |threads| {
            let mut learner =
                Learner::new(&Interface::of(&Backgammon::Standard), settings.clone(), &start)
                    .unwrap();
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| learner.learn(&samples, 1e-3, 1)).unwrap();
            network(&learner)
        };
        assert_eq!(learned(1), learned(3));
    }
}
