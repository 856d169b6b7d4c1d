//! The commands as people type them: their help, their answers as text and as JSON.

use std::fmt::Write as _;

use crate::run::{Run, tavola_in};
use crate::{assert_golden, rounded};

/// Runs a command line, its words separated by blanks, in the root of the workspace.
fn run(line: &str) -> Run {
    let root = crate::workspace();
    let args: Vec<String> = shlex::split(line)
        .unwrap()
        .into_iter()
        .map(|word| match root.join(&word) {
            path if word.contains('/') && path.is_file() => path.to_str().unwrap().to_owned(),
            _ => word,
        })
        .collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let (width, terminal) = (("COLUMNS", "100"), ("TERM", "dumb"));
    tavola_in(&[width, terminal], &args, b"")
}

/// What some command lines print, each below its line.
fn transcript(lines: &[&str]) -> String {
    let mut text = String::new();
    let root = format!("{}/", crate::workspace().display());
    for line in lines {
        let Run { code, stdout, stderr } = run(line);
        writeln!(text, "$ tavola {line}").unwrap();
        text.push_str(&stdout);
        for error in stderr.lines() {
            writeln!(text, "stderr: {error}").unwrap();
        }
        if code != Some(0) {
            writeln!(text, "exit code {}", code.unwrap()).unwrap();
        }
        text.push('\n');
    }
    masked(&rounded(&text.replace(&root, "")))
}

/// The text without times: numbers of JSON keys that name seconds, and lines that tell a time.
fn masked(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let marks = [
            "chose its plays in",
            " s on ",
            "thought for",
            "games per second",
            "games/s",
            " in 0.",
        ];
        let timed = !line.starts_with('{') && marks.iter().any(|mark| line.contains(mark));
        let mut rest = if timed { "(a line with a time)" } else { line.trim_end() };
        while let Some(at) = rest.find("seconds\":") {
            let (before, number) = rest.split_at(at + "seconds\":".len());
            out.push_str(before);
            out.push('0');
            rest = number.trim_start_matches(|c: char| c.is_ascii_digit() || "[].,e-".contains(c));
        }
        out.push_str(rest);
        out.push('\n');
    }
    out
}

/// One test for each group of command lines.
macro_rules! transcripts {
    ($($test:ident: [$($line:literal),* $(,)?];)*) => {
        $(#[test]
        fn $test() {
            assert_golden(stringify!($test), &transcript(&[$($line),*]));
        })*
    };
}

transcripts! {
    best: [
        "best --roll 31 --threads 1",
        "best --roll 31 --threads 1 --json",
        "best 62aCAQPWnBsAAw --roll 42 --ply 1 --top 3 --explain --threads 1",
        "best 62aCAQPWnBsAAw --roll 42 --ply 0 --top 3 --explain --json --threads 1",
        "best 62aCAQPWnBsAAw --roll 42 --ply 0 --match-length 7 --score 3-5 --top 4",
        "best 62aCAQPWnBsAAw --roll 42 --ply 0 --cubeful --top 4 --json",
        "best XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10 --ply 0 --top 3 --ascii",
        "best --game tabula --model models/games/tabula.safetensors --roll 652 --ply 0",
        "best --game puff --model models/games/puff.safetensors --roll 52 --ply 1 --json",
        "best --roll 77", "best", "best nonsense --roll 31",
    ];
    eval: [
        "eval --threads 1",
        "eval 62aCAQPWnBsAAw --ply 0", "eval 62aCAQPWnBsAAw --ply 0 --json",
        "eval 62aCAQPWnBsAAw --ply 0 --cubeful", "eval 62aCAQPWnBsAAw --ply 1 --cube 2 --owner player --json",
        "eval --game fallas --model models/games/fallas.safetensors --ply 0",
        "eval --game fallas --ply 0",
    ];
    cube: [
        "cube 62aCAQPWnBsAAw --ply 0", "cube 62aCAQPWnBsAAw --ply 0 --json",
        "cube 62aCAQPWnBsAAw --ply 0 --match-length 7 --score 3-5",
        "cube 62aCAQPWnBsAAw --ply 0 --cube 2 --owner player --jacoby",
        "cube 62aCAQPWnBsAAw --ply 0 --beavers",
        "cube 62aCAQPWnBsAAw --ply 0 --match-length 5 --score 0-4",
        "cube 62aCAQPWnBsAAw --ply 0 --match-length 5 --score 4-0 --crawford",
        "cube 62aCAQPWnBsAAw --ply 0 --matrix",
        "cube --game tabula",
    ];
    rollout: [
        "rollout 62aCAQPWnBsAAw --trials 36 --seed 5 --truncate 4 --threads 1",
        "rollout 62aCAQPWnBsAAw --roll 42 --top 2 --trials 36 --seed 5 --truncate 3 --threads 1",
        "rollout 62aCAQPWnBsAAw --roll 42 --top 2 --trials 36 --seed 5 --truncate 3 --threads 2 --json",
    ];
    legal: [
        "legal --roll 31", "legal --roll 66 --json", "legal --game buffa --roll 321", "legal --roll 9",
    ];
    show: [
        "show", "show --ascii", "show --roll 52 --json", "show --color always", "show --play 13/8 --roll 52",
        "show --play '13/8 6/4' --roll 52", "show --svg -", "show --game tabula", "show --game puff --json",
        "show --game emperador --svg -", "show --game buffa --ascii", "show --game fallas --color always",
        "show XGID=aFDaB-BBC-A---a--bab-fc-a-:2:-1:1:41:2:3:0:7:10",
    ];
    convert: [
        "convert 62aCAQPWnBsAAw", "convert 62aCAQPWnBsAAw --to xgid", "convert 62aCAQPWnBsAAw --to gnubg-id",
        "convert 62aCAQPWnBsAAw --to ints", "convert 62aCAQPWnBsAAw --to board",
        "convert XGID=-b----E-C---eE---c-e----B-:1:1:1:52:2:3:0:7:10 --to match-id",
        "convert XGID=-b----E-C---eE---c-e----B-:1:1:-1:52:2:3:0:7:10 --to xgid --json",
        "convert --game tabula --to text",
    ];
    met: [
        "met", "met rockwell-kazaross --away 5 --json", "met --take-points --away 5", "met own --away 3 --xml",
        "met nonsense",
    ];
    model: ["model models/student.safetensors", "model models/games/puff.safetensors --json", "model README.md"];
    bearoff: ["bearoff show 0,0,0,0,0,0,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-2,0,0", "bearoff show 0,0,0,0,0,0,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-2,0,0 --json"];
    duel: [
        "duel random pip-count --games 20 --seed 5 --threads 1",
        "duel random pip-count --games 20 --seed 5 --threads 2 --json",
        "duel models/small.safetensors models/student.safetensors --games 60 --seed 5",
        "duel models/small.safetensors models/student.safetensors --games 12 --seed 5 --cube",
        "duel models/small.safetensors models/student.safetensors --games 4 --seed 5 --match 3",
        "duel --game tabula random rule-based --games 12 --seed 5",
        "duel random", "duel random random --games 3",
    ];
    facts: [
        "facts --model models/prune.safetensors --games 40 --duel-games 20 --seed 3 --threads 1",
        "facts --game puff --model models/games/puff.safetensors --games 20 --duel-games 10 --seed 3 --json",
    ];
    grade: [
        "grade random --reference benches/grade/rollouts.jsonl",
        "grade models/small.safetensors --reference benches/grade/rollouts.jsonl --json",
    ];
}

#[test]
fn help() {
    let commands = [
        "best",
        "eval",
        "cube",
        "rollout",
        "legal",
        "show",
        "convert",
        "batch",
        "train",
        "duel",
        "duel merge",
        "facts",
        "perft",
        "grade",
        "grade sample",
        "grade judge",
        "ladder",
        "profile",
        "met",
        "bearoff",
        "bearoff generate",
        "bearoff info",
        "bearoff show",
        "solve",
        "model",
        "bench",
    ];
    assert_golden("help", &transcript(&["help", "-h"]));
    for command in commands {
        let name = format!("help_{}", command.replace(' ', "_"));
        assert_golden(&name, &transcript(&[&format!("help {command}")]));
    }
}
