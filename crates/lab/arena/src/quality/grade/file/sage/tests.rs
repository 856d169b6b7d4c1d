//! Files in the forms of Open Sage, made here.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use tavola_rules::{Backgammon, Dice, Position};

use super::*;

const GAME: Backgammon = Backgammon::Standard;

/// A board of the mover, with both bars positive.
fn board(position: &Position) -> Vec<i8> {
    let mut counts = position.counts().to_vec();
    counts[0] = -counts[0];
    counts
}

/// A decision of a game, whose plays lose 0, 0.01, 0.02 and so on in the order of the rules.
fn decision(from: &Position, dice: (u8, u8), game: u64) -> Value {
    let mut after = Vec::new();
    GAME.afterstates(from, Dice::new(dice.0, dice.1).unwrap(), &mut after);
    let moves: Vec<Value> = after
        .iter()
        .enumerate()
        .map(|(index, after)| {
            let equity = -0.01 * index as f64;
            json!({"board": board(&after.flip()), "equity": equity + 0.5, "std_error": 0.001,
                   "cubeless_equity": equity, "probs": [0.5, 0.1, 0.0, 0.1, 0.0],
                   "eval_level": "Rollout"})
        })
        .collect();
    json!({"kind": "checker", "board": board(from), "dice": [dice.0, dice.1], "cube_value": 1,
           "cube_owner": "centered", "game_plan": "racing", "tier": "rollout", "moves": moves,
           "key": format!("{dice:?}{game}"), "seed": game, "turn": 0, "player": 1})
}

fn cube() -> Value {
    json!({"kind": "cube", "board": board(&Position::STANDARD), "dice": null, "cube_value": 1,
           "cube_owner": "centered", "game_plan": "racing", "tier": "3P", "key": "c", "seed": 1,
           "equity_nd": 0.1, "equity_dt": -0.1, "equity_dp": 1.0})
}

fn benchmark(decisions: &[Value]) -> String {
    json!({"meta": {"n_games": 2, "seed": 1}, "decisions": decisions}).to_string()
}

/// A position with a checker of both sides on the bar.
fn bars() -> Position {
    let (mine, theirs) = ([(25, 1), (13, 5), (6, 9)], [(25, 1), (13, 5), (6, 9)]);
    Position::from_points(&mine, &theirs, 15).unwrap()
}

fn two() -> Vec<Value> {
    vec![decision(&Position::STANDARD, (3, 1), 1), cube(), decision(&bars(), (2, 1), 2)]
}

fn packed(text: &str) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

#[test]
fn a_benchmark_is_read_as_one_object_packed_and_by_lines() {
    let text = benchmark(&two());
    let read = Reference::of_file(&GAME, text.as_bytes()).unwrap();
    assert_eq!((read.decisions.len(), read.header.games, read.header.drawn()), (2, 2, 2));
    assert_eq!(read.decisions[1].question.0, bars());
    let lost: Vec<f64> = read.decisions[1].plays.iter().map(|play| -play.equity).collect();
    assert!(lost.len() > 1 && lost.iter().enumerate().all(|(i, lost)| *lost == 0.01 * i as f64));
    let benchmark = read.benchmark.as_ref().unwrap();
    assert_eq!(benchmark.cube_positions, 1);
    assert_eq!(benchmark.decisions, [(Some(1), Some(Plan::Racing)), (Some(2), Some(Plan::Racing))]);
    let packed = packed(&text);
    let unpacked = unpacked(&packed).unwrap();
    assert_eq!(Reference::of_file(&GAME, &unpacked).unwrap(), read);
    let lines: String = two().iter().map(|decision| format!("{decision}\n")).collect();
    let lines = Reference::of_file(&GAME, lines.as_bytes()).unwrap();
    assert_eq!(lines.decisions, read.decisions);
}

#[test]
fn damage_is_named() {
    let refused = |text: &str, parts: &[&str]| {
        let error = unpacked(text.as_bytes())
            .and_then(|text| Reference::of_file(&GAME, &text))
            .unwrap_err()
            .to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{parts:?}: {error}");
    };
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut decisions = two();
        change(&mut decisions[2]);
        benchmark(&decisions)
    };
    refused(&changed(&|one| one["dice"] = Value::Null), &["decision 3", "no \"dice\""]);
    refused(&changed(&|one| one["dice"] = json!([7, 1])), &["decision 3", "[7, 1]"]);
    refused(&changed(&|one| one["board"][6] = json!(14)), &["decision 3", "the board"]);
    refused(&changed(&|one| one["moves"][0]["board"] = one["board"].clone()), &["legal play"]);
    refused(&changed(&|one| one["moves"] = json!([])), &["decision 3", "no rated plays"]);
    refused(&changed(&|one| one["moves"][1]["cubeless_equity"] = json!(4)), &["an equity of 4"]);
    refused(&changed(&|one| one["key"] = json!("(3, 1)1")), &["the key of an earlier decision"]);
    refused(&changed(&|one| one["game_plan"] = json!("luck")), &["luck"]);
    refused(&benchmark(&[cube()]), &["0 decisions"]);
    refused(r#"{"meta":{"match_length":5},"decisions":[]}"#, &["matches to 5", "money"]);
    refused("1 2 3", &["a file of states"]);
    let mut cut = packed(&benchmark(&two()));
    cut.truncate(cut.len() / 2);
    assert!(unpacked(&cut).unwrap_err().to_string().contains("packed data is damaged"));
}

#[test]
fn states_are_those_after_a_play_seen_by_the_opponent() {
    let counts: Vec<String> = board(&bars()).iter().map(i8::to_string).collect();
    let line = format!("{} 0.7 0.3 0.1 0.05 0.01\n", counts.join(" "));
    let read = StateReference::of_file(&GAME, line.repeat(2).as_bytes()).unwrap();
    let state = &read.states[0];
    assert_eq!(state.state, bars().flip());
    assert_eq!(&state.probs[1..], [0.05, 0.01, 0.3, 0.1]);
    assert!((state.equity - (0.3 - 0.7 + 0.06 - 0.4)).abs() < 1e-12, "{}", state.equity);
    for (text, parts) in [
        ("1 2\n1 2\n".to_owned(), ["line 1", "2 numbers"]),
        (line.clone() + &line.replace("0.7", "1.7"), ["line 2", "\"1.7\""]),
        (line.clone() + &line.replacen('9', "x", 1), ["line 2", "\"x\""]),
        (benchmark(&two()), ["line 1", "a file of decisions"]),
        (line, ["line 1", "expected two"]),
    ] {
        let error = StateReference::of_file(&GAME, text.as_bytes()).unwrap_err().to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{parts:?}: {error}");
    }
}
