//! `tavola ubgi` as programs meet it.

use crate::run::{tavola, tavola_with_input};

const TAVOLA: &str = env!("CARGO_BIN_EXE_tavola");

/// What some lines are answered with.
fn answers(args: &[&str], lines: &str) -> Vec<String> {
    let args = [&["ubgi", "--no-tables", "--ply", "0"], args].concat();
    let run = tavola_with_input(&args, lines.as_bytes()).done();
    run.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn draft_0_01_answers_bare_positions_with_bare_words() {
    let xgid = |rest: &str| format!("XGID=-b----E-C---eE---c-e----B-:{rest}");
    let shut_out = "XGID=------N------------bbbbbbA:0:0:1:65:0:0:0:0:10";
    let lines = [
        "ubgi",
        &xgid("0:0:1:65:0:0:0:0:10"),
        &xgid("0:0:1:33:0:0:0:0:10"),
        &xgid("0:0:1:00:0:0:0:0:10"),
        &xgid("0:0:1:D:0:0:0:0:10"),
        shut_out,
        "XGID=nonsense",
        "flush",
        "board:You:Opponent:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:3:1:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0",
    ];
    let answers = answers(&["--dialect", "0.01"], &lines.join("\n"));
    assert_eq!(answers[0], "id name tavola");
    assert_eq!(answers[3], "readyok");
    // One checker twice, four hops of a double, no cube action, the answer to an offer, a dance.
    let expected =
        ["24/18 18/13", "8/5 8/5 6/3 6/3", "roll", "take", "", "sorry", "sorry", "8/5 6/5"];
    assert_eq!(answers[4..], expected);
}

#[test]
fn both_newer_dialects_are_spoken_at_once() {
    let lines = "ubgi\nisready\nnewsession type match length 7 crawford on\nsetscore 3 5\n\
        setcube value 2 owner p0\nsetturn p0\nsetoption name MultiPV value 2\n\
        position gnubgid 4HPwATDgc/ABMA\ndice 3 1\ngo role chequer depth 1\n";
    let told = answers(&[], lines);
    assert!(told.contains(&"proto 0.2".to_owned()) && told.contains(&"readyok".to_owned()));
    assert!(told.iter().any(|line| line.starts_with("option name Ply type spin default 0")));
    let second = told.iter().filter(|line| line.contains(" multipv 2 ")).count();
    assert_eq!(second, 2, "one for each ply: {told:?}");
    assert!(told.iter().any(|line| line.contains(" depth 1 ") && line.contains(" mwc 0.")));
    assert_eq!(told[told.len() - 2..], ["bestmoveid sGfwATDgc/ABMA", "bestmove 8/5 6/5"]);

    let lines = "setoption name Level value 0+\nget engine.level\nset engine.level rolle\n\
        position gnubgid 4HPwATDgc/ABMA\ndice 6 4\ngo\n";
    let told = answers(&[], lines);
    assert_eq!(told[0], "value engine.level 0+");
    assert!(told[1].contains("\"rolle\"") && told[1].contains("roller+"), "{told:?}");
    let depths = told.iter().filter_map(|line| line.split_once(" depth ")?.1.split(' ').next());
    assert_eq!(depths.collect::<Vec<_>>(), ["0", "1"], "{told:?}");

    let lines = "set engine.ply 2\nget engine.ply\nset game.variant nackgammon\n\
        position gnubgid 4HPwATDgc/ABMA\ndice 6 5\ngo\n";
    let told = answers(&[], lines);
    assert_eq!(told[0], "value engine.ply 2");
    assert_eq!(told[told.len() - 1], "bestmove 24/18 18/13");
    assert!(told[told.len() - 2].starts_with("info role chequer depth 1 "), "{told:?}");
}

#[test]
fn cube_decisions_and_whole_turns_are_answered() {
    // A last roll that bears off two checkers in most cases.
    let last = "------A-A--------------a--:0:0:1";
    let last_word = |lines: &str| answers(&[], lines).pop().unwrap();
    assert_eq!(
        last_word(&format!("position xgid {last}:00:0:0:0:0:10\ngo role cube\n")),
        "bestcube nodouble"
    );
    let offered = format!("position xgid XGID={last}:D:0:0:0:0:10\n");
    assert_eq!(last_word(&format!("{offered}go cube\n")), "bestcube take");
    assert_eq!(last_word(&format!("{offered}go turn\n")), "bestcube take");
    let told = last_word(&format!("{offered}go chequer\n"));
    assert!(told.starts_with("error bad_state a double is offered"), "{told}");
    let opening = "position gnubgid 4HPwATDgc/ABMA\n";
    assert_eq!(last_word(&format!("{opening}go turn\n")), "bestturn cube=nodouble");
    let opening = format!("{opening}dice 3 1\n");
    let play = "bestturn cube=nodouble move=8/5 6/5";
    assert_eq!(last_word(&format!("{opening}go turn\n")), play);
    let id = "bestturn cube=nodouble moveid=sGfwATDgc/ABMA";
    assert_eq!(last_word(&format!("{opening}go role turn\n")), id);
    let told = answers(&[], &format!("{opening}go cube trials 36\n"));
    assert_eq!(told.last().unwrap(), "bestcube nodouble");
    let told = answers(&[], &format!("{opening}go cube\n"));
    assert!(told[0].contains(" nodouble 0.") && told[0].contains(" doublepass 1.0000"), "{told:?}");
}

#[test]
fn rollouts_and_times_are_understood() {
    let told = answers(&[], "position gnubgid 4HPwATDgc/ABMA\ndice 3 1\ngo chequer trials 36\n");
    assert_eq!(told[told.len() - 1], "bestmove 8/5 6/5");
    let told = answers(&[], "position gnubgid 4HPwATDgc/ABMA\ndice 3 1\ngo chequer movetime 50\n");
    assert_eq!(told[told.len() - 1], "bestmove 8/5 6/5");
}

#[test]
fn errors_name_what_was_wrong_and_nothing_ends_the_session() {
    let long = "x".repeat(5000);
    let lines = format!(
        "go chequer\nposition gnubgid 4HPwATDgc/ABMA\ngo chequer\ndice 3 1\ngo chequer depth 9\n\
         go chequer nodes 5\nset engine.hash 4\nset engine.ply 9\nsetcube value 3 owner p0\n{long}\n\
         newsession type match length 3\nsetscore 3 0\ngo role chequer\nisready\n"
    );
    let told = answers(&[], &lines);
    let expected = [
        "error bad_state no position",
        "error bad_state no dice",
        "error bad_value depth 9",
        "error unsupported go nodes",
        "error unsupported key \"engine.hash\"",
        "error bad_value \"9\"",
        "error bad_value cube \"3\"",
        "error bad_command a line is longer",
    ];
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.starts_with(expected), "{told:?}, expected {expected:?}");
    }
    assert!(
        told[8..].iter().any(|line| line.starts_with("error missing_context no position")
            || line.starts_with("error bad_argument the score")),
        "{told:?}"
    );
    assert!(told.contains(&"readyok".to_owned()));
    tavola(&["ubgi", "--model", "nowhere.safetensors"]).refused(&["nowhere.safetensors"]);
}

#[test]
fn every_dialect_passes_its_own_check() {
    for (dialect, required, optional) in [("0.01", 19, 4), ("0.1", 19, 7), ("0.2", 19, 7)] {
        let engine = format!("'{TAVOLA}' ubgi --no-tables --ply 0 --dialect {dialect}");
        let report = tavola(&["ubgi", "--check", &engine, "--json"]).json();
        let checks = report["checks"].as_array().unwrap();
        let passed = |level: &str| {
            let is_passed = |check: &&serde_json::Value| {
                check["level"] == level && check["verdict"] == "passed"
            };
            checks.iter().filter(is_passed).count()
        };
        assert_eq!((passed("required"), passed("optional")), (required, optional), "{report}");
        assert_eq!(report["dialects"], serde_json::json!([dialect]));
    }
}

#[cfg(unix)]
#[test]
fn an_engine_that_breaks_the_protocol_does_not_pass() {
    let run = tavola(&["ubgi", "--check", "cat", "--engine-timeout", "0.3"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.starts_with("FAILED") && run.stderr.contains("required checks failed"));
    tavola(&["ubgi", "--check", "/nowhere/engine"]).refused(&["/nowhere/engine"]);
    // Always the same play, right or wrong.
    let parrot = r#"sh -c "while read line; do case $line in
        ubgi) echo id name Parrot; echo ubgiok;;
        isready) echo readyok;;
        go*) echo bestmove 8/5 6/5;;
        quit) exit;;
        esac; done""#;
    let run = tavola(&["ubgi", "--check", parrot, "--engine-timeout", "2"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains("ok         required  3-1: an opening play"), "{run:?}");
    assert!(run.stdout.contains("FAILED     required  6-5: one checker twice"), "{run:?}");
}

#[cfg(unix)]
#[test]
fn an_engine_that_never_ends_its_answer_is_broken() {
    let babbler = r#"sh -c "read line; yes info""#;
    let run = tavola(&["ubgi", "--check", babbler, "--engine-timeout", "60"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains("had 100000 lines and no end"), "{run:?}");
    let engine = format!("ubgi:{babbler}");
    tavola(&["duel", "default", &engine]).refused(&["the end of its answer"]);
}

#[test]
fn a_duel_with_an_engine_that_plays_the_same_is_even_in_every_pair() {
    // A duel sends no word about a cube that is not there, and by itself `ubgi` ranks plays with it.
    for (stakes, mode) in [
        (&[][..], "cubeless"),
        (&["--cube", "--jacoby"][..], "auto"),
        (&["--match", "3"][..], "auto"),
    ] {
        let engine = format!("ubgi:Ply=0 Preset=full EvalMode={mode} '{TAVOLA}' ubgi --no-tables");
        let duel =
            ["duel", "raw:default@0/full", &engine, "--games", "4", "--threads", "2", "--json"];
        let answer = tavola(&[&duel[..], stakes].concat()).json();
        assert_eq!(answer["failures"], serde_json::json!([]), "{answer}");
        assert_eq!(answer["standard_error"], 0.0, "{answer}");
    }
    let wrong = format!("ubgi:Hash=16 '{TAVOLA}' ubgi");
    tavola(&["duel", "default", &wrong]).refused(&["Hash", "unsupported"]);
}
