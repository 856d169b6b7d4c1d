//! `tavola rollout`, the same through `batch`, and `best --explain`.

use serde_json::{Value, json};

use crate::run::{tavola, tavola_with_input};

/// The usual middle-game position of tests of speed: 19 plays of 4-2, five near the best.
const MIDDLE: &str = "62aCAQPWnBsAAw";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Figures and their standard errors, all of the right kind.
fn check_figures(figures: &Value) {
    let (equity, error) = (number(&figures["equity"]), number(&figures["equity_se"]));
    assert!(equity.abs() <= 3.0 && error > 0.0 && error < 0.5, "{figures}");
    for (key, len) in [("probs", 5), ("probs_se", 5), ("outcomes", 6), ("outcomes_se", 6)] {
        let numbers = figures[key].as_array().unwrap();
        assert_eq!(numbers.len(), len);
        assert!(numbers.iter().all(|n| (0.0..=1.0).contains(&number(n))), "{figures}");
    }
    let probs: Vec<f64> = figures["probs"].as_array().unwrap().iter().map(number).collect();
    let from_probs = 2.0 * probs[0] - 1.0 + probs[1] + probs[2] - probs[3] - probs[4];
    assert!((from_probs - equity).abs() < 0.05, "{figures}");
}

#[test]
fn plays_of_a_roll_are_rolled_out_best_first_and_losers_are_dropped() {
    let args =
        ["rollout", MIDDLE, "--roll", "42", "--top", "6", "--trials", "180", "--truncate", "3"];
    let answer = tavola(&[&args[..], &["--drop-jsd", "2", "--json"]].concat()).json();
    let plays = answer["plays"].as_array().unwrap();
    assert_eq!(plays.len(), 6);
    plays.iter().for_each(check_figures);
    let kept: Vec<_> = plays.iter().filter(|play| play["dropped"] == false).collect();
    assert!(!kept.is_empty() && kept.len() < 6, "some are dropped: {answer}");
    assert!(kept.windows(2).all(|pair| number(&pair[0]["equity"]) >= number(&pair[1]["equity"])));
    for play in plays {
        let dropped = play["dropped"] == true;
        assert_eq!(play["trials"] == 180, !dropped || play["trials"] == 180, "{play}");
        assert!(!dropped || number(&play["loss"]) >= 2.0 * number(&play["loss_se"]), "{play}");
    }
    let text = tavola(&[&args[..], &["--drop-jsd", "2"]].concat()).done().stdout;
    assert!(text.contains("dropped") && text.contains("4-2: 6 plays"), "{text}");

    // Named plays, with a rule to stop.
    let named = ["--play", "24/23 13/9", "--play", "6/5 13/9", "--until-jsd", "0.5", "--json"];
    let args = ["rollout", "--roll", "41", "--trials", "1000", "--truncate", "3"];
    let answer = tavola(&[&args[..], &named].concat()).json();
    let mut names: Vec<_> =
        answer["plays"].as_array().unwrap().iter().map(|play| play["play"].clone()).collect();
    names.sort_by_key(ToString::to_string);
    assert_eq!(names, [json!("13/9 6/5"), json!("24/23 13/9")]);
    assert_eq!(answer["ended"], "lead");
    let text = tavola(&[&args[..], &named[..6]].concat()).done().stdout;
    assert!(text.contains("at least ") && text.contains("each look at the lead"), "{text}");
}

#[test]
fn a_saved_rollout_is_gone_on_with_and_refused_by_others() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rollout.json");
    let file = file.to_str().unwrap();
    let rollout = |trials: &str, more: &[&str]| {
        let args = ["rollout", MIDDLE, "--truncate", "3", "--json", "--trials", trials];
        tavola(&[&args[..], more].concat())
    };
    rollout("50", &["--save", file]).done();
    let resumed = rollout("100", &["--resume", file]).json();
    let unbroken = rollout("100", &[]).json();
    for key in ["equity", "equity_se", "probs", "probs_se", "trials"] {
        assert_eq!(resumed[key], unbroken[key], "{key}");
    }
    rollout("100", &["--save", file]).refused(&["exists already", "--resume"]);
    rollout("100", &["--resume", file, "--seed", "7"]).refused(&[
        "cannot resume",
        "seed",
        "expected 7",
    ]);
    rollout("100", &["--resume", file, "--roll", "31"]).refused(&["cannot resume", "differs in"]);
    std::fs::write(file, "{\"format\":").unwrap();
    rollout("100", &["--resume", file]).refused(&["cannot resume", "rollout.json", "EOF"]);
    let nowhere = folder.path().join("none").join("r.json");
    rollout("100", &["--save", nowhere.to_str().unwrap()]).refused(&["cannot write"]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn unusable_rollouts_are_refused_with_the_reason() {
    let over = "0,0,0,0,0,0,5,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0";
    tavola(&["rollout", over]).refused(&["the game is over", "goes on"]);
    tavola(&["rollout", "--cubeless", "--until-jsd", "2"]).refused(&["one candidate"]);
    tavola(&["rollout", "--top", "3"]).refused(&["without a roll"]);
    tavola(&["rollout", "--roll", "31", "--play", "8/5"]).refused(&["8/5"]);
    let twice = ["rollout", "--roll", "31", "--play", "8/5 6/5", "--play", "6/5 8/5"];
    tavola(&twice).refused(&["given twice"]);
    for (option, value) in [
        ("--trials", "0"),
        ("--trials", "1"),
        ("--truncate", "0"),
        ("--ply", "4"),
        ("--until-se", "0"),
        ("--until-se", "nan"),
        ("--drop-jsd", "-1"),
        ("--preset", "deep"),
        ("--later-ply", "0"),
    ] {
        let run = tavola(&["rollout", &format!("{option}={value}")]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains(option), "{run:?}");
    }
}

#[test]
fn batch_answers_rollouts_like_the_command() {
    let requests = [
        json!({"id": 1, "op": "rollout", "position": MIDDLE, "trials": 36, "truncate": 5}),
        json!({"id": 2, "op": "rollout", "position": MIDDLE, "dice": [4, 2], "trials": 36,
               "truncate": 2, "top": 2, "seed": 3, "vr": false}),
        json!({"id": 3, "op": "rollout", "position": MIDDLE, "trials": 0}),
        json!({"id": 4, "op": "rollout", "position": MIDDLE, "until_se": -1}),
        json!({"id": 5, "op": "rollout", "position": MIDDLE, "cubeful": false, "until_jsd": 2}),
        json!({"id": 6, "op": "rollout", "position": MIDDLE, "time": "50ms",
               "trials": 1_000_000_000}),
        json!({"id": 7, "op": "rollout", "position":
               [0,0,0,0,0,0,5,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}),
        json!({"id": 8, "op": "eval", "position": MIDDLE}),
    ];
    let input = requests.each_ref().map(|request| format!("{request}\n")).concat();
    let output = tavola_with_input(&["batch"], input.as_bytes()).done().stdout;
    let answers: Vec<Value> =
        output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), requests.len());
    check_figures(&answers[0]);
    let args = ["rollout", MIDDLE, "--trials", "36", "--truncate", "5", "--json"];
    let command = tavola(&args).json();
    for key in ["equity", "equity_se", "probs", "outcomes_se", "trials", "seed", "ended"] {
        assert_eq!(answers[0][key], command[key], "{key}");
    }
    let plays = answers[1]["plays"].as_array().unwrap();
    assert_eq!(plays.len(), 2);
    plays.iter().for_each(check_figures);
    assert!(plays[0].get("plain_equity").is_none(), "nothing to tell apart: {}", plays[0]);
    for (answer, kind, part) in [
        (2, "request", "\"trials\" is 0"),
        (3, "request", "\"until_se\" is -1"),
        (4, "request", "one candidate"),
        (6, "position", "the game is over"),
    ] {
        let error = &answers[answer]["error"];
        assert_eq!(error["kind"], kind, "{error}");
        assert!(error["message"].as_str().unwrap().contains(part), "{error}");
    }
    assert_eq!(answers[5]["ended"], "time");
    assert!(answers[7]["equity"].is_number());
}

#[test]
fn a_level_rolls_out_what_is_close_and_says_how_sure_it_is() {
    let best = ["best", "--roll", "64", "--cubeless", "--level", "roller"];
    let answer = tavola(&[&best[..], &["--json"]].concat()).json();
    let plays = answer["plays"].as_array().unwrap();
    let rolled: Vec<&Value> = plays.iter().filter(|play| play["rollout"].is_object()).collect();
    assert!(rolled.len() > 1 && plays[0]["rollout"]["trials"] == 144, "{answer}");
    assert!(rolled[1]["rollout"]["loss_se"].as_f64().unwrap() > 0.0, "{answer}");
    let losses: Vec<f64> = rolled.iter().map(|play| play["loss"].as_f64().unwrap()).collect();
    assert!(losses.is_sorted() && losses[0] == 0.0, "{answer}");
    let text = tavola(&best).done().stdout;
    assert!(text.contains("up to 144 games each, ± is the 95 % interval"), "{text}");
    // A level is the same as the plies that it stands for.
    let figures =
        |how: &[&str]| tavola(&[&["best", "--roll", "31", "--json"], how].concat()).json();
    assert_eq!(figures(&["--level", "1"]), figures(&["--ply", "1"]));

    tavola(&["best", "--roll", "31", "--level", "rolle"]).refused(&["rolle", "roller+"]);
    // One vocabulary: what `play` takes and prints, `best` takes and prints.
    assert_eq!(figures(&["--level", "2-ply"]), figures(&["--level", "2"]));
    assert_eq!(figures(&["--level", "expert"]), figures(&["--level", "0-ply"]));
    let wrong = |command: &[&str]| {
        let run = tavola(&[command, &["--level", "nine"]].concat());
        run.stderr.split_once("possible values").unwrap().1.to_owned()
    };
    assert_eq!(wrong(&["best", "--roll", "31"]), wrong(&["play"]));
    tavola(&["best", "--roll", "31", "--level", "1", "--ply", "1"]).refused(&["--level", "--ply"]);
    tavola(&["eval", "--level", "roller"]).refused(&["\"roller\"", "0, 0+, 1, 2 or 3"]);
    tavola(&["best", "--game", "astronomy", "--roll", "31", "--level", "1"])
        .refused(&["\"level\""]);
    let request = br#"{"op": "best", "position": "start", "dice": [3, 1], "level": "1", "ply": 2}"#;
    let refusal = tavola_with_input(&["batch"], request).done().stdout;
    assert!(refusal.contains("beside ply, preset or time"), "{refusal}");
}

#[test]
fn the_level_0_plus_looks_again_at_what_is_close_alone() {
    let best = |roll: &str, how: &[&str]| {
        let args = [&["best", "--roll", roll, "--level", "0+", "--json"], how].concat();
        let plays = tavola(&args).json()["plays"].as_array().unwrap().clone();
        plays.iter().map(|play| play["ply"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let plies = best("64", &["--top", "10"]);
    let close = plies.iter().filter(|&&ply| ply == 1).count();
    assert!((2..5).contains(&close) && plies.len() == 10, "{plies:?}");
    assert_eq!(best("31", &[]), [0; 5], "nothing is close to the best play");
    let played = ["best", "--roll", "64", "--level", "0+", "--played", "6/2 8/2", "--json"];
    let played = [&played[..6], &["24/20 24/18", "--json"]].concat();
    assert_eq!(tavola(&played).json()["played"]["ply"], 1, "as deep as the best one");
}

#[test]
fn who_asks_to_be_sure_is_told_whether_it_is_certain() {
    let ask = |args: &[&str]| tavola(&[args, &["--json"]].concat()).json();
    let apart = ask(&["best", "--roll", "31", "--sure"]);
    assert_eq!(apart["sure"], json!({"certain": true}), "{apart}");
    assert_eq!(apart["plays"][0]["ply"], 2);
    let open = ask(&["best", "--roll", "64", "--ply", "1", "--sure=1ms"]);
    assert_eq!(open["sure"]["certain"], false, "{open}");
    assert!(open["sure"]["probability"].as_f64().unwrap() <= 1.0, "{open}");
    assert!(open["plays"][0]["rollout"]["trials"].as_u64().unwrap() >= 2, "{open}");
    assert_eq!(ask(&["cube", "--sure=1s"])["sure"], json!({"certain": true}));
    let text = tavola(&["cube", "--sure=1s"]).done().stdout;
    assert!(text.contains("(2-ply; certain, as no other choice is within 0.08)"), "{text}");
    let text = tavola(&["best", "--roll", "64", "--sure=1ms"]).done().stdout;
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains("best play: ") && flat.contains(" % sure, certain from 99.9 %"),
        "{text}"
    );

    tavola(&["best", "--roll", "31", "--sure", "--time", "1s"]).refused(&["--sure", "--time"]);
    tavola(&["best", "--roll", "31", "--sure=soon"]).refused(&["soon", "200ms"]);
    tavola(&["eval", "--sure"]).refused(&["sure", "rolls out"]);
    let request = br#"{"op": "best", "position": "start", "dice": [6, 4], "sure": "1ms"}"#;
    let answer = tavola_with_input(&["batch"], request).done().stdout;
    assert!(answer.contains("\"sure\":{\"certain\":false"), "{answer}");
    let request =
        br#"{"op": "best", "position": "start", "dice": [6, 4], "sure": "1ms", "time": "1s"}"#;
    let refusal = tavola_with_input(&["batch"], request).done().stdout;
    assert!(refusal.contains("expected one limit of time"), "{refusal}");
}

#[test]
fn best_explains_its_plays_in_numbers() {
    let args = ["best", "--roll", "41", "--ply", "1", "--top", "2", "--explain"];
    let answer = tavola(&[&args[..], &["--json"]].concat()).json();
    assert_eq!(answer["before"]["ply"], 1);
    let plays = answer["plays"].as_array().unwrap();
    assert_eq!(plays.len(), 2);
    for play in plays {
        let reasons = &play["reasons"];
        let change = number(&play["equity"]) - number(&answer["before"]["equity"]);
        assert!((number(&reasons["since_roll"]["equity"]) - change).abs() < 1e-3, "{play}");
        let replies = reasons["replies"].as_array().unwrap();
        assert_eq!(replies.len(), 21);
        assert_eq!(replies.iter().map(|reply| number(&reply["weight"])).sum::<f64>(), 36.0);
        let equities: Vec<f64> = replies.iter().map(|reply| number(&reply["equity"])).collect();
        assert!(equities.windows(2).all(|pair| pair[0] <= pair[1]), "{equities:?}");
        let hits = number(&reasons["shots"]["hits"]);
        assert!((0.0..=36.0).contains(&hits));
    }
    assert_eq!(plays[0]["reasons"]["against"]["play"], plays[1]["play"]);
    assert_eq!(plays[1]["reasons"]["against"]["play"], plays[0]["play"]);
    // Without more sentences that need no key to read them.
    let all = ["best", "--explain", "--roll", "41", "--ply", "0", "--top", "18"];
    let text = tavola(&all).done().stdout;
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    for code in ["worst reply", "/36", "(0-ply)", "points:", "cubeless +", "since"] {
        assert!(!text.contains(code), "{code:?} in {text}");
    }
    assert!(text.contains("Of 100 games ") && text.contains(" rolls the opponent hits after "));
    let text = tavola(&[&args[..], &["full"]].concat()).done().stdout;
    // Sentences are the same in every form.
    let full = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short = tavola(&args).done().stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let why = answer["why"].as_array().unwrap();
    assert!(why.len() > 2, "{why:?}");
    for sentence in why.iter().map(|it| it.as_str().unwrap()) {
        assert!(full.contains(sentence) && short.contains(sentence), "{sentence}: {text}");
    }
    for part in
        ["before the roll", "since the roll", "36 rolls can hit, ", "best rolls", "their worst"]
    {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    assert_eq!(text.matches("their pips: 167").count(), 1, "{text}");
    let other = tavola(&["best", "--roll", "41", "--json"]).json();
    assert!(other["plays"][0].get("reasons").is_none() && other.get("before").is_none());
}

#[test]
fn a_table_of_plays_fits_eighty_columns_and_says_how_sure_the_best_play_is() {
    let rollout =
        ["rollout", "62aCAQPWnBsAAw", "--roll", "42", "--trials", "36", "--truncate", "3"];
    for more in [&[][..], &["--cubeless"]] {
        let text = tavola(&[&rollout, more].concat()).done().stdout;
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains(" % probability that the first play is better"), "{text}");
        let wide = tavola(&[&rollout, more, &["--wide"]].concat()).done().stdout;
        assert!(wide.contains("WB") && !text.contains("WB"), "{wide}");
        let json = tavola(&[&rollout, more, &["--json"]].concat()).json();
        let sure = json["best_is_right"].as_f64().unwrap();
        assert!((0.5..=1.0).contains(&sure), "{sure}");
    }
    let one = tavola(&[&rollout[..], &["--top", "1", "--json"]].concat()).json();
    assert!(one.get("best_is_right").is_none());
}

#[test]
fn an_offered_double_is_answered_and_rows_have_the_words_of_the_cube() {
    let offered = "XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:D:0:0:0:0:10";
    let text = tavola(&["rollout", offered, "--trials", "36"]).done().stdout;
    for part in ["take; the double was an error, 36 games", "who has doubled", "\nno double "] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    let json = tavola(&["rollout", offered, "--trials", "36", "--json"]).json();
    assert_eq!((&json["question"], &json["response"]), (&json!("response"), &json!("take")));
    let owned = "XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:1:00:0:0:0:0:10";
    let text = tavola(&["rollout", owned, "--trials", "36"]).done().stdout;
    for part in ["\nno redouble ", "\nredouble, take ", "\nredouble, pass ", "\nredoubling gains"] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}

#[test]
fn variance_reduction_that_spreads_the_results_is_told() {
    // The player on roll wins with every roll, which a fresh network does not know.
    let folder = tempfile::tempdir().unwrap();
    let network = crate::family::fresh_network(folder.path(), "puff");
    let decided = "20:6 21:5 22:4 / 1:2 hand:13";
    let rollout = ["rollout", decided, "--game", "puff", "--model", &network, "--trials", "36"];
    let text = tavola(&rollout).done().stdout;
    assert!(text.contains("--no-vr has the smaller intervals"), "{text}");
    let text = tavola(&[&rollout[..], &["--no-vr"]].concat()).done().stdout;
    assert!(text.contains("wins     100.0 ± 0.0"), "{text}");
}

#[test]
fn a_beaver_that_the_doubler_gives_up_is_worth_what_that_costs() {
    // The doubler loses nearly always, so a beaver ends the game.
    let hopeless = "XGID=-CD---------------------e-:0:0:1:D:0:0:2:0:10";
    let cube = tavola(&["cube", hopeless, "--json"]).json();
    let rollout = tavola(&["rollout", hopeless, "--trials", "36", "--json"]).json();
    assert_eq!(cube["double_beaver"], -2.0);
    assert_eq!(rollout["double_beaver"], -2.0);
    assert_eq!(rollout["double_beaver_se"], 0.0);
    let (gain, held) = (number(&rollout["gain_of_doubling"]), number(&rollout["no_double"]));
    assert!((gain - (-2.0 - held)).abs() < 1e-9, "{rollout}");
    let text = tavola(&["rollout", hopeless, "--trials", "36"]).done().stdout;
    assert!(text.contains("\nbeavering gains +3.000 "), "{text}");
}

#[test]
fn a_default_rollout_looks_twice_where_a_cash_is_nearly_too_good() {
    // On the bar, a 6 has to come (a 5 in the second). After it the player cashes, after any other
    // roll the opponent does: 11/36 - 25/36. At 0-ply the cash looks too good.
    let home = "0,3,3,2,2,2,2,0,0,0,0,0,0,0,0,0,0,0,0";
    for position in [
        &format!("{home},-1,-2,-2,-2,-2,-2,1"),
        &format!("{home},-2,-1,-2,-2,-2,-2,1"),
        "0,2,2,2,3,3,2,0,0,0,0,0,0,0,0,0,0,0,0,-1,-2,-2,-2,-2,-2,1",
    ] {
        let rollout = tavola(&["rollout", position, "--trials", "144", "--json"]).json();
        let off = number(&rollout["no_double"]) + 14.0 / 36.0;
        assert!(off.abs() < 0.02, "{position}: {rollout}");
    }
    let how = |more: &[&str]| {
        tavola(&[&["rollout", "62aCAQPWnBsAAw", "--trials", "2", "--truncate", "1"], more].concat())
            .done()
            .stdout
    };
    assert!(how(&[]).contains("\ncubes that are close at 0-ply are decided at 1-ply\n"));
    assert!(how(&["--cube-ply", "1"]).contains(", 1-ply cube decisions, seed 1"));
    for none in [&["--cube-ply", "0"][..], &["--cubeless"]] {
        let how = how(none);
        assert!(!how.contains("decided at") && !how.contains("cube decisions"), "{how}");
    }
}
