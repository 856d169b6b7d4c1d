//! Every option of every command that names a file is written or read, and known.

use std::collections::BTreeSet;

use super::*;
use crate::cli::whole;

/// What the binary is run with, see `tests/cli/outputs.rs`.
const TABLE: &str = include_str!("../../tests/outputs.txt");

/// Other paths: files that are read, and folders that a command fills and knows again.
const OTHERS: [&str; 31] = [
    "* --creds",
    "* --input",
    "* --luck-network",
    "* --model",
    "* --tls-ca",
    "analyze FILE",
    "dataset generate --out",
    "dataset generate CONFIG",
    "dataset info DIR",
    "dataset sample DIR",
    "duel --book",
    "duel --resume",
    "duel merge FILE",
    "grade --reference",
    "grade plies --reference",
    "grade plies --states",
    "grade rollout SAMPLE",
    "grade sample --exclude",
    "grade states --exclude",
    "man FOLDER",
    "model --mean-with",
    "model FILE",
    "play --resume",
    "quiz FILE",
    "rollout --resume",
    "serve --games",
    "serve --run",
    "train --out",
    "train CONFIG",
    "verify FILE",
    "verify REPORT",
];

/// Adds the options of a command and of those below it.
fn gather(command: &Command, path: &str, outputs: &mut Vec<String>, others: &mut Vec<String>) {
    for arg in command.get_arguments() {
        let name = format!("{path} {}", name_of(arg));
        if is_a::<OutputFile>(arg) || is_a::<KeptFile>(arg) {
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.ends_with(RULE) || help.ends_with(RULE_OF_KEPT), "{name}: {help}");
            outputs.push(name.trim_start().to_owned());
        } else if is_a::<PathBuf>(arg) {
            others.push(name.trim_start().to_owned());
        }
    }
    for inner in command.get_subcommands() {
        let path = format!("{path} {}", inner.get_name());
        gather(inner, path.trim_start(), outputs, others);
    }
}

#[test]
fn every_file_of_every_command_is_in_the_table() {
    let (mut outputs, mut others) = (Vec::new(), Vec::new());
    gather(&whole(), "", &mut outputs, &mut others);
    let mut listed: BTreeSet<String> = BTreeSet::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        assert!(listed.insert(format!("{} {}", cells[0], cells[1])), "{line}");
    }
    let shared = |name: &String, listed: &BTreeSet<String>| {
        listed.contains(name)
            || listed.contains(&format!("* {}", name.rsplit(' ').next().unwrap_or_default()))
    };
    let missing: Vec<&String> = outputs.iter().filter(|it| !shared(it, &listed)).collect();
    assert!(missing.is_empty(), "not in tests/outputs.txt: {missing:?}");
    let gone: Vec<&String> =
        listed.iter().filter(|it| !it.starts_with('*') && !outputs.contains(it)).collect();
    assert!(gone.is_empty(), "no command has {gone:?}");
    let known: BTreeSet<String> = OTHERS.iter().map(ToString::to_string).collect();
    let unknown: Vec<&String> = others.iter().filter(|it| !shared(it, &known)).collect();
    assert!(unknown.is_empty(), "is it written (OutputFile) or read? {unknown:?}");
}

#[test]
fn a_name_is_of_the_same_file_by_links_and_other_spellings() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a.mat"), "x").unwrap();
    fs::create_dir(path("inner")).unwrap();
    assert!(is_same(&path("a.mat"), &path("inner/../a.mat")));
    assert!(is_same(&path("new.csv"), &path("inner/../new.csv")));
    assert!(!is_same(&path("a.mat"), &path("new.csv")));
    fs::hard_link(path("a.mat"), path("b.mat")).unwrap();
    assert_eq!(is_same(&path("a.mat"), &path("b.mat")), cfg!(unix));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a.mat", path("c.html")).unwrap();
        assert!(is_same(&path("a.mat"), &path("c.html")));
    }
}
