//! What is told about command lines that can't be understood, and about what is ignored.

use serde_json::json;

use crate::run::{tavola, tavola_with_input};

#[test]
fn numbers_below_zero_are_refused_by_the_range_of_their_option() {
    for (line, parts) in [
        (&["best", "--roll", "31", "--top", "-1"][..], &["'-1'", "--top", "1 or more"][..]),
        (&["eval", "--ply", "-1"], &["'-1'", "--ply", "from 0 to 3"]),
        (
            &["duel", "random", "random", "--games", "-4"],
            &["'-4'", "--games", "an even number from 4"],
        ),
        (&["bench", "--seconds", "-1"], &["'-1'", "--seconds", "0.001 to 600"]),
        (&["met", "--away", "-3"], &["'-3'", "--away", "from 1 to 500"]),
    ] {
        tavola(line).refused(parts);
    }
}

#[test]
fn a_mistyped_name_gets_the_nearest_one() {
    for (line, part) in [
        (&["eval", "--game", "nackgamon"][..], "did you mean nackgammon?"),
        (&["eval", "--preset", "nromal"], "'normal'"),
        (&["convert", "--to", "xigd"], "'xgid'"),
        (&["duel", "random", "default@1/fats"], "did you mean fast?"),
        (&["met", "kazaross-xg"], "did you mean kazaross-xg2?"),
        (&["bset"], "'best'"),
    ] {
        tavola(line).refused(&[part]);
    }
}

#[test]
fn verbs_and_options_of_other_programs_get_a_sentence_that_helps() {
    for (line, part) in [
        (&["eval", "--roll", "31"][..], "did you mean `tavola best`?"),
        (&["cube", "--roll", "31"], "did you mean `tavola best`?"),
        (&["legal", "--ply", "1"], "--ply is an option of best, eval"),
        (&["best", "start", "52"], "did you mean `--roll 52`?"),
        (&["analyze", "no-such.mat"], "error: no-such.mat: cannot be read: No such file"),
        (&["analyze"], "FILE"),
        (&["server"], "`tavola serve`"),
    ] {
        let run = tavola(line);
        assert!(!run.stderr.contains("as a value"), "{run:?}");
        run.refused(&[part]);
    }
    let hint = tavola(&["hint", "--roll", "31", "--ply", "0", "--json"]).json();
    assert_eq!(hint["plays"][0]["play"], "8/5 6/5");
    assert_eq!(tavola(&["version"]).done().stdout, tavola(&["--version"]).done().stdout);
}

#[test]
fn where_json_was_asked_for_an_error_is_json_too() {
    for (line, code, kind, part) in [
        (&["best", "nonsense", "--roll", "31", "--json"][..], 2, "position", "\"nonsense\""),
        (&["eval", "--json", "--ply", "9"], 2, "request", "from 0 to 3"),
        (&["cube", "--game", "tabula", "--json"], 2, "unsupported", "without a cube"),
        (&["duel", "random", "nobody", "--json"], 2, "input", "nobody"),
        (&["model", "nowhere.safetensors", "--json"], 2, "model", "nowhere.safetensors"),
    ] {
        let run = tavola(line);
        assert_eq!(run.code, Some(code), "{run:?}");
        let answer: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(answer["error"]["kind"], kind, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(part) && !message.contains("Usage"), "{message}");
        assert!(run.stderr.starts_with("error: "), "{run:?}");
    }
    assert_eq!(tavola(&["best", "nonsense", "--roll", "31"]).stdout, "");
}

#[test]
fn what_a_position_says_in_vain_is_told_in_one_line_each() {
    for (position, warning) in [
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:2", "the position's largest cube 4"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:52:6:6:1:7:10", "the Crawford flag"),
        ("4HPwATDgc/ABMA:cAoAAAAAAAAE", "the game is over"),
    ] {
        for command in ["best", "legal"] {
            let run = tavola(&[command, position, "--roll", "52"]).done();
            let line = format!("warning: ignored: {warning}");
            assert!(run.stderr.starts_with(&line), "{run:?}");
            assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        }
    }
    let nine = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0";
    assert_eq!(tavola(&["legal", nine]).done().stderr, "");
    for command in ["eval", "cube"] {
        let run = tavola(&[command, nine, "--ply", "0"]).done();
        let line = "warning: ignored: the roll 5-2, as the answer is about the position before it";
        assert_eq!(run.stderr.trim(), line);
    }
}

#[test]
fn a_score_is_of_the_match_that_the_position_names() {
    let of_match = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10";
    let terms = |args: &[&str]| {
        let always = ["best", "--roll", "31", "--ply", "0", "--no-board"];
        let text = tavola(&[&always[..], args].concat()).done().stdout;
        let line = text.lines().find(|line| line.starts_with("cube 1")).unwrap_or_default();
        line.trim_start_matches("cube 1, centered; ").to_owned()
    };
    for (args, expected) in [
        (&[of_match, "--score", "1-2"][..], "1-2 in a match to 7"),
        (&[of_match, "--score", "3-6"], "3-6 in a match to 7, post-Crawford"),
        (&[of_match, "--score", "3-6", "--crawford"], "3-6 in a match to 7, Crawford game"),
        (&[of_match, "--score", "6-6"], "6-6 in a match to 7"),
        (&["--score", "4-3", "--match-length", "5"], "4-3 in a match to 5, post-Crawford"),
        (
            &[&of_match.replace("0:0:0:7", "6:5:0:7"), "--crawford"],
            "6-5 in a match to 7, Crawford game",
        ),
    ] {
        assert_eq!(terms(args), expected, "{args:?}");
    }
    for (args, parts) in [
        (&["eval", "--score", "1-2"][..], &["the score 1-2", "--match-length"][..]),
        (&["eval", "--crawford"], &["the Crawford game", "--match-length"]),
        (&["eval", "--game", "tabula", "--score", "1-2"], &["\"match\"", "without matches"]),
        (&["best", of_match, "--score", "7-2"], &["both below 7"]),
    ] {
        tavola(args).refused(parts);
    }
}

#[test]
fn every_form_that_is_written_is_read_and_the_start_has_a_name_in_every_game() {
    let xgid = "XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:1:63:2:3:0:7:10";
    for form in ["xgid", "gnubg-id", "ogid", "fibs"] {
        let written = tavola(&["convert", xgid, "--to", form]).done().stdout;
        let back = tavola(&["convert", written.trim(), "--to", "xgid"]).done().stdout;
        assert_eq!(back.trim(), xgid, "{form}: {written}");
        assert_eq!(
            tavola(&["convert", xgid, "--json"]).json()[form.replace('-', "_")],
            written.trim()
        );
    }
    for game in ["backgammon", "nackgammon", "hypergammon", "tabula", "puff", "fallas", "buffa"] {
        let named = tavola(&["show", "start", "--game", game, "--json"]).json();
        assert_eq!(named, tavola(&["show", "--game", game, "--json"]).json());
    }
    let named = tavola(&["best", "start", "--roll", "31", "--ply", "0", "--json"]).json();
    assert_eq!(named, tavola(&["best", "--roll", "31", "--ply", "0", "--json"]).json());
    tavola(&["show", "62aCAQPWnBsAA!"]).refused(&["'!' in place 14"]);
    assert_eq!(json!(tavola(&["convert", "--json"]).json().as_object().unwrap().len()), 8);
}

#[test]
fn what_is_given_in_place_of_what_the_position_says_is_told() {
    let of_match = "XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:1:00:3:4:0:5:10";
    let of_money = "XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:63:0:0:3:0:10";
    let offered = "XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:D:0:0:0:0:10";
    for (args, ignored) in [
        (
            &["cube", of_match, "--match-length", "7"][..],
            "the position's score 3-4 in a match to 5, post-Crawford, as 0-0 in a match to 7 \
             is given",
        ),
        (
            &["cube", of_match, "--cube", "1"],
            "the position's cube 2, owned by the player on roll, as cube 1, centered is given",
        ),
        (&["best", of_money, "--roll", "52"], "the position's roll 6-3, as 5-2 is given"),
        (&["eval", offered], "the offered double, which `cube` answers"),
        (&["best", offered, "--roll", "52"], "the offered double, as a roll is given"),
        (&["show", offered, "--roll", "52"], "the offered double, as a roll is given"),
        (
            &["convert", offered, "--roll", "52", "--to", "xgid"],
            "the offered double, as a roll is given",
        ),
    ] {
        let depth = if ["show", "convert"].contains(&args[0]) { &[][..] } else { &["--ply", "0"] };
        let run = tavola(&[args, depth].concat()).done();
        assert_eq!(run.stderr.trim(), format!("warning: ignored: {ignored}"), "{args:?}");
    }
    for (form, lost) in
        [("ogid", "the Jacoby rule beavers"), ("fibs", "the Jacoby rule beavers"), ("xgid", "")]
    {
        let run = tavola(&["convert", of_money, "--to", form]).done();
        let found: Vec<&str> = run
            .stderr
            .lines()
            .map(|line| {
                let line = line.strip_prefix("warning: ignored: ").unwrap();
                line.split_once(", for which a text of the form").unwrap().0
            })
            .collect();
        assert_eq!(found.join(" "), lost, "{form}");
    }
    let run = tavola(&["convert", of_money, "--to", "gnubg-id"]).done();
    assert!(run.stderr.contains("beavers") && !run.stderr.contains("Jacoby"), "{}", run.stderr);
}

#[test]
fn names_of_files_give_the_terminal_no_orders() {
    let file = "\u{1b}]0;owned\u{7}.mat";
    tavola(&["analyze", file]).refused(&[r"\u{1b}]0;owned\u{7}.mat"]);
}

#[cfg(unix)]
#[test]
fn what_never_ends_is_read_to_its_limit() {
    for line in [
        &["analyze", "/dev/zero"][..],
        &["convert", "/dev/zero", "never-written.mat"],
        &["met", "/dev/zero"],
        &["train", "/dev/zero", "--out", "never-made"],
        &["duel", "random", "random", "--book", "/dev/zero"],
        &["rollout", "start", "--resume", "/dev/zero"],
        // Files may be larger, what has no size may not.
        &["eval", "start", "--model", "/dev/zero"],
        &["model", "/dev/zero"],
    ] {
        tavola(line).refused(&["/dev/zero", "it has more than", "expected at most"]);
    }
}

#[test]
fn what_is_beyond_a_limit_is_refused_with_the_limit() {
    tavola(&["eval", "start", "--threads", "1025"]).refused(&["1025", "from 1 to 1,024"]);

    let line = format!("{{\"op\": \"eval\", \"position\": \"{}\"}}\n", "x".repeat(1 << 20));
    let run = tavola_with_input(&["batch"], format!("{line}{{\"op\": \"none\"}}\n").as_bytes());
    let answers: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(answers.len(), 2, "{run:?}");
    assert!(answers[0].contains("the line is longer than 1048576 bytes"), "{}", answers[0]);

    // Files that hold nothing but their size: they are refused before they are read.
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, size: u64| {
        let path = folder.path().join(name);
        std::fs::File::create(&path).unwrap().set_len(size).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let record = file("match.mat", (16 << 20) + 1);
    tavola(&["analyze", &record]).refused(&["match.mat", "it has more than 16777216 bytes"]);
    let network = file("large.safetensors", (1 << 30) + 1);
    tavola(&["eval", "start", "--model", &network])
        .refused(&["large.safetensors", "it has more than 1073741824 bytes"]);
}
