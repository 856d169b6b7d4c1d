//! A child process that is asked and answers in lines.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

#[cfg(unix)]
use nix::{sys::signal::Signal, unistd::Pid};
use tavola_files::{locked, printable};

/// Longest line in bytes; what is longer comes in pieces, none of which will make sense.
const LONGEST_LINE: u64 = tavola_files::limits::ENGINE_LINE.default;

/// Lines that may wait to be read; an engine that floods its output has to wait.
const LINES_WAITING: usize = 64;

/// How long a process may take for its end.
const PATIENCE: Duration = Duration::from_millis(500);

/// How an engine is started.
#[derive(Clone, Debug)]
pub struct EngineCommand {
    /// The program: a path, or a name to be looked for in the directories for programs.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Environment variables that it gets besides those of this process.
    pub env: Vec<(String, String)>,
    /// How long it may take to start and for each answer before it counts as hung.
    pub timeout: Duration,
    /// Once it is true, no answer is waited for.
    pub called_off: &'static AtomicBool,
}

/// How often it is looked whether an answer is still waited for.
const LOOK: Duration = Duration::from_millis(100);

/// A running process; ends with the value.
#[derive(Debug)]
pub struct Process {
    child: Child,
    /// Whether processes of its group may still run.
    has_group: bool,
    /// `None` once it is closed, which tells the process to end.
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    called_off: &'static AtomicBool,
    started: Instant,
    last_words: Arc<Mutex<String>>,
    /// Reads stderr to its end.
    listener: Option<JoinHandle<()>>,
}

/// Why a process does not answer.
#[derive(Debug)]
pub enum ProcessEnd {
    /// Its time is up.
    Hung,
    /// It is no more.
    Ended {
        /// How it ended, if it did so soon after its output.
        status: Option<ExitStatus>,
        /// The last line on its stderr; may be empty.
        last_words: String,
    },
}

impl Process {
    /// Starts the command. It must read its input until that ends, and then end.
    ///
    /// # Errors
    ///
    /// If the system can't start it.
    pub fn start(command: &EngineCommand) -> io::Result<Self> {
        let mut builder = Command::new(&command.program);
        builder
            .args(&command.args)
            .envs(command.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // An interrupt from the terminal is for this process, which lets games come to their end.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut builder, 0);
        let mut child = builder.spawn()?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (sender, lines) = sync_channel(LINES_WAITING);
        let last_words = Arc::new(Mutex::new(String::new()));
        let words = Arc::clone(&last_words);
        // From here on whatever fails ends the child.
        let mut process = Self {
            child,
            has_group: true,
            stdin,
            lines,
            called_off: command.called_off,
            started: Instant::now(),
            last_words,
            listener: None,
        };
        if let Some(stdout) = stdout {
            spawn(move || pass_on(stdout, &sender))?;
        }
        if let Some(stderr) = stderr {
            process.listener = Some(spawn(move || remember_last(stderr, &words))?);
        }
        Ok(process)
    }

    /// Processor time that it has taken, without that of its children; where the system does not
    /// tell, the time since its start.
    pub fn time(&self) -> Duration {
        #[cfg(target_os = "linux")]
        if let Ok(id) = i32::try_from(self.child.id())
            && let Ok(clock) = nix::time::clock_getcpuclockid(Pid::from_raw(id))
            && let Ok(time) = nix::time::clock_gettime(clock)
        {
            return time.into();
        }
        self.started.elapsed()
    }

    /// Sends a line.
    ///
    /// # Errors
    ///
    /// [`ProcessEnd`] if the process no longer reads.
    pub fn send(&mut self, line: &str) -> Result<(), ProcessEnd> {
        let sent = self.stdin.as_mut().map(|stdin| {
            // In one piece, so that it goes out at once.
            stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdin.flush())
        });
        match sent {
            Some(Ok(())) => Ok(()),
            // Nobody reads.
            Some(Err(_)) | None => Err(self.ended()),
        }
    }

    /// The next line, without its end.
    ///
    /// # Errors
    ///
    /// [`ProcessEnd`] if none comes before the deadline, or before it is called off.
    pub fn receive(&mut self, deadline: Instant) -> Result<String, ProcessEnd> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(LOOK)) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) => {
                    if left <= LOOK || self.called_off.load(Ordering::Relaxed) {
                        return Err(ProcessEnd::Hung);
                    }
                }
            }
        }
    }

    fn ended(&mut self) -> ProcessEnd {
        let status = self.wait();
        // What it said at the end may still be on its way; a child of its own may keep the pipe
        // open for long.
        soon(|| self.listener.as_ref().is_none_or(JoinHandle::is_finished).then_some(()));
        let last_words = locked(&self.last_words).clone();
        ProcessEnd::Ended { status, last_words }
    }

    /// How the process has ended, if it does so soon. Processes that it leaves behind end then.
    pub fn wait(&mut self) -> Option<ExitStatus> {
        let status = soon(|| self.child.try_wait().ok().flatten());
        if status.is_some() {
            self.end_group();
        }
        status
    }

    /// Ends all of the group of the process, on Unix: an engine may be the child of a script, or
    /// have children.
    fn end_group(&mut self) {
        #[cfg(unix)]
        if self.has_group
            && let Ok(group) = i32::try_from(self.child.id())
        {
            // No other group has this number: the child has just been waited for, or not yet, and
            // a number is used again only after all others.
            let _ = nix::sys::signal::killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
        self.has_group = false;
    }
}

/// A new thread, which a system at its limit of processes refuses.
fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().spawn(work)
}

/// What `look` finds, if it finds something before patience runs out.
fn soon<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let found = look();
        if found.is_some() || Instant::now() >= deadline {
            return found;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stdin = None;
        if self.wait().is_none() {
            self.end_group();
            // If even that fails, there is nothing left to try.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// The next line, fit for a terminal, or a piece of one that is too long. `None` at the end.
fn next_line(reader: &mut BufReader<impl Read>) -> Option<String> {
    let mut line = Vec::new();
    match reader.take(LONGEST_LINE).read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(printable(String::from_utf8_lossy(&line).trim_end())),
    }
}

fn pass_on(stdout: impl Read, lines: &SyncSender<String>) {
    let mut reader = BufReader::new(stdout);
    while let Some(line) = next_line(&mut reader) {
        // Nobody listens any more.
        if lines.send(line).is_err() {
            break;
        }
    }
}

fn remember_last(stderr: impl Read, last: &Mutex<String>) {
    let mut reader = BufReader::new(stderr);
    while let Some(line) = next_line(&mut reader) {
        if !line.trim().is_empty() {
            *locked(last) = line;
        }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs;

    use tavola_evaluator::NEVER;

    use super::*;

    fn start(script: &str) -> Process {
        let command = EngineCommand {
            program: "sh".to_owned(),
            args: vec!["-c".to_owned(), script.to_owned()],
            env: Vec::new(),
            called_off: &NEVER,
            timeout: Duration::from_secs(60),
        };
        Process::start(&command).unwrap()
    }

    fn line(process: &mut Process) -> String {
        process.receive(Instant::now() + Duration::from_secs(60)).unwrap()
    }

    /// Whether a process runs; one that has ended may wait for its parent to ask for it.
    fn runs(pid: &str) -> bool {
        fs::read_to_string(format!("/proc/{pid}/stat"))
            .is_ok_and(|stat| !stat.rsplit(')').next().unwrap().starts_with(" Z"))
    }

    #[test]
    fn the_children_of_a_hung_script_end_with_it() {
        let mut process = start("sleep 1000 & echo $!; wait");
        let sleeper = line(&mut process);
        assert!(runs(&sleeper), "{sleeper}");
        drop(process);
        assert!(soon(|| (!runs(&sleeper)).then_some(())).is_some(), "{sleeper} still runs");
    }

    #[test]
    fn a_helper_ends_when_the_engine_ends_by_itself() {
        let mut process = start("sleep 1000 & echo $!; read line; exit 3");
        let sleeper = line(&mut process);
        assert!(runs(&sleeper), "{sleeper}");
        process.send("go").unwrap();
        assert_eq!(process.wait().unwrap().code(), Some(3));
        assert!(soon(|| (!runs(&sleeper)).then_some(())).is_some(), "{sleeper} still runs");
        assert_eq!(process.wait().unwrap().code(), Some(3), "it is known from then on");
    }

    #[test]
    fn what_answers_has_taken_time_of_the_processor() {
        let mut process = start("echo done; read line");
        assert_eq!(line(&mut process), "done");
        assert!(!process.time().is_zero());
    }

    #[test]
    fn a_line_without_an_end_comes_in_pieces() {
        let mut process = start("head -c 10000 /dev/zero | tr '\\0' x");
        assert_eq!([4096, 4096, 1808].map(|_| line(&mut process).len()), [4096, 4096, 1808]);
    }

    #[test]
    fn who_is_called_off_waits_for_no_answer() {
        let called_off: &'static AtomicBool = Box::leak(Box::default());
        let mut process = start("read line; sleep 1000");
        process.called_off = called_off;
        called_off.store(true, Ordering::Relaxed);
        let ending = process.receive(Instant::now() + Duration::from_secs(1000));
        assert!(matches!(ending, Err(ProcessEnd::Hung)), "{ending:?}");
    }

    #[test]
    fn what_an_engine_says_gives_the_terminal_no_orders() {
        let mut process = start(r"printf 'Engine\033]0;owned\007\n'");
        assert_eq!(line(&mut process), r"Engine\u{1b}]0;owned\u{7}");
    }
}
