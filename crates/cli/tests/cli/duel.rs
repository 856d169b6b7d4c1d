//! Duels: luck, other engines, and what goes wrong with them.

use serde_json::Value;

use crate::run::tavola;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn luck_is_judged_by_the_network_that_is_named() {
    let duel = ["duel", "default", "pip-count", "--games", "8", "--json"];
    let answer = tavola(&[&duel[..], &["--luck-judge", "default"]].concat()).json();
    let adjusted = &answer["luck_adjusted"];
    assert!(number(&adjusted["interval"][0]) < number(&adjusted["ppg"]), "{answer}");
    assert!(number(&adjusted["standard_deviation"]) > 0.0, "{answer}");
    let judge = adjusted["judge"].as_str().unwrap();
    assert!(judge.contains("built-in") && judge.contains("sha256"), "{judge}");
    let version = answer["a_version"].as_str().unwrap();
    assert!(judge.contains(version), "{judge} is not {version}");
    assert!(number(&answer["a_seconds"]) > 0.0 && number(&answer["b_seconds"]) > 0.0);

    // Against such a player luck is not worth judging.
    let plain = tavola(&duel).json();
    assert!(plain.get("luck_adjusted").is_none(), "{plain}");
    assert_eq!(plain["ppg"], answer["ppg"]);

    // It can't judge three checkers a side.
    let named = ["--game", "hypergammon", "--luck-judge", "default"];
    tavola(&[&["duel", "random", "pip-count"], &named[..]].concat()).refused(&["hypergammon"]);
}

#[test]
fn a_player_against_itself_is_zero_with_luck_and_without() {
    let text = tavola(&["duel", "default", "default", "--games", "8"]).done().stdout;
    assert!(text.contains("A scores +0.000 ± 0.000 ppg"), "{text}");
    assert!(text.contains("zero in every pair"), "{text}");
    for part in ["luck-adjusted", "raw", "luck judged by the built-in network", "seed 1"] {
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

/// Needs GNU Backgammon: `cargo test -p tavola-cli -- --ignored gnubg`.
#[test]
#[ignore = "needs the package gnubg"]
fn gnubg_plays_and_comes_out_at_zero_against_itself() {
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
