//! Duels: luck, other engines, and what goes wrong with them.

use std::fs;

use serde_json::Value;
use tavola_net::{EncoderKind, Interface, initial_weights};
use tavola_rules::Backgammon;

use crate::SMALL;
use crate::external::gnubg;
use crate::run::tavola;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn luck_is_evaluated_by_the_network_that_is_named() {
    let duel = ["duel", "default", "pip-count", "--games", "8", "--json"];
    let answer = tavola(&[&duel[..], &["--luck-network", "default"]].concat()).json();
    let adjusted = &answer["luck_adjusted"];
    assert!(number(&adjusted["interval"][0]) < number(&adjusted["ppg"]), "{answer}");
    assert!(number(&adjusted["standard_deviation"]) > 0.0, "{answer}");
    let evaluator = adjusted["evaluator"].as_str().unwrap();
    assert!(evaluator.contains("built-in") && evaluator.contains("sha256"), "{evaluator}");
    // The evaluator has no bear-off databases, the player has; the network is the same.
    let version = answer["a_version"].as_str().unwrap();
    let network = version.split(',').next().unwrap();
    assert!(
        network.starts_with("sha256 ") && evaluator.contains(network),
        "{evaluator} is not {version}"
    );
    assert!(number(&answer["a_seconds"]) > 0.0 && number(&answer["b_seconds"]) > 0.0);

    assert!(number(&answer["a_decision_seconds"]) > 0.0);
    let paced = tavola(&[&duel[..], &["--time-per-decision", "1ms"]].concat()).json();
    assert_eq!((&paced["a"], &paced["b"]), (&"default@1000us".into(), &"pip-count".into()));
    assert!(paced["a_version"].as_str().unwrap().contains("1ms a decision"), "{paced}");
    let refused = |a: &str, told: &[&str]| {
        tavola(&["duel", a, "random", "--time-per-decision", "1ms"]).refused(told);
    };
    refused("default@2", &["default@2", "without a depth"]);
    refused("pip-count", &["expected one of them"]);
    let seconds = ["duel", "default", "random", "--time-per-decision", "0.001"];
    tavola(&seconds).refused(&["0.001", "such as 200ms"]);

    // Against such a player luck is not worth evaluating.
    let plain = tavola(&duel).json();
    assert!(plain.get("luck_adjusted").is_none(), "{plain}");
    assert_eq!(plain["ppg"], answer["ppg"]);

    // A game with other options has no network of its own: that of the game evaluates its luck.
    let named = ["--game", "puff:cap=none", "--luck-network", "default", "--games", "4"];
    let run = tavola(&[&["duel", "random", "rule-based"], &named[..]].concat()).done();
    assert!(run.stdout.contains("built-in network of puff"), "{run:?}");
    assert!(run.stderr.contains("may misjudge what is different in puff:cap=none"), "{run:?}");
}

#[test]
fn a_player_against_itself_is_zero_with_luck_and_without() {
    let text = tavola(&["duel", "default", "default", "--games", "8"]).done().stdout;
    assert!(text.contains("A scores +0.000 ± 0.000 ppg"), "{text}");
    assert!(text.contains("even in every pair"), "{text}");
    for part in ["luck-adjusted", "raw", "variance reduction by the built-in network", "seed 1"] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

#[test]
fn players_that_do_not_exist_are_refused() {
    tavola(&["duel", "default", "gnubg:x"]).refused(&["\"gnubg:x\"", "plies"]);
    tavola(&["duel", "default", "gnubg:9"]).refused(&["0 to 7"]);
    tavola(&["duel", "default", "exec:"]).refused(&["no program"]);
    tavola(&["duel", "default", "exec:a 'b"]).refused(&["quote"]);
    tavola(&["duel", "default", "exec:/nowhere/engine 1"]).refused(&["/nowhere/engine"]);
}

/// Engines that are a line of shell.
#[cfg(unix)]
mod shell {
    use super::*;

    #[test]
    fn an_engine_that_crashes_or_babbles_is_reported() {
        // The greeting alone is answered.
        let broken =
            r#"exec:sh -c "read hello; echo tavola-engine 1 Broken; echo Ouch >&2; read best""#;
        let run = tavola(&["duel", broken, "random", "--games", "40", "--threads", "1"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
        for part in ["5 pairs failed", "Broken: ended instead of answering \"best ", "Ouch"] {
            assert!(run.stderr.contains(part), "{part:?} is not in {run:?}");
        }

        let babbler = r#"exec:sh -c "read hello; echo tavola-engine 1 Stray; read best; echo huh""#;
        let run = tavola(&["duel", babbler, "random", "--games", "4", "--threads", "1"]);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.stderr.contains("answered \"huh\""), "{run:?}");
    }

    #[test]
    fn an_engine_that_hangs_or_refuses_is_refused_before_the_first_game() {
        let deaf = "exec:sleep 50";
        let args = ["duel", deaf, "random", "--engine-timeout", "0.2"];
        tavola(&args).refused(&["sleep: no answer", "0.2 s"]);
        let shy = r#"exec:sh -c "read hello; echo error not \"$hello\"""#;
        tavola(&["duel", shy, "random"]).refused(&["the engine says: not"]);
    }
}

#[test]
fn gnubg_plays_and_comes_out_at_zero_against_itself() {
    if gnubg().is_none() {
        return;
    }
    let duel = |a, game| {
        let args =
            ["duel", a, "gnubg", "--games", "20", "--threads", "4", "--json", "--game", game];
        tavola(&args).json()
    };
    let even = duel("gnubg:0", "backgammon");
    assert_eq!((number(&even["ppg"]), number(&even["standard_error"])), (0.0, 0.0), "{even}");
    let weak = duel("random", "nackgammon");
    assert!(number(&weak["interval"][1]) < -1.0, "{weak}");
    assert_eq!(weak["failures"], serde_json::json!([]));
    let name = weak["b_version"].as_str().unwrap();
    assert!(name.starts_with("GNU Backgammon") && name.contains("0-ply"), "{name}");
    tavola(&["duel", "random", "gnubg", "--game", "hypergammon"]).refused(&["not hypergammon"]);
}

#[test]
fn a_duel_that_was_cut_off_goes_on_and_counts_no_pair_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (file, cut) = (path("whole.pairs"), path("cut.pairs"));
    let duel = ["duel", "default", "pip-count", "--luck-network", "default", "--json"];
    let games = ["--games", "12"];
    let whole = tavola(&[&duel[..], &games, &["--save", &file]].concat()).json();
    // Killed in the middle of a line.
    let text = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    assert_eq!(lines.len(), 8);
    std::fs::write(&cut, lines[..4].concat() + &lines[4][..10]).unwrap();
    let resumed = tavola(&[&duel[..], &games, &["--resume", &cut]].concat()).json();
    assert_eq!(resumed["games_now"], 6, "{resumed}");
    for key in ["games", "ppg", "standard_error", "luck_adjusted", "a_wins", "b_wins"] {
        assert_eq!(resumed[key], whole[key], "{key}");
    }
    let again = tavola(&[&duel[..], &games, &["--resume", &cut]].concat()).json();
    assert_eq!((&again["games_now"], &again["ppg"]), (&0.into(), &whole["ppg"]));

    // Neither another duel nor an old file.
    let other = ["--seed", "9", "--resume", &cut];
    tavola(&[&duel[..], &games, &other].concat()).refused(&["the seed is 9, but 1 in the file"]);
    let evaluator = ["duel", "default", "pip-count", "--games", "12", "--resume", &cut];
    tavola(&evaluator).refused(&["the evaluator of luck is none"]);
    tavola(&[&duel[..], &games, &["--save", &cut]].concat()).refused(&["exists already"]);
}

#[test]
fn duels_begin_in_the_positions_that_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.txt").display().to_string();
    // One checker each on the ace point: whoever begins wins a single game.
    std::fs::write(&book, "# the last roll\nAQAABAAAAAAAAA\n\n").unwrap();
    let duel = ["duel", "pip-count", "random", "--games", "8", "--json"];
    let answer = tavola(&[&duel[..], &["--book", &book]].concat()).json();
    assert_eq!((&answer["starts"], number(&answer["ppg"])), (&1.into(), 0.0));
    for wins in ["a_wins", "b_wins"] {
        assert_eq!((&answer[wins]["wins"], &answer[wins]["gammons"]), (&4.into(), &0.into()));
    }
    std::fs::write(&book, "4HPwATDgc/ABMA\nnonsense\n").unwrap();
    tavola(&[&duel[..], &["--book", &book]].concat()).refused(&["line 2", "nonsense"]);
    tavola(&[&duel[..], &["--book", "/nowhere/book"]].concat()).refused(&["/nowhere/book"]);
    let start = ["--start", "4HPwATDgc/ABMA", "--start", "4HPwATDgc/ABMA"];
    let answer = tavola(&[&duel[..], &start].concat()).json();
    assert_eq!((&answer["starts"], &answer["games"]), (&2.into(), &8.into()));
    tavola(&["duel", "random", "random", "--game", "puff", "--start", "x"])
        .refused(&["\"x\" is not a valid position of puff"]);
    let puff = ["duel", "random", "rule-based", "--game", "puff", "--games", "4", "--json"];
    let answer = tavola(&[&puff[..], &["--start", "start"]].concat()).json();
    assert_eq!((&answer["starts"], &answer["pairs"]), (&1.into(), &2.into()));
}

#[test]
fn a_player_may_look_ahead_with_any_preset() {
    let duel = ["duel", "default@1/fast", "default@1", "--games", "4", "--no-luck", "--json"];
    let answer = tavola(&duel).json();
    assert!(answer["a_version"].as_str().unwrap().ends_with("1-ply, preset fast"), "{answer}");
    assert!(answer["b_version"].as_str().unwrap().ends_with("1-ply, preset normal"), "{answer}");
    tavola(&["duel", "default@1/deep", "random"]).refused(&["deep", "fast"]);
    tavola(&["duel", "default@9", "random"])
        .refused(&["default@9", "3, roller, roller+ after the @"]);
}

#[test]
fn at_0_ply_the_pruning_network_looks_first_unless_it_is_told_not_to() {
    for (player, pruned) in [("default", true), ("default@0/full", false), ("raw:default", false)] {
        let answer = tavola(&["duel", player, "random", "--games", "4", "--json"]).json();
        let version = answer["a_version"].as_str().unwrap();
        assert_eq!(version.ends_with(", pruned"), pruned, "{player}: {version}");
    }
    // With three checkers a side nothing needs it.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("three.safetensors");
    let game = Backgammon::Hypergammon;
    initial_weights(&Interface::of(&game), EncoderKind::OneHot, &[8], 1)
        .unwrap()
        .save(&file)
        .unwrap();
    let model = file.to_str().unwrap();
    let duel = ["duel", model, "random", "--game", "hypergammon", "--games", "4", "--json"];
    let version = tavola(&duel).json()["a_version"].as_str().unwrap().to_owned();
    assert!(!version.contains("pruned"), "{version}");
}

#[test]
fn pairs_of_one_way_to_prune_are_not_those_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pairs.jsonl");
    let file = file.to_str().unwrap();
    let duel = |player, more: &[&str]| {
        tavola(&[&["duel", player, "random", "--games", "4"], more].concat())
    };
    duel("default", &["--save", file]).done();
    duel("default", &["--resume", file]).done();
    duel("default@0/full", &["--resume", file]).refused(&["pairs.jsonl"]);
}

#[test]
fn a_player_against_itself_is_even_with_the_cube_too() {
    let money = ["duel", "default", "default", "--cube", "--jacoby", "--beavers", "--games", "8"];
    let answer = tavola(&[&money[..], &["--json"]].concat()).json();
    assert_eq!((number(&answer["ppg"]), number(&answer["standard_error"])), (0.0, 0.0), "{answer}");
    assert_eq!(answer["terms"], "money, Jacoby, beavers, cube to 64");
    assert_eq!((&answer["games"], &answer["capped"]), (&8.into(), &0.into()));
    assert!(number(&answer["highest_cube"]) >= 2.0, "{answer}");
    assert_eq!(number(&answer["luck_adjusted"]["ppg"]), 0.0);

    let text =
        tavola(&["duel", "default", "default", "--match", "3", "--games", "4"]).done().stdout;
    assert!(text.contains("A wins 50.00 ± 0.00 %"), "{text}");
    for part in ["even in every pair", "4 matches, ", "with a turned cube", "highest cube"] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

#[test]
fn what_does_not_go_with_the_cube_is_refused() {
    let duel = ["duel", "default", "pip-count"];
    let refused = |args: &[&str], parts: &[&str]| {
        tavola(&[&duel[..], args].concat()).refused(parts);
    };
    refused(&["--match", "0"], &["at least 1 point"]);
    refused(&["--match", "9999"], &["9999"]);
    refused(&["--cube", "--cube-limit", "3"], &["power of two"]);
    refused(&["--match", "3", "--start", "4HPwATDgc/ABMA"], &["--start", "--match"]);
    refused(&["--match", "3", "--sprt", "0..5"], &["--sprt", "--match"]);
    refused(&["--match", "3", "--met", "nowhere.xml"], &["nowhere.xml", "kazaross-xg2"]);
    tavola(&["duel", "random", "random", "--game", "puff", "--cube"]).refused(&["without a cube"]);
    for wrong in [&["--jacoby"][..], &["--match", "3", "--jacoby"], &["--met", "own"]] {
        assert_eq!(tavola(&[&duel[..], wrong].concat()).code, Some(2), "{wrong:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_engine_that_knows_no_cube_is_told_of_before_the_first_game() {
    let shy = r#"exec:sh -c "read hello; echo error no cube here""#;
    tavola(&["duel", shy, "pip-count", "--cube"]).refused(&["the engine says: no cube here"]);
    let vague =
        r#"exec:sh -c "read hello; echo tavola-engine 1 Vague; while read x; do echo hm; done""#;
    let run = tavola(&["duel", vague, "pip-count", "--cube", "--games", "4", "--threads", "1"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.contains("answered \"hm\"") && run.stderr.contains("cube 1"), "{run:?}");
}

#[test]
fn gnubg_plays_with_the_cube_and_comes_out_even_against_itself() {
    if gnubg().is_none() {
        return;
    }
    for stakes in [&["--cube"][..], &["--cube", "--jacoby", "--raccoons"], &["--match", "3"]] {
        let args = ["duel", "gnubg:0", "gnubg:0", "--games", "8", "--threads", "4", "--json"];
        let answer = tavola(&[&args[..], stakes].concat()).json();
        assert_eq!(answer["failures"], serde_json::json!([]), "{answer}");
        assert_eq!((&answer["a_wins"], number(&answer["standard_error"])), (&4.into(), 0.0));
        assert!(answer["a_version"].as_str().unwrap().contains("cubeful"), "{answer}");
    }
}

/// A file name in a folder.
fn path_in(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

#[test]
fn games_are_saved_as_text_that_shows_every_play() {
    let folder = tempfile::tempdir().unwrap();
    let path = path_in(&folder, "games.txt");
    let duel = ["duel", "raw:default", "pip-count", "--games", "4", "--seed", "3", "--no-luck"];
    let report = tavola(&[&duel[..], &["--save-games", &path, "--json"]].concat()).json();
    let provenance = &report["provenance"];
    let sha256 = tavola(&["model", "--json"]).json()["sha256"].clone();
    assert_eq!(provenance["networks"], serde_json::json!({ "raw:default": sha256 }));
    assert!(provenance["machine"]["cores"].as_u64().unwrap() > 0, "{provenance}");
    assert_eq!(provenance["version"], env!("CARGO_PKG_VERSION"));
    let text = fs::read_to_string(&path).unwrap();
    for part in ["; A: sha256 ", "; B: pip-count", "; seed 3", " 0 point match", "; end of pair 1"]
    {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let reading = tavola_matches::read(text.as_bytes()).unwrap();
    assert_eq!((reading.matches.len(), reading.notes.len()), (1, 0), "{:?}", reading.notes);
    let session = &reading.matches[0];
    assert_eq!((session.games.len(), session.options.cube_limit), (4, Some(1)));
    assert!(session.games.iter().all(|game| game.result.is_some() && game.broken.is_none()));
    assert_eq!(text.lines().filter(|line| line.starts_with(" Game ")).count(), 4);
    assert_eq!(text.lines().filter(|line| line.trim().starts_with("Wins ")).count(), 4);
    // The games of a pair have the same first roll, and the other player makes it.
    let first = |game: &str| {
        let begin = text.find(&format!(" Game {game}\n")).unwrap();
        let line = text[begin..].lines().nth(2).unwrap().to_owned();
        let (dice, _) = line.trim_start_matches("  1)").trim().split_once(':').unwrap();
        (dice.to_owned(), line.starts_with("  1)       "))
    };
    for pair in [["1", "2"], ["3", "4"]] {
        let [(dice, a_began), (same_dice, b_began)] = pair.map(|game| {
            let (dice, is_b) = first(game);
            (dice, !is_b)
        });
        assert_eq!((dice, a_began, b_began), (same_dice, true, false));
    }
    tavola(&[&duel[..], &["--save-games", &path]].concat()).refused(&[&path, "exists"]);
}

#[test]
fn a_result_is_a_row_of_csv_or_markdown() {
    let duel = ["duel", "pip-count", "random", "--games", "4", "--no-luck"];
    let json = tavola(&[&duel[..], &["--json"]].concat()).json();
    let csv = tavola(&[&duel[..], &["--csv"]].concat()).done().stdout;
    let markdown = tavola(&[&duel[..], &["--markdown"]].concat()).done().stdout;
    let [head, row] = csv.lines().collect::<Vec<_>>()[..] else { panic!("{csv}") };
    let mean = format!("{:.4}", json["ppg"].as_f64().unwrap());
    assert!(head.starts_with("a,b,game,games,unit,result,low,high"), "{csv}");
    assert!(row.starts_with(&format!("pip-count,random,backgammon,4,ppg of A,{mean},")), "{csv}");
    assert!(markdown.starts_with("| a | b |") && markdown.contains(&format!("| {mean} |")));
    assert_eq!(markdown.lines().count(), 3, "{markdown}");
    tavola(&[&duel[..], &["--csv", "--json"]].concat()).refused(&["--csv"]);
}

#[test]
fn several_players_are_compared_in_one_table() {
    let duel = ["duel", "pip-count", "default", "random", "--games", "8", "--luck-network", SMALL];
    let text = tavola(&duel).done().stdout;
    let lines: Vec<&str> = text.lines().collect();
    // The strongest first, with the distance to the next.
    let at = |name: &str| lines.iter().position(|line| line.starts_with(name)).expect(&text);
    assert!(at("default") < at("random"), "{text}");
    assert!(lines[at("default")].matches("± ").count() == 2, "{text}");
    let relative = |name: &str, relation: &str| {
        let line = format!("points per game {relation} than {name}");
        let line = lines.iter().find(|it| it.ends_with(&line)).expect(&text);
        assert!(line.starts_with("pip-count is ") && line.contains(" ± "), "{text}");
    };
    relative("default", "weaker");
    relative("random", "stronger");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    // Each is the duel of two, in every form.
    let answer = tavola(&[&duel[..], &["--json"]].concat()).json();
    let all = answer["duels"].as_array().unwrap();
    for (duel_of, b) in all.iter().zip(["default", "random"]) {
        let args = ["duel", "pip-count", b, "--games", "8", "--luck-network", SMALL, "--json"];
        let alone = tavola(&args).json();
        for key in ["a", "b", "ppg", "interval", "luck_adjusted", "verdict", "seed"] {
            assert_eq!(duel_of[key], alone[key], "{key} of {b}");
        }
    }
    let csv = tavola(&[&duel[..], &["--csv"]].concat()).done().stdout;
    assert_eq!(csv.lines().count(), 3, "{csv}");
    let matches = ["duel", "default", "pip-count", "random", "--match", "1", "--games", "4"];
    let text = tavola(&matches).done().stdout;
    assert!(text.contains(" % ") && !text.contains("points per game"), "{text}");
    tavola(&[&duel[..], &["--save", "nowhere.pairs"]].concat())
        .refused(&["--save", "2 are named after pip-count"]);
}

#[test]
fn a_resumed_duel_plays_pairs_again_whose_games_are_missing() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, games) = (path_in(&folder, "whole.txt"), path_in(&folder, "games.txt"));
    let pairs = path_in(&folder, "x.pairs");
    let duel = ["duel", "pip-count", "random", "--game", "hypergammon", "--seed", "3", "--json"];
    let run = |more: &[&str]| tavola(&[&duel[..], more].concat()).json();
    let expected = run(&["--games", "12", "--save-games", &whole]);
    run(&["--games", "8", "--save", &pairs, "--save-games", &games, "--threads", "2"]);
    // A crash in the games of the last pair.
    let text = fs::read_to_string(&games).unwrap();
    fs::write(&games, &text[..text.len() - 40]).unwrap();
    let resumed = run(&["--games", "12", "--resume", &pairs, "--save-games", &games]);
    assert_eq!((&resumed["ppg"], &resumed["games_now"]), (&expected["ppg"], &6.into()));
    assert_eq!(fs::read_to_string(&games).unwrap(), fs::read_to_string(&whole).unwrap());
    // All pairs are in both files, none of them twice.
    let again = run(&["--games", "12", "--resume", &pairs, "--save-games", &games]);
    assert_eq!(again["games_now"], 0);
    let other = ["duel", "random", "pip-count", "--game", "hypergammon", "--games", "12"];
    let (resume, save) = (["--resume", &pairs], ["--save-games", &games]);
    tavola(&[&other[..], &resume, &save].concat()).refused(&["player a"]);
    fs::write(&games, "nothing").unwrap();
    tavola(&[&duel[..], &["--games", "12"], &resume, &save].concat())
        .refused(&[&games, "not a file of the games of this duel"]);
}

#[test]
fn saved_matches_show_the_cube_and_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = path_in(&folder, "games.txt");
    let duel = ["duel", "raw:default", "pip-count", "--match", "3", "--games", "4", "--no-luck"];
    tavola(&[&duel[..], &["--save-games", &path, "--seed", "2"]].concat()).done();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches(" 3 point match").count(), 4, "{text}");
    let reading = tavola_matches::read(text.as_bytes()).unwrap();
    assert_eq!((reading.matches.len(), reading.notes.len()), (4, 0), "{:?}", reading.notes);
    assert!(reading.matches.iter().all(|record| record.winner().is_some()), "{text}");
    assert!(text.contains(" Doubles => 2"), "{text}");
    for game in text.split(" Game ").skip(1) {
        let points = |letter: &str| -> u32 {
            let after = game.split(&format!("{letter} : ")).nth(1).unwrap();
            after.split_whitespace().next().unwrap().parse().unwrap()
        };
        assert!(points("A") < 3 && points("B") < 3, "{game}");
        assert_eq!(
            game.matches("Doubles").count(),
            game.matches("Takes").count() + game.matches("Drops").count(),
            "{game}"
        );
    }
}

#[test]
fn a_duel_with_a_test_writes_the_same_file_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let of = |threads: &str| {
        let (pairs, games) = (
            path_in(&folder, &format!("{threads}.pairs")),
            path_in(&folder, &format!("{threads}.txt")),
        );
        let result = tavola(&[
            "duel",
            "pip-count",
            "random",
            "--game",
            "hypergammon",
            "--games",
            "2000",
            "--sprt",
            "0..500",
            "--save",
            &pairs,
            "--save-games",
            &games,
            "--threads",
            threads,
            "--json",
        ])
        .json();
        assert!(result["games"].as_u64().unwrap() < 2000, "{result}");
        assert_eq!(result["games_now"], result["games"]);
        [&pairs, &games].map(|path| fs::read_to_string(path).unwrap())
    };
    let one = of("1");
    assert_eq!(one[0].lines().count(), 2 + one[1].matches("; end of pair").count());
    for threads in ["2", "8"] {
        assert_eq!(of(threads), one, "{threads} threads");
    }
}

#[test]
fn a_chouette_is_played_and_settled() {
    let chouette = ["duel", "default", "pip-count", "--cube", "--chouette", "5", "--games", "50"];
    for (cubes, extras) in [("one", "off"), ("each", "mandatory")] {
        let rules = ["--cubes", cubes, "--extras", extras, "--json"];
        let report = tavola(&[&chouette[..], &rules].concat()).json();
        let sheet = &report["sheet"];
        let sum = |numbers: &Value| -> i64 {
            numbers.as_array().unwrap().iter().map(|number| number.as_i64().unwrap()).sum()
        };
        let games = sheet["games"].as_array().unwrap();
        assert_eq!((games.len(), sum(&sheet["accounts"])), (50, 0));
        assert!(games.iter().all(|game| sum(&game["payments"]) == 0), "{sheet}");
    }
    let text = tavola(&chouette).done().stdout;
    assert!(text.starts_with("game  box") && text.contains("chouette of 5"), "{text}");
    tavola(&["duel", "default", "default", "--chouette", "5"]).refused(&["--cube"]);
}
