//! Shards of datasets: what is written comes back, and damage is noticed.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use tavola_data::{DataError, Return, Returns, Samples, ShardReader, ShardWriter};

const STRIDE: usize = 28;

type Raw = (Vec<i8>, [i16; 6], [i16; 6], Return);

fn returns(raw: &[Raw]) -> Returns {
    let mut returns = Returns::new(STRIDE);
    for (cells, numbers, step, kind) in raw {
        let kind = if returns.is_empty() { Return::Last } else { *kind };
        let [numbers, step] = [numbers, step].map(|six| six.map(|value| f32::from(value) / 8192.0));
        match kind.has_step() {
            true => returns.push_step(kind, cells, numbers, step),
            false => returns.push(kind, cells, numbers),
        }
    }
    returns
}

fn raw() -> impl Strategy<Value = Vec<Raw>> {
    let kind = prop::sample::select(vec![
        Return::Given,
        Return::Sibling,
        Return::Difference,
        Return::Last,
        Return::LastUnlearned,
        Return::Earlier,
        Return::EarlierUnlearned,
    ]);
    let cells = prop::collection::vec(-15i8..=15, STRIDE);
    prop::collection::vec((cells, any::<[i16; 6]>(), any::<[i16; 6]>(), kind), 1..20)
}

fn write(path: &Path, blocks: &[Returns]) -> u64 {
    let mut writer = ShardWriter::create(path, "backgammon", STRIDE).unwrap();
    for block in blocks {
        writer.write(block).unwrap();
    }
    writer.finish().unwrap()
}

fn read(path: &Path) -> Result<Vec<Returns>, DataError> {
    ShardReader::open(path, "backgammon", STRIDE)?.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_comes_back(raw in prop::collection::vec(raw(), 0..4)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0.shard");
        let blocks: Vec<_> = raw.iter().map(|raw| returns(raw)).collect();
        let count: usize = blocks.iter().map(Returns::len).sum();
        prop_assert_eq!(write(&path, &blocks), count as u64);
        let found = read(&path).unwrap();
        // Whatever the entries are, they can be learned.
        found.iter().for_each(|block| block.resolve(|| 0.5, &mut Samples::new(STRIDE)));
        prop_assert_eq!(found, blocks);
    }

    #[test]
    fn a_changed_byte_is_noticed(raw in raw(), at in any::<prop::sample::Index>(), bits in 1u8..) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0.shard");
        write(&path, &[returns(&raw)]);
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
        let mut block = Returns::new(STRIDE);
        block.push(Return::Given, &[0; STRIDE], [value; 6]);
        let mut writer = ShardWriter::create(&path, "backgammon", STRIDE).unwrap();
        assert!(matches!(writer.write(&block), Err(DataError::Unwritable { .. })), "{value}");
    }
}
