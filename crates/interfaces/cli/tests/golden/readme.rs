//! README's examples: what stands below a command is what the command prints.

use std::fs;

use crate::run::tavola_in;
use crate::text::without_times;

/// A command of README and what README says it prints.
struct Example {
    line: String,
    output: Vec<String>,
}

/// The indented blocks of README that begin with `$ tavola`, command by command.
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
    let slow = ["train ", "worker ", "duel ", "ladder", "profile", "grade", "facts", "bench"];
    !slow.iter().any(|command| line.starts_with(command))
}

#[test]
fn commands_of_the_readme_print_what_stands_below_them() {
    let text = fs::read_to_string(crate::workspace().join("README.md")).unwrap();
    let examples = examples(&text);
    let mut compared = 0;
    for Example { line, output } in &examples {
        let args = shlex::split(line).unwrap();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        if !is_quick(line) {
            // The options exist: asking for help of the same command line succeeds.
            let run = tavola_in(&[], &[&args[..], &["--help"]].concat(), b"");
            assert_eq!(run.code, Some(0), "{line}: {}", run.stderr);
            continue;
        }
        let run = tavola_in(&[], &args, b"").done();
        let printed: Vec<&str> = run.stdout.lines().map(str::trim_end).collect();
        for (i, expected) in output.iter().enumerate() {
            if expected == "..." {
                break;
            }
            let printed = without_times(printed.get(i).copied().unwrap_or("(the end)"));
            assert_eq!(printed, without_times(expected), "line {} of {line}", i + 1);
        }
        compared += usize::from(!output.is_empty());
    }
    assert!(compared > 0 && examples.len() > 4, "README has lost its examples");
}
