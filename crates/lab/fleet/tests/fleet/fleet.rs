//! A NATS server, learners and workers as child processes, killed when they are dropped.

use std::fs;
use std::net::TcpListener;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use tavola_evaluator::remote::Remote;
use tavola_fleet::{
    Address, Fleet, FleetError, FleetSettings, WorkerSettings, default_name, run_worker,
};
use tavola_pipeline::{Begin, Plan, RunEvent, RunOptions, Tool, run};

/// The longest that anything may take; the long test takes longer.
pub fn patience() -> Duration {
    Duration::from_secs(if std::env::var_os("TAVOLA_CHAOS").is_some() { 7200 } else { 120 })
}

/// Four rounds of a few games with a tiny network.
pub const TINY: &str = "
game = \"hypergammon\"
seed = 5
rounds = 4
games_per_round = 120
first_round_games = 60
[network]
hidden = [8]
[evaluation]
games = 8
opponents = [\"random\"]
";

/// A child process that does not outlive the test.
pub struct Process(pub Child);

impl Process {
    pub fn start(command: &mut Command) -> Self {
        Self(command.stdin(Stdio::null()).spawn().expect("the program starts"))
    }

    pub fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    /// Waits for the end, and tells whether it was a good one.
    pub fn wait(&mut self) -> bool {
        let began = Instant::now();
        while began.elapsed() < patience() {
            if let Some(status) = self.0.try_wait().expect("the process is a child") {
                return status.success();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the process did not end in {:?}", patience());
    }

    pub fn is_running(&mut self) -> bool {
        self.0.try_wait().expect("the process is a child").is_none()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A server on a free port, with a folder of its own.
pub struct Server {
    process: Process,
    pub url: String,
    port: u16,
    folder: PathBuf,
    args: Vec<String>,
}

impl Server {
    /// `None`, with a message, where there is no nats-server.
    pub fn start(folder: &Path) -> Option<Self> {
        Self::start_with(folder, &[])
    }

    /// The same with more arguments.
    pub fn start_with(folder: &Path, args: &[&str]) -> Option<Self> {
        if Command::new("nats-server").arg("-v").output().is_err() {
            eprintln!("skipped: there is no nats-server, install the package nats-server");
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let url = format!("nats://127.0.0.1:{port}");
        let folder = folder.join("jetstream");
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let process = Self::spawn(port, &folder, &args);
        let server = Self { process, url, port, folder, args };
        server.wait();
        Some(server)
    }

    fn spawn(port: u16, folder: &Path, args: &[String]) -> Process {
        let mut command = Command::new("nats-server");
        command.args(["-js", "-a", "127.0.0.1", "-p", &port.to_string(), "-sd"]).arg(folder);
        command.args(args);
        Process::start(command.stdout(Stdio::null()).stderr(Stdio::null()))
    }

    fn wait(&self) {
        let began = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(began.elapsed() < patience(), "the server does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Kills the server and starts it again on what it has stored.
    pub fn restart(&mut self) {
        self.process.kill();
        self.process = Self::spawn(self.port, &self.folder, &self.args);
        self.wait();
    }
}

/// A folder with the configuration of a run.
pub struct Runs {
    pub folder: tempfile::TempDir,
    pub config: PathBuf,
}

impl Runs {
    pub fn new() -> Self {
        Self::of(TINY)
    }

    pub fn of(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("tiny.toml");
        fs::write(&config, text).unwrap();
        Self { folder, config }
    }

    /// A learner whose run directory is `name`.
    pub fn train(&self, name: &str, how: &Learner<'_>) -> Process {
        let mut command = role("learner");
        command.env("FLEET_CONFIG", &self.config);
        command.env("FLEET_RUN", self.folder.path().join(name));
        command.env("FLEET_URL", how.url.unwrap_or_default());
        command.env("FLEET_CHECK", how.check.to_string());
        command.env("FLEET_RESUME", if how.resume { "yes" } else { "" });
        Process::start(&mut command)
    }

    /// The network that one process makes.
    pub fn alone(&self) -> Vec<u8> {
        assert!(self.train("alone", &Learner::default()).wait());
        self.network("alone")
    }

    /// The weights file at the end of a run.
    pub fn network(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.path().join(name).join("final.safetensors")).unwrap()
    }
}

/// How a learner trains.
#[derive(Clone, Copy, Default)]
pub struct Learner<'a> {
    /// The server of its fleet; else it plays on its own.
    pub url: Option<&'a str>,
    /// The share of shards in check.
    pub check: f64,
    /// Whether it resumes a run.
    pub resume: bool,
}

/// Trains in this process, with a fleet at this address.
pub fn train_here(runs: &Runs, name: &str, fleet: &Fleet) -> Vec<String> {
    let plan = Plan::load(&runs.config, &[]).unwrap();
    let options = RunOptions {
        directory: runs.folder.path().join(name),
        begin: Begin::New,
        threads: NonZeroUsize::MIN,
        tool: Tool { version: "test".to_owned(), commit: None },
    };
    let warnings = std::sync::Mutex::new(Vec::new());
    let warn = |event: &RunEvent| {
        if let RunEvent::Warning(text) = event {
            warnings.lock().unwrap().push(text.clone());
        }
    };
    let report = run(&plan, &options, Some(fleet), &warn, &AtomicBool::new(false)).unwrap();
    assert!(report.finished);
    warnings.into_inner().unwrap()
}

/// A worker in this process, on a thread of its own, until `cancel`.
pub fn work_here(address: Address, cancel: &AtomicBool) {
    let settings = WorkerSettings { address, threads: NonZeroUsize::MIN, name: default_name() };
    run_worker(&settings, &|_| {}, cancel).unwrap();
}

/// A worker with one thread.
pub fn worker(url: &str) -> Process {
    Process::start(role("worker").env("FLEET_URL", url))
}

/// This executable as a process with a role of its own.
fn role(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("fleet::{name}_process"), "--ignored", "--nocapture"]);
    command.env("FLEET_ROLE", name).stdout(Stdio::null());
    command
}

/// An environment variable of a role that is not empty.
fn variable(key: &str) -> Option<String> {
    std::env::var(key).ok().filter(|value| !value.is_empty())
}

/// Tries until the server is there: it may be restarting.
fn until_connected<T>(connect: impl Fn() -> Result<T, FleetError>) -> T {
    let began = Instant::now();
    loop {
        match connect() {
            Ok(connected) => return connected,
            Err(FleetError::Connect { .. }) if began.elapsed() < patience() => {
                std::thread::sleep(Duration::from_millis(100));
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
#[ignore = "the role of a process in other tests"]
fn worker_process() {
    if variable("FLEET_ROLE").as_deref() != Some("worker") {
        return;
    }
    let settings = WorkerSettings {
        address: Address { url: variable("FLEET_URL").unwrap(), ..Address::default() },
        threads: NonZeroUsize::MIN,
        name: default_name(),
    };
    until_connected(|| run_worker(&settings, &|_| {}, &AtomicBool::new(false)));
}

#[test]
#[ignore = "the role of a process in other tests"]
fn learner_process() {
    if variable("FLEET_ROLE").as_deref() != Some("learner") {
        return;
    }
    let plan = Plan::load(Path::new(&variable("FLEET_CONFIG").unwrap()), &[]).unwrap();
    let directory = PathBuf::from(variable("FLEET_RUN").unwrap());
    // A learner that was killed before it had begun has nothing to resume.
    let checkpoints = fs::read_dir(directory.join("checkpoints"));
    let is_begun = checkpoints.is_ok_and(|mut found| {
        found.any(|entry| {
            entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("round-"))
        })
    });
    let resume = variable("FLEET_RESUME").is_some() && is_begun;
    let fleet = variable("FLEET_URL").map(|url| {
        let settings = FleetSettings {
            address: Address { url, ..Address::default() },
            check: variable("FLEET_CHECK").unwrap().parse().unwrap(),
            ack_wait: Duration::from_secs(1),
        };
        until_connected(|| Fleet::connect(settings.clone(), Some(&directory)))
    });
    let options = RunOptions {
        directory,
        begin: if resume { Begin::Resume } else { Begin::New },
        threads: NonZeroUsize::MIN,
        tool: Tool { version: "test".to_owned(), commit: None },
    };
    let remote = fleet.as_ref().map(|fleet| fleet as &dyn Remote);
    let warn = |event: &RunEvent| {
        if let RunEvent::Warning(text) = event {
            eprintln!("{text}");
        }
    };
    let report = run(&plan, &options, remote, &warn, &AtomicBool::new(false)).unwrap();
    assert!(report.finished);
    if let Some(fleet) = fleet {
        eprintln!("{:?}", fleet.report());
    }
}
