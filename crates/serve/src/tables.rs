//! Games without a cube against the engine: the historical ones. What is kept, and how, is the
//! same as of matches.

use std::sync::{Arc, PoisonError};

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tavola_engine::Watch;
use tavola_engine::live_game::{AnyLiveGame, GameAction, GameView, NewGame};

use crate::access::{Client, JsonText};
use crate::error::{ApiError, json_response};
use crate::games::{Kept, new_key, new_seed, to_json};
use crate::state::App;

impl Kept for AnyLiveGame {
    fn text(&self) -> String {
        self.to_json()
    }

    fn from_text(text: &[u8], name: &str) -> Result<Self, String> {
        Self::from_json(text, name).map_err(|error| error.to_string())
    }
}

/// A game without a cube.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct TablesShown {
    /// The key of the game.
    id: String,
    /// The game.
    state: GameView,
}

/// A play in question.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlayInQuestion {
    /// In words.
    play: String,
}

fn shown(status: StatusCode, shown: &TablesShown) -> Response {
    json_response(status, to_json(shown))
}

/// `POST /api/v1/tables`
pub(crate) async fn create(
    State(app): State<App>,
    Client(client): Client,
    body: JsonText,
) -> Result<Response, ApiError> {
    let asked: NewGame = body.read()?;
    let seed = new_seed()?;
    let shared = Arc::clone(&app);
    let answer = app.pool.ask(client, app.settings.patience, move |cancel| {
        let watch = Watch { cancel, ..Watch::default() };
        let mut live = AnyLiveGame::begin(asked, seed)?;
        live.check_network(&shared.engine, &watch)?;
        live.let_engine_act(&shared.engine, &watch)?;
        let key = new_key()?;
        let answer = TablesShown { id: key.clone(), state: live.view() };
        shared.tables.add(&key, live)?;
        Ok::<_, ApiError>(answer)
    });
    Ok(shown(StatusCode::CREATED, &answer.await??))
}

/// Does something with a game on a worker, one at a time.
async fn with<T: Send + 'static>(
    app: &App,
    client: std::net::IpAddr,
    key: &str,
    work: impl FnOnce(&mut AnyLiveGame, &App, &Watch<'_>) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let shared = Arc::clone(app);
    let key = key.to_owned();
    let asked = app.pool.ask(client, app.settings.patience, move |cancel| {
        let watch = Watch { cancel, ..Watch::default() };
        let live = shared.tables.get(&key)?;
        let mut live = live.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut live, &shared, &watch)
    });
    asked.await?
}

/// `GET /api/v1/tables/{id}`
pub(crate) async fn get(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let state = with(&app, client, &id, |live, app, watch| {
        live.let_engine_act(&app.engine, watch)?;
        Ok(live.view())
    });
    let state = state.await?;
    Ok(shown(StatusCode::OK, &TablesShown { id, state }))
}

/// `POST /api/v1/tables/{id}/actions`
pub(crate) async fn act(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
    body: JsonText,
) -> Result<Response, ApiError> {
    let action: GameAction = body.read()?;
    let file = id.clone();
    let state = with(&app, client, &id, move |live, app, watch| {
        let before = live.to_json();
        live.act(&action, &app.engine, watch)?;
        // What is not on disk has not happened.
        if let Err(error) = app.tables.keep(&file, live) {
            *live = AnyLiveGame::from_json(before.as_bytes(), &file)?;
            return Err(error);
        }
        Ok(live.view())
    });
    let state = state.await?;
    Ok(shown(StatusCode::OK, &TablesShown { id, state }))
}

/// `GET /api/v1/tables/{id}/hint`
pub(crate) async fn hint(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let hint = with(&app, client, &id, |live, app, watch| Ok(live.hint(&app.engine, watch)?));
    Ok(json_response(StatusCode::OK, to_json(&hint.await?)))
}

/// `POST /api/v1/tables/{id}/mistake`
pub(crate) async fn mistake(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
    body: JsonText,
) -> Result<Response, ApiError> {
    let PlayInQuestion { play } = body.read()?;
    let mistake = with(&app, client, &id, move |live, app, watch| {
        Ok(live.mistake(&play, &app.engine, watch)?)
    });
    Ok(json_response(StatusCode::OK, to_json(&mistake.await?)))
}

/// `DELETE /api/v1/tables/{id}`
pub(crate) async fn remove(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let key = id.clone();
    with(&app, client, &id, move |_, app, _| app.tables.remove(&key)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
