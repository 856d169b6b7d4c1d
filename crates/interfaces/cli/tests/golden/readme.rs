//! Examples of README and the documents: what stands below a command is what it prints.

use std::fs;

use crate::run::{tavola, tavola_in, tavola_with_input};
use crate::text::without_times;

/// A command of a document and what that says it prints.
struct Example {
    line: String,
    output: Vec<String>,
}

/// The indented blocks that begin with `$ tavola`, command by command.
fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut open = false;
    let mut blank = 0;
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("    $ tavola ") {
            let command = command.split("  #").next().unwrap().trim();
            examples.push(Example { line: command.to_owned(), output: Vec::new() });
            (open, blank) = (true, 0);
        } else if line.is_empty() {
            blank += 1;
        } else if let (true, Some(output)) = (open, line.strip_prefix("    ")) {
            let lines = &mut examples.last_mut().unwrap().output;
            lines.extend((0..std::mem::take(&mut blank)).map(|_| String::new()));
            lines.push(output.trim_end().to_owned());
        } else {
            open = false;
        }
    }
    examples
}

/// Whether a test can run the command: it needs no other program and ends soon.
fn is_quick(line: &str) -> bool {
    let slow = [
        "train ", "worker ", "duel ", "ladder", "profile", "grade", "facts", "bench", "rollout",
        "play", "serve", "fleet",
    ];
    line.ends_with("--games 200") || !slow.iter().any(|command| line.starts_with(command))
}

/// README and the pages of `docs`, by name.
fn documents() -> Vec<(String, String)> {
    let root = crate::workspace();
    let pages = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> =
        pages.filter(|it| it.extension().is_some_and(|it| it == "md")).collect();
    pages.push(root.join("README.md"));
    pages.sort();
    let read = |path: &std::path::PathBuf| fs::read_to_string(path).unwrap();
    pages.iter().map(|path| (path.display().to_string(), read(path))).collect()
}

#[test]
fn commands_of_the_documents_print_what_stands_below_them() {
    let (mut compared, mut found) = (0, 0);
    for (name, text) in documents() {
        for Example { line, output } in examples(&text) {
            found += 1;
            let mut args = shlex::split(line.trim_end_matches('&')).unwrap();
            for arg in args.iter_mut().filter(|arg| arg.starts_with("models/")) {
                *arg = crate::workspace().join(&*arg).display().to_string();
            }
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            if !is_quick(&line) {
                // The options exist: asking for help of the same command line succeeds.
                let run = tavola_in(&[], &[&args[..], &["--help"]].concat(), b"");
                assert_eq!(run.code, Some(0), "{name}: {line}: {}", run.stderr);
                continue;
            }
            if output.is_empty() && name.ends_with("how-tavola-learned.md") {
                continue;
            }
            let run = tavola_in(&[], &args, b"").done();
            let printed: Vec<&str> = run.stdout.lines().map(str::trim_end).collect();
            // `...` at the beginning leaves out what is before, at the end what follows.
            let (expected, start) = match output.split_first() {
                Some((dots, rest)) if dots == "..." => {
                    let first = rest.first().map(String::as_str);
                    (rest, printed.iter().position(|line| Some(*line) == first).unwrap_or(0))
                }
                _ => (&output[..], 0),
            };
            for (i, expected) in expected.iter().enumerate() {
                if expected == "..." {
                    break;
                }
                let printed = printed.get(start + i).copied().unwrap_or("(the end)");
                let printed = without_times(printed);
                assert_eq!(printed, without_times(expected), "{name}: line {} of {line}", i + 1);
            }
            compared += usize::from(!output.is_empty());
        }
    }
    assert!(compared > 2 && found > 8, "the documents have lost their examples");
}

/// Whether a line is as a document has it, where `...` leaves something out.
fn is_as(line: &str, expected: &str) -> bool {
    let mut parts = expected.split("...");
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    for part in &parts {
        let Some((_, behind)) = rest.split_once(part) else { return false };
        rest = behind;
    }
    rest.is_empty() || parts.last().is_some_and(|last| last.is_empty())
}

/// A line without the time that it tells.
fn untimed(line: &str) -> String {
    let words = line.split(' ').scan(false, |timed, word| {
        let was = std::mem::replace(timed, word == "time_ms");
        Some(if was { "_" } else { word })
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Blocks of `> ` to a program and `< ` from it: what `tavola ubgi` says, what its socket says of the
/// start, and legal answers of other engines.
#[test]
fn programs_answer_as_the_guide_of_engines_says() {
    let text = fs::read_to_string(crate::workspace().join("docs/engines.md")).unwrap();
    let mut seen = [0; 3];
    for block in text.split("\n\n").filter(|block| block.starts_with("    > ")) {
        let lines = || block.lines().map(str::trim);
        let asked: Vec<&str> = lines().filter_map(|line| line.strip_prefix("> ")).collect();
        let expected: Vec<&str> = lines().filter_map(|line| line.strip_prefix("< ")).collect();
        match asked[0].split(' ').next().unwrap() {
            "ubgi" => {
                let said = tavola_with_input(&["ubgi"], asked.join("\n").as_bytes()).done().stdout;
                let mut said = said.lines();
                let mut next = || untimed(said.next().expect("more lines"));
                let mut skips = false;
                for expected in expected {
                    if expected == "..." {
                        skips = true;
                        continue;
                    }
                    let mut line = next();
                    while std::mem::take(&mut skips) && !is_as(&line, &untimed(expected)) {
                        (line, skips) = (next(), true);
                    }
                    assert!(is_as(&line, &untimed(expected)), "{line}\nis not\n{expected}");
                }
                seen[0] += 1;
            }
            "evaluation" => {
                let answer = tavola(&["eval", "--ply", "0", "--json"]).json();
                let probs = answer["probs"].as_array().unwrap().iter();
                let all = probs.chain([&answer["cubeful_equity"]]).map(|it| it.as_f64().unwrap());
                let all: Vec<String> = all.map(|it| format!("{it:.6}")).collect();
                assert_eq!(expected, [all.join(" ")]);
                seen[1] += 1;
            }
            "best" => {
                let [_, position, high, low, ..] = asked[0].split(' ').collect::<Vec<_>>()[..]
                else {
                    panic!("{block}")
                };
                let request = format!(
                    "{{\"op\":\"legal\",\"position\":\"{position}\",\"dice\":[{high},{low}]}}"
                );
                let legal = tavola_with_input(&["batch"], request.as_bytes()).done().stdout;
                let after = expected[0].strip_prefix("best ").unwrap();
                assert!(legal.contains(&format!("\"{after}\"")), "{after} is not in {legal}");
                seen[2] += 1;
            }
            _ => {}
        }
    }
    assert_eq!(seen, [1, 1, 2], "the guide has lost its examples");
}
