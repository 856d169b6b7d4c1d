//! Figures for Prometheus.

use std::io::Write;
use std::sync::Mutex;
use std::time::{Instant, SystemTime};

use axum::extract::{MatchedPath, Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use serde_json::json;
use tavola_files::locked;

use crate::access::address;
use crate::error::{ApiError, Result};
use crate::state::App;

/// Upper bounds of answering times in seconds.
const TIMES: [f64; 10] = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0];

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Answered {
    route: String,
    status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Route {
    route: String,
}

pub(crate) struct Metrics {
    registry: Mutex<Registry>,
    requests: Family<Answered, Counter>,
    seconds: Family<Route, Histogram>,
    waiting: Gauge,
    jobs: Gauge,
    games: Gauge,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("tavola");
        let requests = Family::<Answered, Counter>::default();
        let seconds = Family::<Route, Histogram>::new_with_constructor(|| Histogram::new(TIMES));
        let (waiting, jobs, games) = (Gauge::default(), Gauge::default(), Gauge::default());
        registry.register("http_requests", "Requests by route and status", requests.clone());
        registry.register("http_request_seconds", "Time to answer by route", seconds.clone());
        registry.register("queue_length", "Requests that wait for a worker", waiting.clone());
        registry.register("jobs_running", "Jobs that wait or run", jobs.clone());
        registry.register("games", "Running games in memory", games.clone());
        Self { registry: Mutex::new(registry), requests, seconds, waiting, jobs, games }
    }
}

/// Counts a request and its time, and writes it to the log.
pub(crate) async fn count(State(app): State<App>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let client = address(request.extensions(), request.headers(), &app.settings.proxies);
    let client = client.map(|client| client.to_string());
    let method = request.method().clone();
    // Without the parts of a path that clients choose.
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("other", MatchedPath::as_str).to_owned();
    let response = next.run(request).await;
    let status = response.status().as_u16();
    app.metrics.requests.get_or_create(&Answered { route: route.clone(), status }).inc();
    let seconds = began.elapsed().as_secs_f64();
    if let Some(log) = &app.log {
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let line = json!({
            "time": time.as_secs_f64(), "client": client, "method": method.as_str(),
            "route": route, "status": status, "seconds": seconds,
        });
        // A full disk ends no server.
        let _ = (&mut &*log).write_all(format!("{line}\n").as_bytes());
    }
    app.metrics.seconds.get_or_create(&Route { route }).observe(seconds);
    response
}

/// `GET /metrics`.
pub(crate) async fn show(State(app): State<App>) -> Result<Response> {
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    app.metrics.waiting.set(count(app.pool.waiting()));
    app.metrics.jobs.set(count(app.jobs.running()));
    app.metrics.games.set(count(app.games.count()));
    let mut text = String::new();
    encode(&mut text, &locked(&app.metrics.registry)).map_err(ApiError::internal)?;
    if let Some(fleet) = app.settings.fleet.clone() {
        // It asks the server of the fleet, for which this thread should not wait.
        let fleet = tokio::task::spawn_blocking(move || fleet.metrics());
        let end = text.rfind("# EOF").unwrap_or(text.len());
        text.insert_str(end, &fleet.await.map_err(ApiError::internal)?);
    }
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}
