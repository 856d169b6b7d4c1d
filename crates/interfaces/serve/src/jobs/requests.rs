//! The paths of jobs: any operation, the analysis of a file, how far a job is.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use tavola_engine::{Analysis, Cost, EngineError, EngineEvent, MAX_PLY, NoFindings, Watch};
use tavola_files::limits::{self, Limits};
use tavola_files::locked;
use tavola_matches::analysis::MatchAnalysis;
use tavola_matches::{MatchReading, ReadWatch};
use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::ReceiverStream;

use super::{Asked, Reporter, to_json};
use crate::access::{Client, FileBody, JsonText};
use crate::error::{ApiError, Result, json_response};
use crate::pool::Alone;
use crate::state::App;

/// How long the answer to an upload waits for the file to be read.
const READING: Duration = Duration::from_secs(5);

/// How often a stream of events shows that it is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// `POST /api/v1/jobs`: any operation.
pub(crate) async fn create(
    State(app): State<App>,
    Client(client): Client,
    JsonText(line): JsonText,
) -> Result<Response> {
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
) -> Result<Response> {
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
fn read(file: &[u8], limits: &Limits, watch: ReadWatch<'_>) -> Result<MatchReading> {
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
pub(crate) async fn get(State(app): State<App>, Path(id): Path<String>) -> Result<Response> {
    let view = app.jobs.get(&id, |job| job.view.borrow().clone())?;
    let text = Body::from_stream(tokio_stream::iter(pieces(view.parts())));
    Ok(json_response(StatusCode::OK, text))
}

/// `GET /api/v1/jobs/{id}/events`
pub(crate) async fn events(State(app): State<App>, Path(id): Path<String>) -> Result<Response> {
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
pub(crate) async fn cancel(State(app): State<App>, Path(id): Path<String>) -> Result<Response> {
    app.jobs.cancel(&id)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
