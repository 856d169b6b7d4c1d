//! Writes the seed inputs that no editor can write: those with checksums.
//!
//! `cargo run -p tavola-fuzz --bin seeds` replaces them in `corpus/`.

use std::fs;
use std::path::Path;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::{Value, json};
use tavola_bearoff::{Store, TableSpec, WholeGame};
use tavola_data::{
    Choice, Comparison, FileHeader, GameLabels, GameRecord, Label, LabeledGame, Turn, write_records,
};
use tavola_equity::OutcomeProbs;
use tavola_games::OldGame;
use tavola_net::{EncoderKind, random_weights};
use tavola_rules::{Backgammon, Game, Outcome, Position, notation};

/// A game of random play whose labels have every kind.
fn record<G: Game>(game: &G) -> LabeledGame<G::State, G::Roll> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (start, mut roll) = (game.start(), game.opening_roll(&mut rng));
    let (mut state, mut turns, mut afterstates) = (start, Vec::new(), Vec::new());
    let probs = OutcomeProbs::default();
    for number in 0..6 {
        afterstates.clear();
        game.afterstates(&state, roll, &mut afterstates);
        state = afterstates[number % afterstates.len()];
        let choice = if number == 2 { Choice::Explored } else { Choice::Best };
        turns.push(Turn { roll, after: state, probs, choice });
        roll = game.roll(&mut rng);
    }
    let mut labels = GameLabels::new(vec![Label::Skip, Label::FromGame, Label::Given(probs)]);
    labels.luck = vec![[0.25, -0.25, 0.0, 0.0, 0.0, 0.0]];
    labels.comparisons = vec![
        Comparison::Sibling { of: 1, state, difference: [0.5; 6] },
        Comparison::Candidates { states: [start, state], probs: [probs; 2] },
    ];
    let record = GameRecord { index: 3, start, turns, outcome: Outcome::LoseGammon };
    LabeledGame { record, labels }
}

/// Records of eXtreme Gammon: a match with a play of each side, a double that is dropped, and the
/// end of the game.
fn xg_records() -> anyhow::Result<Vec<u8>> {
    const RECORD: usize = 2560;
    let mut records = Vec::new();
    let mut put = |kind: u8, ints: &[(usize, i32)], boards: &[(usize, [i8; 26])]| {
        let mut record = vec![0_u8; RECORD];
        record[8] = kind;
        for (at, value) in ints {
            record[*at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        for (at, board) in boards {
            let cells = board.map(i8::cast_unsigned);
            record[*at..at + 26].copy_from_slice(&cells);
        }
        records.extend(record);
    };
    let start = Position::STANDARD;
    let (_, second) = notation::parse_play("8/5 6/5", &start, "31".parse()?)?;
    let (_, third) = notation::parse_play("24/13", &second, "65".parse()?)?;
    put(0, &[(92, 5), (100, 1), (552, 30), (556, 0x494C_4D44)], &[]);
    put(1, &[], &[(21, start.counts())]);
    let before = second.flip().counts();
    put(3, &[(64, 1), (100, 3), (104, 1)], &[(9, start.counts()), (35, before)]);
    put(3, &[(64, -1), (100, 6), (104, 5)], &[(9, before), (35, third.counts())]);
    put(2, &[(12, 1), (16, 1)], &[(36, third.counts())]);
    put(4, &[(24, 1), (28, 1)], &[]);
    Ok(records)
}

fn main() -> anyhow::Result<()> {
    let corpus = tavola_fuzz::corpus_folder();
    let folder = |target: &str| {
        let folder = corpus.join(target);
        fs::create_dir_all(&folder).map(|()| folder)
    };

    for (encoder, hidden) in [(EncoderKind::Tesauro, 1), (EncoderKind::OneHot, 2)] {
        let weights = random_weights(encoder, &[hidden], 1);
        weights.save(&folder("weights")?.join(format!("{}-{hidden}", encoder.name())))?;
    }

    let backgammon = FileHeader { game: "backgammon".to_owned(), run_seed: 7 };
    let of_backgammon = [record(&Backgammon::Standard)];
    write_records(&folder("records")?.join("backgammon"), &backgammon, &of_backgammon)?;
    let tabula = OldGame::new("tabula".parse()?);
    let header = FileHeader { game: "tabula".to_owned(), run_seed: 7 };
    write_records(&folder("records")?.join("tabula"), &header, &[record(&tabula)])?;

    for name in ["gnubg", "money"] {
        let text = fs::read(corpus.join("match-text").join(name));
        let Ok(reading) = tavola_matches::read(&text.unwrap_or_default()) else { continue };
        let file = tavola_matches::ogxm::write(&reading.matches[0], None);
        fs::write(folder("match-ogxm")?.join(name), file)?;
    }
    fs::write(folder("match-xg")?.join("records"), xg_records()?)?;

    for (target, spec) in [
        ("table-one-sided", TableSpec::one_sided(6, 1)?),
        ("table-two-sided", TableSpec::two_sided(1)?),
    ] {
        let (_, warning) = Store::in_directory(folder(target)?).generate(spec, &|_| {});
        anyhow::ensure!(warning.is_none(), "cannot save the table");
    }

    let duel = |format: &str| {
        json!({
            "format": format, "game": "backgammon", "a": "network 0123456789ab, 0-ply",
            "b": "random", "unit": "games", "luck_evaluator": "network 0123456789ab", "seed": 1, "max_turns": 1000,
            "starts": ["4HPwATDgc/ABMA"],
        })
    };
    let pair = |number: u64, a_first: Value, b_first: Value| json!({ "pair": number, "a_first": a_first, "b_first": b_first, "luck": 0.125 });
    let pairs =
        [pair(0, json!(2), json!(-1)), pair(1, Value::Null, json!(3)), pair(2, json!(0), json!(1))];
    journal(&folder("pairs")?.join("three"), &duel("tavola duel 1"), &pairs)?;
    let score = json!({
        "points": 4, "games": 1, "turned": 1, "dropped": 0, "resigned": 0, "gammons": 1,
        "capped": 0, "highest_cube": 2,
    });
    let pairs = [pair(0, score.clone(), Value::Null), pair(1, score.clone(), score)];
    journal(&folder("pairs")?.join("cube-two"), &duel("tavola cube duel 1"), &pairs)?;

    let first = json!({ "format": "tavola ladder 1", "game": "backgammon", "seed": 1 });
    let version = |id: &str| json!({ "version": { "id": id, "name": id } });
    let match_up = |a: &str, b: &str, ppg: f64| {
        json!({ "match_up": {
            "a": a, "b": b, "first": 0, "pairs": 200, "ppg": ppg, "deviation": 1.5, "stake": 1.2,
            "seconds": 3.5, "luck_evaluator": null,
        } })
    };
    let lines = [
        version("a"),
        version("b"),
        version("c"),
        match_up("a", "b", 0.1),
        match_up("b", "c", -0.2),
        match_up("c", "a", 0.05),
    ];
    journal(&folder("ladder")?.join("three"), &first, &lines)?;

    let game = WholeGame::solve(1, 0.001, &|_| ())?;
    game.save(&folder("whole-game")?.join("one"))?;
    Ok(())
}

fn journal(path: &Path, header: &Value, lines: &[Value]) -> anyhow::Result<()> {
    let _ = fs::remove_file(path);
    Ok(tavola_files::journal::write(path, header, lines)?)
}
