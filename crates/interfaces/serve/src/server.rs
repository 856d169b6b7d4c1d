//! Listening, and ending.

use std::fs::File;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use tavola_engine::{Engine, Question};
use tavola_files::limits;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use crate::connections;
use crate::jobs::Jobs;
use crate::metrics::Metrics;
use crate::pool::{Lane, Pool};
use crate::routes;
use crate::run_page::Networks;
use crate::state::{App, ServerSettings, Shared};
use crate::store::Games;

/// How long open requests may go on after the end.
const FAREWELL: Duration = Duration::from_secs(4);

/// How long the end may take at most: what does not end by then ends with the program. What was
/// answered is on disk before.
const LAST_CALL: Duration = Duration::from_secs(7);

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address is taken or not one of this machine.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: std::io::Error,
    },
    /// Other machines could ask, and anyone on them.
    #[error("{address} is open to other machines, expected a token with it")]
    NoToken {
        /// The address.
        address: SocketAddr,
    },
    /// The folder of matches can't be made.
    #[error("cannot use the folder of matches {folder}")]
    Games {
        /// The folder.
        folder: String,
        /// Why not.
        source: std::io::Error,
    },
    /// Each would undo what the other saves.
    #[error("the folder of matches {folder} is in use by another server, expected another folder")]
    InUse {
        /// The folder.
        folder: String,
    },
    /// The log can't be written.
    #[error("cannot write the log {file}")]
    Log {
        /// The file.
        file: String,
        /// Why not.
        source: std::io::Error,
    },
    /// There are no threads to be had.
    #[error("cannot start threads")]
    Threads(#[source] std::io::Error),
}

/// A server that listens.
pub struct Server {
    address: SocketAddr,
    app: App,
    runtime: Runtime,
    end: watch::Sender<bool>,
    serving: tokio::task::JoinHandle<()>,
    /// Held as long as matches are saved.
    lock: Option<File>,
}

impl Server {
    /// Listens, and answers with this engine; `default` is what requests do not name. The engine
    /// should use one thread for a question: the server asks several at the same time.
    ///
    /// # Errors
    ///
    /// [`ServeError`].
    pub fn start(
        settings: ServerSettings,
        engine: Arc<Engine>,
        default: Question,
    ) -> Result<Self, ServeError> {
        let address = settings.address;
        if !address.ip().is_loopback() && settings.token.is_none() {
            return Err(ServeError::NoToken { address });
        }
        let folder = |name: &str| settings.games.as_ref().map(|folder| folder.join(name));
        let failed = |source| {
            let folder = settings.games.as_deref().unwrap_or(std::path::Path::new(""));
            ServeError::Games { folder: folder.display().to_string(), source }
        };
        let games = Games::new(settings.games.clone(), &settings.limits).map_err(failed)?;
        let lock = folder(".lock").map(|path| tavola_files::lock(&path)).transpose();
        let lock = lock.map_err(|error| match (error.kind(), failed(error)) {
            (ErrorKind::WouldBlock, ServeError::Games { folder, .. }) => {
                ServeError::InUse { folder }
            }
            (_, error) => error,
        })?;
        let log = settings.log.as_ref().map(|path| {
            let file = File::options().create(true).append(true).open(path);
            file.map_err(|source| ServeError::Log { file: path.display().to_string(), source })
        });
        let log = log.transpose()?;
        let networks = Networks::new(folder("networks"));
        let lanes = Lane::of_requests(settings.threads);
        let pool = Pool::new("worker", lanes, settings.limits.count(&limits::QUEUE))
            .map_err(ServeError::Threads)?;
        let jobs =
            Jobs::new(settings.threads, settings.limits.clone()).map_err(ServeError::Threads)?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("serve")
            .enable_io()
            .enable_time()
            .build()
            .map_err(ServeError::Threads)?;
        let listening = |source| ServeError::Listen { address, source };
        let listener = runtime.block_on(TcpListener::bind(address)).map_err(listening)?;
        let address = listener.local_addr().map_err(listening)?;
        let metrics = Metrics::new();
        let app = Arc::new(Shared {
            settings,
            engine,
            default,
            pool,
            games,
            networks,
            jobs,
            metrics,
            log,
            about: OnceLock::new(),
        });
        let (end, ended) = watch::channel(false);
        let router = routes::all(Arc::clone(&app));
        let serving = connections::serve(listener, router, Arc::clone(&app), ended);
        let serving = runtime.spawn(serving);
        Ok(Self { address, app, runtime, end, serving, lock })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes no more requests, cancels the jobs, lets open requests end for a few seconds. Whatever
    /// goes on, it returns within ten.
    pub fn stop(self) {
        let Self { app, runtime, end, mut serving, lock, .. } = self;
        let began = Instant::now();
        let left = || LAST_CALL.saturating_sub(began.elapsed());
        let _ = end.send(true);
        app.games.close();
        let jobs = Arc::clone(&app);
        // Streams of jobs end when these do.
        let closing = thread::spawn(move || jobs.jobs.close(FAREWELL));
        let open = async { tokio::time::timeout(FAREWELL, &mut serving).await };
        if runtime.block_on(open).is_err() {
            // Their work is called off with them.
            serving.abort();
            let _ = runtime.block_on(serving);
        }
        let _ = closing.join();
        app.pool.close(left());
        runtime.shutdown_timeout(left());
        drop(lock);
    }
}
