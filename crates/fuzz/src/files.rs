//! Files of networks, games, tables, match equities and rollouts.

use tavola_bearoff::{BearoffTable, Store, TableSpec, WholeGame};
use tavola_data::{
    DataError, LabeledGame, RecordsReader, Returns, ShardReader, ShardWriter, read_records,
    write_records,
};
use tavola_equity::{MatchEquityTable, OutcomeProbs};
use tavola_evaluator::rollout::SavedRollout;
use tavola_games::{OldState, TablesDice};
use tavola_net::{Network, Precision, Weights};
use tavola_rules::{Backgammon, Dice, Game, Position};

use crate::{Target, repair, scratch};

pub(crate) const TARGETS: [Target; 9] = [
    Target::new("weights", weights).repaired(repair::weights).words("json").longest(16 << 10),
    Target::new("records", records).repaired(repair::records).longest(64 << 10),
    Target::new("shard", shard).repaired(repair::shard).longest(64 << 10),
    Target::new("table-one-sided", one_sided).repaired(repair::table),
    Target::new("table-two-sided", two_sided).repaired(repair::table),
    Target::new("whole-game", whole_game).repaired(repair::trailing).longest(16 << 10),
    Target::new("table-name", table_name).words("table-name"),
    Target::new("match-equity", match_equity).words("match-equity").longest(16 << 10),
    Target::new("rollout", rollout).words("json").longest(16 << 10),
];

/// Six numbers from 0 to 1 with the sum 1.
fn sound(probs: &OutcomeProbs) {
    let sum: f32 = probs.0.iter().sum();
    assert!(probs.0.iter().all(|p| (0.0..=1.0).contains(p)), "{probs:?}");
    assert!((sum - 1.0).abs() < 1e-3, "{probs:?}");
}

/// A network that loads is written as it was read; one that fits the game evaluates every
/// position to probabilities.
fn weights(input: &[u8]) {
    let Ok(weights) = Weights::from_bytes(input) else { return };
    let written = weights.to_bytes().expect("what was read can be written");
    let again = Weights::from_bytes(&written).expect("what was written can be read");
    assert_eq!(again.to_bytes().expect("it was written before"), written);
    assert_eq!(again.checksum(), weights.checksum());
    let game = Backgammon::Standard;
    for precision in [Precision::Fixed, Precision::Float] {
        let Ok(network) = Network::with_precision(&weights, &game, precision) else { continue };
        let start = game.start();
        let race = Position::from_points(&[(1, 15)], &[(1, 15)], 15).expect("it is a position");
        let bar = Position::from_points(&[(25, 15)], &[(6, 15)], 15).expect("it is a position");
        let states = [start, race, bar];
        let mut out = Vec::new();
        let cells = states.iter().map(Backgammon::cells);
        network.evaluate(cells, &mut network.scratch(), &mut out);
        assert_eq!(out.len(), states.len());
        out.iter().for_each(sound);
    }
}

/// Records that are read are written again, byte by byte if they came from this version.
fn records(input: &[u8]) {
    read_as::<Position, Dice>(input, "backgammon");
    read_as::<OldState, TablesDice>(input, "tabula");
}

fn read_as<S, R>(input: &[u8], game: &str)
where
    S: serde::Serialize + serde::de::DeserializeOwned,
    R: serde::Serialize + serde::de::DeserializeOwned,
{
    scratch::with_file("records", input, |path| {
        let Ok(reader) = RecordsReader::<S, R>::open(path, game) else { return };
        let header = reader.header().clone();
        let read: Result<Vec<LabeledGame<S, R>>, DataError> = reader.collect();
        let Ok(games) = read else { return };
        let copy = path.with_extension("copy");
        write_records(&copy, &header, &games).expect("what was read can be written");
        let again: Vec<LabeledGame<S, R>> =
            read_records(&copy, game).expect("what was written can be read");
        // By their JSON: a number that is none is not equal to itself.
        assert_eq!(json(&again), json(&games));
    });
}

/// A shard that is read is written again byte by byte.
fn shard(input: &[u8]) {
    let game = Backgammon::Hypergammon;
    let (name, cells) = (game.id(), game.layout().len());
    scratch::with_file("shard", input, |path| {
        let Ok(reader) = ShardReader::open(path, &name, cells) else { return };
        let read: Result<Vec<Returns>, DataError> = reader.collect();
        let Ok(blocks) = read else { return };
        let copy = path.with_extension("copy");
        let mut writer = ShardWriter::create(&copy, &name, cells).expect("the header was read");
        for block in &blocks {
            writer.write(block).expect("what was read can be written");
        }
        let entries: usize = blocks.iter().map(Returns::len).sum();
        assert_eq!(writer.finish().expect("there is room"), entries as u64);
        let written = std::fs::read(copy).expect("the copy was written");
        assert!(written == input, "{} bytes are written as {}", input.len(), written.len());
    });
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("the value has string keys")
}

fn one_sided(input: &[u8]) {
    table(input, TableSpec::one_sided(6, 1).expect("there is such a table"));
}

fn two_sided(input: &[u8]) {
    table(input, TableSpec::two_sided(1).expect("there is such a table"));
}

/// A table that opens answers for every position of its size. Its numbers are those of the file,
/// which the checksum vouches for, so nothing is said of them here.
fn table(input: &[u8], spec: TableSpec) {
    scratch::with_file(&spec.file_name(), input, |path| {
        let store = Store::in_directory(path.parent().expect("the file lies in a folder"));
        let Ok(Some(table)) = store.open(spec) else { return };
        assert_eq!(table.spec(), spec);
        for mine in 1..=6 {
            for theirs in 1..=6 {
                let position = Position::from_points(&[(mine, 1)], &[(theirs, 1)], 15)
                    .expect("two checkers are a position");
                match &table {
                    BearoffTable::OneSided(table) => {
                        assert!(table.race(&position).is_some());
                        let rolls = table.rolls_to_finish(&position).expect("it is inside");
                        assert!(rolls.iter().count() <= 255);
                    }
                    BearoffTable::TwoSided(table) => assert!(table.values(&position).is_some()),
                }
            }
        }
    });
}

fn whole_game(input: &[u8]) {
    scratch::with_file("whole-game", input, |path| {
        let Ok(game) = WholeGame::load(path) else { return };
        for position in game.positions().take(100) {
            let _ = game.equity(&position);
        }
        let copy = path.with_extension("copy");
        game.save(&copy).expect("what was read can be written");
        let written = std::fs::read(copy).expect("the copy was written");
        // Bytes 9 to 15 are reserved.
        assert_eq!(written[16..written.len() - 4], input[16..input.len() - 4]);
    });
}

fn table_name(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    if let Some(spec) = TableSpec::of_file_name(&text) {
        assert_eq!(spec.file_name(), text);
    }
}

fn match_equity(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else { return };
    let Ok(table) = MatchEquityTable::from_xml(text) else { return };
    let again = MatchEquityTable::from_xml(&table.to_xml())
        .unwrap_or_else(|error| panic!("what was written can be read: {error}"));
    assert_eq!(again.length(), table.length());
    assert_eq!(again.to_xml(), table.to_xml());
    for away in 1..=table.length() {
        for other in 1..=table.length() {
            let mwc = |a, b| table.pre_crawford(a, b).expect("the score is inside").0;
            let (one, two) = (mwc(away, other), mwc(other, away));
            assert!((0.0..=1.0).contains(&one), "{away} away, {other} away: {one}");
            assert!((one + two - 1.0).abs() < 1e-4, "{away} away, {other} away: {one} and {two}");
        }
    }
}

fn rollout(input: &[u8]) {
    let Ok(saved) = serde_json::from_slice::<SavedRollout>(input) else { return };
    let written = json(&saved);
    let again: SavedRollout = serde_json::from_str(&written).expect("what was written can be read");
    assert_eq!(json(&again), written);
}
