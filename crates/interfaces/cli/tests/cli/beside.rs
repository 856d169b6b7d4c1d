//! Other engines beside ours: one that is made here, gnubg where it is installed, and the figures of
//! eXtreme Gammon.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tavola_rules::notation::{encode_position_id, parse_play};
use tavola_rules::{Dice, Position};

use crate::run::{Run, tavola, tavola_in, tavola_with_input};

const START: &str = "4HPwATDgc/ABMA";

const MATCH: &str = " 3 point match

 Game 1
 Ann : 0                             Bob : 0
  1) 31: 8/5 6/5                      42: 8/4 6/4
  2)  Doubles => 2                    Takes
  3) 65: 24/13                        53: 8/3 6/3
";

/// Where a play leads to.
fn after(position: &Position, dice: &str, play: &str) -> Position {
    let dice: Dice = dice.parse().unwrap();
    parse_play(play, position, dice).unwrap().1
}

/// The command of an engine that prefers `24/20` with the first roll, and else what was played: its
/// choice is worth 0.3, other plays 0.1. Its cube is a double that is passed.
fn engine(folder: &Path) -> String {
    let start = Position::STANDARD;
    let second = after(&start, "31", "8/5 6/5");
    let third = after(&second, "42", "8/4 6/4");
    let fourth = after(&third, "65", "24/13");
    let choices = [
        (start, "31", "24/20"),
        (second, "42", "8/4 6/4"),
        (third, "65", "24/13"),
        (fourth, "53", "8/3 6/3"),
    ];
    let (mut cases, mut liked) = (String::new(), String::new());
    for (position, dice, play) in &choices {
        let id = encode_position_id(&after(position, dice, play));
        let (high, low) = dice.split_at(1);
        cases +=
            &format!("\"best {} {high} {low}\"*) echo best {id};;\n", encode_position_id(position));
        liked += &format!("{id} ");
    }
    let script = format!(
        r#"while read -r line; do case "$line" in
"tavola-engine 1 backgammon"*) echo tavola-engine 1 Fake 1.0;;
{cases}equities*) set -- $line; shift 2
  if [ "$1" = cube ]; then echo equities 0.6 1.2 1 0.7 0.2 0 0.1 0; continue; fi
  shift 2; out=equities
  for id; do
    [ "$id" = cube ] && break
    case "{liked}" in *"$id"*) e=0.3;; *) e=0.1;; esac
    out="$out $e 0.5 0.1 0 0.1 0"
  done
  echo $out;;
*) echo "error not known: $line";;
esac; done
"#
    );
    fs::write(folder.join("fake.sh"), script).unwrap();
    format!("exec:sh {}", folder.join("fake.sh").display())
}

#[test]
fn plays_and_cubes_of_another_engine_stand_beside_ours() {
    let folder = tempfile::tempdir().unwrap();
    let fake = engine(folder.path());
    let best = ["best", START, "--roll", "31", "--level", "0", "--top", "2", "--beside", &fake];
    let run = tavola(&best).done();
    let row = run.stdout.lines().find(|line| line.contains("8/5 6/5")).unwrap();
    assert!(row.contains("+0.100"), "{row}");
    assert!(
        run.stdout.contains(&format!("{fake}: 24/20, 8/5 6/5 loses 0.200 (Fake 1.0)")),
        "{run:?}"
    );
    let json = tavola(&[&best[..], &["--json"]].concat()).json();
    assert_eq!(json["beside"][0]["best"], "24/20");
    assert_eq!(json["beside"][0]["plays"].as_array().unwrap().len(), 3, "two of ours and its own");
    let values = tavola(&[&best[..], &["--csv"]].concat()).done().stdout;
    assert!(
        values.lines().next().unwrap().contains(&fake.replace(' ', "_"))
            && values.contains(",0.100,"),
        "{values}"
    );
    // Without a cube the question has none, and a forced play is no question.
    tavola(&[&best[..], &["--cubeless"]].concat()).done();
    let cube = ["cube", START, "--level", "0", "--beside", &fake];
    let run = tavola(&cube).done();
    let row = run.stdout.lines().find(|line| line.starts_with("Double, take")).unwrap();
    assert!(row.contains("+1.200"), "{row}");
    assert!(run.stdout.contains(&format!("{fake}: double, pass (Fake 1.0)")), "{run:?}");
    let json = tavola(&[&cube[..], &["--json"]].concat()).json();
    assert_eq!(json["beside"][0]["actions"]["double_take"], 1.2);
}

#[test]
fn an_analysis_keeps_what_another_engine_says_and_where_it_differs() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let fake = engine(folder.path());
    fs::write(folder.path().join("match.mat"), MATCH).unwrap();
    let [file, csv, html, ogxm] = ["match.mat", "out.csv", "out.html", "out.ogxm"].map(path);
    let analyze = ["analyze", &file, "--level", "0", "--no-cache", "--beside", &fake];
    let files = [format!("--csv={csv}"), format!("--html={html}"), format!("--ogxm={ogxm}")];
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let run = tavola(&[&analyze[..], &files].concat()).done();
    assert!(run.stdout.contains(&format!("tavola and {fake} differ in")), "{run:?}");
    let first = run.stdout.lines().find(|line| line.contains("24/20") && line.contains("8/5 6/5"));
    assert!(first.is_some_and(|line| line.contains("-0.200")), "{run:?}");
    let json = tavola(&[&analyze[..], &["--json"]].concat()).report();
    let beside: Vec<&Value> =
        json["decisions"].as_array().unwrap().iter().map(|it| &it["beside"][0]).collect();
    let of = |best: &str| beside.iter().find(|it| it["best"] == best).unwrap();
    assert!((of("24/20")["loss"].as_f64().unwrap() - 0.2).abs() < 1e-6, "{beside:?}");
    // It would have passed: minus 1 is better than minus 1.2.
    assert!((of("pass")["loss"].as_f64().unwrap() - 0.2).abs() < 1e-6, "{beside:?}");
    // And it would have doubled before: 1 is better than 0.6.
    assert!((of("double")["loss"].as_f64().unwrap() - 0.4).abs() < 1e-6, "{beside:?}");
    let values = fs::read_to_string(csv).unwrap();
    let mut lines = values.lines();
    assert!(lines.next().unwrap().ends_with(&format!("{fake} best,{fake} equity,{fake} loss")));
    assert!(lines.next().unwrap().ends_with(",24/20,0.100000,0.200000"), "{values}");
    let page = fs::read_to_string(html).unwrap();
    assert!(page.contains("differ in") && page.contains("Fake 1.0"), "{page}");
    // Both analyses are in the file, ours first.
    let again = path("again.json");
    tavola(&["convert", &ogxm, &again]).done();
    let again: Value = serde_json::from_str(&fs::read_to_string(again).unwrap()).unwrap();
    let facts = again["matches"][0]["details"]["other"].as_array().unwrap();
    let blocks = facts.iter().filter(|it| it[0].as_str().unwrap().starts_with("OGXM analysis"));
    assert_eq!(blocks.count(), 2, "{facts:?}");
}

/// The engine is at fault, and the error says so.
fn failed(run: Run, parts: &[&str]) {
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(parts.iter().all(|part| run.stderr.contains(part)), "{parts:?} {run:?}");
}

#[test]
fn an_engine_that_fails_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let fake = engine(folder.path());
    let best = ["best", START, "--roll", "31", "--level", "0"];
    let beside = |name: &str| tavola(&[&best[..], &["--beside", name]].concat());
    beside("default").refused(&["\"default\"", "another engine: gnubg:PLY, sage:LEVEL"]);
    beside("gnubg:9").refused(&["gnubg:9", "0 to 7"]);
    beside("gnubg,gnubg").refused(&["different engines"]);
    beside("exec:/nowhere/engine").refused(&["/nowhere/engine"]);
    let wrong =
        r#"exec:sh -c "read a; echo tavola-engine 1 Odd; read b; echo best 4HPwATDgc/ABMA""#;
    failed(beside(wrong), &["Odd", "a legal play leads to"]);
    let few = r#"exec:sh -c "read a; echo tavola-engine 1 Few; read b; echo equities 0.5""#;
    let cube = tavola(&["cube", START, "--level", "0", "--beside", few]);
    failed(cube, &["equities 0.5", "five chances"]);
    let deaf = ["--beside", "exec:sleep 50", "--engine-timeout", "0.2"];
    tavola(&[&best[..], &deaf].concat()).refused(&["no answer", "0.2 s"]);
    let nowhere = folder.path().join("none").display().to_string();
    let sage = [&best[..], &["--beside", "sage:2ply"]].concat();
    tavola_in(&[("PATH", &nowhere)], &sage, b"")
        .refused(&["python3 is not installed", "pip install"]);
    tavola(&["best", "--game", "puff", "--roll", "31", "--beside", &fake])
        .refused(&["--beside", "puff"]);
    // Of a match, decisions without an answer stay without figures.
    let file = folder.path().join("match.mat");
    fs::write(&file, MATCH.replace("42: 8/4 6/4", "42: 24/18")).unwrap();
    let file = file.display().to_string();
    let run = tavola(&["analyze", &file, "--level", "0", "--no-cache", "--beside", &fake]);
    let run = run.done();
    assert!(run.stderr.contains("its figures are not complete"), "{run:?}");
    assert!(run.stdout.contains("differ in"), "{run:?}");
}

#[test]
fn figures_that_a_text_of_extreme_gammon_has_stand_beside_ours() {
    let text = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10

X:Ann   O:Bob
Score is X:0 O:0. Unlimited Game
Cube: 1
X to play 31

    1. Rollout¹    8/5 6/5                      eq:+0.160
      Player:   55.46% (G:17.20% B:0.91%)
      Opponent: 44.54% (G:12.32% B:0.53%)

    2. 4-ply       24/23 13/10                  eq:-0.012 (-0.172)
      Player:   50.52% (G:14.65% B:0.66%)
      Opponent: 49.48% (G:13.18% B:0.60%)


eXtreme Gammon Version: 2.10
XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:0:0:10
4HPwATDgc/ABMA 42
";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("positions.txt");
    fs::write(&file, text).unwrap();
    let file = file.display().to_string();
    let best = ["best", "--level", "0", "--top", "2", "--json"];
    // A pipe has it all at once, too.
    for run in [
        tavola(&[&best[..], &["--input", &file]].concat()),
        tavola_with_input(&[&best[..], &["-"]].concat(), text.as_bytes()),
    ] {
        let run = run.done();
        let answers: Vec<Value> =
            run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(answers.len(), 3, "{run:?}");
        let said = &answers[0]["beside"][0];
        assert_eq!((&said["name"], &said["best"]), (&"XG".into(), &"8/5 6/5".into()));
        assert_eq!(said["plays"][1]["equity"], -0.012);
        assert!(answers[1].get("beside").is_none() && answers[2].get("beside").is_none());
    }
    // Another roll is another question.
    let other = tavola(&[&best[..], &["--input", &file, "--roll", "21"]].concat()).done();
    assert!(!other.stdout.contains("beside"), "{other:?}");
    let run = tavola(&["best", "--input", &file, "--level", "0"]).done();
    assert!(run.stdout.contains("XG: 8/5 6/5 (eXtreme Gammon)"), "{run:?}");
    // As a file of matches it is read, too, and says where the decision is open.
    let run =
        tavola(&["convert", &file, &folder.path().join("x.sgf").display().to_string()]).done();
    assert!(run.stderr.contains("the decision is open in XGID="), "{run:?}");
}

#[test]
fn gnubg_stands_beside_ours() {
    if !["/usr/games/gnubg", "/usr/bin/gnubg"].iter().any(|path| Path::new(path).exists()) {
        eprintln!("SKIPPED: gnubg is not installed");
        return;
    }
    let best = ["best", "62aCAQPWnBsAAw", "--roll", "42", "--level", "0", "--json"];
    for stakes in [&[][..], &["--match-length", "7", "--score", "3-5"], &["--cubeless"]] {
        let answer = tavola(&[&best[..], stakes, &["--beside", "gnubg:0"]].concat()).json();
        let said = &answer["beside"][0];
        let (ours, theirs) = (&answer["plays"][0], &said["plays"][0]);
        let key = if stakes == ["--cubeless"] { "equity" } else { "cubeful_equity" };
        let apart = ours[key].as_f64().unwrap() - theirs["equity"].as_f64().unwrap();
        assert!(apart.abs() < 0.2, "{stakes:?} {answer}");
        let five = theirs["probs"].as_array().unwrap().iter().map(|it| it.as_f64().unwrap());
        let ours = ours["probs"].as_array().unwrap().iter().map(|it| it.as_f64().unwrap());
        assert!(five.zip(ours).all(|(one, two)| (one - two).abs() < 0.06), "{answer}");
    }
    let cube = ["cube", "62aCAQPWnBsAAw", "--level", "0", "--json", "--beside", "gnubg"];
    for stakes in [&[][..], &["--match-length", "7", "--score", "3-5"]] {
        let answer = tavola(&[&cube[..], stakes].concat()).json();
        let apart = |key: &str| {
            let theirs = answer["beside"][0]["actions"][key].as_f64().unwrap();
            (answer[key].as_f64().unwrap() - theirs).abs()
        };
        assert!(apart("no_double") < 0.1 && apart("double_take") < 0.2, "{answer}");
        assert_eq!(apart("double_pass"), 0.0);
    }
}
