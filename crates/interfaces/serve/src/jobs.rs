//! Long work: begun by one request, watched by server-sent events, canceled at any time.

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use serde::Serialize;
use serde_json::Value;
use tavola_engine::{Cost, EngineError, EngineEvent, ErrorKind, Watch};
use tavola_files::limits::{self, Limits};
use tavola_files::locked;
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::error::{ApiError, Result};
use crate::pool::{Alone, Lane, Pool, Task, Ticket};
use crate::store::{is_key, new_key};

mod requests;

pub(crate) use requests::{analyze, cancel, create, events, get};

/// What a job takes beside its file and its answer, in bytes.
const OVERHEAD: u64 = 4096;

/// A job is small if its request has no more than this part of the bytes of all: 64 KiB, unless that
/// limit is set to another.
const PARTS: u64 = 2048;

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stage {
    /// Others come first.
    Waiting,
    /// It is being done.
    Running,
    /// There is an answer.
    Done,
    /// There is an error.
    Failed,
    /// The client has canceled it, or it took too long.
    Canceled,
}

impl Stage {
    const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Canceled)
    }
}

/// A job as clients see it.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct JobView {
    /// The key of the job.
    id: String,
    /// How far it is.
    state: Stage,
    /// What there is so far: of a rollout `trials`, `equity`, `equity_se` and the `best` play; of an
    /// analysis `done` and `total` decisions; null before the first figures.
    progress: Option<Value>,
    /// Why there is no answer.
    error: Option<Value>,
    /// The answer, once it is done; of a canceled rollout that of the games so far.
    #[serde(serialize_with = "as_null")]
    #[schemars(with = "Option<Value>")]
    answer: Option<Bytes>,
}

/// An answer is put into the text as the bytes that it is.
fn as_null<S: serde::Serializer>(_: &Option<Bytes>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_unit()
}

impl JobView {
    /// The job in JSON; an answer is not copied.
    fn parts(&self) -> [Bytes; 3] {
        let mut text = to_json(self);
        let Some(answer) = &self.answer else { return [text.into(), Bytes::new(), Bytes::new()] };
        let last = text.strip_suffix("null}").map_or(text.len(), str::len);
        text.truncate(last);
        [text.into(), answer.clone(), Bytes::from_static(b"}")]
    }
}

struct Job {
    client: IpAddr,
    cancel: Arc<AtomicBool>,
    view: watch::Sender<JobView>,
    touched: Instant,
    /// The bytes of the request.
    asked: u64,
    /// Its place in the queue.
    ticket: Ticket,
}

impl Job {
    fn is_over(&self) -> bool {
        self.view.borrow().state.is_over()
    }

    /// The bytes that it takes.
    fn cost(&self) -> u64 {
        let view = self.view.borrow();
        let answer = view.answer.as_ref().map_or(0, |answer| answer.len() as u64);
        OVERHEAD + if view.state.is_over() { answer } else { self.asked }
    }
}

type Kept = HashMap<String, Job>;

/// The jobs by their keys.
pub(crate) struct Jobs {
    pool: Pool,
    limits: Limits,
    jobs: Arc<Mutex<Kept>>,
}

/// What a job is asked with.
struct Asked {
    client: IpAddr,
    cost: Cost,
    /// Bytes of the request.
    bytes: usize,
    /// Whether it begins with a file, which takes many times its size to read: one at a time.
    reads: bool,
}

type Reporter = watch::Sender<JobView>;

/// Forgets answers that are too old, then those of the clients that take the most, until the rest
/// is within its limits.
fn tidy(jobs: &mut Kept, limits: &Limits) {
    let age = limits.time(&limits::JOB_AGE);
    jobs.retain(|_, job| !job.is_over() || job.touched.elapsed() < age);
    loop {
        let mut of_clients: HashMap<IpAddr, u64> = HashMap::new();
        for job in jobs.values() {
            *of_clients.entry(job.client).or_default() += job.cost();
        }
        let bytes: u64 = of_clients.values().sum();
        if jobs.len() <= limits.count(&limits::JOBS) && bytes <= limits.of(&limits::JOBS_BYTES) {
            return;
        }
        let over = jobs.iter().filter(|(_, job)| job.is_over());
        let next = over.max_by_key(|(_, job)| (of_clients[&job.client], job.touched.elapsed()));
        let Some(next) = next.map(|(key, _)| key.clone()) else { return };
        jobs.remove(&next);
    }
}

impl Jobs {
    pub(crate) fn new(threads: NonZeroUsize, limits: Limits) -> std::io::Result<Self> {
        let pool = Pool::new("job", Lane::of_jobs(threads), limits.count(&limits::JOB_QUEUE))?;
        Ok(Self { pool, limits, jobs: Arc::default() })
    }

    /// Cancels all jobs and waits for their end, but not longer than `patience`.
    pub(crate) fn close(&self, patience: Duration) {
        for job in locked(&self.jobs).values() {
            job.cancel.store(true, Ordering::Relaxed);
        }
        self.pool.close(patience);
        // Streams end with the jobs, also those that never began.
        locked(&self.jobs).clear();
    }

    pub(crate) fn running(&self) -> usize {
        locked(&self.jobs).values().filter(|job| !job.is_over()).count()
    }

    fn get<T>(&self, key: &str, of: impl FnOnce(&Job) -> T) -> Result<T> {
        let mut jobs = locked(&self.jobs);
        tidy(&mut jobs, &self.limits);
        let job = if is_key(key) { jobs.get_mut(key) } else { None };
        let job =
            job.ok_or_else(|| ApiError::not_found(format_args!("there is no job {key:?}")))?;
        job.touched = Instant::now();
        Ok(of(job))
    }

    /// Cancels a job: one that waits leaves at once.
    fn cancel(&self, key: &str) -> Result<()> {
        let (client, ticket, view) = self.get(key, |job| {
            job.cancel.store(true, Ordering::Relaxed);
            (job.client, job.ticket, job.view.clone())
        })?;
        if self.pool.withdraw(client, ticket) {
            view.send_modify(|view| {
                let error = EngineError::new(ErrorKind::Canceled, "it was canceled");
                view.error = ApiError::from(error).to_json().get("error").cloned();
                view.state = Stage::Canceled;
            });
        }
        Ok(())
    }

    /// Refuses a job whose file is large where others leave too little room for it: a client has
    /// half of what they leave. Small ones have room beside the files: their number is limited.
    fn check_bytes(&self, jobs: &Kept, client: IpAddr, asked: u64) -> Result<()> {
        let most = self.limits.of(&limits::JOBS_BYTES);
        if asked <= most / PARTS {
            return Ok(());
        }
        let (mut own, mut others) = (OVERHEAD + asked, 0);
        for job in jobs.values().filter(|job| job.asked > most / PARTS && !job.is_over()) {
            *if job.client == client { &mut own } else { &mut others } += job.cost();
        }
        let share = most.saturating_sub(others) / 2;
        if own > share {
            return Err(ApiError::busy(format_args!(
                "the files of this client that wait have {own} bytes, expected at most {share}; \
                 try again later"
            )));
        }
        Ok(())
    }

    /// Begins a job.
    fn begin(
        &self,
        asked: Asked,
        work: impl FnOnce(&Watch<'_>, &Reporter, Alone) -> Result<Vec<u8>> + Send + 'static,
        events: impl Fn(&Reporter, EngineEvent<'_>) + Send + Sync + 'static,
    ) -> Result<JobView> {
        let Asked { client, cost, bytes, reads } = asked;
        let mut jobs = locked(&self.jobs);
        let of_client = jobs.values().filter(|job| job.client == client && !job.is_over());
        let (own, most) = (of_client.count(), self.limits.count(&limits::JOBS_OF_CLIENT));
        if own >= most {
            return Err(ApiError::busy(format_args!(
                "{own} jobs of this client wait or run, expected fewer than {most}"
            )));
        }
        self.check_bytes(&jobs, client, bytes as u64)?;
        let id = new_key()?;
        let first = JobView {
            id: id.clone(),
            state: Stage::Waiting,
            progress: None,
            error: None,
            answer: None,
        };
        let (view, _) = watch::channel(first.clone());
        let cancel = Arc::new(AtomicBool::new(false));
        let mut job = Job {
            client,
            cancel: Arc::clone(&cancel),
            view: view.clone(),
            touched: Instant::now(),
            asked: bytes as u64,
            ticket: 0,
        };
        let clock = Handle::try_current().ok();
        let (kept, limits) = (Arc::clone(&self.jobs), self.limits.clone());
        let work = Box::new(move |alone| {
            let largest = limits.count(&limits::ANSWER_BYTES);
            let late = clock.map(|clock| {
                let (longest, cancel) = (limits.time(&limits::JOB_SECONDS), Arc::clone(&cancel));
                clock.spawn(async move {
                    tokio::time::sleep(longest).await;
                    cancel.store(true, Ordering::Relaxed);
                })
            });
            view.send_modify(|view| view.state = Stage::Running);
            let watched = |event: EngineEvent<'_>| events(&view, event);
            let watch = Watch { cancel: &cancel, events: &watched };
            let result = work(&watch, &view, alone).and_then(|answer| match answer.len() {
                size if size > largest => Err(ApiError::large_answer(largest)),
                _ => Ok(answer),
            });
            if let Some(late) = late {
                late.abort();
            }
            let canceled = cancel.load(Ordering::Relaxed);
            view.send_modify(|view| match result {
                Ok(answer) => {
                    view.answer = Some(answer.into());
                    view.state = if canceled { Stage::Canceled } else { Stage::Done };
                }
                Err(error) => {
                    view.error = error.to_json().get("error").cloned();
                    view.state = if canceled { Stage::Canceled } else { Stage::Failed };
                }
            });
            tidy(&mut locked(&kept), &limits);
        });
        // The queue is looked at under the lock of the jobs: none is canceled before it is there.
        job.ticket = self.pool.submit(client, Task { cost, is_alone: reads, work })?;
        jobs.insert(id, job);
        tidy(&mut jobs, &self.limits);
        Ok(first)
    }
}

pub(crate) fn to_json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("answers are plain data")
}
