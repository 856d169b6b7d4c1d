//! The learner on a GPU is the learner on the CPU up to rounding. Needs a Vulkan, Metal or
//! DirectX 12 driver, if only one in software; configs/README.md has the command.

use std::collections::BTreeMap;
use std::fs;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tavola_data::Samples;
use tavola_equity::OutcomeProbs;
use tavola_net::{EncoderKind, Interface, Layer, initial_weights};
use tavola_rules::{Backgammon, Game, Outcome};
use tavola_train::{Learner, LearnerDevice, LearnerError, LearnerSettings};

const GAME: Backgammon = Backgammon::Standard;

/// States of random games, taught a mixture of how far ahead the player is and of noise.
fn samples(number: usize, seed: u64) -> Samples {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut samples = Samples::new(GAME.layout().len());
    let mut state = GAME.start();
    let mut afterstates = Vec::new();
    while samples.len() < number {
        let cells = Backgammon::cells(&state);
        let lead: i32 = cells[..samples.stride()].iter().map(|&count| i32::from(count)).sum();
        let likely = if lead > 0 { Outcome::WinSingle } else { Outcome::LoseSingle };
        let mut target = OutcomeProbs::certain(Outcome::ALL[samples.len() % 6]);
        target.0.iter_mut().for_each(|p| *p *= 0.3);
        target.0[likely as usize] += 0.7;
        samples.push(cells, target);
        afterstates.clear();
        GAME.afterstates(&state, GAME.roll(&mut rng), &mut afterstates);
        state = afterstates[samples.len() % afterstates.len()];
        if GAME.outcome(&state).is_some() {
            state = GAME.start();
        }
    }
    samples
}

fn settings(device: LearnerDevice) -> LearnerSettings {
    LearnerSettings { batch_size: 32, device, ..LearnerSettings::default() }
}

fn learner(encoder: EncoderKind, hidden: &[usize], settings: LearnerSettings) -> Learner {
    let weights = initial_weights(&Interface::of(&GAME), encoder, hidden, 3).unwrap();
    Learner::new(&Interface::of(&GAME), settings, &weights).unwrap()
}

fn layers(learner: &Learner) -> Vec<Layer> {
    learner.weights(BTreeMap::new()).layers
}

/// The largest difference between the probabilities that two learners give some states.
fn apart(a: &Learner, b: &Learner, states: &Samples) -> f32 {
    let evaluate = |learner: &Learner| learner.evaluate((0..states.len()).map(|i| states.cells(i)));
    evaluate(a)
        .iter()
        .zip(evaluate(b))
        .flat_map(|(a, b)| std::array::from_fn::<f32, 6, _>(|i| (a.0[i] - b.0[i]).abs()))
        .fold(0.0, f32::max)
}

/// How far the probabilities of both may be apart after some hundred steps: rounding, amplified by
/// learning. The steps themselves move them by more than a thousand times that. (With Mesa's
/// llvmpipe they were 6e-6 apart at most.)
const TOLERANCE: f32 = 1e-4;

#[test]
#[ignore = "needs a GPU driver"]
fn both_devices_learn_the_same() {
    let states = samples(200, 9);
    for (encoder, hidden, gradient_clip) in [
        (EncoderKind::Tesauro, &[24, 8][..], None),
        (EncoderKind::OneHot, &[33], None),
        (EncoderKind::OneHot, &[20, 12, 9], Some(0.1)),
    ] {
        let settings = |device| LearnerSettings { gradient_clip, ..settings(device) };
        let mut cpu = learner(encoder, hidden, settings(LearnerDevice::Cpu));
        let mut gpu = learner(encoder, hidden, settings(LearnerDevice::Gpu));
        let start = learner(encoder, hidden, settings(LearnerDevice::Cpu));
        assert_eq!(layers(&gpu), layers(&cpu));
        for call in 0..4 {
            // 2,405 samples make 76 batches of 31 or 32.
            let samples = samples(2405, call);
            let [a, b] = [&mut cpu, &mut gpu].map(|l| l.learn(&samples, 1e-3, call).unwrap());
            assert_eq!((a.samples, a.batches), (b.samples, b.batches));
            assert!((a.loss - b.loss).abs() < 1e-4, "{} {}", a.loss, b.loss);
            let apart = apart(&cpu, &gpu, &states);
            println!(
                "{encoder:?} {hidden:?} clip {gradient_clip:?}, {} steps: losses {:.6} {:.6}, \
                chances {apart:.1e} apart",
                cpu.steps(),
                a.loss,
                b.loss
            );
            assert!(apart < TOLERANCE, "{encoder:?} {hidden:?}, call {call}: {apart}");
        }
        assert_eq!((cpu.steps(), gpu.steps()), (4 * 76, 4 * 76));
        let moved = self::apart(&start, &gpu, &states);
        assert!(moved > 1000.0 * TOLERANCE, "{encoder:?} {hidden:?}: {moved}");
    }
}

#[test]
#[ignore = "needs a GPU driver"]
fn a_checkpoint_goes_on_with_either_device() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("learner.checkpoint");
    let again = folder.path().join("again.checkpoint");
    let parts = [samples(1000, 1), samples(1000, 2)];
    let states = samples(100, 9);
    let devices = [LearnerDevice::Cpu, LearnerDevice::Gpu];
    let fresh = |device| learner(EncoderKind::Tesauro, &[24, 8], settings(device));

    let mut straight = fresh(LearnerDevice::Cpu);
    for (seed, part) in parts.iter().enumerate() {
        straight.learn(part, 1e-3, seed as u64).unwrap();
    }
    for before in devices {
        let mut stopped = fresh(before);
        stopped.learn(&parts[0], 1e-3, 0).unwrap();
        stopped.save(&path).unwrap();
        for after in devices {
            let mut resumed = Learner::load(&Interface::of(&GAME), settings(after), &path).unwrap();
            assert_eq!(layers(&resumed), layers(&stopped));
            // Nothing is lost on the way there and back.
            resumed.save(&again).unwrap();
            assert_eq!(fs::read(&path).unwrap(), fs::read(&again).unwrap());
            resumed.learn(&parts[1], 1e-3, 1).unwrap();
            assert_eq!(resumed.steps(), straight.steps());
            let apart = apart(&resumed, &straight, &states);
            assert!(apart < TOLERANCE, "{before:?} and {after:?}: {apart}");
        }
    }
}

#[test]
#[ignore = "needs a GPU driver"]
fn a_loss_out_of_control_is_reported_with_its_step() {
    let mut gpu = learner(EncoderKind::Tesauro, &[24, 8], settings(LearnerDevice::Gpu));
    let samples = samples(640, 1);
    let error = (0..50).find_map(|seed| gpu.learn(&samples, 1e30, seed).err());
    match error {
        Some(LearnerError::Diverged { step, loss }) => {
            assert!(!loss.is_finite() && step >= 2 && step <= gpu.steps(), "step {step}: {loss}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
#[ignore = "needs a GPU driver"]
fn a_learner_on_a_gpu_may_change_threads() {
    let samples = samples(200, 1);
    let new = || learner(EncoderKind::Tesauro, &[24, 8], settings(LearnerDevice::Gpu));
    let mut here = new();
    here.learn(&samples, 1e-3, 1).unwrap();
    let mut there = new();
    let there = std::thread::scope(|scope| {
        let learn = || {
            there.learn(&samples, 1e-3, 1).unwrap();
            there
        };
        scope.spawn(learn).join().unwrap()
    });
    assert!(apart(&here, &there, &samples) < 1e-5);
}
