//! Running games over HTTP: matches, games without a cube and games for more than two, all by the
//! same handlers.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tavola_engine::live_game::AnyLiveGame;
use tavola_engine::live_match::{LiveMatch, NewMatch};
use tavola_engine::many::AnyManyLive;
use tavola_engine::{Running, Watch};

use crate::access::{Client, JsonText};
use crate::error::{ApiError, json_response};
use crate::state::{App, Shared};
use crate::store::{Games, new_key, new_seed};

/// A kind of game that the server keeps.
pub(crate) trait Kept: Running {
    /// Those that run.
    fn games(shared: &Shared) -> &Games<Self>;
}

impl Kept for LiveMatch {
    fn games(shared: &Shared) -> &Games<Self> {
        &shared.games
    }
}

impl Kept for AnyLiveGame {
    fn games(shared: &Shared) -> &Games<Self> {
        &shared.tables
    }
}

impl Kept for AnyManyLive {
    fn games(shared: &Shared) -> &Games<Self> {
        &shared.several
    }
}

/// A running game with what was just done in it.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Shown<E, V> {
    /// The key of the game.
    id: String,
    /// What was done, in order, since the request before.
    happened: Vec<E>,
    /// The game.
    state: V,
}

fn shown<E: Serialize, V: Serialize>(status: StatusCode, shown: &Shown<E, V>) -> Response {
    json_response(status, to_json(shown))
}

fn to_json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("answers are plain data")
}

/// `POST /api/v1/tables`, `/api/v1/several`
pub(crate) async fn create<L: Kept>(
    State(app): State<App>,
    Client(client): Client,
    body: JsonText,
) -> Result<Response, ApiError> {
    let (setup, seed) = (body.read()?, new_seed()?);
    begin(&app, client, move || Ok(L::begin(setup, seed)?)).await
}

/// `POST /api/v1/games`
pub(crate) async fn create_match(
    State(app): State<App>,
    Client(client): Client,
    body: JsonText,
) -> Result<Response, ApiError> {
    let model = app.default.model.clone();
    begin_match(&app, client, body.read()?, model).await
}

/// Begins a match against the network of a weights file, or the built-in one.
pub(crate) async fn begin_match(
    app: &App,
    client: IpAddr,
    asked: NewMatch,
    model: Option<PathBuf>,
) -> Result<Response, ApiError> {
    let mut setup = asked.setup(new_seed()?)?;
    setup.model = model;
    let new = move || {
        LiveMatch::new(setup)
            .map_err(|error| ApiError::request(format_args!("no such match: {error}")))
    };
    begin(app, client, new).await
}

/// Begins a game on a worker.
async fn begin<L: Kept>(
    app: &App,
    client: IpAddr,
    new: impl FnOnce() -> Result<L, ApiError> + Send + 'static,
) -> Result<Response, ApiError> {
    let shared = Arc::clone(app);
    let answer = app.pool.ask(client, app.settings.patience, move |cancel| {
        let watch = Watch { cancel, ..Watch::default() };
        let mut live = new()?;
        live.check_network(&shared.engine, &watch)?;
        live.let_engine_act(&shared.engine, &watch)?;
        let key = new_key()?;
        let answer = Shown { id: key.clone(), happened: live.history(), state: live.view() };
        L::games(&shared).add(&key, live)?;
        Ok::<_, ApiError>(answer)
    });
    Ok(shown(StatusCode::CREATED, &answer.await??))
}

/// Does something with a game on a worker, one at a time.
async fn with<L: Kept, T: Send + 'static>(
    app: &App,
    client: IpAddr,
    key: &str,
    work: impl FnOnce(&mut L, &App, &Watch<'_>) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let shared = Arc::clone(app);
    let key = key.to_owned();
    let asked = app.pool.ask(client, app.settings.patience, move |cancel| {
        let watch = Watch { cancel, ..Watch::default() };
        let live = L::games(&shared).get(&key)?;
        let mut live = live.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut live, &shared, &watch)
    });
    asked.await?
}

/// `GET` of a game.
pub(crate) async fn get<L: Kept>(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let state = with(&app, client, &id, |live: &mut L, app, watch| {
        live.let_engine_act(&app.engine, watch)?;
        Ok(live.view())
    });
    let (state, happened) = (state.await?, Vec::<L::Event>::new());
    Ok(shown(StatusCode::OK, &Shown { id, happened, state }))
}

/// `POST` of an action.
pub(crate) async fn act<L: Kept>(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
    body: JsonText,
) -> Result<Response, ApiError> {
    let action: L::Action = body.read()?;
    let file = id.clone();
    let done = with(&app, client, &id, move |live: &mut L, app, watch| {
        let mut after = live.clone();
        let happened = after.turn(&action, &app.engine, watch)?;
        // What is not on disk has not happened.
        L::games(app).keep(&file, &after)?;
        *live = after;
        Ok((happened, live.view()))
    });
    let (happened, state) = done.await?;
    Ok(shown(StatusCode::OK, &Shown { id, happened, state }))
}

/// `GET` of advice.
pub(crate) async fn hint<L: Kept>(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let advice =
        with(&app, client, &id, |live: &mut L, app, watch| Ok(live.advice(&app.engine, watch)?));
    Ok(json_response(StatusCode::OK, to_json(&advice.await?)))
}

/// `POST` of what the user thinks of doing.
pub(crate) async fn mistake<L: Kept>(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
    body: JsonText,
) -> Result<Response, ApiError> {
    let question: L::Question = body.read()?;
    let mistake = with(&app, client, &id, move |live: &mut L, app, watch| {
        Ok(live.loss(&question, &app.engine, watch)?)
    });
    Ok(json_response(StatusCode::OK, to_json(&mistake.await?)))
}

/// `DELETE` of a game.
pub(crate) async fn remove<L: Kept>(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let key = id.clone();
    with(&app, client, &id, move |_: &mut L, app, _| L::games(app).remove(&key)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `GET /api/v1/games/{id}/record`
pub(crate) async fn record(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let text = with(&app, client, &id, |live: &mut LiveMatch, _, _| {
        Ok(tavola_matches::mat::write(&live.record()))
    });
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"match.mat\""),
    ];
    Ok((headers, text.await?).into_response())
}
