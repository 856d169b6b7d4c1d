//! Running the binary.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

/// No run takes longer; one that does is ended, and its test fails.
const LONGEST: Duration = Duration::from_secs(300);

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
    let mut child = Command::new(env!("CARGO_BIN_EXE_tavola"))
        .args(args)
        .env_remove("NO_COLOR")
        .env_remove("TAVOLA_MODEL")
        .env_remove("TAVOLA_THREADS")
        // Endgame tables are generated once for all tests, and not beside the user's own.
        .env("TAVOLA_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // Written beside reading: both pipes may fill up. A child that stops early closes its end.
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let (tell, told) = mpsc::channel();
    let stdout = collected(child.stdout.take().unwrap(), tell.clone());
    let stderr = collected(child.stderr.take().unwrap(), tell);
    for _ in 0..2 {
        if told.recv_timeout(LONGEST).is_err() {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{args:?} did not end within {} seconds", LONGEST.as_secs());
        }
    }
    let status = child.wait().unwrap();
    writer.join().unwrap();
    let text =
        |bytes: std::thread::JoinHandle<Vec<u8>>| String::from_utf8(bytes.join().unwrap()).unwrap();
    Run { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

/// Reads a pipe to its end and tells so.
fn collected(
    mut pipe: impl Read + Send + 'static,
    tell: mpsc::Sender<()>,
) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        let _ = tell.send(());
        bytes
    })
}
