//! Records files: what is written comes back, and whatever is wrong with a file is noticed.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_data::{
    Choice, Comparison, DataError, FileHeader, GameLabels, GameRecord, Label, LabeledGame,
    LabeledGameOf, RecordsReader, RecordsWriter, Turn, VERSION, read_records, write_records,
};
use tavola_equity::OutcomeProbs;
use tavola_rules::{Backgammon, Dice, Game, Position};

fn header() -> FileHeader {
    FileHeader { game: "hypergammon".to_owned(), run_seed: u64::MAX - 5 }
}

/// Short games of hypergammon, played and labeled at random.
fn games(seed: u64, count: u64) -> Vec<LabeledGameOf<Backgammon>> {
    let game = Backgammon::Hypergammon;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..count)
        .map(|index| {
            let start = game.start();
            let (mut turns, mut state) = (Vec::new(), start);
            let outcome = loop {
                if let Some(outcome) = game.outcome(&state) {
                    break outcome;
                }
                let roll = Dice::roll(&mut rng);
                let mut afterstates = Vec::new();
                game.afterstates(&state, roll, &mut afterstates);
                state = afterstates[rng.random_range(0..afterstates.len())];
                let probs = probs(&mut rng);
                let choice = if rng.random() { Choice::Best } else { Choice::Explored };
                turns.push(Turn { roll, after: state, probs, choice });
            };
            let labels = labels(&turns, &mut rng);
            LabeledGame { record: GameRecord { index, start, turns, outcome }, labels }
        })
        .collect()
}

fn probs(rng: &mut ChaCha8Rng) -> OutcomeProbs {
    OutcomeProbs(std::array::from_fn(|_| rng.random()))
}

/// Labels of every kind.
fn labels(turns: &[Turn<Position, Dice>], rng: &mut ChaCha8Rng) -> GameLabels<Position> {
    let label = |i| match i % 3 {
        0 => Label::Skip,
        1 => Label::FromGame,
        _ => Label::Given(probs(rng)),
    };
    let labels = (0..turns.len()).map(label).collect();
    let states = [turns[0].after, turns[1].after];
    GameLabels {
        labels,
        luck: turns.iter().map(|_| probs(rng).0).collect(),
        comparisons: vec![
            Comparison::Sibling { of: 1, state: states[1], difference: probs(rng).0 },
            Comparison::Candidates { states, probs: [probs(rng), probs(rng)] },
        ],
    }
}

fn read(path: &Path) -> Result<Vec<LabeledGameOf<Backgammon>>, DataError> {
    read_records(path, "hypergammon")
}

/// The bytes of a file with a few games.
fn bytes(folder: &Path) -> Vec<u8> {
    let path = folder.join("whole");
    write_records(&path, &header(), &games(3, 4)).unwrap();
    fs::read(path).unwrap()
}

#[test]
fn records_come_back_as_they_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    for count in [0, 1, 20] {
        let games = games(count, count);
        write_records(&path, &header(), &games).unwrap();
        assert_eq!(read(&path).unwrap(), games);
        let reader = RecordsReader::<Position, Dice>::open(&path, "hypergammon").unwrap();
        assert_eq!(reader.header(), &header());
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left behind");
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = bytes(folder.path());
    let path = folder.path().join("cut");
    // Every place near the ends, where headers and the end mark are, and every 7th between.
    for end in (0..bytes.len()).filter(|end| *end < 100 || end + 100 > bytes.len() || end % 7 == 0)
    {
        fs::write(&path, &bytes[..end]).unwrap();
        let error = read(&path).expect_err("the file is cut");
        assert!(
            error.to_string().contains("the file ends, expected its end mark"),
            "cut to {end} of {} bytes: {error}",
            bytes.len()
        );
    }
}

#[test]
fn a_changed_bit_anywhere_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = bytes(folder.path());
    let path = folder.path().join("changed");
    for i in (0..bytes.len()).filter(|i| *i < 100 || i + 100 > bytes.len() || i % 7 == 0) {
        let mut changed = bytes.clone();
        changed[i] ^= 1 << (i % 8);
        fs::write(&path, &changed).unwrap();
        read(&path).expect_err("a bit was changed");
    }
}

#[test]
fn a_file_of_another_kind_version_or_game_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = bytes(folder.path());
    let path = folder.path().join("other");

    fs::write(&path, b"GNU Backgammon").unwrap();
    let error = read(&path).unwrap_err();
    assert!(error.to_string().contains("expected it to begin with \"TAVOLAGR\""), "{error}");

    let mut newer = bytes.clone();
    newer[8] = VERSION as u8 + 1;
    fs::write(&path, &newer).unwrap();
    let error = read(&path).unwrap_err();
    assert!(error.to_string().contains("version 3, expected version 2"), "{error}");

    fs::write(&path, &bytes).unwrap();
    let error = read_records::<Position, Dice>(&path, "backgammon").unwrap_err();
    let text = error.to_string();
    assert!(text.contains("\"hypergammon\", expected \"backgammon\""), "{text}");

    fs::write(&path, [&bytes[..], &[0]].concat()).unwrap();
    let error = read(&path).unwrap_err();
    assert!(error.to_string().contains("follows the end mark"), "{error}");

    let error = read(&folder.path().join("missing")).unwrap_err();
    assert!(matches!(error, DataError::Io(_)), "{error}");
}

#[test]
fn records_in_a_wrong_number_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = bytes(folder.path());
    // The magic, the version and the header's block precede the first record's block.
    let length = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let first = 12 + 8 + length(12);
    let second = first + 8 + length(first);
    let path = folder.path().join("fewer");
    fs::write(&path, [&bytes[..first], &bytes[second..]].concat()).unwrap();
    let error = read(&path).unwrap_err();
    assert!(error.to_string().contains("the end mark says 4 items"), "{error}");
}

#[test]
fn an_unfinished_writer_leaves_the_old_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    let old = games(1, 2);
    write_records(&path, &header(), &old).unwrap();
    let mut writer = RecordsWriter::create(&path, &header()).unwrap();
    for record in games(2, 5) {
        writer.write(&record).unwrap();
    }
    drop(writer);
    assert_eq!(read(&path).unwrap(), old);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

    // A killed writer leaves its temporary file; the next one removes it.
    fs::write(folder.path().join("games.7-0.unfinished"), b"left by a killed writer").unwrap();
    let new = games(3, 3);
    write_records(&path, &header(), &new).unwrap();
    assert_eq!(read(&path).unwrap(), new);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_file_in_a_missing_folder_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("missing/games");
    let error = write_records(&path, &header(), &games(1, 1)).unwrap_err();
    assert!(error.to_string().contains("missing/games"), "{error}");
}

#[test]
fn a_length_that_a_payload_claims_takes_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long");
    // The header is a text first: its length in bincode's form for 64 bits, and nothing behind it.
    let payload = [&[253][..], &(1_u64 << 57).to_le_bytes()].concat();
    let block = [
        &(payload.len() as u32).to_le_bytes()[..],
        &tavola_files::crc32(&payload).to_le_bytes(),
        &payload,
    ]
    .concat();
    fs::write(&path, [b"TAVOLAGR", &VERSION.to_le_bytes()[..], &block].concat()).unwrap();
    let error = read(&path).unwrap_err();
    assert!(error.to_string().contains("long"), "{error}");
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic_the_reader(tail in prop::collection::vec(any::<u8>(), 0..200)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("any");
        fs::write(&path, [b"TAVOLAGR", &VERSION.to_le_bytes()[..], &tail[..]].concat()).unwrap();
        prop_assert!(read(&path).is_err());
    }
}
