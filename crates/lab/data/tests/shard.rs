//! Shards of datasets: what is written comes back, and damage is noticed.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use tavola_data::{Samples, ShardError, ShardReader, ShardWriter};
use tavola_equity::OutcomeProbs;

const STRIDE: usize = 28;

type Raw = (Vec<i8>, [i16; 6], bool);

fn samples(raw: &[Raw]) -> Samples {
    let mut samples = Samples::new(STRIDE);
    for (cells, target, second) in raw {
        let target = OutcomeProbs(target.map(|value| f32::from(value) / 8192.0));
        let last = samples.len().checked_sub(1);
        if *second && last.is_some_and(|last| !samples.is_second(last)) {
            samples.push_second(cells, target);
        } else {
            samples.push(cells, target);
        }
    }
    samples
}

fn raw() -> impl Strategy<Value = Vec<Raw>> {
    let sample = (prop::collection::vec(-15i8..=15, STRIDE), any::<[i16; 6]>(), any::<bool>());
    prop::collection::vec(sample, 1..20)
}

fn write(path: &Path, blocks: &[Samples]) -> u64 {
    let mut writer = ShardWriter::create(path, "backgammon", STRIDE).unwrap();
    for block in blocks {
        writer.write(block).unwrap();
    }
    writer.finish().unwrap()
}

fn read(path: &Path) -> Result<Vec<Samples>, ShardError> {
    ShardReader::open(path, "backgammon", STRIDE)?.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_comes_back(raw in prop::collection::vec(raw(), 0..4)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0.shard");
        let blocks: Vec<_> = raw.iter().map(|raw| samples(raw)).collect();
        let count: usize = blocks.iter().map(Samples::len).sum();
        prop_assert_eq!(write(&path, &blocks), count as u64);
        prop_assert_eq!(read(&path).unwrap(), blocks);
    }

    #[test]
    fn a_changed_byte_is_noticed(raw in raw(), at in any::<prop::sample::Index>(), bits in 1u8..) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0.shard");
        write(&path, &[samples(&raw)]);
        let mut bytes = fs::read(&path).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= bits;
        fs::write(&path, &bytes).unwrap();
        prop_assert!(read(&path).is_err(), "byte {at}");
        bytes[at] ^= bits;
        fs::write(&path, &bytes[..at]).unwrap();
        prop_assert!(read(&path).is_err(), "cut at {at}");
    }
}

#[test]
fn a_writer_that_is_dropped_leaves_no_shard() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("0.shard");
    drop(ShardWriter::create(&path, "backgammon", STRIDE).unwrap());
    assert!(!path.exists());
}

#[test]
fn other_games_and_impossible_targets_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("0.shard");
    write(&path, &[]);
    let error = ShardReader::open(&path, "hypergammon", STRIDE).unwrap_err().to_string();
    let expected = "states of \"backgammon\" with 28 cells, expected \"hypergammon\" with 28";
    assert!(error.ends_with(expected), "{error}");
    for value in [4.0, f32::NAN, f32::INFINITY] {
        let mut block = Samples::new(STRIDE);
        block.push(&[0; STRIDE], OutcomeProbs([value; 6]));
        let mut writer = ShardWriter::create(&path, "backgammon", STRIDE).unwrap();
        assert!(matches!(writer.write(&block), Err(ShardError::Unwritable { .. })), "{value}");
    }
}
