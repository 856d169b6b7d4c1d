//! The operations of `tavola batch`, one path each.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;
use tavola_engine::live::{Strength, many_games};
use tavola_engine::{Cost, LoadedNetwork, operations};
use tavola_games::AnyGame;
use tavola_rules::Backgammon;

use crate::access::{Client, JsonText};
use crate::error::{ApiError, Result, json_response, status};
use crate::state::App;

/// `POST /api/v1/{operation}`
pub(crate) async fn ask(
    State(app): State<App>,
    Client(client): Client,
    Path(operation): Path<String>,
    JsonText(line): JsonText,
) -> Result<Response> {
    if !operations::names().contains(&operation.as_str()) {
        return Err(ApiError::not_found(format_args!(
            "there is no operation {operation:?}, expected one of {}",
            operations::names().join(", ")
        )));
    }
    let cost = Cost::of_request(Some(&operation), &line, &app.default);
    let asked = app.work(client, cost, move |app, watch| {
        app.engine.answer_request(Some(&operation), &line, &app.default, watch)
    });
    let reply = asked.await?;
    Ok(json_response(reply.refused.map_or(StatusCode::OK, status), reply.text))
}

/// `GET /api/v1/engine`: what this server is and can do.
pub(crate) async fn engine(State(app): State<App>) -> Result<Response> {
    if let Some(text) = app.about.get() {
        return Ok(json_response(StatusCode::OK, text.clone()));
    }
    let network = app.engine.network(app.default.model.as_deref(), &app.default.game.id())?;
    let answer = json!({
        "name": "tavola",
        "version": env!("CARGO_PKG_VERSION"),
        "network": network.weights().checksum(),
        "built_in": network.is_built_in(),
        "operations": operations::names(),
        "games": AnyGame::names(),
        "many": many_games(),
        "trained": LoadedNetwork::games().collect::<Vec<_>>(),
        "matches": Backgammon::ALL.map(Backgammon::name),
        "strengths": Strength::ALL.map(Strength::name),
        "patience_seconds": app.settings.patience.as_secs_f64(),
        "runs": app.settings.runs.len(),
    });
    // The checksum reads the whole network.
    let text = app.about.get_or_init(|| answer.to_string());
    Ok(json_response(StatusCode::OK, text.clone()))
}
