//! What all requests share.

use std::fmt;
use std::fs::File;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tavola_engine::{Cost, Engine, Question, Watch};
use tavola_files::limits::{self, Limits};

use crate::error::Result;
use crate::jobs::Jobs;
use crate::metrics::Metrics;
use crate::pool::Pool;
use crate::run_page::Networks;
use crate::store::Games;

/// How to serve.
#[derive(Clone, Debug)]
pub struct ServerSettings {
    /// Where to listen; port 0 takes a free one.
    pub address: SocketAddr,
    /// Token that clients send; `None` allows every client, all of them on this machine.
    pub token: Option<String>,
    /// The folder of running games; `None` keeps them in memory only.
    pub games: Option<PathBuf>,
    /// Threads that answer dear questions, and as many that do jobs. Cheap questions and short jobs
    /// have threads of their own beside them.
    pub threads: NonZeroUsize,
    /// Proxies before the server, which are believed for whom they ask.
    pub proxies: Vec<IpAddr>,
    /// The longest time of a request that is no job.
    pub patience: Duration,
    /// The file to which a line is added for each request, in JSON.
    pub log: Option<PathBuf>,
    /// What clients may cost.
    pub limits: Limits,
    /// The run directories that are shown, by their names.
    pub runs: Vec<PathBuf>,
    /// The fleet that works for a run, if there is one.
    pub fleet: Option<Arc<dyn FleetWatch>>,
}

/// A fleet as it is shown.
pub trait FleetWatch: fmt::Debug + Send + Sync {
    /// What it is doing, for the page.
    fn status(&self) -> serde_json::Value;

    /// The state of the fleet as metrics, in the text format of Prometheus.
    fn metrics(&self) -> String;
}

impl Default for ServerSettings {
    /// On a free port of this machine, with one thread, matches in memory.
    fn default() -> Self {
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            token: None,
            games: None,
            threads: NonZeroUsize::MIN,
            proxies: Vec::new(),
            patience: Duration::from_secs(limits::REQUEST_SECONDS.default),
            log: None,
            limits: Limits::default(),
            runs: Vec::new(),
            fleet: None,
        }
    }
}

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) settings: ServerSettings,
    pub(crate) engine: Arc<Engine>,
    /// What requests do not name.
    pub(crate) default: Question,
    pub(crate) pool: Pool,
    pub(crate) games: Games,
    pub(crate) networks: Networks,
    pub(crate) jobs: Jobs,
    pub(crate) metrics: Metrics,
    pub(crate) log: Option<File>,
    /// What the server says about itself, once a client has asked.
    pub(crate) about: OnceLock<String>,
}

pub(crate) type App = Arc<Shared>;

impl Shared {
    /// Does work for a client on a worker, and waits for it as long as a request may take.
    pub(crate) async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        client: IpAddr,
        cost: Cost,
        work: impl FnOnce(&Self, &Watch<'_>) -> T + Send + 'static,
    ) -> Result<T> {
        let shared = Arc::clone(self);
        let work = move |cancel: &AtomicBool| work(&shared, &Watch { cancel, ..Watch::default() });
        self.pool.ask(client, cost, self.settings.patience, work).await
    }
}
