//! Long work: begun by one request, watched by server-sent events, cancelled at any time.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::sse::{Event as Sse, KeepAlive, Sse as SseResponse};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tavola_engine::{Analysis, EngineError, Event, Lookahead, NoFindings, Watch};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;

use crate::access::{Client, FileBody, JsonText};
use crate::error::{ApiError, json_response};
use crate::pool::Pool;
use crate::state::App;
use crate::store::{is_key, new_key};

/// Jobs of one client that wait or run.
const MOST_OF_A_CLIENT: usize = 16;

/// Jobs that are kept after their end.
const MOST_KEPT: usize = 500;

/// How long the answer to an upload waits for the file to be read.
const READING: Duration = Duration::from_secs(2);

/// The deepest analysis of a file.
const DEEPEST: u8 = 3;

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
    /// The client has cancelled it, or it took too long.
    Cancelled,
}

impl Stage {
    const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
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
    /// The answer, once it is done; of a cancelled rollout that of the games so far.
    answer: Option<Value>,
    /// Why there is none.
    error: Option<Value>,
}

struct Job {
    client: IpAddr,
    cancel: Arc<AtomicBool>,
    view: watch::Sender<JobView>,
    touched: Instant,
}

/// The jobs by their keys.
pub(crate) struct Jobs {
    pool: Pool,
    jobs: Mutex<HashMap<String, Arc<Mutex<Job>>>>,
}

type Reporter = watch::Sender<JobView>;

impl Jobs {
    pub(crate) fn new(threads: NonZeroUsize) -> std::io::Result<Self> {
        Ok(Self { pool: Pool::new("job", threads, 256)?, jobs: Mutex::default() })
    }

    /// Cancels all jobs and waits for their end.
    pub(crate) fn close(&self) {
        for job in self.lock().values() {
            lock(job).cancel.store(true, Ordering::Relaxed);
        }
        self.pool.close();
        // Streams end with the jobs, also those that never began.
        self.lock().clear();
    }

    pub(crate) fn running(&self) -> usize {
        self.lock().values().filter(|job| !lock(job).view.borrow().state.is_over()).count()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Mutex<Job>>>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, key: &str) -> Result<Arc<Mutex<Job>>, ApiError> {
        let job = if is_key(key) { self.lock().get(key).cloned() } else { None };
        let job =
            job.ok_or_else(|| ApiError::not_found(format_args!("there is no job {key:?}")))?;
        lock(&job).touched = Instant::now();
        Ok(job)
    }

    fn begin(
        &self,
        client: IpAddr,
        longest: Duration,
        work: impl FnOnce(&Watch<'_>, &Reporter) -> Result<Value, ApiError> + Send + 'static,
        events: impl Fn(&Reporter, Event<'_>) + Send + Sync + 'static,
    ) -> Result<JobView, ApiError> {
        let mut jobs = self.lock();
        let is_running = |job: &Arc<Mutex<Job>>| {
            let job = lock(job);
            job.client == client && !job.view.borrow().state.is_over()
        };
        let own = jobs.values().filter(|job| is_running(job)).count();
        if own >= MOST_OF_A_CLIENT {
            return Err(ApiError::busy(format_args!(
                "{own} jobs of this client wait or run, expected fewer than {MOST_OF_A_CLIENT}"
            )));
        }
        if jobs.len() >= MOST_KEPT {
            let over = jobs.iter().filter(|(_, job)| lock(job).view.borrow().state.is_over());
            let oldest = over.min_by_key(|(_, job)| lock(job).touched);
            let oldest = oldest.map(|(key, _)| key.clone());
            oldest.and_then(|oldest| jobs.remove(&oldest));
        }
        let id = new_key()?;
        let first = JobView {
            id: id.clone(),
            state: Stage::Waiting,
            progress: None,
            answer: None,
            error: None,
        };
        let (view, _) = watch::channel(first.clone());
        let cancel = Arc::new(AtomicBool::new(false));
        let job = Job {
            client,
            cancel: Arc::clone(&cancel),
            view: view.clone(),
            touched: Instant::now(),
        };
        self.pool.submit(client, move || {
            let began = Instant::now();
            view.send_modify(|view| view.state = Stage::Running);
            let watched = |event: Event<'_>| {
                if began.elapsed() > longest {
                    cancel.store(true, Ordering::Relaxed);
                }
                events(&view, event);
            };
            let watch = Watch { cancel: &cancel, events: &watched };
            let result = work(&watch, &view);
            let cancelled = cancel.load(Ordering::Relaxed);
            view.send_modify(|view| match result {
                Ok(answer) => {
                    view.answer = Some(answer);
                    view.state = if cancelled { Stage::Cancelled } else { Stage::Done };
                }
                Err(error) => {
                    view.error = error.to_json().get("error").cloned();
                    view.state = if cancelled { Stage::Cancelled } else { Stage::Failed };
                }
            });
        })?;
        jobs.insert(id, Arc::new(Mutex::new(job)));
        Ok(first)
    }
}

fn lock(job: &Arc<Mutex<Job>>) -> MutexGuard<'_, Job> {
    job.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `POST /api/v1/jobs`: any operation.
pub(crate) async fn create(
    State(app): State<App>,
    Client(client): Client,
    JsonText(line): JsonText,
) -> Result<Response, ApiError> {
    let (engine, default) = (Arc::clone(&app.engine), app.default.clone());
    let work = move |watch: &Watch<'_>, _: &Reporter| {
        let reply = engine.answer_request(None, &line, &default, watch);
        let mut answer: Value = serde_json::from_str(&reply.text).map_err(ApiError::internal)?;
        match reply.refused {
            None => Ok(answer),
            Some(kind) => {
                let message = answer["error"]["message"].take();
                let message = message.as_str().unwrap_or_default();
                Err(EngineError::new(kind, message).into())
            }
        }
    };
    let events = |view: &Reporter, event: Event<'_>| match event {
        Event::Rollout(so_far) => {
            let progress = json!({
                "trials": so_far.trials,
                "best": so_far.best,
                "equity": so_far.equity.mean,
                "equity_se": so_far.equity.standard_error,
            });
            view.send_modify(|view| view.progress = Some(progress));
        }
        Event::Search(progress) => {
            let progress = json!({"done": progress.done, "total": progress.of});
            view.send_modify(|view| view.progress = Some(progress));
        }
        _ => {}
    };
    let job = app.jobs.begin(client, app.settings.longest_job, work, events)?;
    Ok(json_response(StatusCode::ACCEPTED, to_json(&job)))
}

/// The query of an analysis.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnalysisQuery {
    ply: Option<u8>,
}

/// `POST /api/v1/analyses`: every decision of a file of matches.
pub(crate) async fn analyse(
    State(app): State<App>,
    Client(client): Client,
    query: Result<Query<AnalysisQuery>, axum::extract::rejection::QueryRejection>,
    FileBody(file): FileBody,
) -> Result<Response, ApiError> {
    let Query(query) = query.map_err(|error| {
        ApiError::request(format_args!("{}, expected ply=0 to ply={DEEPEST}", error.body_text()))
    })?;
    let ply = query.ply.unwrap_or(0);
    if ply > DEEPEST {
        return Err(ApiError::request(format_args!(
            "\"ply\" is {ply}, expected a whole number from 0 to {DEEPEST}"
        )));
    }
    let analysis = Analysis {
        lookahead: Lookahead::new(Some(ply), Default::default(), None, ply),
        thresholds: Default::default(),
        model: app.default.model.clone(),
        met: None,
        rollouts: None,
        workers: NonZeroUsize::MIN,
    };
    let engine = Arc::clone(&app.engine);
    let longest = app.settings.longest_job;
    // What a file costs is not known before it is read: no thread of the network does that.
    let (tell, told) = oneshot::channel();
    let work = move |watch: &Watch<'_>, view: &Reporter| {
        watch.check()?;
        let began = Instant::now();
        let reading = tavola_matches::read(&file).map_err(ApiError::request);
        drop(file);
        // Whoever asked may have stopped waiting.
        let _ = tell.send(reading.as_ref().err().cloned());
        let reading = reading?;
        let matches = reading.matches.len();
        let mut analyses = Vec::new();
        for (number, record) in reading.matches.iter().enumerate() {
            let done = |done: usize, total: usize| {
                if began.elapsed() > longest {
                    watch.cancel.store(true, Ordering::Relaxed);
                }
                let progress =
                    json!({"done": done, "total": total, "match": number + 1, "matches": matches});
                view.send_modify(|view| view.progress = Some(progress));
            };
            let found = engine.analyse("upload", record, &analysis, &NoFindings, watch, &done)?;
            analyses.push(found);
        }
        let notes: Vec<String> = reading.notes.iter().map(ToString::to_string).collect();
        Ok(json!({"format": reading.format, "matches": analyses, "notes": notes}))
    };
    let job = app.jobs.begin(client, longest, work, |_, _| {})?;
    let told = tokio::time::timeout(READING.min(app.settings.patience), told);
    if let Ok(Ok(Some(error))) = told.await {
        app.jobs.lock().remove(&job.id);
        return Err(error);
    }
    Ok(json_response(StatusCode::ACCEPTED, to_json(&job)))
}

/// `GET /api/v1/jobs/{id}`
pub(crate) async fn get(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let job = app.jobs.get(&id)?;
    let view = lock(&job).view.borrow().clone();
    Ok(json_response(StatusCode::OK, to_json(&view)))
}

/// `GET /api/v1/jobs/{id}/events`
pub(crate) async fn events(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let job = app.jobs.get(&id)?;
    let mut receiver = lock(&job).view.subscribe();
    let (tell, told) = mpsc::channel::<JobView>(1);
    // The stream ends with the job; where the client is gone, telling it fails.
    tokio::spawn(async move {
        loop {
            let view = receiver.borrow_and_update().clone();
            let over = view.state.is_over();
            if tell.send(view).await.is_err() || over || receiver.changed().await.is_err() {
                return;
            }
        }
    });
    let events = ReceiverStream::new(told).map(|view| {
        let name = if view.state.is_over() { "end" } else { "progress" };
        Ok::<_, Infallible>(Sse::default().event(name).data(to_json(&view)))
    });
    Ok(SseResponse::new(events).keep_alive(KeepAlive::default()).into_response())
}

/// `DELETE /api/v1/jobs/{id}`
pub(crate) async fn cancel(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let job = app.jobs.get(&id)?;
    lock(&job).cancel.store(true, Ordering::Relaxed);
    Ok(StatusCode::NO_CONTENT.into_response())
}

fn to_json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("answers are plain data")
}
