//! Cube decisions as users and programs ask for them.

use serde_json::{Value, json};

use crate::run::{tavola, tavola_with_input};

const CONTACT: &str = "62aCAQPWnBsAAw";

/// One checker on the six point against one on the ace point: 27 of 36 rolls win.
const LAST_ROLL: &str = "0,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-1,0";

/// The start, where a double is an error.
const OPENING: &str = "XGID=-b----E-C---eE---c-e----B-";

fn cube(args: &[&str]) -> Value {
    tavola(&[&["cube"], args, &["--json"]].concat()).json()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn batch(requests: &[Value]) -> Vec<Value> {
    let input: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let run = tavola_with_input(&["batch"], input.as_bytes()).done();
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_last_roll_is_a_double_and_a_take_as_by_hand() {
    let answer = cube(&[LAST_ROLL]);
    assert_eq!(answer["action"], "double_take");
    assert!((number(&answer["no_double"]) - 0.5).abs() < 1e-6);
    assert!((number(&answer["double_take"]) - 1.0).abs() < 1e-6);
    assert_eq!(answer["double_pass"], 1.0);
    assert!((number(&answer["losses"]["no_double"]) - 0.5).abs() < 1e-6);
    assert_eq!(answer["losses"]["double"], 0.0);
    let text = tavola(&["cube", LAST_ROLL]).done().stdout;
    for part in ["double, take (2-ply)", "not doubling: error -0.500", "money play"] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}

#[test]
fn the_box_of_a_chouette_sees_each_number_of_takers_and_what_an_extra_is_worth() {
    // Against four, of whom two have dropped a cube of 1. Here a take loses what a drop does.
    let team = ["--team", "2", "--settled", "2"];
    let answer = cube(&[&[LAST_ROLL][..], &team].concat());
    let figures = &answer["team"];
    assert!((number(&figures["no_double"]) - 3.0).abs() < 1e-6, "{figures}");
    for takers in 0..=2 {
        assert!((number(&figures["double_taken_by"][takers]) - 4.0).abs() < 1e-6, "{figures}");
    }
    assert!(number(&figures["extra"]).abs() < 1e-6, "{figures}");
    // At 2 all points double; an extra wins what a take is worth more than a drop.
    let owned = [&[CONTACT, "--cube", "2", "--owner", "player"][..], &team].concat();
    let answer = cube(&owned);
    let figures = &answer["team"];
    let take = 2.0 * number(&answer["double_take"]);
    assert!((number(&figures["extra"]) - (take - 2.0)).abs() < 1e-6, "{figures}");
    assert!((number(&figures["double_taken_by"][1]) - (4.0 + take)).abs() < 1e-6, "{figures}");
    let text = tavola(&[&["cube"], &owned[..]].concat()).done().stdout;
    for part in
        ["against 2 who play on, +2 settled", "double, 1 of 2 take", "an extra, to its giver"]
    {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    // Against one there is nobody to give an extra.
    assert_eq!(cube(&[LAST_ROLL, "--team", "1"])["team"]["extra"], Value::Null);
}

#[test]
fn rows_have_their_difference_from_the_right_action_and_name_who_errs() {
    let text = tavola(&["cube", LAST_ROLL]).done().stdout;
    let lines: Vec<String> =
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for line in [
        "No double +0.500 (-0.500) not doubling: error -0.500 ± 0.034",
        "Double, take +1.000",
        "Double, pass +1.000",
        "take point 25.0 % (dead cube 25.0 %, live cube 20.0 %); opponent wins 25.0 %",
        "gammon value 0.50, opponent's 0.50 (money 0.50)",
    ] {
        assert!(lines.iter().any(|found| found == line), "{line:?} in {text}");
    }
    for args in [&["--match-length", "7", "--score", "3-5"][..], &["--beavers"], &["--matrix"]] {
        let text = tavola(&[&["cube", CONTACT, "--ply", "1"], args].concat()).done().stdout;
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}

/// The trailer after the Crawford game can't lose more than the match by doubling, and the leader's
/// cube is dead: at 5-away holding it a roll longer costs nothing.
#[test]
fn a_double_that_changes_nothing_is_optional() {
    let args = ["--match-length", "5", "--score", "0-4"];
    let answer = cube(&[&[CONTACT][..], &args].concat());
    assert_eq!((&answer["optional"], &answer["response"]), (&json!(true), &json!("take")));
    let text = tavola(&[&["cube", CONTACT][..], &args].concat()).done().stdout;
    assert!(text.contains("optional double, take (2-ply)"), "{text}");
    assert!(!text.contains("doubling: error"), "{text}");
    let plain = cube(&[CONTACT, "--ply", "0"]);
    assert_eq!((&plain["optional"], &plain["response"]), (&json!(false), &json!("take")));
    // A dead cube is no choice: the game decides the match for both.
    let dead = ["--cube", "2", "--owner", "player", "--match-length", "3", "--score", "1-1"];
    assert_eq!(cube(&[&[CONTACT, "--ply", "0"][..], &dead].concat())["optional"], false);
    let text = tavola(&[&["cube", CONTACT, "--ply", "0"][..], &dead].concat()).done().stdout;
    assert!(text.contains("no redouble (dead cube), take (0-ply)"), "{text}");
    // In the matrix it is OD.
    let matrix = cube(&[CONTACT, "--matrix", "--away", "5", "--ply", "2"]);
    assert_eq!(matrix["scores"][4][0]["optional"], true);
}

#[test]
fn a_redouble_is_called_so() {
    let owned = ["--cube", "2", "--owner", "player", "--ply", "0"];
    let text = tavola(&[&["cube", CONTACT][..], &owned].concat()).done().stdout;
    for part in ["no redouble, take (0-ply)", "No redouble ", "Redouble, take ", "Redouble, pass "]
    {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    assert!(!text.contains("No double"), "{text}");
    let text = tavola(&["cube", LAST_ROLL, "--cube", "2", "--owner", "player"]).done().stdout;
    assert!(text.contains("\nredouble, take"), "{text}");
}

#[test]
fn a_beaver_is_the_response_where_it_is_best() {
    let xgid = format!("{OPENING}:0:0:1:00:0:0:2:0:10");
    let answer = cube(&[&xgid, "--ply", "0"]);
    assert_eq!(
        (&answer["action"], &answer["response"]),
        (&json!("no_double_take"), &json!("beaver"))
    );
    assert_eq!(answer["losses"]["beaver"], 0.0);
    assert!(number(&answer["losses"]["take"]) > 0.0, "{answer}");
    let text = tavola(&["cube", &xgid, "--ply", "0"]).done().stdout;
    for part in ["no double, beaver (0-ply)", "Double, beaver ", "taking: error -"] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    // Without beavers the same is a take.
    let plain = cube(&[&format!("{OPENING}:0:0:1:00:0:0:0:0:10"), "--ply", "0"]);
    assert_eq!((&plain["action"], &plain["response"]), (&json!("no_double_take"), &json!("take")));
}

#[test]
fn an_offered_cube_asks_for_the_response() {
    let ask = |fields: &str| {
        let xgid = format!("XGID=-a-B--E-B-a-dDB--b-bcb----{fields}");
        (cube(&[&xgid, "--ply", "0"]), tavola(&["cube", &xgid, "--ply", "0"]).done().stdout)
    };
    let (before, _) = ask(":0:0:1:00:0:0:0:0:10");
    let (mut offered, text) = ask(":0:0:1:D:0:0:0:0:10");
    assert_eq!((&before["question"], &offered["question"]), (&json!("double"), &json!("response")));
    let losses = &offered["losses"];
    let headline = format!(
        "take (passing loses {:.3} ± {:.3}; the double was an error of {:.3})",
        number(&losses["pass"]),
        number(&offered["interval"]),
        number(&losses["double"])
    );
    assert!(text.contains(&headline), "{headline:?} in {text}");
    assert!(text.contains("figures for the player on roll, who has doubled (0-ply)"), "{text}");
    // Apart from the question the answer is the same, from the same player.
    offered["question"] = "double".into();
    offered["interval"] = before["interval"].clone();
    assert_eq!(offered, before);
    // A pass, a beaver, and a double that was right.
    let (_, text) = ask(":0:0:1:D:0:0:3:0:10");
    assert!(text.contains("take (passing loses "), "{text}");
    let lost = format!("{OPENING}:0:0:1:D:0:0:2:0:10");
    let text = tavola(&["cube", &lost, "--ply", "0"]).done().stdout;
    assert!(text.contains("\nbeaver (taking loses ") && text.contains(", passing "), "{text}");
    let won = "XGID=-BBB-------------------cc-:0:0:1:D:0:0:0:0:10";
    let text = tavola(&["cube", won, "--ply", "0"]).done().stdout;
    assert!(
        text.contains("\npass (taking loses ") && text.contains("the double was right"),
        "{text}"
    );
}

#[test]
fn offers_that_cannot_be_answered_are_refused_by_name() {
    for (fields, part) in [
        (":0:0:1:B:0:0:2:0:10", "offers a beaver, which `cube` does not answer"),
        (":0:0:1:R:0:0:2:0:10", "offers a raccoon, which `cube` does not answer"),
        (":1:-1:1:D:0:0:0:0:10", "offers a double, but the opponent owns the cube"),
    ] {
        let xgid = format!("XGID=-a-B--E-B-a-dDB--b-bcb----{fields}");
        tavola(&["cube", &xgid, "--ply", "0"]).refused(&[part]);
        tavola(&["cube", &xgid, "--ply", "0", "--matrix"]).refused(&[part]);
    }
}

#[test]
fn a_match_answer_has_probabilities_to_win_the_match_beside_equities() {
    let args = ["--match-length", "7", "--score", "3-5", "--ply", "1"];
    let answer = cube(&[&[CONTACT][..], &args].concat());
    for key in ["mwc_no_double", "mwc_double_take", "mwc_double_pass"] {
        assert!((0.0..=1.0).contains(&number(&answer[key])), "{answer}");
    }
    // 2-away 4-away seen from behind, after a pass one point nearer: Kazaross-XG2 at 4-5.
    assert!((number(&answer["mwc_double_pass"]) - 0.40053).abs() < 1e-5, "{answer}");
    assert_eq!(answer["double_pass"], 1.0);
    let text = tavola(&[&["cube", CONTACT][..], &args].concat()).done().stdout;
    assert!(text.contains("3-5 in a match to 7"), "{text}");
    assert!(text.contains("40.05 %"), "{text}");
}

#[test]
fn a_cube_that_cannot_be_turned_is_answered_with_the_reason() {
    for (args, reason) in [
        (&["--cube", "2", "--owner", "opponent"][..], "the opponent owns the cube"),
        (&["--match-length", "7", "--score", "6-2", "--crawford"], "this is the Crawford game"),
        (&["--match-length", "7", "--score", "6-6"], "both players need one point"),
        (&["--match-length", "1"], "both players need one point"),
    ] {
        let answer = cube(&[&[CONTACT, "--ply", "0"], args].concat());
        assert_eq!(answer["action"], "no_cube", "{args:?}");
        assert!(answer["reason"].as_str().unwrap().contains(reason), "{answer}");
        for key in ["double_take", "double_pass", "losses", "points"] {
            assert_eq!(answer[key], Value::Null, "{key} in {answer}");
        }
        let text = tavola(&[&["cube", CONTACT, "--ply", "0"], args].concat()).done().stdout;
        assert!(text.contains("no cube: ") && text.contains(reason), "{text}");
    }
}

#[test]
fn impossible_cubes_and_scores_are_refused() {
    for (args, part) in [
        (&["--cube", "3", "--owner", "player"][..], "power of two"),
        (&["--cube", "2"], "--owner"),
        (&["--cube", "3"], "power of two"),
        (&["--cube", "0"], "power of two"),
        (&["--cube", "1", "--owner", "player"], "a centered cube or a value of at least 2"),
        (
            &["--match-length", "7", "--cube", "2", "--owner", "center"],
            "no automatic doubles there",
        ),
        (&["--match-length", "7", "--score", "8-3"], "both below 7"),
        (&["--match-length", "7", "--score", "6-6", "--crawford"], "exactly one player"),
        (&["--match-length", "65535"], "expected 1 to 500"),
        (&["--owner", "player"], "--cube"),
        (&["--match-length", "7", "--score", "7-3"], "both below 7"),
        (&["--match-length", "7", "--score", "3"], "3-5"),
        (&["--match-length", "0"], "at least 1"),
        (&["--score", "3-5"], "--match-length"),
        (&["--match-length", "7", "--score", "3-5", "--crawford"], "one point from winning"),
        (&["--match-length", "7", "--jacoby"], "--jacoby"),
        (&["--match-length", "7", "--score", "6-6", "--cube", "2", "--owner", "player"], "cube"),
        (&["--svg", "x.svg"], "--matrix"),
        (&["--away", "5"], "--matrix"),
        (&["--matrix", "--away", "1"], "from 2 to 25"),
        (&["--matrix", "--away", "26"], "from 2 to 25"),
        (&["--errors"], "--matrix"),
    ] {
        tavola(&[&["cube", CONTACT, "--ply", "0"], args].concat()).refused(&[part]);
    }
    let over = "0,0,0,0,0,0,15,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0";
    tavola(&["cube", over]).refused(&["the game is over"]);
    tavola(&["cube", "--game", "tabula"]).refused(&["tabula is played without a cube"]);
}

#[test]
fn a_notation_brings_its_cube_and_score_and_options_replace_them() {
    let xgid = "XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:1:00:3:5:0:7:10";
    let from_xgid = cube(&[xgid, "--ply", "0"]);
    assert!(from_xgid["mwc_no_double"].is_number(), "{from_xgid}");
    let converted = tavola(&["convert", xgid, "--to", "position-id"]).done();
    let position = converted.stdout.trim();
    let from_options = cube(&[
        position,
        "--ply",
        "0",
        "--cube",
        "2",
        "--owner",
        "player",
        "--match-length",
        "7",
        "--score",
        "3-5",
    ]);
    assert_eq!(from_options, from_xgid);
    let replaced = cube(&[xgid, "--ply", "0", "--cube", "2", "--owner", "opponent"]);
    assert_eq!(replaced["action"], "no_cube");
}

#[test]
fn the_matrix_is_as_large_as_asked_and_tells_what_the_wrong_action_loses() {
    let args = ["--matrix", "--ply", "0", "--away", "4"];
    let matrix = cube(&[&[CONTACT][..], &args].concat());
    assert_eq!((&matrix["away"], matrix["scores"].as_array().unwrap().len()), (&json!(4), 4));
    let score = cube(&[CONTACT, "--ply", "0", "--match-length", "4", "--score", "0-1"]);
    assert_eq!(matrix["scores"][3][2]["losses"], score["losses"]);
    assert_eq!(matrix["scores"][0][0]["losses"], Value::Null, "no cube there");
    let error = format!("{:.0}", 1000.0 * number(&score["losses"]["double"]));
    let with_errors = [&["cube", CONTACT][..], &args, &["--errors"]].concat();
    let text = tavola(&with_errors).done().stdout;
    let lines: Vec<Vec<&str>> =
        text.lines().map(|line| line.split_whitespace().collect()).collect();
    let at = lines.iter().rposition(|words| words.first() == Some(&"4")).unwrap();
    assert_eq!((lines[at].len(), lines[at + 1][2]), (6, error.as_str()), "{text}");
    let svg = tavola(&[&with_errors[..], &["--svg", "-"]].concat()).done().stdout;
    assert!(svg.contains(&format!(">{error}</text>")), "{svg}");
    // The money line is played by the rules that are named.
    let rules = [&["cube", CONTACT][..], &args, &["--jacoby", "--beavers"]].concat();
    assert!(tavola(&rules).done().stdout.contains("money play, Jacoby, beavers: ND"));
    let answers = batch(&[
        json!({"op": "matrix", "position": CONTACT, "ply": 0, "away": 4}),
        json!({"op": "matrix", "position": CONTACT, "ply": 0, "away": 1}),
    ]);
    assert_eq!(answers[0]["scores"], matrix["scores"]);
    let message = answers[1]["error"]["message"].as_str().unwrap();
    assert!(message.contains("a whole number from 2 to 25"), "{message}");
}

#[test]
fn batch_decides_as_the_command_does() {
    let answers = batch(&[
        json!({"id": 1, "op": "cube", "position": CONTACT}),
        json!({"id": 2, "op": "cube", "position": CONTACT, "ply": 1,
               "match": {"length": 7, "player": 3, "opponent": 5, "crawford": false},
               "cube": {"value": 2, "owner": "player"}}),
        json!({"id": 3, "op": "cube", "position": CONTACT, "jacoby": true, "beavers": true}),
        json!({"id": 4, "op": "cube", "position": CONTACT, "cube": {"value": 2, "owner": "opponent"}}),
        json!({"id": 5, "op": "cube", "position": CONTACT, "cube": {"value": 2, "owner": "player"},
               "match": {"length": 7, "player": 6, "opponent": 6}}),
        json!({"id": 6, "op": "cube", "position": CONTACT, "dice": [3, 1]}),
        json!({"id": 7, "op": "cube", "position": CONTACT, "cube": {"value": 3, "owner": "player"}}),
    ]);
    let command = |args: &[&str]| {
        let mut answer = cube(&[&[CONTACT], args].concat());
        answer.as_object_mut().unwrap().remove("id");
        answer
    };
    let same = |i: usize, args: &[&str]| {
        let mut answer = answers[i].clone();
        answer.as_object_mut().unwrap().remove("id");
        assert_eq!(answer, command(args));
    };
    same(0, &[]);
    same(
        1,
        &[
            "--ply",
            "1",
            "--match-length",
            "7",
            "--score",
            "3-5",
            "--cube",
            "2",
            "--owner",
            "player",
        ],
    );
    same(2, &["--jacoby", "--beavers"]);
    assert_eq!(answers[3]["action"], "no_cube");
    assert_eq!(answers[4]["error"]["kind"], "cube", "{}", answers[4]);
    assert_eq!(answers[5]["error"]["kind"], "request", "{}", answers[5]);
    assert!(answers[6]["error"]["message"].as_str().unwrap().contains("power of two"));
}

/// Whatever cube and score are asked about, `cube`, `best` and `eval` refuse the impossible in the
/// same words, and the stream goes on.
#[test]
fn batch_answers_what_cannot_be_with_words() {
    let player = |value: u32| json!({"value": value, "owner": "player"});
    let score =
        |player: u32, opponent: u32| json!({"length": 7, "player": player, "opponent": opponent});
    let crawford = json!({"length": 7, "player": 6, "opponent": 3, "crawford": true});
    for (terms, kind, part) in [
        (json!({"cube": player(3)}), "request", "cube value 3 is not a power of two"),
        (json!({"cube": player(0)}), "request", "cube value 0 is not a power of two"),
        (json!({"cube": player(1)}), "request", "a centered cube or a value of at least 2"),
        (json!({"cube": player(1 << 25)}), "request", "a cube of 2^25 is too large"),
        (json!({"cube": 2}), "request", "expected an object with value and owner"),
        (json!({"match": 7}), "request", "expected an object with length, player and opponent"),
        (json!({"match": score(8, 3)}), "request", "score 8-3 ends a match to 7"),
        (
            json!({"match": {"length": 0, "player": 0, "opponent": 0}}),
            "request",
            "at least 1 point",
        ),
        (json!({"match": {"length": 501, "player": 0, "opponent": 0}}), "cube", "1 to 500"),
        (json!({"match": score(6, 3), "jacoby": true}), "request", "money play only"),
        (json!({"match": score(6, 3), "beavers": true}), "request", "money play only"),
        (json!({"match": score(6, 6), "cube": player(2)}), "cube", "both players need one point"),
        (json!({"match": crawford, "cube": player(2)}), "cube", "this is the Crawford game"),
        (
            json!({"match": score(3, 3), "cube": {"value": 2, "owner": "center"}}),
            "cube",
            "no automatic doubles there",
        ),
    ] {
        let with = |mut request: Value| {
            request["position"] = CONTACT.into();
            request.as_object_mut().unwrap().extend(terms.as_object().unwrap().clone());
            request
        };
        let requests =
            [json!({"op": "cube"}), json!({"op": "best", "dice": [3, 1]}), json!({"op": "eval"})];
        for answer in batch(&requests.map(with)) {
            assert_eq!(answer["error"]["kind"], kind, "{terms}: {answer}");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.contains(part), "{part:?} in {message}");
        }
    }
    // Where there is no cube to turn the answer says so and why, and has no number for a double.
    for (terms, reason) in [
        (json!({"match": score(6, 6)}), "both players need one point"),
        (json!({"match": crawford}), "this is the Crawford game"),
        (json!({"cube": {"value": 2, "owner": "opponent"}}), "the opponent owns the cube"),
        (json!({"cube": player(1 << 24)}), "the cube stands at its limit"),
    ] {
        let mut request = json!({"op": "cube", "position": CONTACT});
        request.as_object_mut().unwrap().extend(terms.as_object().unwrap().clone());
        let answer = &batch(&[request])[0];
        assert_eq!(answer["action"], "no_cube", "{answer}");
        assert!(answer["reason"].as_str().unwrap().contains(reason), "{answer}");
        for key in ["double_take", "double_pass", "losses", "points"] {
            assert_eq!(answer[key], Value::Null, "{key} in {answer}");
        }
    }
}

#[test]
fn a_game_that_decides_next_to_nothing_of_a_match_has_figures_all_the_same() {
    let position = |score: &str| format!("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:{score}:10");
    let scores = ["0:499:0:500", "499:0:0:500", "0:199:0:200"];
    let requests: Vec<Value> = scores
        .iter()
        .flat_map(|score| ["cube", "best", "eval"].map(|op| (score, op)))
        .flat_map(|(score, op)| {
            [0, 1].map(|ply| json!({"op": op, "position": position(score), "ply": ply}))
        })
        .collect();
    for answer in batch(&requests) {
        assert_eq!(answer.get("error"), None);
        let no_double = answer.get("no_double").unwrap_or(&Value::Null);
        assert!(no_double.as_f64().is_none_or(|emg| emg.abs() < 10.0), "{answer}");
    }
    for (score, command) in scores.iter().flat_map(|it| ["cube", "best", "eval"].map(|op| (it, op)))
    {
        let run = tavola(&[command, &position(score), "--ply", "0"]).done();
        let wrong = ["inf", "NaN", "-0.00 %"].iter().find(|word| run.stdout.contains(**word));
        assert_eq!(wrong, None, "{}", run.stdout);
        assert!(run.stdout.lines().all(|line| line.chars().count() <= 100), "{run:?}");
    }
}

#[test]
fn a_response_that_makes_no_difference_is_told_so() {
    let even = "XGID=-B--------a-d----cadaa----:0:0:1:D:6:4:0:7:10";
    let text = tavola(&["cube", even, "--ply", "1"]).done().stdout;
    assert!(text.contains("take or pass (both are worth the same"), "{text}");
}

#[test]
fn the_best_play_at_every_score_is_that_of_the_score() {
    // At gammon-go the slot, at gammon-save the safe play.
    let args = ["best", "--roll", "21", "--ply", "0", "--matrix", "--away", "3"];
    let matrix = tavola(&[&args[..], &["--json"]].concat()).json();
    for (own, other) in [(1, 1), (2, 1), (1, 3), (3, 3)] {
        let cell = &matrix["scores"][own - 1][other - 1];
        let length = own.max(other);
        let score = format!("{}-{}", length - own, length - other);
        let length = length.to_string();
        let at =
            ["best", "--roll", "21", "--ply", "0", "--match-length", &length, "--score", &score];
        let best = tavola(&[&at[..], &["--json"]].concat()).json();
        assert_eq!(cell["play"], best["plays"][0]["play"], "{score}: {matrix}");
        assert_eq!(cell["second"], best["plays"][1]["play"], "{score}: {matrix}");
        let money = best["plays"].as_array().unwrap().iter();
        let mut money = money.filter(|play| play["play"] == matrix["money"]["play"]);
        if let Some(play) = money.next() {
            let [here, there] = [number(&cell["money_play_loss"]), number(&play["loss"])];
            assert!((here - there).abs() < 1e-6, "{score}: {here} {there}");
        }
    }
    assert_eq!(matrix["money"]["money_play_loss"], 0.0);
    assert_eq!(matrix["crawford"]["player_leads"].as_array().unwrap().len(), 2);
    let text = tavola(&[&args[..], &["--errors"]].concat()).done().stdout;
    for part in ["best play by score (0-ply)", "1C", "A", "of 13", "money +0."] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let answers = batch(&[
        json!({"op": "play_matrix", "position": "start", "dice": [2, 1], "ply": 0, "away": 3}),
        json!({"op": "play_matrix", "position": "start", "ply": 0, "away": 3}),
    ]);
    assert_eq!(answers[0]["scores"], matrix["scores"]);
    assert_eq!(answers[1]["error"]["kind"], "dice");
    tavola(&["best", "--roll", "21", "--matrix", "--top", "3"]).refused(&["--matrix", "--top"]);
    tavola(&["best", "--roll", "21", "--errors"]).refused(&["--matrix"]);
}

#[test]
fn races_have_effective_pips_and_rolls() {
    // Ten checkers on the ace points against one: five rolls less what doubles save.
    let position = "0 10 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -1 0";
    let json = tavola(&["eval", position, "--json"]).json();
    let (own, other) = (&json["race"]["player"], &json["race"]["opponent"]);
    assert_eq!((&own["pips"], &other["pips"]), (&json!(10), &json!(1)));
    assert!((number(&other["rolls"]) - 1.0).abs() < 1e-6, "{json}");
    let (epc, rolls) = (number(&own["epc"]), number(&own["rolls"]));
    assert!(
        (epc - 49.0 / 6.0 * rolls).abs() < 1e-6
            && (number(&own["wastage"]) - epc + 10.0).abs() < 1e-6
    );
    assert!((4.0..5.0).contains(&rolls), "{json}");
    let text = tavola(&["eval", position]).done().stdout;
    assert!(
        text.contains("EPC") && text.contains("wastage") && text.contains("expected rolls"),
        "{text}"
    );
    // After a play: eight checkers, or six.
    let best = tavola(&["best", position, "--roll", "21", "--json"]).json();
    assert!(number(&best["plays"][0]["race"]["rolls"]) < rolls, "{best}");
    assert!(tavola(&["best", position, "--roll", "21"]).done().stdout.contains("EPC"));
    // Where the sides may meet there is none.
    assert_eq!(tavola(&["eval", "start", "--ply", "0", "--json"]).json().get("race"), None);
}
