//! Running games over HTTP, whichever game it is.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tavola_engine::live::{Action, Awaited, GameView, Live, NewGame, TurnEvent};
use tavola_engine::{Cost, Watch};

use crate::access::{Client, JsonText};
use crate::error::{ApiError, json_response};
use crate::state::App;
use crate::store::{new_key, new_seed};

/// A running game with what was just done in it.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Shown {
    /// The key of the game.
    id: String,
    /// What was done, in order, since the request before.
    happened: Vec<TurnEvent>,
    /// The game.
    state: GameView,
}

fn shown(status: StatusCode, shown: &Shown) -> Response {
    json_response(status, to_json(shown))
}

fn to_json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("answers are plain data")
}

/// `POST /api/v1/games`
pub(crate) async fn create(
    State(app): State<App>,
    Client(client): Client,
    body: JsonText,
) -> Result<Response, ApiError> {
    let asked: NewGame = body.read()?;
    // The network of the server is one of its own game.
    let own = asked.game == app.default.game.id();
    let model = app.default.model.clone().filter(|_| own);
    begin(&app, client, asked, model).await
}

/// Begins a game against the network of a weights file, or the built-in one.
pub(crate) async fn begin(
    app: &App,
    client: IpAddr,
    asked: NewGame,
    model: Option<PathBuf>,
) -> Result<Response, ApiError> {
    let mut setup = asked.setup(new_seed()?)?;
    setup.model = model;
    let shared = Arc::clone(app);
    let mut live = Live::new(setup)?;
    let cost = Cost::of_game(&live);
    let answer = app.pool.ask(client, cost, app.settings.patience, move |cancel| {
        let watch = Watch { cancel, ..Watch::default() };
        live.check_network(&shared.engine, &watch)?;
        let happened = live.go_on(&shared.engine, &watch)?;
        let id = new_key()?;
        let state = live.view();
        shared.games.add(&id, client, live)?;
        Ok::<_, ApiError>(Shown { id, happened, state })
    });
    Ok(shown(StatusCode::CREATED, &answer.await??))
}

/// What it costs to let the others move until the user has to act.
fn cost_of_going_on(live: &Live) -> Cost {
    let is_over = matches!(live.awaited(), Awaited::GameOver(_) | Awaited::MatchOver(_));
    let waits_for_user = is_over || live.to_act() == Some(live.user());
    if waits_for_user { Cost::Small } else { Cost::of_game(live) }
}

/// Does something with a game on a worker, one at a time.
async fn with<T: Send + 'static>(
    app: &App,
    client: IpAddr,
    key: &str,
    cost: impl FnOnce(&Live) -> Cost,
    work: impl FnOnce(&mut Live, &App, &Watch<'_>) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let (shared, patience, began) = (Arc::clone(app), app.settings.patience, Instant::now());
    let game = match app.games.in_memory(key)? {
        Some(game) => game,
        None => {
            let (shared, key) = (Arc::clone(app), key.to_owned());
            let read = move |_: &AtomicBool| shared.games.read(&key, client);
            app.pool.ask(client, Cost::Small, patience, read).await??
        }
    };
    // Whoever waits for another request about the same game holds no worker.
    let locked = tokio::time::timeout(patience, Arc::clone(&game).lock_owned()).await;
    let mut live = locked.map_err(|_| ApiError::too_long(patience))?;
    // The one before may have ended it.
    app.games.expect(key, &game)?;
    let left = patience.saturating_sub(began.elapsed());
    let asked = app.pool.ask(client, cost(&live), left, move |cancel| {
        let watch = Watch { cancel, ..Watch::default() };
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
    let state = with(&app, client, &id, cost_of_going_on, |live, app, watch| {
        live.go_on(&app.engine, watch)?;
        Ok(live.view())
    });
    let (state, happened) = (state.await?, Vec::new());
    Ok(shown(StatusCode::OK, &Shown { id, happened, state }))
}

/// `POST /api/v1/games/{id}/actions`
pub(crate) async fn act(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
    body: JsonText,
) -> Result<Response, ApiError> {
    let action: Action = body.read()?;
    let file = id.clone();
    let done = with(&app, client, &id, Cost::of_game, move |live, app, watch| {
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
    let hint = with(
        &app,
        client,
        &id,
        |_| Cost::Medium,
        |live, app, watch| Ok(live.hint(&app.engine, watch)?),
    );
    Ok(json_response(StatusCode::OK, to_json(&hint.await?)))
}

/// `POST /api/v1/games/{id}/mistake`: what an action would lose.
pub(crate) async fn mistake(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
    body: JsonText,
) -> Result<Response, ApiError> {
    let action: Action = body.read()?;
    let mistake = with(
        &app,
        client,
        &id,
        |_| Cost::Medium,
        move |live, app, watch| Ok(live.mistake(&action, &app.engine, watch)?),
    );
    Ok(json_response(StatusCode::OK, to_json(&mistake.await?)))
}

/// `DELETE /api/v1/games/{id}`
pub(crate) async fn remove(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let key = id.clone();
    with(&app, client, &id, |_| Cost::Small, move |_, app, _| app.games.remove(&key)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `GET /api/v1/games/{id}/record`: a match as match text, another game as a transcript.
pub(crate) async fn record(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let text = with(
        &app,
        client,
        &id,
        |_| Cost::Small,
        |live, _, _| {
            let name = if live.record_of_match().is_some() { "match.mat" } else { "game.txt" };
            Ok((name, live.record_text()))
        },
    );
    let (name, text) = text.await?;
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    Ok((headers, text).into_response())
}
