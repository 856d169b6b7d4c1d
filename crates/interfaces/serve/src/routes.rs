//! Every path, and what all answers have.

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use crate::error::ApiError;
use crate::state::App;
use crate::{access, ask, games, jobs, metrics, openapi, page, run_page};

/// The page may load its own parts alone, and no other site may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; \
    worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// The router of the server.
pub(crate) fn all(app: App) -> Router {
    Router::new()
        .route("/api/v1/games", post(games::create))
        .route("/api/v1/games/{id}", get(games::get).delete(games::remove))
        .route("/api/v1/games/{id}/actions", post(games::act))
        .route("/api/v1/games/{id}/hint", get(games::hint))
        .route("/api/v1/games/{id}/mistake", post(games::mistake))
        .route("/api/v1/games/{id}/record", get(games::record))
        .route("/api/v1/games/{id}/seats", post(games::join))
        .route("/api/v1/games/{id}/links", post(games::renew))
        .route("/api/v1/games/{id}/clock", post(games::switch_clock))
        .route("/api/v1/invitations", post(games::invite))
        .route("/api/v1/jobs", post(jobs::create))
        .route("/api/v1/jobs/{id}", get(jobs::get).delete(jobs::cancel))
        .route("/api/v1/jobs/{id}/events", get(jobs::events))
        .route("/api/v1/analyses", post(jobs::analyze))
        .route("/api/v1/engine", get(ask::engine))
        .route("/api/v1/fleet", get(run_page::fleet))
        .route("/api/v1/runs", get(run_page::list))
        .route("/api/v1/runs/{number}", get(run_page::metrics))
        .route("/api/v1/runs/{number}/networks/{network}/games", post(run_page::play))
        .route("/api/v1/runs/{number}/networks/{network}/sample", post(run_page::sample))
        .route("/api/v1/{operation}", post(ask::ask))
        .route("/openapi.json", get(openapi::show))
        .route("/metrics", get(metrics::show))
        .fallback(page::file)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(app.clone(), access::guard))
        .layer(from_fn(with_headers))
        .layer(from_fn_with_state(app.clone(), metrics::count))
        .with_state(app)
}

async fn wrong_method(method: Method, request: Request) -> Response {
    let path = request.uri().path();
    ApiError::method(format_args!(
        "{path} does not answer {method}, expected a method that the header Allow lists"
    ))
    .into_response()
}

/// What browsers are told with every answer.
async fn with_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let told: [(HeaderName, &'static str); 5] = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in told {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // A rejection of the framework in its own words.
    if response.status() == StatusCode::BAD_REQUEST
        && response
            .headers()
            .get(header::CONTENT_TYPE)
            .is_none_or(|kind| kind != "application/json")
    {
        return ApiError::request("the path can't be read").into_response();
    }
    response
}
