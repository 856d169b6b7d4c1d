//! Options of every command: what stderr tells, boards, pictures, the environment, shells.

use std::fs;
use std::process::{Command, Stdio};

use crate::run::{tavola, tavola_in, tavola_with_input};

const IN_VAIN: &str = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:2";

#[test]
fn stderr_is_quiet_or_says_what_answers() {
    let loud = tavola(&["best", IN_VAIN, "--ply", "0"]).done();
    assert!(loud.stderr.starts_with("warning: "), "{loud:?}");
    let quiet = tavola(&["best", IN_VAIN, "--ply", "0", "-q"]).done();
    assert_eq!((&quiet.stdout, quiet.stderr.as_str()), (&loud.stdout, ""));
    let network = tavola(&["model", "--json"]).json();
    let verbose = tavola(&["--verbose", "eval", "--ply", "0", "--threads", "2"]).done();
    let sha256 = network["sha256"].as_str().unwrap();
    for part in [&sha256[..12], "threads 2", "bear-off databases: ", "two-sided", "took "] {
        assert!(verbose.stderr.contains(part), "{part:?} is not in {verbose:?}");
    }
    tavola(&["eval", "-q", "-v"]).refused(&["--quiet", "--verbose"]);
    tavola(&["eval", "nonsense", "-q"]).refused(&["nonsense"]);
}

#[test]
fn the_board_may_be_left_out_and_seen_from_another_side() {
    let with = tavola(&["best", "--roll", "31", "--ply", "0"]).done().stdout;
    let without = tavola(&["best", "--roll", "31", "--ply", "0", "--no-board"]).done().stdout;
    assert!(without.starts_with("3-1: 16 plays"), "{without}");
    assert!(with.ends_with(&without), "{with}");
    let counted = tavola(&["show", "--no-board"]).done().stdout;
    assert!(counted.starts_with("XGID=-b----E-C") && counted.contains("pips 167"), "{counted}");
    tavola(&["convert", "--to", "board", "--no-board"]).refused(&["--no-board"]);

    let first_and_last = |options: &[&str]| {
        let args = [&["show", "--ascii", "--roll", "31"], options].concat();
        let lines: Vec<String> = tavola(&args).done().stdout.lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 14, "{lines:?}");
        [lines[0][..9].to_owned(), lines[12][..9].to_owned(), lines[11][45..].to_owned()]
    };
    for (options, expected) in [
        (&[][..], ["+13-14-15", "+12-11-10", "X pips 167, on roll"]),
        (&["--clockwise"], ["+24-23-22", "+-1--2--3", "X pips 167, on roll"]),
        (&["--flip"], ["+12-11-10", "+13-14-15", "O pips 167"]),
        (&["--flip", "--clockwise"], ["+-1--2--3", "+24-23-22", "O pips 167"]),
    ] {
        assert_eq!(first_and_last(options), expected, "{options:?}");
    }
}

#[test]
fn pictures_are_written_by_the_ending_of_their_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let draw = |name: &str, options: &[&str]| {
        let file = path(name);
        let line = ["show", "--roll", "31", "--play", "8/5 6/5", "--output", &file, "--force"];
        tavola(&[&line[..], options].concat()).done();
        fs::read(file).unwrap()
    };
    let svg = draw("a.svg", &[]);
    assert!(svg.starts_with(b"<svg"));
    let png = draw("a.PNG", &[]);
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    let size = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert_eq!((size(16), size(20)), (1320, 1000));
    let print = draw("b.png", &["--theme", "print"]);
    assert_ne!(print, png);
    let circles = |svg: &[u8]| String::from_utf8_lossy(svg).matches("<circle").count();
    for options in [&["--clockwise"][..], &["--flip"], &["--flip", "--clockwise"]] {
        let turned = draw("c.svg", options);
        assert_ne!(turned, svg);
        assert_eq!(circles(&turned), circles(&svg));
    }
    // The old name of the option, and the drawing of a matrix.
    tavola(&["show", "--svg", &path("d.svg")]).done();
    tavola(&["show", "--output", &path("b.gif")]).refused(&["b.gif", ".svg or .png"]);
    tavola(&["show", "--theme", "print"]).refused(&["--output"]);
    tavola(&["show", "--output", "-", "--theme", "pirnt"]).refused(&["'print'"]);
}

#[test]
fn the_environment_names_a_network_and_threads() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");
    let small = format!("{root}/models/prune.safetensors");
    let eval = ["eval", "--ply", "0", "--json"];
    let named = tavola(&[&eval[..], &["--model", &small]].concat()).json();
    let variables = [("TAVOLA_MODEL", &*small), ("TAVOLA_THREADS", "1")];
    assert_eq!(tavola_in(&variables, &eval, b"").json(), named);
    assert_ne!(tavola(&eval).json(), named);
    let explicit = tavola_in(&variables, &[&eval[..], &["--model", "default"]].concat(), b"");
    assert_eq!(explicit.json(), tavola(&eval).json());
    assert_eq!(tavola_in(&[("TAVOLA_MODEL", "")], &eval, b"").json(), tavola(&eval).json());
    tavola_in(&[("TAVOLA_THREADS", "many")], &eval, b"").refused(&["many", "TAVOLA_THREADS"]);
    tavola_in(&[("TAVOLA_MODEL", "nowhere")], &eval, b"").refused(&["nowhere", "TAVOLA_MODEL"]);
    let named = tavola(&[&eval[..], &["--model", "nowhere"]].concat());
    assert!(!named.stderr.contains("TAVOLA_MODEL"), "{named:?}");
    tavola_in(&[("TAVOLA_THREADS", "0")], &eval, b"")
        .refused(&["from 1 to 1,024", "TAVOLA_THREADS"]);
}

/// The first words of the lines of a list.
fn names(list: &str) -> Vec<String> {
    let name = |line: &str| {
        let word = line.strip_prefix("  ")?.split(' ').next()?;
        word.starts_with(|c: char| c.is_ascii_lowercase()).then(|| word.to_owned())
    };
    list.lines().filter_map(name).collect()
}

#[test]
fn a_short_help_fits_a_screen_and_a_long_one_two_and_a_half() {
    let help = |words: &[&str]| tavola_in(&[("COLUMNS", "80")], words, b"").done().stdout;
    let overview = help(&["-h"]);
    let (_, list) = overview.split_once("\nPositions:\n").unwrap();
    let list = list.split("\nOptions:\n").next().unwrap();
    let mut commands: Vec<Vec<String>> = names(list).into_iter().map(|it| vec![it]).collect();
    assert!(commands.len() > 30, "{overview}");
    let mut wrong = Vec::new();
    for number in 0.. {
        let Some(command) = commands.get(number).cloned() else { break };
        let asked = |flag| {
            let words: Vec<&str> = command.iter().map(String::as_str).chain([flag]).collect();
            help(&words)
        };
        let (short, long) = (asked("-h"), asked("--help"));
        if let Some((_, below)) = short.split_once("\nCommands:\n") {
            let below = names(below.split("\n\n").next().unwrap());
            commands.extend(below.into_iter().map(|it| [command.clone(), vec![it]].concat()));
        }
        let name = command.join(" ");
        for (text, most) in [(&short, 24), (&long, 60)] {
            let lines = text.lines().count();
            if lines > most {
                wrong.push(format!("{name}: {lines} lines, expected at most {most}"));
            }
            let wide = text.lines().filter(|line| line.chars().count() > 80);
            wrong.extend(wide.map(|line| format!("{name}: {line}")));
        }
        assert!(short.contains("-h, --help"), "{short}");
        // No default is cut.
        assert_eq!(short.matches('[').count(), short.matches(']').count(), "{short}");
    }
    assert!(commands.len() > 40, "{commands:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(help(&["worker", "-h"]).contains("nats://HOST:4222"));
    let topics =
        "positions score levels engine output players duels stakes chouette rollouts seats";
    for topic in topics.split(' ').chain(["remote"]) {
        let text = help(&["help", topic]);
        assert!(text.contains("  --") && text.lines().count() <= 60, "{text}");
        assert!(overview.contains(topic), "{topic}");
    }
    assert!(help(&["help", "positions"]).contains("puff:cap=none"));
    assert!(help(&["best", "--help"]).contains("--match-length, --score"));
    assert_eq!(help(&["help", "best", "--json"]), help(&["help", "best"]));
}

#[test]
fn short_flags_mean_what_the_long_ones_do() {
    let long = ["best", "--roll", "31", "--top", "2", "--threads", "1", "--ply", "0", "--json"];
    let short = ["best", "-r", "31", "-n", "2", "-j", "1", "--ply", "0", "--json"];
    assert_eq!(tavola(&short).json(), tavola(&long).json());
    let to_seven = tavola(&["cube", "-l", "7", "--score", "1-2", "--ply", "0"]).done().stdout;
    assert!(to_seven.contains("1-2 in a match to 7"), "{to_seven}");
}

#[test]
fn nothing_runs_over_eighty_columns() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/files/three-points.mat");
    let score = "XGID=-a--aBD-D---bE-aaaabbab---:1:1:1:65:0:0:0:3:10";
    let off = "XGID=-CB---A----------a-cb-ab--:0:0:1:61:10:12:0:25:10";
    for args in [
        &["-h"][..],
        &["best", "--roll", "31", "--ply", "0", "--explain", "full"],
        &["best", score, "--ply", "1", "--explain"],
        &["best", "--roll", "31", "--top", "20"],
        &["show", score],
        &["show", off],
        &["show", "--game", "ludus"],
        &["show", "--game", "buffa"],
        &["show", "--game", "astronomy"],
        &["met", "own", "--take-points"],
        &["met"],
        &["cube", score, "--ply", "0"],
        &["cube", "--matrix", "--ply", "0"],
        &["duel", "pip-count", "random", "--match", "3", "--games", "4"],
        &["duel", "pip-count", "random", "--cube", "--chouette", "8", "--games", "4"],
        &["play", "--chouette", "5", "--people", "3=Cleo", "--seed", "2"],
        &["analyze", file, "--ply", "0"],
    ] {
        let run = tavola_in(&[("COLUMNS", "80")], args, b"").done();
        // A path is as long as it is.
        let lines = run.stdout.lines().filter(|it| !it.starts_with(file));
        let over: Vec<&str> = lines.filter(|it| it.chars().count() > 80).collect();
        assert_eq!(over, Vec::<&str>::new(), "{args:?}");
    }
}

#[test]
fn shells_complete_commands_options_games_and_presets() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = tavola(&["completions", shell]).done().stdout;
        for word in ["rollout", "until-jsd", "bearoff"] {
            assert!(script.contains(word), "{word} is not completed by {shell}");
        }
        if shell != "powershell" && shell != "elvish" {
            assert!(script.contains("nackgammon") && script.contains("wide"), "{shell}");
        }
    }
    tavola(&["completions", "dos"]).refused(&["dos", "bash"]);
}

#[test]
fn manual_pages_are_written_for_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let man = folder.path().join("man1");
    let told = tavola(&["man", man.to_str().unwrap()]).done().stdout;
    assert!(told.contains("tavola.1"), "{told}");
    let page = |name: &str| std::fs::read_to_string(man.join(name)).unwrap();
    assert!(page("tavola.1").contains("best") && page("tavola-rollout.1").contains("until"));
    assert!(man.join("tavola-man.1").exists() && page("tavola.1").contains("tavola\\-man"));
    assert!(page("tavola.1").contains("FIBS board") && page("tavola.1").contains("NAME@PLY"));
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    tavola(&["man", file.to_str().unwrap()]).refused(&["cannot create"]);
}

#[test]
fn the_long_version_tells_what_the_program_is_made_of() {
    let short = tavola(&["-V"]).done().stdout;
    assert_eq!(short, format!("tavola {}\n", env!("CARGO_PKG_VERSION")));
    let long = tavola(&["--version"]).done().stdout;
    assert!(long.starts_with(&short), "{long}");
    let network = tavola(&["model", "--json"]).json();
    for part in ["commit ", &network["sha256"].as_str().unwrap()[..12], "processor ", "GPU "] {
        assert!(long.contains(part), "{part:?} is not in {long}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_a_failure() {
    for args in [&["help"][..], &["--version"], &["-V"], &["legal", "--roll", "31"], &["show"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_tavola"))
            .args(args)
            .stdout(Stdio::from(full))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?} {output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write"), "{output:?}");
    }
}

#[test]
fn numbers_and_levels_are_refused_in_the_words_of_people() {
    for (command, parts) in [
        (
            &["best", "--roll", "31", "--threads", "0"][..],
            &["'0'", "a whole number from 1 to 1,024"][..],
        ),
        (&["rollout", "-n", "0"], &["'0'", "a whole number from 2 to 1,000,000,000"]),
        (&["cube", "--cube", "-1"], &["'-1'", "a whole number, 0 or more"]),
        (&["cube", "--cube", "x"], &["'x'", "a whole number"]),
        (&["dataset", "generate", "--games", "0"], &["'0'", "a whole number, 1 or more"]),
        (&["duel", "default", "random", "--sprt", "5..0"], &["'5..0'", "the smaller one first"]),
        (&["best", "--roll", "31", "--explain", "ful"], &["'ful'", "full"]),
        (&["best", "XGID=hello", "--roll", "31"], &["the number of fields is 1,"]),
        (&["best"], &["no roll is given, expected --roll 2-1"]),
    ] {
        let run = tavola(command);
        for code in ["..=", "is not in", "non-zero type", "invalid digit", "\"dice\""] {
            assert!(!run.stderr.contains(code), "{code:?} in {}", run.stderr);
        }
        run.refused(parts);
    }
    // No folder, whoever runs the tests.
    tavola(&["man", "Cargo.toml/x"]).refused(&["Cargo.toml/x"]);
    assert!(tavola(&["-h"]).done().stdout.contains("\n  man "));
}

#[test]
fn the_best_row_is_bold_where_color_is_wanted_and_csv_has_one_number_a_cell() {
    let best = ["best", "--roll", "31", "--ply", "0", "--top", "3"];
    let plain = tavola(&best).done().stdout;
    assert!(!plain.contains('\x1b'), "{plain}");
    let color = tavola(&[&best[..], &["--color", "always"]].concat()).done().stdout;
    assert!(
        color.contains("\x1b[1m1  8/5 6/5 ") && color.matches("\x1b[1m").count() >= 1,
        "{color}"
    );
    let cube = tavola(&["cube", "--ply", "0", "--color", "always"]).done().stdout;
    assert!(cube.contains("\x1b[1mNo double "), "{cube}");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/files/three-points.mat");
    let score = ["--match-length", "7", "--score", "3-5"];
    for command in [
        &best[..],
        &["cube", "62aCAQPWnBsAAw", "--ply", "0"],
        &[&["cube", "62aCAQPWnBsAAw", "--ply", "0"], &score[..]].concat(),
        &["eval", "62aCAQPWnBsAAw", "--ply", "0"],
        &["rollout", "62aCAQPWnBsAAw", "--roll", "42", "--trials", "36"],
        &["rollout", "62aCAQPWnBsAAw", "--trials", "36", "--wide"],
        &["duel", "random", "pip-count", "--games", "40"],
        &["analyze", file, "--ply", "0"],
        &["best", "-", "--roll", "31", "--ply", "0"],
    ] {
        let input = b"4HPwATDgc/ABMA\n62aCAQPWnBsAAw\n";
        let text = tavola_with_input(&[command, &["--csv"]].concat(), input).done().stdout;
        let mut is_head = true;
        for line in text.lines() {
            let cells: Vec<&str> = line.split(',').collect();
            let named = cells.iter().all(|cell| !cell.is_empty() && !cell.contains(' '));
            assert!(!is_head || named, "{text}");
            is_head = line.is_empty();
            for cell in cells {
                let is_text = cell.contains(char::is_alphabetic) || cell.contains('/');
                assert!(
                    is_text || cell.is_empty() || cell.parse::<f64>().is_ok(),
                    "{cell}: {text}"
                );
                assert!(!cell.contains('±') && !cell.starts_with('+'), "{cell}: {text}");
            }
        }
    }
    let many = tavola_with_input(
        &["eval", "-", "--ply", "0", "--csv"],
        b"4HPwATDgc/ABMA\n\n62aCAQPWnBsAAw\n",
    );
    let lines: Vec<String> = many.done().stdout.lines().map(str::to_owned).collect();
    assert!(lines[0].starts_with("line,equity,cubeful,") && lines.len() == 3, "{lines:?}");
    assert!(lines[1].starts_with("1,") && lines[2].starts_with("3,"), "{lines:?}");
}
