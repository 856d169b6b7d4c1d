//! Matches against the engine: in memory, and each in a file, so that a restart loses none.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tavola_engine::Watch;
use tavola_engine::live_match::{Action, Happened, LiveMatch, MatchView, NewMatch};

use crate::access::{Client, JsonText};
use crate::error::{ApiError, json_response};
use crate::state::App;

/// Matches in memory; of more, those that were used longest ago are only in their files.
const MOST_IN_MEMORY: usize = 2_000;

/// Letters of a key: none that people mistake for another.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// Letters in a key: none can be guessed.
const KEY_LENGTH: usize = 24;

/// A key that cannot be guessed.
///
/// # Errors
///
/// The system has no random numbers to give.
pub(crate) fn new_key() -> Result<String, ApiError> {
    let mut bytes = [0_u8; KEY_LENGTH];
    getrandom::fill(&mut bytes).map_err(ApiError::internal)?;
    Ok(bytes.map(|byte| char::from(LETTERS[usize::from(byte) % LETTERS.len()])).iter().collect())
}

/// A token for clients that cannot be guessed.
///
/// # Errors
///
/// The system has no random numbers to give.
pub fn new_token() -> std::io::Result<String> {
    new_key().map_err(|error| std::io::Error::other(error.message))
}

/// A seed for the dice.
pub(crate) fn new_seed() -> Result<u32, ApiError> {
    getrandom::u32().map_err(ApiError::internal)
}

/// Whether a text may be a key, and so the name of a file.
pub(crate) fn is_key(text: &str) -> bool {
    text.len() == KEY_LENGTH && text.bytes().all(|letter| LETTERS.contains(&letter))
}

/// What is kept in memory and in a file each.
pub(crate) trait Kept: Sized + Send {
    /// The text of its file.
    fn text(&self) -> String;

    /// The same from that text; `name` is what errors call it.
    fn from_text(text: &[u8], name: &str) -> Result<Self, String>;
}

impl Kept for LiveMatch {
    fn text(&self) -> String {
        self.to_json()
    }

    fn from_text(text: &[u8], name: &str) -> Result<Self, String> {
        Self::from_json(text, name).map_err(|error| error.to_string())
    }
}

struct Entry<L> {
    live: Arc<Mutex<L>>,
    used: Instant,
}

/// Running games by their keys.
pub(crate) struct Games<L> {
    folder: Option<PathBuf>,
    entries: Mutex<HashMap<String, Entry<L>>>,
}

impl<L: Kept> Games<L> {
    pub(crate) fn new(folder: Option<PathBuf>) -> std::io::Result<Self> {
        if let Some(folder) = &folder {
            std::fs::create_dir_all(folder)?;
        }
        Ok(Self { folder, entries: Mutex::default() })
    }

    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Entry<L>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(format!("{key}.json")))
    }

    pub(crate) fn keep(&self, key: &str, live: &L) -> Result<(), ApiError> {
        let write = |path: PathBuf| tavola_files::write(&path, live.text().as_bytes());
        self.path(key).map_or(Ok(()), write).map_err(ApiError::internal)
    }

    pub(crate) fn add(&self, key: &str, live: L) -> Result<(), ApiError> {
        self.keep(key, &live)?;
        self.insert(key, live);
        Ok(())
    }

    fn insert(&self, key: &str, live: L) -> Arc<Mutex<L>> {
        let mut entries = self.lock();
        if entries.len() >= MOST_IN_MEMORY {
            let oldest = entries.iter().min_by_key(|(_, entry)| entry.used);
            let oldest = oldest.map(|(key, _)| key.clone());
            oldest.and_then(|oldest| entries.remove(&oldest));
        }
        let entry = Entry { live: Arc::new(Mutex::new(live)), used: Instant::now() };
        Arc::clone(&entries.entry(key.to_owned()).or_insert(entry).live)
    }

    pub(crate) fn get(&self, key: &str) -> Result<Arc<Mutex<L>>, ApiError> {
        let unknown = || ApiError::not_found(format_args!("there is no match {key:?}"));
        if !is_key(key) {
            return Err(unknown());
        }
        if let Some(entry) = self.lock().get_mut(key) {
            entry.used = Instant::now();
            return Ok(Arc::clone(&entry.live));
        }
        let path = self.path(key).filter(|path| path.exists()).ok_or_else(unknown)?;
        let text = tavola_files::read(&path).map_err(ApiError::internal)?;
        let live = L::from_text(&text, key).map_err(|error| {
            ApiError::internal(format_args!("the match {key} can't be resumed: {error}"))
        })?;
        Ok(self.insert(key, live))
    }

    pub(crate) fn remove(&self, key: &str) -> Result<(), ApiError> {
        self.get(key)?;
        self.lock().remove(key);
        match self.path(key).map(std::fs::remove_file) {
            Some(Err(error)) => Err(ApiError::internal(format_args!("it stays: {error}"))),
            _ => Ok(()),
        }
    }
}

/// A match with what was just done in it.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Shown {
    /// The key of the match.
    id: String,
    /// What was done, in order, since the request before.
    happened: Vec<Happened>,
    /// The match.
    state: MatchView,
}

fn shown(status: StatusCode, shown: &Shown) -> Response {
    json_response(status, to_json(shown))
}

pub(crate) fn to_json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("answers are plain data")
}

/// `POST /api/v1/games`
pub(crate) async fn create(
    State(app): State<App>,
    Client(client): Client,
    body: JsonText,
) -> Result<Response, ApiError> {
    let model = app.default.model.clone();
    begin(&app, client, body.read()?, model).await
}

/// Begins a match against the network of a weights file, or the built-in one.
pub(crate) async fn begin(
    app: &App,
    client: std::net::IpAddr,
    asked: NewMatch,
    model: Option<PathBuf>,
) -> Result<Response, ApiError> {
    let mut setup = asked.setup(new_seed()?)?;
    setup.model = model;
    let shared = Arc::clone(app);
    let answer = app.pool.ask(client, app.settings.patience, move |cancel| {
        let watch = Watch { cancel, ..Watch::default() };
        let mut live = LiveMatch::new(setup)
            .map_err(|error| ApiError::request(format_args!("no such match: {error}")))?;
        live.check_network(&shared.engine, &watch)?;
        live.let_engine_act(&shared.engine, &watch)?;
        let key = new_key()?;
        let answer = Shown { id: key.clone(), happened: live.history(), state: live.view() };
        shared.games.add(&key, live)?;
        Ok::<_, ApiError>(answer)
    });
    Ok(shown(StatusCode::CREATED, &answer.await??))
}

/// Does something with a match on a worker, one at a time.
async fn with<T: Send + 'static>(
    app: &App,
    client: std::net::IpAddr,
    key: &str,
    work: impl FnOnce(&mut LiveMatch, &App, &Watch<'_>) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let shared = Arc::clone(app);
    let key = key.to_owned();
    let asked = app.pool.ask(client, app.settings.patience, move |cancel| {
        let watch = Watch { cancel, ..Watch::default() };
        let live = shared.games.get(&key)?;
        let mut live = live.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut live, &shared, &watch)
    });
    asked.await?
}

/// `GET /api/v1/games/{id}`
pub(crate) async fn get(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let key = id.clone();
    let state = with(&app, client, &key, |live, app, watch| {
        live.let_engine_act(&app.engine, watch)?;
        Ok(live.view())
    });
    Ok(shown(StatusCode::OK, &Shown { id, happened: Vec::new(), state: state.await? }))
}

/// `POST /api/v1/games/{id}/actions`
pub(crate) async fn act(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
    body: JsonText,
) -> Result<Response, ApiError> {
    let action: Action = body.read()?;
    let (key, file) = (id.clone(), id.clone());
    let done = with(&app, client, &key, move |live, app, watch| {
        let mut after = live.clone();
        let happened = after.turn(&action, &app.engine, watch)?;
        // What is not on disk has not happened.
        app.games.keep(&file, &after)?;
        *live = after;
        Ok((happened, live.view()))
    });
    let (happened, state) = done.await?;
    Ok(shown(StatusCode::OK, &Shown { id, happened, state }))
}

/// `GET /api/v1/games/{id}/hint`
pub(crate) async fn hint(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let hint = with(&app, client, &id, |live, app, watch| Ok(live.hint(&app.engine, watch)?));
    Ok(json_response(StatusCode::OK, to_json(&hint.await?)))
}

/// `POST /api/v1/games/{id}/mistake`
pub(crate) async fn mistake(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
    body: JsonText,
) -> Result<Response, ApiError> {
    let action: Action = body.read()?;
    let mistake = with(&app, client, &id, move |live, app, watch| {
        let choice = live.choice(&action)?;
        Ok(live.mistake(&choice, &app.engine, watch)?)
    });
    Ok(json_response(StatusCode::OK, to_json(&mistake.await?)))
}

/// `GET /api/v1/games/{id}/record`
pub(crate) async fn record(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let text = with(&app, client, &id, |live, _, _| Ok(tavola_matches::mat::write(&live.record())));
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"match.mat\""),
    ];
    Ok((headers, text.await?).into_response())
}

/// `DELETE /api/v1/games/{id}`
pub(crate) async fn remove(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let key = id.clone();
    with(&app, client, &id, move |_, app, _| app.games.remove(&key)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
