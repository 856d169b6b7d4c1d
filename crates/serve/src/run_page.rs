//! Training runs while they go: their metrics as JSON, for a page that draws them.

use std::path::Path as FilePath;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use crate::error::{ApiError, json_response};
use crate::state::App;

/// The largest file of metrics that is shown.
const LARGEST: u64 = 64 << 20;

fn name(folder: &FilePath) -> String {
    folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// `GET /api/v1/runs`: the names of the runs, in the order of their numbers from 0.
pub(crate) async fn list(State(app): State<App>) -> Response {
    let names: Vec<String> = app.settings.runs.iter().map(|folder| name(folder)).collect();
    json_response(StatusCode::OK, json!({"runs": names}).to_string())
}

/// `GET /api/v1/runs/{number}`: what the run has reported so far.
pub(crate) async fn metrics(
    State(app): State<App>,
    Path(number): Path<String>,
) -> Result<Response, ApiError> {
    let folder = number.parse().ok().and_then(|number: usize| app.settings.runs.get(number));
    let folder =
        folder.ok_or_else(|| ApiError::not_found(format_args!("there is no run {number:?}")))?;
    let lines = read(folder).map_err(|error| {
        ApiError::not_found(format_args!("the run has reported nothing yet: {error}"))
    })?;
    let answer = json!({"name": name(folder), "lines": lines});
    Ok(json_response(StatusCode::OK, answer.to_string()))
}

/// The whole lines of the metrics; one that is being written is left out.
fn read(folder: &FilePath) -> std::io::Result<Vec<Value>> {
    let file = folder.join("metrics.jsonl");
    let size = std::fs::metadata(&file)?.len();
    if size > LARGEST {
        let message = format!("{size} bytes, expected at most {LARGEST}");
        return Err(std::io::Error::other(message));
    }
    let text = String::from_utf8_lossy(&std::fs::read(&file)?).into_owned();
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}
