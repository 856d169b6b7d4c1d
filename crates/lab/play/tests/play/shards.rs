//! Datasets: the same shards on any number of threads, also after a stop.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use tavola_data::{Return, Returns, ShardReader};
use tavola_evaluator::NetEvaluator;
use tavola_files::Failure;
use tavola_net::{EncoderKind, Interface, initial_weights};
use tavola_play::labels::{ExplorationTarget, SiblingSettings};
use tavola_play::{
    Dataset, LabelSettings, Labeler, LuckEvaluator, Probability, SelfPlaySettings, SelfPlayer,
    ShardDone, Workers, shard_path,
};
use tavola_rules::{Backgammon, Game};

const GAME: Backgammon = Backgammon::Hypergammon;

const LABELS: LabelSettings = LabelSettings::Td {
    sample: Probability::ALWAYS,
    siblings: Some(SiblingSettings { count: 3, within: 0.2, first_rolls: 2 }),
};

/// Runs `job` with a dataset of three shards, of five, five and three games, in `folder`.
fn with_dataset<T>(folder: &Path, job: impl FnOnce(&Dataset<'_, Backgammon>) -> T) -> T {
    let weights = initial_weights(&Interface::of(&GAME), EncoderKind::OneHot, &[8][..], 3).unwrap();
    let network = NetEvaluator::new(&weights, GAME).unwrap();
    let weights = initial_weights(&Interface::of(&GAME), EncoderKind::OneHot, &[8][..], 4).unwrap();
    let teacher = NetEvaluator::new(&weights, GAME).unwrap();
    job(&Dataset {
        game: &GAME,
        evaluator: &network,
        teacher: &teacher,
        luck: Some(LuckEvaluator { evaluator: &network, pruning: None }),
        selfplay: SelfPlaySettings::default(),
        starts: &[],
        labels: LABELS,
        exploration: ExplorationTarget::OneStep,
        seed: 7,
        games_per_shard: 5,
        games: 13,
        game_played: &|| {},
        folder,
        on_fleet: None,
    })
}

/// Generates until `stop_after` shards are done. Says which shards were found.
fn generate(folder: &Path, threads: usize, stop_after: u32) -> Result<Vec<bool>, Failure> {
    let cancel = AtomicBool::new(false);
    let found = std::cell::RefCell::new(Vec::new());
    let observer = |done: ShardDone| {
        cancel.store(done.number + 1 >= stop_after, Ordering::Relaxed);
        found.borrow_mut().push(done.found);
    };
    let workers = Workers { threads: NonZeroUsize::new(threads).unwrap(), cancel: &cancel };
    with_dataset(folder, |dataset| dataset.generate(workers, &observer))?;
    Ok(found.into_inner())
}

fn shards(folder: &Path) -> Vec<Vec<u8>> {
    (0..3).map(|number| fs::read(shard_path(folder, number)).unwrap()).collect()
}

#[test]
fn shards_are_the_same_on_any_threads_and_after_a_stop() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    assert_eq!(generate(one.path(), 1, 9).unwrap(), [false; 3]);
    let stopped = generate(other.path(), 3, 1);
    let stopped = stopped.unwrap_err();
    assert!(stopped.is_stop() && stopped.to_string() == "canceled after 0 of 5 games");
    assert!(!shard_path(other.path(), 1).exists());
    assert_eq!(generate(other.path(), 3, 9).unwrap(), [true, false, false]);
    assert_eq!(shards(one.path()), shards(other.path()));
}

#[test]
fn shards_hold_the_targets_of_their_games() {
    let folder = tempfile::tempdir().unwrap();
    generate(folder.path(), 2, 9).unwrap();
    let stride = GAME.layout().len();
    let mut expected = Returns::new(stride);
    with_dataset(folder.path(), |dataset| {
        let Dataset { game, evaluator, teacher, ref selfplay, seed, .. } = *dataset;
        let mut player = SelfPlayer::new(game, evaluator, None, selfplay, seed, &[]);
        let mut labeler = Labeler::new(game, teacher, LABELS, dataset.luck.as_ref(), seed);
        for index in 5..10 {
            let record = player.play(index).unwrap();
            let labels = labeler.label(&record);
            dataset.exploration.append::<Backgammon>(&record, &labels, &mut expected);
        }
    });
    let mut found = Returns::new(stride);
    for block in ShardReader::open(&shard_path(folder.path(), 1), &GAME.id(), stride).unwrap() {
        found.append(&block.unwrap());
    }
    assert_eq!(found.len(), expected.len());
    assert!((0..found.len()).any(|i| found.kind(i) == Return::Difference));
    for i in 0..found.len() {
        assert_eq!((found.kind(i), found.cells(i)), (expected.kind(i), expected.cells(i)));
        let numbers = |returns: &Returns| {
            let (numbers, steps) = returns.numbers(i);
            [*numbers, *steps].concat()
        };
        for (a, b) in numbers(&found).iter().zip(numbers(&expected)) {
            assert!((a - b).abs() < 0.000_07, "{a} {b}");
        }
    }
}

#[test]
fn a_damaged_shard_is_told() {
    let folder = tempfile::tempdir().unwrap();
    generate(folder.path(), 2, 9).unwrap();
    let path = shard_path(folder.path(), 1);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let error = generate(folder.path(), 2, 9).unwrap_err();
    assert!(error.to_string().contains("000001.shard"), "{error}");
}
