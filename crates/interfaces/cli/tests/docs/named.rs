//! The names: every path, command and option in a document exists.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::{documents, files, is_log, lines, root};

/// Folders whose paths in documents must exist. Other paths are the reader's own, as in
/// `runs/mine`.
const FOLDERS: [&str; 7] =
    ["benches/", "configs/", "crates/", "docs/", "models/", "scripts/", ".ci/"];

/// The words of a document that may name something: code spans and code blocks, by line.
fn code(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut prose = String::new();
    let mut first = 1;
    let flush = |prose: &mut String, first: usize, found: &mut Vec<(usize, String)>| {
        let spans = prose.split('`').skip(1).step_by(2);
        found.extend(spans.map(|span| (first, span.replace('\n', " "))));
        prose.clear();
    };
    for (number, line, is_code) in lines(text) {
        if is_code {
            flush(&mut prose, first, &mut found);
            found.push((number, line.to_owned()));
        } else if line.is_empty() {
            flush(&mut prose, first, &mut found);
        } else {
            if prose.is_empty() {
                first = number;
            }
            prose.push_str(line);
            prose.push('\n');
        }
    }
    flush(&mut prose, first, &mut found);
    found
}

/// The targets of the links of a document.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line, code) in lines(text) {
        let mut rest = line;
        while let (false, Some(start)) = (code, rest.find("](")) {
            rest = &rest[start + 2..];
            let end = rest.find(')').unwrap_or(rest.len());
            found.push((number, rest[..end].to_owned()));
        }
    }
    found
}

/// The anchors of a document's headings.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let text = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        text.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_lead_somewhere() {
    let (root, documents) = (root(), documents());
    let mut broken = Vec::new();
    for (name, text) in &documents {
        for (number, link) in links(text) {
            if link.starts_with("http") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match path {
                "" => root.join(name),
                path => root.join(name).parent().expect("a folder").join(path),
            };
            let Ok(target) = target.canonicalize() else {
                broken.push(format!("{name}:{number}: {link}"));
                continue;
            };
            if !anchor.is_empty() {
                let text = std::fs::read_to_string(&target).expect("a document");
                if !anchors(&text).iter().any(|known| known == anchor) {
                    broken.push(format!("{name}:{number}: no heading for {link}"));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{} broken links:\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn paths_exist() {
    let root = root();
    let mut missing = Vec::new();
    for (name, text) in documents() {
        if is_log(&name) {
            continue;
        }
        for (number, code) in code(&text) {
            for word in code.split([' ', '"', '\'', ',', '(', ')', '=', ';', '{', '}']) {
                // `raw:FILE`, `FILE@2`, `COMMIT:PATH`.
                let path = word.rsplit(':').next().unwrap_or(word);
                let (path, checksum) = path.split_once('#').unwrap_or((path, ""));
                let path = path.split('@').next().unwrap_or(path).trim_end_matches('.');
                let known = FOLDERS.iter().any(|folder| path.starts_with(folder));
                let pattern =
                    path.contains(['*', '<']) || path.contains("NAME") || path.contains("GAME");
                let of_commit = word.contains(':') && !word.starts_with("raw:");
                let there = || exists(&root, &name, path) && has_checksum(&root, path, checksum);
                if known && !pattern && !of_commit && !there() {
                    missing.push(format!("{name}:{number}: {word}"));
                }
            }
        }
    }
    assert!(
        missing.is_empty(),
        "{} paths that do not exist:\n{}",
        missing.len(),
        missing.join("\n")
    );
}

/// Whether the path exists or is written by a command of the document.
fn exists(root: &Path, document: &str, path: &str) -> bool {
    let written = ["docs/ladder.svg"];
    root.join(path).exists()
        || root.join(document).parent().is_some_and(|folder| folder.join(path).exists())
        || written.contains(&path)
}

/// Whether a weights file names this checksum, or its first digits; any file has the empty one.
fn has_checksum(root: &Path, path: &str, checksum: &str) -> bool {
    let named = || std::fs::read(root.join(path)).expect("a weights file");
    checksum.is_empty() || named().windows(checksum.len()).any(|bytes| bytes == checksum.as_bytes())
}

/// The help of a command of the program, and whether there is such a command.
fn help(arguments: &[&str]) -> Option<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_tavola"))
        .args(arguments)
        .arg("--help")
        .output()
        .expect("the program starts");
    output.status.success().then(|| String::from_utf8(output.stdout).expect("UTF-8"))
}

/// What is called with `tavola` in a piece of code: the words up to the end of the command.
fn calls(code: &str) -> Vec<Vec<String>> {
    let code = code.split('#').next().unwrap_or(code);
    let mut calls = Vec::new();
    let mut words: Option<Vec<String>> = None;
    for word in code.split_whitespace() {
        match &mut words {
            None if word == "tavola" || word.ends_with("/tavola") => words = Some(Vec::new()),
            None => {}
            Some(call) if ["|", "&&", "||", ">", ";"].contains(&word) => {
                calls.push(std::mem::take(call));
                words = None;
            }
            Some(call) => call.push(word.trim_end_matches([',', ';', '"']).to_owned()),
        }
    }
    calls.extend(words);
    calls
}

#[test]
fn commands_and_options_exist() {
    // The documents are those of a program with everything.
    if cfg!(not(feature = "fleet")) {
        return;
    }
    let mut helps: BTreeMap<Vec<String>, Option<String>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (name, text) in documents() {
        if is_log(&name) {
            continue;
        }
        for (number, code) in code(&text) {
            for call in calls(&code) {
                let plain = |word: &&String| word.chars().all(|c| c.is_ascii_lowercase());
                let mut command: Vec<String> =
                    call.iter().take_while(plain).take(2).cloned().collect();
                if command.first().is_some_and(|first| first == "help") {
                    command.remove(0);
                    command.extend(call.get(1).cloned());
                    command.dedup();
                    if command.iter().any(|word| word == "COMMAND") {
                        continue;
                    }
                }
                if command.is_empty() {
                    continue;
                }
                let mut help_of = |command: &[String]| {
                    let words: Vec<&str> = command.iter().map(String::as_str).collect();
                    helps.entry(command.to_vec()).or_insert_with(|| help(&words)).clone()
                };
                let Some(first) = help_of(&command[..1]) else {
                    wrong.push(format!("{name}:{number}: no command `tavola {}`", command[0]));
                    continue;
                };
                // The second word is a subcommand, or an argument such as a player's name.
                let has_commands = first.contains("\nCommands:");
                let text = match command.get(1) {
                    Some(_) if has_commands => help_of(&command).map(|second| second + &first),
                    _ => Some(first),
                };
                let Some(text) = text else {
                    let command = command.join(" ");
                    wrong.push(format!("{name}:{number}: no command `tavola {command}`"));
                    continue;
                };
                // What another program gets is not ours.
                let own = call.iter().take_while(|word| !word.contains("exec:"));
                for option in own.filter(|word| word.starts_with("--")) {
                    let option = option.split('=').next().unwrap_or(option);
                    let known =
                        text.split([' ', '\n', ',', '=', '[', '<', '.']).any(|word| word == option);
                    if !known && !["--", "--help"].contains(&option) {
                        wrong.push(format!(
                            "{name}:{number}: no option {option} in `tavola {}`",
                            call.join(" ")
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} names that do not exist:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn options_of_scripts_exist() {
    let mut wrong = Vec::new();
    for (name, text) in documents() {
        if is_log(&name) {
            continue;
        }
        for (number, code) in code(&text) {
            let mut words =
                code.split_whitespace().skip_while(|word| !word.starts_with("scripts/"));
            let script = words.next().map(|script| root().join(script));
            let Some(source) = script.and_then(|path| std::fs::read_to_string(path).ok()) else {
                continue;
            };
            let own = words.take_while(|word| !["|", "&&", ";", "#"].contains(word));
            for option in own.filter(|word| word.starts_with("--")) {
                let option = option.split('=').next().unwrap_or(option);
                if !source.contains(option) {
                    wrong.push(format!("{name}:{number}: no option {option} in `{code}`"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} options do not exist:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_first_line_of_every_source_file_says_what_it_holds() {
    let silent: Vec<String> = files(&["crates", "benches"], "rs")
        .into_iter()
        .filter(|(_, text)| !text.starts_with("//! "))
        .map(|(name, _)| name)
        .collect();
    assert!(silent.is_empty(), "files that do not begin with \"//! \":\n{}", silent.join("\n"));
}

/// The names in a folder; none if there is no such folder.
fn entries(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect()
}

#[test]
fn every_example_is_in_the_index_and_every_one_of_the_index_exists() {
    let root = root();
    let index = std::fs::read_to_string(root.join("benches/README.md")).expect("the index");
    let groups = entries(&root.join("crates")).into_iter().map(|group| format!("crates/{group}"));
    let packages = groups.flat_map(|group| {
        let packages = entries(&root.join(&group));
        packages.into_iter().map(move |name| format!("{group}/{name}"))
    });
    let mut examples = Vec::new();
    for package in packages.chain(["benches".to_owned()]) {
        let name = package.rsplit('/').next().expect("a name");
        let found = entries(&root.join(&package).join("examples"));
        // Those of the Python package are Python's, and its page names them.
        for example in found.iter().filter(|name| !name.ends_with(".py")) {
            examples.push(format!("`tavola-{name} --example {} ", example.trim_end_matches(".rs")));
        }
    }
    let listed: Vec<&str> = index
        .lines()
        .filter(|line| line.contains(" | `tavola-") && line.contains("--example"))
        .collect();
    for example in &examples {
        assert!(listed.iter().any(|line| line.contains(example)), "{example} is not in the index");
    }
    assert_eq!(listed.len(), examples.len(), "the index names examples that do not exist");
}

/// The head of the tables of experiments.
const EXPERIMENTS: &str = "|when|tried|what moved|kept|command|";

#[test]
fn the_log_has_an_index_and_its_experiments_stand_newest_first() {
    let documents = documents();
    let index =
        &documents.iter().find(|(name, _)| name == "docs/log/README.md").expect("an index").1;
    let mut wrong = Vec::new();
    for (name, text) in
        documents.iter().filter(|(name, _)| is_log(name) && !name.ends_with("README.md"))
    {
        let file = name.strip_prefix("docs/log/").expect("the log");
        if !index.contains(&format!("({file})")) {
            wrong.push(format!("{name} is not in the index"));
        }
        let rows = text.lines().skip_while(|line| *line != EXPERIMENTS).skip(2);
        let rows: Vec<&str> = rows.take_while(|line| line.starts_with('|')).collect();
        if rows.is_empty() {
            wrong.push(format!("{name} has no table of experiments"));
        }
        let mut before = "9999";
        for row in rows {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            if cells.len() != 5 || cells.contains(&"") {
                wrong.push(format!("{name}: {row:?} has not five cells"));
            }
            let date = cells[0].get(..10).unwrap_or_default();
            if !date.starts_with("20") || date > before {
                wrong.push(format!("{name}: {row:?}: {date:?} stands below {before}"));
            }
            before = date;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every sentence of the sources has a place that exists, or a reason.
#[test]
fn sentences_of_the_sources_are_played_where_the_table_says() {
    let table = std::fs::read_to_string(root().join("docs/games/sentences.csv")).unwrap();
    let pages: BTreeMap<String, String> = documents().into_iter().collect();
    let code = files(&["crates"], "rs");
    let is_file = |name: &str| code.iter().any(|(path, _)| path.ends_with(&format!("/{name}")));
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("source,part,sentences,rule,played"));
    let (mut wrong, mut count) = (Vec::new(), 0);
    for line in lines {
        // The last cell alone is looked up.
        let played = match line.strip_suffix('"') {
            Some(quoted) => quoted.rsplit(",\"").next(),
            None => line.rsplit(',').next(),
        };
        let played = played.unwrap_or_default();
        count += 1;
        let found = played.split("; ").all(|place| {
            let mut words = place.split([' ', ':', ',']);
            let (first, id) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let page = pages.get(&format!("docs/games/{first}.md"));
            match page {
                Some(page) if id.contains('-') => page.contains(id),
                _ if first.ends_with(".rs") => is_file(first),
                _ => !place.is_empty(),
            }
        });
        if !found {
            wrong.push(line);
        }
    }
    assert!(wrong.is_empty() && count > 250, "{count} sentences; {}", wrong.join("\n"));
}
