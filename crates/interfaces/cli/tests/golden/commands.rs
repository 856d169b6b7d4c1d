//! The commands as people type them: their help, their answers as text and as JSON.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::assert_golden;
use crate::run::{Run, tavola_at};
use crate::text::{rounded, without_provenance, without_times};

/// Runs a command line in a folder, to which the files of the workspace that it names are copied:
/// no line that a program folds depends on how long the paths of this machine are.
fn run(line: &str, folder: &Path) -> Run {
    let args = shlex::split(line).unwrap();
    let is_file = |word: &&String| word.contains('/') && crate::workspace().join(word).is_file();
    for file in args.iter().filter(is_file) {
        let copy = folder.join(file);
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(crate::workspace().join(file), copy).unwrap();
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    tavola_at(folder, &[("COLUMNS", "100"), ("TERM", "dumb"), ("TAVOLA_THREADS", "2")], &args, b"")
}

/// What some command lines print, each below its line: stdout, of stderr errors and warnings.
fn transcript(lines: &[&str]) -> String {
    let temporary = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for line in lines {
        let Run { code, stdout, stderr } = run(line, temporary.path());
        writeln!(text, "$ tavola {line}").unwrap();
        text.push_str(&stdout);
        let is_told = |line: &&str| code != Some(0) || line.starts_with("warning");
        for line in stderr.lines().filter(is_told) {
            writeln!(text, "stderr: {line}").unwrap();
        }
        if code != Some(0) {
            writeln!(text, "exit code {}", code.unwrap()).unwrap();
        }
        text.push('\n');
    }
    without_times(&rounded(&without_provenance(&text)))
}

/// One test and one snapshot for each group of command lines.
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
        "best --roll 31 --threads 2 --json",
        "best 62aCAQPWnBsAAw --roll 42 --ply 1 --top 3 --explain",
        "best 62aCAQPWnBsAAw --roll 42 --ply 0 --top 2 --explain full",
        "best 62aCAQPWnBsAAw --roll 42 --ply 0 --top 3 --explain --json",
        "best 62aCAQPWnBsAAw --roll 42 --ply 0 --match-length 7 --score 3-5 --top 4",
        "best 62aCAQPWnBsAAw --roll 42 --ply 0 --cubeless --top 4 --json",
        "best XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10 --ply 0 --top 3 --ascii",
        "best --game tabula --model models/games/tabula.safetensors --roll 652 --ply 0",
        "best --game puff --model models/games/puff.safetensors --roll 52 --ply 1 --json",
        "best 0,-2,0,0,0,0,5,0,3,0,0,0,-5,5,0,0,0,-3,0,-5,0,0,0,0,2,0 --roll 6-6 --ply 0 --no-tables",
        "best 0,0,0,0,0,0,5,0,3,0,0,0,0,5,0,0,0,-3,0,-2,-2,-2,-2,-2,-2,1 --roll 66",
        "best XGID=-b----E-C---eE---c-e----B-:1:-1:-1:31:2:3:0:5:10 --ply 0 --top 2 --xg-text",
        "best --roll 31 --ply 0 --top 1 --played 24/20 --xg-text",
        "best --game puff --roll 52 --ply 0 --xg-text",
        "best mGfwATDgc/ABEA:AYmlACAAGAAA --ply 0 --top 1 --json",
        "best --roll 77",
        "best",
        "best nonsense --roll 31",
        "best --roll 31 --ply 9",
        "best --roll 31 --model nowhere.safetensors",
        "best --roll 31 --game chess",
        "best --game tabula --roll 31",
        "best --roll 31 --score 3-5",
    ];
    eval: [
        "eval --threads 1",
        "eval 62aCAQPWnBsAAw --ply 0",
        "eval 62aCAQPWnBsAAw --ply 0 --json",
        "eval 62aCAQPWnBsAAw --ply 0 --cubeless",
        "eval 62aCAQPWnBsAAw --ply 1 --cube 2 --owner player --json",
        "eval 62aCAQPWnBsAAw --ply 0 --match-length 7 --score 3-5",
        "eval 0,0,2,0,0,0,2,0,0,0,0,0,0,0,0,0,0,0,0,-2,0,0,0,0,-1,0",
        "eval --game fallas --model models/games/fallas.safetensors --ply 0",
        "eval --game fallas --ply 0",
        "eval --game puff:cap=none --model models/games/puff.safetensors",
    ];
    cube: [
        "cube 62aCAQPWnBsAAw --ply 0",
        "cube 62aCAQPWnBsAAw --ply 0 --json",
        "cube 62aCAQPWnBsAAw --ply 0 --match-length 7 --score 3-5",
        "cube 62aCAQPWnBsAAw --ply 0 --cube 2 --owner player --jacoby",
        "cube 62aCAQPWnBsAAw --ply 0 --beavers",
        "cube XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:-1:63:0:0:0:0:10 --ply 1",
        "cube 62aCAQPWnBsAAw --ply 0 --match-length 5 --score 0-4",
        "cube 62aCAQPWnBsAAw --ply 0 --match-length 5 --score 4-0 --crawford",
        "cube XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:2:0:10 --ply 0",
        "cube XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:2:0:10 --ply 0",
        "cube XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:2:0:10 --ply 0 --json",
        "cube XGID=-b----E-C---eE---c-e----B-:0:0:1:B:0:0:2:0:10 --ply 0",
        "cube 62aCAQPWnBsAAw --ply 2 --match-length 5 --score 0-4",
        "cube 62aCAQPWnBsAAw --ply 0 --matrix",
        "cube 62aCAQPWnBsAAw --ply 0 --matrix --away 5 --errors",
        "cube 62aCAQPWnBsAAw --ply 0 --matrix --json",
        "cube 62aCAQPWnBsAAw --ply 0 --matrix --svg -",
        "cube XGID=-b----E-C---eE---c-e----B-:1:1:1:00:2:3:0:5:10 --ply 0 --xg-text",
        "cube XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:3:0:10 --ply 0 --xg-text",
        "cube 62aCAQPWnBsAAw --ply 0 --match-length 5 --score 4-0 --crawford --xg-text",
        "cube --cube 3",
        "cube --match-length 5 --score 7-0",
        "cube --game tabula",
    ];
    rollout: [
        "rollout 62aCAQPWnBsAAw --trials 36 --seed 5 --truncate 4 --threads 1",
        "rollout 62aCAQPWnBsAAw --roll 42 --top 2 --trials 36 --seed 5 --truncate 3 --threads 1",
        "rollout 62aCAQPWnBsAAw --roll 42 --top 2 --trials 36 --seed 5 --truncate 3 --threads 2 --json",
        "rollout 62aCAQPWnBsAAw --cubeless --trials 36 --seed 5 --truncate 4 --threads 1",
        "rollout XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:1:00:2:1:0:5:10 --trials 36 --truncate 4 --json",
        "rollout 62aCAQPWnBsAAw --roll 42 --top 2 --match-length 7 --score 2-4 --trials 36 --truncate 3",
        "rollout 62aCAQPWnBsAAw --jacoby --beavers --trials 36 --truncate 4 --cube-ply 1",
        "rollout 62aCAQPWnBsAAw --match-length 5 --score 4-4 --trials 36 --truncate 4",
        "rollout --trials 1",
        "rollout --game four-seasons",
    ];
    legal: [
        "legal --roll 31",
        "legal --roll 66 --json",
        "legal 0,0,0,0,0,0,5,0,3,0,0,0,0,5,0,0,0,-3,0,-2,-2,-2,-2,-2,-2,1 --roll 66",
        "legal --game tabula --roll 652",
        "legal --game buffa --roll 321",
        "legal --roll 9",
        "legal",
    ];
    show: [
        "show",
        "show --ascii",
        "show --roll 52 --json",
        "show --color always",
        "show --play '13/8 6/4' --roll 52",
        "show XGID=-b----E-C---eE---c-e----B-:1:1:1:52:2:3:0:7:10",
        "show --svg -",
        "show --game tabula",
        "show --game puff --json",
        "show --game emperador --svg -",
        "show --game buffa --ascii",
        "show --game fallas --color always",
        "show --game hypergammon",
        "show --play 13/8 --roll 52",
        "show XGID=aFDaB-BBC-A---a--bab-fc-a-:2:-1:1:41:2:3:0:7:10",
    ];
    convert: [
        "convert 62aCAQPWnBsAAw",
        "convert 62aCAQPWnBsAAw --json",
        "convert 62aCAQPWnBsAAw --to xgid",
        "convert 62aCAQPWnBsAAw --to gnubg-id",
        "convert 62aCAQPWnBsAAw --to ints",
        "convert 62aCAQPWnBsAAw --to board",
        "convert 62aCAQPWnBsAAw --to svg",
        "convert XGID=-b----E-C---eE---c-e----B-:1:1:1:52:2:3:0:7:10",
        "convert XGID=-b----E-C---eE---c-e----B-:1:1:1:52:2:3:0:7:10 --to match-id",
        "convert XGID=-b----E-C---eE---c-e----B-:1:1:-1:52:2:3:0:7:10 --to xgid --json",
        "convert --game tabula --to text",
        "convert --game tabula --to xgid",
        "convert 62aCAQPWnBsAAx --to fen",
        "convert 62aCAQPWnBsAA!",
    ];
    met: [
        "met",
        "met rockwell-kazaross --away 5 --json",
        "met --take-points --away 5",
        "met --take-points --gammons 25 --away 3 --json",
        "met own --away 3 --xml",
        "met --away 3 --svg",
        "met nonsense",
    ];
    model: [
        "model",
        "model models/student.safetensors",
        "model models/games/puff.safetensors --json",
        "model ./README.md",
        "model nowhere.safetensors",
    ];
    bearoff: [
        "bearoff show 0,0,2,0,0,0,2,0,0,0,0,0,0,0,0,0,0,0,0,-2,0,0,0,0,-1,0",
        "bearoff show 0,0,2,0,0,0,2,0,0,0,0,0,0,0,0,0,0,0,0,-2,0,0,0,0,-1,0 --json",
        "bearoff show 4HPwATDgc/ABMA",
    ];
    solve: ["solve 4HPwATDgc/ABMA", "solve --roll 77"];
    seats: [
        "duel rule-based random --game four-seasons --games 32 --seed 3",
        "duel random rule-based --game astronomy --games 28 --seed 3 --json",
        "duel gnubg random --game astronomy",
    ];
    duel: [
        "duel random pip-count --games 20 --seed 5 --threads 1",
        "duel random pip-count --games 20 --seed 5 --threads 2 --json",
        "duel random pip-count --games 8 --seed 5 --start 62aCAQPWnBsAAw --no-luck",
        "duel random pip-count --games 400 --seed 5 --sprt -3000..-2000 --threads 1",
        "duel models/small.safetensors models/student.safetensors --games 60 --seed 5",
        "duel --game tabula random rule-based --games 12 --seed 5",
        "duel random pip-count --games 8 --save 1.pairs",
        "duel random pip-count --games 8 --first-pair 4 --save 2.pairs",
        "duel merge 1.pairs 2.pairs --out all.pairs",
        "duel random pip-count --games 20 --resume all.pairs --json",
        "duel random",
        "duel random random --games 3",
        "duel random nobody",
    ];
    duel_cube: [
        "duel random pip-count --cube --games 20 --seed 5",
        "duel models/small.safetensors models/student.safetensors --games 12 --seed 5 --cube",
        "duel models/small.safetensors models/prune.safetensors --games 12 --seed 5 --cube --jacoby --beavers --json",
        "duel models/small.safetensors models/student.safetensors --games 4 --seed 5 --match 3",
        "duel --game tabula random rule-based --games 12 --cube",
    ];
    ladder: [
        "duel random pip-count --games 4 --save pairs",
        "ladder random --file pairs",
        "ladder random pip-count --file l --time 1ms --pairs 2 --seed 5",
        "ladder --file l --json",
        "ladder --file l --csv",
        "ladder --file l --markdown",
    ];
    profile: [
        "profile models/student.safetensors models/prune.safetensors --games 20 --positions 1 --out p.html",
        "profile models/student.safetensors models/prune.safetensors --games 20 --positions 1 --json",
        "profile random",
    ];
    facts: [
        "facts --model models/prune.safetensors --games 40 --duel-games 20 --seed 3 --threads 1",
        "facts --game puff --model models/games/puff.safetensors --games 20 --duel-games 10 --seed 3 --json",
        "facts --game puff:cap=none --games 20 --duel-games 10 --seed 3",
    ];
    grade: [
        "grade sample --games 60 --seed 3 --per-phase 2 --model models/prune.safetensors --out sample",
        "grade rollout sample --look 0 --play 0 --leaf 0 --trials 36 --truncate 3 --model models/prune.safetensors --out reference",
        "grade random --reference reference",
        "grade models/student.safetensors --reference reference --json",
        "grade models/small.safetensors --reference benches/grade/rollouts.jsonl",
        "grade random --reference ./README.md",
    ];
    train: ["train nowhere.toml", "train ./README.md", "train"];
    bench: ["bench --seconds=-1", "bench --model nowhere.safetensors"];
    help: ["help", "-h"];
    program: ["", "fly", "help fly", "best --nonsense"];
}

/// What `tavola help` says of every command and of the commands below them.
#[test]
fn help_of_every_command() {
    let mut commands = vec![String::new()];
    let mut found = 0;
    while let Some(command) = commands.pop() {
        let text = transcript(&[&format!("help {command}")]);
        if !command.is_empty() {
            assert_golden(&format!("help_{}", command.trim_end().replace(' ', "_")), &text);
        }
        found += 1;
        // The overview has groups of commands, in place of a list.
        let list = match command.is_empty() {
            true => text.split("\nOptions:\n").next().unwrap_or_default(),
            false => text.split("\nCommands:\n").nth(1).unwrap_or_default(),
        };
        let is_end = |line: &str| !command.is_empty() && !line.starts_with("  ");
        let lines = list.lines().take_while(|line| !is_end(line));
        let names = lines.filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
        commands
            .extend(names.filter(|&name| name != "help").map(|name| format!("{command}{name} ")));
    }
    assert!(found > 20, "commands are found in the help");
}
