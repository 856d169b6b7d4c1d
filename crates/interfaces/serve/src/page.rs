//! The board: files that are part of the program.

use axum::http::{Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use crate::error::ApiError;

/// A file of the page by its path.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../page/", $name)))),*]
    };
}

/// Every file of the page. A test compares the list with the folder.
const FILES: &[(&str, &[u8])] = files![
    "index.html",
    "style.css",
    "icon.svg",
    "app.js",
    "analyse.js",
    "assembly.js",
    "board.js",
    "dom.js",
    "engine.js",
    "figures.js",
    "hands.js",
    "history.js",
    "match.js",
    "moves.js",
    "play.js",
    "position.js",
    "round.js",
    "table.js",
    "tables.js",
    "texts.js",
    "watch.js",
    "words.js",
    "worker.js",
];

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

/// `GET` of anything that is no path of the API.
pub(crate) async fn file(method: Method, uri: Uri) -> Response {
    let path = uri.path().trim_start_matches('/');
    let name = if path.is_empty() { "index.html" } else { path };
    let Some((name, bytes)) = FILES.iter().find(|(known, _)| *known == name) else {
        return ApiError::not_found(format_args!("there is nothing at {:?}", uri.path()))
            .into_response();
    };
    if method != Method::GET && method != Method::HEAD {
        let mut response =
            ApiError::method(format_args!("{:?} has no {method}, expected GET", uri.path()))
                .into_response();
        response.headers_mut().insert(header::ALLOW, header::HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    let headers = [(header::CONTENT_TYPE, kind(name)), (header::CACHE_CONTROL, "no-cache")];
    (StatusCode::OK, headers, *bytes).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_has_every_file_of_the_page() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/page");
        let mut found: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let mut listed: Vec<String> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        found.sort();
        listed.sort();
        assert_eq!(found, listed);
    }
}
