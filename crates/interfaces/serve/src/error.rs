//! Why a request gets no answer, as JSON with a status.

use std::fmt::Display;
use std::io;
use std::time::Duration;

use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tavola_engine::{EngineError, ErrorKind};

/// Why a request gets no answer. The kinds are those of the engine, and some of the server's own.
#[derive(Clone, Debug)]
pub(crate) struct ApiError {
    pub(crate) status: StatusCode,
    pub(crate) kind: String,
    pub(crate) message: String,
}

/// What a request asks for, or why it gets no answer.
pub(crate) type Result<T, E = ApiError> = std::result::Result<T, E>;

/// The kinds that only the server has.
pub(crate) const OWN_KINDS: [&str; 10] = [
    "not_found",
    "method",
    "too_large",
    "media_type",
    "unauthorized",
    "forbidden",
    "seat",
    "expired",
    "busy",
    "storage",
];

impl ApiError {
    fn new(status: StatusCode, kind: &str, message: impl Display) -> Self {
        Self { status, kind: kind.to_owned(), message: message.to_string() }
    }

    /// There is no such thing.
    pub(crate) fn not_found(message: impl Display) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// There is such a path, but not with this method.
    pub(crate) fn method(message: impl Display) -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method", message)
    }

    /// The body is too large.
    pub(crate) fn too_large(message: impl Display) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
    }

    /// The answer is too large to be kept.
    pub(crate) fn large_answer(limit: usize) -> Self {
        Self::too_large(format_args!("the answer is larger than {limit} bytes, ask for less"))
    }

    /// The body is of another type.
    pub(crate) fn media_type(found: &str, expected: &str) -> Self {
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "media_type",
            format_args!("the Content-Type is {found:?}, expected {expected}"),
        )
    }

    /// The token is missing or wrong.
    pub(crate) fn unauthorized() -> Self {
        let message = "expected the header Authorization: Bearer TOKEN with the server's token";
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
    }

    /// Another site asks.
    pub(crate) fn forbidden(message: impl Display) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    /// Another seat may do it.
    pub(crate) fn seat(message: impl Display) -> Self {
        Self::new(StatusCode::FORBIDDEN, "seat", message)
    }

    /// The link was for an earlier time.
    pub(crate) fn expired(message: impl Display) -> Self {
        Self::new(StatusCode::GONE, "expired", message)
    }

    /// There is no room for another file.
    pub(crate) fn storage(message: impl Display) -> Self {
        Self::new(StatusCode::INSUFFICIENT_STORAGE, "storage", message)
    }

    /// A file can't be written.
    pub(crate) fn unsaved(error: io::Error) -> Self {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        match error.kind() {
            StorageFull | QuotaExceeded | FileTooLarge | ReadOnlyFilesystem => {
                Self::storage(format_args!("it can't be saved, so it was not done: {error}"))
            }
            _ => Self::internal(format_args!("it can't be saved: {error}")),
        }
    }

    /// There is too much to do.
    pub(crate) fn busy(message: impl Display) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "busy", message)
    }

    /// The answer takes too long for a request.
    pub(crate) fn too_long(limit: Duration) -> Self {
        Self::busy(format_args!(
            "there was no answer within {} seconds; ask for it as a job: POST /api/v1/jobs",
            limit.as_secs()
        ))
    }

    /// Something in the request is wrong.
    pub(crate) fn request(message: impl Display) -> Self {
        EngineError::new(ErrorKind::Request, message).into()
    }

    /// The server is at fault.
    pub(crate) fn internal(message: impl Display) -> Self {
        EngineError::new(ErrorKind::Internal, message).into()
    }

    /// As an object of JSON.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        json!({"error": {"kind": self.kind, "message": self.message}})
    }
}

/// The status of an error of the engine.
pub(crate) fn status(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorKind::Canceled => StatusCode::TOO_MANY_REQUESTS,
        _ => StatusCode::BAD_REQUEST,
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        let kind = serde_json::to_value(error.kind()).unwrap_or_default();
        let kind = kind.as_str().unwrap_or("internal").to_owned();
        Self { status: status(error.kind()), kind, message: error.to_string() }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let headers = match self.status {
            StatusCode::UNAUTHORIZED => Some([(header::WWW_AUTHENTICATE, "Bearer")]),
            StatusCode::TOO_MANY_REQUESTS => Some([(header::RETRY_AFTER, "1")]),
            _ => None,
        };
        (headers, json_response(self.status, self.to_json().to_string())).into_response()
    }
}

/// A text that is JSON, whole or in pieces.
pub(crate) fn json_response(status: StatusCode, text: impl Into<Body>) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    let text: Body = text.into();
    (status, headers, text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_no_error_of_the_program() {
        let error = ApiError::unsaved(io::ErrorKind::StorageFull.into());
        assert_eq!((error.status.as_u16(), error.kind.as_str()), (507, "storage"));
        assert!(error.message.contains("can't be saved, so it was not done"), "{}", error.message);
        assert_eq!(ApiError::unsaved(io::ErrorKind::NotFound.into()).kind, "internal");
    }
}
