//! Long work: begun by one request, watched by server-sent events, canceled at any time.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tavola_engine::{
    Analysis, Cost, EngineError, EngineEvent, ErrorKind, MAX_PLY, NoFindings, Watch,
};
use tavola_files::limits::{self, Limits};
use tavola_files::locked;
use tavola_matches::analysis::MatchAnalysis;
use tavola_matches::{MatchReading, ReadWatch};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_stream::wrappers::ReceiverStream;

use crate::access::{Client, FileBody, JsonText};
use crate::error::{ApiError, json_response};
use crate::pool::{Alone, Lane, Pool, Task, Ticket};
use crate::state::App;
use crate::store::{is_key, new_key};

/// What a job takes beside its file and its answer, in bytes.
const OVERHEAD: u64 = 4096;

/// A job is small if its request has no more than this part of the bytes of all: 64 KiB, unless that
/// limit is set to another.
const PARTS: u64 = 2048;

/// How often a stream of events shows that it is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How long the answer to an upload waits for the file to be read.
const READING: Duration = Duration::from_secs(5);

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

    fn get<T>(&self, key: &str, of: impl FnOnce(&Job) -> T) -> Result<T, ApiError> {
        let mut jobs = locked(&self.jobs);
        tidy(&mut jobs, &self.limits);
        let job = if is_key(key) { jobs.get_mut(key) } else { None };
        let job =
            job.ok_or_else(|| ApiError::not_found(format_args!("there is no job {key:?}")))?;
        job.touched = Instant::now();
        Ok(of(job))
    }

    /// Cancels a job: one that waits leaves at once.
    fn cancel(&self, key: &str) -> Result<(), ApiError> {
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
    fn check_bytes(&self, jobs: &Kept, client: IpAddr, asked: u64) -> Result<(), ApiError> {
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
        work: impl FnOnce(&Watch<'_>, &Reporter, Alone) -> Result<Vec<u8>, ApiError> + Send + 'static,
        events: impl Fn(&Reporter, EngineEvent<'_>) + Send + Sync + 'static,
    ) -> Result<JobView, ApiError> {
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

/// `POST /api/v1/jobs`: any operation.
pub(crate) async fn create(
    State(app): State<App>,
    Client(client): Client,
    JsonText(line): JsonText,
) -> Result<Response, ApiError> {
    let (engine, default) = (Arc::clone(&app.engine), app.default.clone());
    let cost = Cost::of_request(None, &line, &default);
    let asked = Asked { client, cost, bytes: line.len(), reads: false };
    let work = move |watch: &Watch<'_>, _: &Reporter, _: Alone| {
        let reply = engine.answer_request(None, &line, &default, watch);
        match reply.refused {
            None => Ok(reply.text.into_bytes()),
            Some(kind) => {
                let mut answer: Value =
                    serde_json::from_str(&reply.text).map_err(ApiError::internal)?;
                let message = answer["error"]["message"].take();
                let message = message.as_str().unwrap_or_default();
                Err(EngineError::new(kind, message).into())
            }
        }
    };
    let events = |view: &Reporter, event: EngineEvent<'_>| match event {
        EngineEvent::Rollout(so_far) => {
            let [no_double, double_take] = so_far.cube.map_or([None; 2], |cube| cube.map(Some));
            let progress = json!({
                "trials": so_far.trials,
                "best": so_far.best,
                "equity": so_far.equity.mean,
                "equity_se": so_far.equity.standard_error,
                "no_double": no_double.map(|it| it.mean),
                "no_double_se": no_double.map(|it| it.standard_error),
                "double_take": double_take.map(|it| it.mean),
                "double_take_se": double_take.map(|it| it.standard_error),
            });
            view.send_modify(|view| view.progress = Some(progress));
        }
        EngineEvent::Search(progress) => {
            let progress = json!({"done": progress.done, "total": progress.of});
            view.send_modify(|view| view.progress = Some(progress));
        }
        _ => {}
    };
    let job = app.jobs.begin(asked, work, events)?;
    Ok(json_response(StatusCode::ACCEPTED, to_json(&job)))
}

/// The query of an analysis.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnalysisQuery {
    ply: Option<u8>,
}

/// `POST /api/v1/analyses`: every decision of a file of matches.
pub(crate) async fn analyze(
    State(app): State<App>,
    Client(client): Client,
    query: Result<Query<AnalysisQuery>, axum::extract::rejection::QueryRejection>,
    FileBody(file): FileBody,
) -> Result<Response, ApiError> {
    let Query(query) = query.map_err(|error| {
        ApiError::request(format_args!("{}, expected ply=0 to ply={MAX_PLY}", error.body_text()))
    })?;
    let ply = query.ply.unwrap_or(0);
    let analysis = Analysis { model: app.default.model.clone(), ..Analysis::at_ply(ply)? };
    let shared = Arc::clone(&app);
    let limits = app.settings.limits.clone();
    let largest = limits.count(&limits::ANSWER_BYTES);
    let cost = Cost::of_analysis(file.len(), &analysis.effort);
    let asked = Asked { client, cost, bytes: file.len(), reads: true };
    // What a file costs is not known before it is read: no thread of the network does that.
    let (tell, told) = oneshot::channel();
    let work = move |watch: &Watch<'_>, view: &Reporter, alone: Alone| {
        let reading = read(&file, &limits, ReadWatch { cancel: watch.cancel, until: None });
        drop((file, alone));
        // Whoever asked may have stopped waiting.
        let _ = tell.send(reading.as_ref().err().cloned());
        let MatchReading { matches, notes, .. } = reading?;
        let of = matches.len();
        let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
        let mut answer = br#"{"matches":"#.to_vec();
        for (number, record) in matches.into_iter().enumerate() {
            let done = |done: usize, total: usize| {
                let progress =
                    json!({"done": done, "total": total, "match": number + 1, "matches": of});
                view.send_modify(|view| view.progress = Some(progress));
            };
            let found =
                shared.engine.analyze("upload", &record, &analysis, &NoFindings, watch, &done)?;
            answer.push(if number == 0 { b'[' } else { b',' });
            let found = MatchAnalysis { notes: notes.clone(), ..found };
            answer.append(&mut to_json(&found).into_bytes());
            if answer.len() > largest {
                return Err(ApiError::large_answer(largest));
            }
        }
        answer.extend_from_slice(b"]}");
        Ok(answer)
    };
    let job = app.jobs.begin(asked, work, |_, _| {})?;
    let told = tokio::time::timeout(READING.min(app.settings.patience), told);
    if let Ok(Ok(Some(error))) = told.await {
        locked(&app.jobs.jobs).remove(&job.id);
        return Err(error);
    }
    Ok(json_response(StatusCode::ACCEPTED, to_json(&job)))
}

/// The matches of a file that is not too much for a server.
fn read(file: &[u8], limits: &Limits, watch: ReadWatch<'_>) -> Result<MatchReading, ApiError> {
    let reading =
        tavola_engine::live::read_matches(file, None, watch).map_err(ApiError::request)?;
    let games = || reading.matches.iter().flat_map(|record| &record.games);
    for (limit, found) in [
        (limits::UPLOAD_MATCHES, reading.matches.len()),
        (limits::UPLOAD_GAMES, games().count()),
        (limits::UPLOAD_ACTIONS, games().map(|game| game.actions.len()).sum()),
    ] {
        let most = limits.count(&limit);
        if found > most {
            return Err(ApiError::too_large(format_args!(
                "the file has {found} {}, expected at most {most}",
                limit.what.trim_end_matches(" in it")
            )));
        }
    }
    Ok(reading)
}

/// Pieces of a body.
fn pieces(parts: [Bytes; 3]) -> impl Iterator<Item = Result<Bytes, Infallible>> {
    parts.into_iter().filter(|part| !part.is_empty()).map(Ok)
}

/// `GET /api/v1/jobs/{id}`
pub(crate) async fn get(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let view = app.jobs.get(&id, |job| job.view.borrow().clone())?;
    let mut response = json_response(StatusCode::OK, String::new());
    *response.body_mut() = Body::from_stream(tokio_stream::iter(pieces(view.parts())));
    Ok(response)
}

/// `GET /api/v1/jobs/{id}/events`
pub(crate) async fn events(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let mut receiver = app.jobs.get(&id, |job| job.view.subscribe())?;
    let (tell, told) = mpsc::channel(1);
    // The stream ends with the job; where the client is gone, telling it fails.
    tokio::spawn(async move {
        loop {
            let view = receiver.borrow_and_update().clone();
            let over = view.state.is_over();
            let name = if over { "end" } else { "progress" };
            let begin = [Ok(Bytes::from(format!("event: {name}\ndata: ")))].into_iter();
            let end = [Ok(Bytes::from_static(b"\n\n"))];
            for piece in begin.chain(pieces(view.parts())).chain(end) {
                if tell.send(piece).await.is_err() {
                    return;
                }
            }
            drop(view);
            if over {
                return;
            }
            loop {
                match tokio::time::timeout(KEEP_ALIVE, receiver.changed()).await {
                    Ok(Ok(())) => break,
                    Ok(Err(_)) => return,
                    Err(_) if tell.send(Ok(Bytes::from_static(b":\n\n"))).await.is_err() => return,
                    Err(_) => {}
                }
            }
        }
    });
    let headers =
        [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache")];
    Ok((headers, Body::from_stream(ReceiverStream::new(told))).into_response())
}

/// `DELETE /api/v1/jobs/{id}`
pub(crate) async fn cancel(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    app.jobs.cancel(&id)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

fn to_json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("answers are plain data")
}
