//! Tells the program the commit that it was built from, which training runs write down.
//!
//! `TAVOLA_COMMIT` may be set instead where there is no git, such as in a package. Without either
//! the commit is unknown.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=TAVOLA_COMMIT");
    if std::env::var_os("TAVOLA_COMMIT").is_some() {
        return;
    }
    let Some(commit) = git(&["rev-parse", "HEAD"]) else { return };
    // Changes that are not committed yet matter as much as the commit.
    let changed = git(&["status", "--porcelain", "--untracked-files=no"])
        .is_none_or(|changes| !changes.is_empty());
    println!("cargo::rustc-env=TAVOLA_COMMIT={commit}{}", if changed { "-dirty" } else { "" });
    for path in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--path-format=absolute", "--git-path", path]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    // What is compiled into the program.
    for path in ["../../../Cargo.lock", "../../../Cargo.toml", "../../../models", "../.."] {
        println!("cargo::rerun-if-changed={path}");
    }
}

/// What git answers; `None` without git, or outside a repository.
fn git(arguments: &[&str]) -> Option<String> {
    // Looking must not touch the index, or every build would be followed by another.
    let output =
        Command::new("git").env("GIT_OPTIONAL_LOCKS", "0").args(arguments).output().ok()?;
    let answer = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| answer.trim().to_owned())
}
