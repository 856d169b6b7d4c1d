//! Training runs while they go: their metrics as JSON for a page that draws them, and the networks
//! that they have left so far, to play against and to watch.
//!
//! A network is copied before it is played with. So a match goes on with the one that it began with,
//! whatever the run does with its file.

use std::net::IpAddr;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Mutex;

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Value, json};
use tavola_engine::Cost;
use tavola_engine::live::{Live, NewGame};
use tavola_files::limits::{FILE_BYTES, LARGE_BYTES};
use tavola_files::locked;

use crate::access::{Client, JsonText};
use crate::error::{ApiError, Result, json_response};
use crate::games::begin;
use crate::state::App;
use crate::store::new_seed;

/// The ending of weights files.
const WEIGHTS: &str = ".safetensors";

/// The folder of a run with the weights of each evaluation.
const EVALUATED: &str = "evaluated";

fn name(folder: &FilePath) -> String {
    folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// `GET /api/v1/runs`: the names of the runs, in the order of their numbers from 0.
pub(crate) async fn list(State(app): State<App>) -> Response {
    let names: Vec<String> = app.settings.runs.iter().map(|folder| name(folder)).collect();
    json_response(StatusCode::OK, json!({"runs": names}).to_string())
}

/// `GET /api/v1/fleet`: what the fleet of a run is doing.
pub(crate) async fn fleet(State(app): State<App>) -> Result<Response> {
    let fleet = app.settings.fleet.clone();
    let fleet = fleet.ok_or_else(|| ApiError::not_found("no fleet works for the runs"))?;
    // It asks the server of the fleet, for which this thread should not wait.
    let status = tokio::task::spawn_blocking(move || fleet.status());
    let status = status.await.map_err(ApiError::internal)?;
    Ok(json_response(StatusCode::OK, status.to_string()))
}

fn folder_of<'a>(app: &'a App, number: &str) -> Result<&'a PathBuf> {
    let folder = number.parse().ok().and_then(|number: usize| app.settings.runs.get(number));
    folder.ok_or_else(|| ApiError::not_found(format_args!("there is no run {number:?}")))
}

/// `GET /api/v1/runs/{number}`: what the run has reported so far.
pub(crate) async fn metrics(
    State(app): State<App>,
    Client(client): Client,
    Path(number): Path<String>,
) -> Result<Response> {
    let folder = folder_of(&app, &number)?.clone();
    let answer = app.work(client, Cost::Medium, move |_, _| {
        let lines = read(&folder)?;
        let networks = networks(&folder);
        let answer = json!({"name": name(&folder), "lines": lines, "networks": networks});
        Ok::<_, std::io::Error>(answer.to_string())
    });
    let answer = answer.await?.map_err(|error| {
        ApiError::not_found(format_args!("the run has reported nothing yet: {error}"))
    })?;
    Ok(json_response(StatusCode::OK, answer))
}

/// The whole lines of the metrics; one that is being written is left out.
fn read(folder: &FilePath) -> std::io::Result<Vec<Value>> {
    let file = folder.join("metrics.jsonl");
    let bytes = tavola_files::read(&file, &FILE_BYTES)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// A network that a run has left.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct RunNetwork {
    /// Its name in requests.
    name: String,
    /// The round after which it was saved, where the name of its file tells.
    round: Option<u32>,
    #[serde(skip)]
    file: PathBuf,
}

/// The networks of a run: those of evaluations by round, then the newest and the last one.
fn networks(folder: &FilePath) -> Vec<RunNetwork> {
    let evaluated = std::fs::read_dir(folder.join(EVALUATED)).into_iter().flatten().flatten();
    let mut found: Vec<RunNetwork> = evaluated
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?.strip_suffix(WEIGHTS)?.to_owned();
            let round = name.strip_prefix("round-")?.parse().ok()?;
            Some(RunNetwork { name, round: Some(round), file: entry.path() })
        })
        .collect();
    found.sort_by_key(|network| network.round);
    let single = ["latest", "final"].map(|name| (name, folder.join(format!("{name}{WEIGHTS}"))));
    for (name, file) in single {
        if file.is_file() {
            found.push(RunNetwork { name: name.to_owned(), round: None, file });
        }
    }
    found
}

/// Copies of networks that are played with, named by their checksums.
pub(crate) struct Networks {
    folder: Option<PathBuf>,
    /// Where copies are as long as nothing is kept.
    passing: Mutex<Option<tempfile::TempDir>>,
}

impl Networks {
    /// Copies in this folder, or in one that ends with the server.
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, passing: Mutex::default() }
    }

    fn folder(&self) -> std::io::Result<PathBuf> {
        if let Some(folder) = &self.folder {
            std::fs::create_dir_all(folder)?;
            return Ok(folder.clone());
        }
        let mut passing = locked(&self.passing);
        if let Some(folder) = passing.as_ref() {
            return Ok(folder.path().to_owned());
        }
        let folder = tempfile::tempdir()?;
        let path = folder.path().to_owned();
        *passing = Some(folder);
        Ok(path)
    }

    fn copy(&self, file: &FilePath) -> std::io::Result<PathBuf> {
        let bytes = tavola_files::read(file, &LARGE_BYTES)?;
        let copy = self.folder()?.join(format!("{}{WEIGHTS}", tavola_files::sha256(&bytes)));
        if !copy.exists() {
            tavola_files::write(&copy, &bytes)?;
        }
        Ok(copy)
    }
}

/// A copy of the network of this name of a run.
async fn copy_of(app: &App, client: IpAddr, number: &str, wanted: &str) -> Result<PathBuf> {
    let all = networks(folder_of(app, number)?);
    let names: Vec<String> = all.iter().map(|network| network.name.clone()).collect();
    let found = all.into_iter().find(|network| network.name == wanted).ok_or_else(|| {
        ApiError::not_found(format_args!(
            "the run has no network {wanted:?}, expected one of {names:?}"
        ))
    })?;
    let copied = app.work(client, Cost::Medium, move |app, _| app.networks.copy(&found.file));
    copied.await?.map_err(ApiError::unsaved)
}

/// `POST /api/v1/runs/{number}/networks/{network}/games`: a match against a network of the run.
pub(crate) async fn play(
    State(app): State<App>,
    Client(client): Client,
    Path((number, network)): Path<(String, String)>,
    body: JsonText,
) -> Result<Response> {
    let asked: NewGame = body.read()?;
    let copy = copy_of(&app, client, &number, &network).await?;
    begin(&app, client, asked, None, Some(copy)).await
}

/// `POST /api/v1/runs/{number}/networks/{network}/sample`: a game of the network against itself, as
/// match text.
pub(crate) async fn sample(
    State(app): State<App>,
    Client(client): Client,
    Path((number, network)): Path<(String, String)>,
) -> Result<Response> {
    let model = copy_of(&app, client, &number, &network).await?;
    let name = format!("{network} (1)");
    let asked = NewGame { length: Some(1), name, ..NewGame::default() };
    let mut setup = asked.setup(new_seed()?)?;
    setup.names[1] = format!("{network} (2)");
    setup.model = Some(model);
    let text = app.work(client, Cost::Medium, move |app, watch| {
        let mut live = Live::new(setup)?;
        live.check_network(&app.engine, watch)?;
        live.play_out(&app.engine, watch)?;
        Ok::<_, ApiError>(live.record_text())
    });
    let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    Ok((headers, text.await??).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_those_of_rounds_then_the_newest() {
        let run = tempfile::tempdir().unwrap();
        let evaluated = run.path().join(EVALUATED);
        std::fs::create_dir(&evaluated).unwrap();
        for file in ["round-000080", "round-000040", "round-x", "other"] {
            std::fs::write(evaluated.join(format!("{file}{WEIGHTS}")), file).unwrap();
        }
        std::fs::write(run.path().join("latest.safetensors"), "latest").unwrap();
        let found = networks(run.path());
        let seen: Vec<_> = found.iter().map(|found| (found.name.as_str(), found.round)).collect();
        assert_eq!(
            seen,
            [("round-000040", Some(40)), ("round-000080", Some(80)), ("latest", None)]
        );
        assert_eq!(networks(&run.path().join("nowhere")), []);
    }

    #[test]
    fn a_copy_stays_when_the_run_writes_its_file_again() {
        let run = tempfile::tempdir().unwrap();
        let file = run.path().join("latest.safetensors");
        let copies = Networks::new(None);
        std::fs::write(&file, "one").unwrap();
        let one = copies.copy(&file).unwrap();
        std::fs::write(&file, "two").unwrap();
        let two = copies.copy(&file).unwrap();
        assert_ne!(one, two);
        assert_eq!(std::fs::read_to_string(&one).unwrap(), "one");
        assert_eq!(copies.copy(&file).unwrap(), two);
    }
}
