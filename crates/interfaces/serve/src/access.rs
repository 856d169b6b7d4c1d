//! Who may ask: the token, the site that a page comes from, the size and the type of a body.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, FromRequest, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::LengthLimitError;
use serde::de::DeserializeOwned;
use tavola_files::limits;

use crate::error::ApiError;
use crate::state::App;

/// How long a client with a wrong token waits for the answer.
const PAUSE: Duration = Duration::from_millis(500);

/// The largest body in JSON.
const LARGEST_JSON: usize = tavola_engine::LONGEST_LINE;

/// The address of the client, by which the queue shares.
pub(crate) struct Client(pub(crate) IpAddr);

impl<S: Send + Sync> FromRequestParts<S> for Client {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let address = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        address
            .map(|ConnectInfo(address)| Self(address.ip()))
            .ok_or_else(|| ApiError::internal("the address of the client is not known"))
    }
}

/// Refuses what comes from another site or without the token.
pub(crate) async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    match check(&app, request.headers(), request.uri().path()) {
        Ok(()) => next.run(request).await,
        Err(error) => {
            if request.headers().contains_key(header::AUTHORIZATION) {
                // Guessing a token takes time.
                tokio::time::sleep(PAUSE).await;
            }
            error.into_response()
        }
    }
}

fn check(app: &App, headers: &HeaderMap, path: &str) -> Result<(), ApiError> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let hosts = headers.get_all(header::HOST).iter().count();
    if hosts > 1 {
        return Err(ApiError::request(format_args!(
            "there are {hosts} headers Host, expected one"
        )));
    }
    // A name that resolves to this machine may belong to a page that should not ask it.
    let host = text(header::HOST).unwrap_or_default();
    if app.settings.token.is_none() && !is_local(host) {
        return Err(ApiError::forbidden(format_args!(
            "the Host is {host:?}, expected localhost or a loopback address"
        )));
    }
    let same = |origin: &str| {
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        authority == Some(host)
    };
    if let Some(origin) = headers.get(header::ORIGIN).map(|origin| origin.to_str().unwrap_or("?"))
        && !same(origin)
    {
        return Err(ApiError::forbidden(format_args!(
            "the request comes from a page of {origin:?}, expected one of this server"
        )));
    }
    let Some(token) = &app.settings.token else { return Ok(()) };
    if !path.starts_with("/api/") && path != "/metrics" {
        return Ok(());
    }
    let given = text(header::AUTHORIZATION).and_then(|value| value.split_once(' '));
    let given = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    match given.is_some_and(|(_, given)| is_equal(given.trim().as_bytes(), token.as_bytes())) {
        true => Ok(()),
        false => Err(ApiError::unauthorized()),
    }
}

/// Whether the name of a server, with or without a port, is one of this machine's own.
fn is_local(host: &str) -> bool {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').unwrap_or_default(),
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let is_port = |port: &str| port.parse::<u16>().is_ok() && !port.starts_with('+');
    (port.is_empty() || port.strip_prefix(':').is_some_and(is_port))
        && (name.eq_ignore_ascii_case("localhost")
            || name.parse::<IpAddr>().is_ok_and(|address| {
                address.is_loopback() && address.is_ipv6() == host.starts_with('[')
            }))
}

/// Compares in a time that does not tell where texts differ.
fn is_equal(one: &[u8], two: &[u8]) -> bool {
    one.len() == two.len() && one.iter().zip(two).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

/// A body of JSON as it came.
pub(crate) struct JsonText(pub(crate) Vec<u8>);

impl FromRequest<App> for JsonText {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        let found = media_type(&request);
        let text = whole(app, request.into_body(), LARGEST_JSON).await?;
        // curl calls what it sends a form: an object of JSON, or nothing, needs no header. Pages of
        // other sites are known by theirs.
        let plain = text.trim_ascii_start().first().is_none_or(|&first| first == b'{');
        if found.kind != "application/json" && !plain {
            return Err(ApiError::media_type(&found.whole, "application/json"));
        }
        Ok(Self(text))
    }
}

impl JsonText {
    /// The body as a type; an empty one is an empty object.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, ApiError> {
        let text: &[u8] = if self.0.trim_ascii().is_empty() { b"{}" } else { &self.0 };
        serde_json::from_slice(text).map_err(|error| {
            use tavola_engine::{EngineError, ErrorKind};
            let kind = if error.is_data() { ErrorKind::Request } else { ErrorKind::Json };
            EngineError::new(kind, format_args!("the body can't be used: {error}")).into()
        })
    }
}

/// A body of any type, as a file.
pub(crate) struct FileBody(pub(crate) Vec<u8>);

impl FromRequest<App> for FileBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        let found = media_type(&request);
        // Its content says which format it has.
        if found.kind.starts_with("multipart/") {
            return Err(ApiError::media_type(
                &found.whole,
                "application/octet-stream or text/plain",
            ));
        }
        Ok(Self(
            whole(app, request.into_body(), app.settings.limits.count(&limits::UPLOAD_BYTES))
                .await?,
        ))
    }
}

/// The type of a body: as it was sent, and without what follows it.
struct MediaType {
    whole: String,
    kind: String,
}

fn media_type(request: &Request) -> MediaType {
    let whole = request.headers().get(header::CONTENT_TYPE);
    let whole = whole.and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let kind = whole.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    MediaType { whole, kind }
}

async fn whole(app: &App, body: Body, limit: usize) -> Result<Vec<u8>, ApiError> {
    let patience = app.settings.limits.time(&limits::BODY_SECONDS);
    match tokio::time::timeout(patience, to_bytes(body, limit)).await {
        Ok(Ok(bytes)) => Ok(bytes.into()),
        Ok(Err(error)) => {
            let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
            while let Some(error) = cause {
                if error.is::<LengthLimitError>() {
                    return Err(ApiError::too_large(format_args!(
                        "the body is larger than {limit} bytes"
                    )));
                }
                cause = error.source();
            }
            Err(ApiError::request(format_args!("the body did not arrive: {error}")))
        }
        Err(_) => Err(ApiError::request(format_args!(
            "the body did not arrive within {} seconds",
            patience.as_secs()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_local() {
        for host in ["localhost", "localhost:8080", "LOCALHOST:1", "127.0.0.1:80", "[::1]:80"] {
            assert!(is_local(host), "{host}");
        }
        for host in [
            "",
            "example.org",
            "localhost.example.org",
            "10.0.0.1",
            "[fe80::1]:80",
            "[::1].example.org",
            "[::1]example.org:80",
            "127.0.0.1:80@example.org",
            "127.0.0.1@example.org",
            "localhost:80:80",
            "localhost:http",
            "localhost:",
            "::1",
            "[127.0.0.1]",
        ] {
            assert!(!is_local(host), "{host}");
        }
    }

    #[test]
    fn tokens_are_compared_as_a_whole() {
        assert!(is_equal(b"secret", b"secret"));
        assert!(!is_equal(b"secret", b"secreT") && !is_equal(b"secre", b"secret"));
    }
}
