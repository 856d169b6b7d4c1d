//! Running the binary.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use wait_timeout::ChildExt;

/// A command that takes longer waits for something that never comes.
const LIMIT: Duration = Duration::from_secs(600);

/// Where tests keep bear-off databases, which are generated once and not beside the user's own.
pub const CACHE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/cache");

/// What a run of the binary left behind.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// The run, which must have succeeded.
    pub fn done(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Stdout of a successful run as one JSON object.
    pub fn json(self) -> Value {
        let run = self.done();
        assert_eq!(run.stdout.lines().count(), 1, "{run:?}");
        serde_json::from_str(&run.stdout).unwrap()
    }

    /// The same without the machine and its threads.
    pub fn report(self) -> Value {
        let mut report = self.json();
        report.as_object_mut().unwrap().remove("provenance").expect("a report tells it");
        report
    }

    /// Insists on exit code 2, nothing on stdout but the error as JSON after `--json`, and one
    /// line on stderr with all of `parts`.
    pub fn refused(self, parts: &[&str]) {
        assert_eq!(self.code, Some(2), "{self:?}");
        let told: Option<Value> = serde_json::from_str(&self.stdout).ok();
        let is_told = told.is_some_and(|told| told["error"]["message"].is_string());
        assert!(self.stdout.is_empty() || is_told, "{self:?}");
        assert!(self.stderr.starts_with("error: "), "{self:?}");
        for part in parts {
            assert!(self.stderr.contains(part), "{part:?} is not in {self:?}");
        }
    }
}

/// Runs the binary with these arguments and no input.
pub fn tavola(args: &[&str]) -> Run {
    tavola_with_input(args, b"")
}

/// Runs the binary with these arguments and this on stdin.
pub fn tavola_with_input(args: &[&str], input: &[u8]) -> Run {
    tavola_in(&[], args, input)
}

/// The same with some variables of the environment.
pub fn tavola_in(variables: &[(&str, &str)], args: &[&str], input: &[u8]) -> Run {
    tavola_at(Path::new("."), variables, args, input)
}

/// The same in a folder.
pub fn tavola_at(folder: &Path, variables: &[(&str, &str)], args: &[&str], input: &[u8]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tavola"))
        .args(args)
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .env_remove("TAVOLA_MODEL")
        .env_remove("TAVOLA_THREADS")
        .env("TAVOLA_CACHE_DIR", CACHE)
        .env("XDG_DATA_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/data"))
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // Written and read beside waiting: pipes may fill up. A child that stops early closes its end.
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let run = bounded(child, &format!("{args:?}"));
    writer.join().unwrap();
    run
}

/// Waits for a child with both its outputs piped, and kills one that goes on for ever.
pub fn bounded(mut child: Child, name: &str) -> Run {
    let stdout = read(child.stdout.take().unwrap());
    let stderr = read(child.stderr.take().unwrap());
    let status = child.wait_timeout(LIMIT).unwrap();
    if status.is_none() {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let run = Run {
        code: status.and_then(|status| status.code()),
        stdout: stdout.join().unwrap(),
        stderr: stderr.join().unwrap(),
    };
    assert!(status.is_some(), "{name} goes on for ever: {run:?}");
    run
}

/// Reads a pipe to its end on a thread of its own.
fn read(mut pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
