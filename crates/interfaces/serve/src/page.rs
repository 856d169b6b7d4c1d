//! The board: files that are part of the program.

use std::borrow::Cow;
use std::io::Write as _;
use std::sync::LazyLock;

use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use flate2::Compression;
use flate2::write::GzEncoder;

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
    "manifest.json",
    "style.css",
    "icon.svg",
    "icon-192.png",
    "icon-512.png",
    "app.js",
    "analyze.js",
    "assembly.js",
    "beside.js",
    "board.js",
    "card.js",
    "deck.js",
    "dom.js",
    "drill.js",
    "engine.js",
    "figures.js",
    "form.js",
    "hands.js",
    "history.js",
    "match.js",
    "mine.js",
    "moves.js",
    "old.js",
    "online.js",
    "play.js",
    "position.js",
    "rater.js",
    "result.js",
    "round.js",
    "rules.js",
    "scores.js",
    "sw.js",
    "table.js",
    "tables.js",
    "themes.js",
    "texts.js",
    "texts-games.js",
    "texts-later.js",
    "views.js",
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
        Some("png") => "image/png",
        Some("json") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

/// A file without its comments and the indentation of its lines, which keep their numbers.
fn bare(name: &str, bytes: &'static [u8]) -> Cow<'static, [u8]> {
    let code = [".js", ".css"].iter().any(|ending| name.ends_with(ending));
    let Some(text) = str::from_utf8(bytes).ok().filter(|_| code) else { return bytes.into() };
    let line = |line: &'static str| {
        let line = line.trim();
        let in_css = line.strip_prefix("/*").and_then(|rest| rest.find("*/"));
        let is_comment = line.starts_with("//") || in_css.is_some_and(|end| end + 4 == line.len());
        if is_comment { "" } else { line }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n").into_bytes().into()
}

/// A file as it is sent.
struct Sent {
    plain: Cow<'static, [u8]>,
    gzip: Vec<u8>,
    /// The checksum that gzip has of the file, with its length.
    tag: String,
}

/// Of each file, in the order of the list.
static SENT: LazyLock<Vec<Sent>> = LazyLock::new(|| {
    let sent = |&(name, bytes): &(&str, &'static [u8])| {
        let plain = bare(name, bytes);
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&plain).expect("a vector takes every byte");
        let gzip = gzip.finish().expect("a vector takes every byte");
        let end = &gzip[gzip.len() - 8..];
        let tag =
            format!("\"{}\"", end.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        Sent { plain, gzip, tag }
    };
    FILES.iter().map(sent).collect()
});

/// Whether a list of a header has a word.
fn names(headers: &HeaderMap, name: header::HeaderName, word: &str) -> bool {
    let lists = headers.get_all(name).into_iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|each| {
        let each = each.trim().trim_start_matches("W/");
        each.split(';').next() == Some(word) && !each.ends_with("q=0")
    })
}

/// `GET` of anything that is no path of the API. What the client has already is not sent again.
pub(crate) async fn file(method: Method, uri: Uri, asked: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    let name = if path.is_empty() { "index.html" } else { path };
    let Some(at) = FILES.iter().position(|(known, _)| *known == name) else {
        let message = format!("there is nothing at {:?}", uri.path());
        return ApiError::not_found(message).into_response();
    };
    if method != Method::GET && method != Method::HEAD {
        let message = format!("{:?} has no {method}, expected GET", uri.path());
        return ([(header::ALLOW, "GET, HEAD")], ApiError::method(message)).into_response();
    }
    let ((name, _), sent) = (FILES[at], &SENT[at]);
    let headers = [
        (header::CONTENT_TYPE, kind(name)),
        (header::CACHE_CONTROL, "no-cache"),
        (header::ETAG, sent.tag.as_str()),
        (header::VARY, "accept-encoding"),
    ];
    if names(&asked, header::IF_NONE_MATCH, &sent.tag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    if names(&asked, header::ACCEPT_ENCODING, "gzip") {
        let encoding = [(header::CONTENT_ENCODING, "gzip")];
        return (StatusCode::OK, headers, encoding, sent.gzip.as_slice()).into_response();
    }
    (StatusCode::OK, headers, sent.plain.as_ref()).into_response()
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

    #[test]
    fn what_is_sent_has_the_code_of_its_file_line_by_line() {
        let css = b"/* one */\n  a { b: c; } /* two */\n/* three */ d {} /* four */\n";
        let expected = "\na { b: c; } /* two */\n/* three */ d {} /* four */";
        assert_eq!(bare("style.css", css).as_ref(), expected.as_bytes());
        let js = b"  // one\n    go('//'); // two\n";
        assert_eq!(bare("app.js", js).as_ref(), b"\ngo('//'); // two");
        assert_eq!(bare("index.html", b"  // one").as_ref(), b"  // one");
        for (name, bytes) in FILES.iter().filter(|(name, _)| name.ends_with(".js")) {
            // No text of several lines has lost its indentation.
            for (number, line) in str::from_utf8(bytes).unwrap().lines().enumerate() {
                assert_eq!(line.matches('`').count() % 2, 0, "{name}:{}", number + 1);
            }
        }
    }

    #[test]
    fn a_file_is_sent_small_and_once() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let get = |name: &'static str, headers: &[(header::HeaderName, &str)]| {
            let mut asked = HeaderMap::new();
            for (name, value) in headers {
                asked.insert(name.clone(), value.parse().unwrap());
            }
            runtime.block_on(file(Method::GET, name.parse().unwrap(), asked))
        };
        let plain = get("/texts.js", &[]);
        assert!(!plain.headers().contains_key(header::CONTENT_ENCODING));
        let tag = plain.headers()[header::ETAG].to_str().unwrap().to_owned();
        let small = get("/texts.js", &[(header::ACCEPT_ENCODING, "br, gzip;q=0.8")]);
        assert_eq!(small.headers()[header::CONTENT_ENCODING], "gzip");
        assert_eq!(small.headers()[header::ETAG], tag.as_str());
        let refused = get("/texts.js", &[(header::ACCEPT_ENCODING, "gzip;q=0")]);
        assert!(!refused.headers().contains_key(header::CONTENT_ENCODING));
        let weak = format!("\"other\", W/{tag}");
        let known = get("/texts.js", &[(header::IF_NONE_MATCH, &weak)]);
        assert_eq!(known.status(), StatusCode::NOT_MODIFIED);
        let other = get("/app.js", &[(header::IF_NONE_MATCH, &tag)]);
        assert_eq!(other.status(), StatusCode::OK);
        let sent = |names: &[&str]| -> usize {
            let named = FILES.iter().zip(SENT.iter()).filter(|((name, _), _)| names.contains(name));
            named.map(|(_, sent)| sent.gzip.len()).sum()
        };
        // A first visit: the first view, and what its files need before they run.
        let text = |name| str::from_utf8(FILES.iter().find(|(file, _)| *file == name)?.1).ok();
        let play =
            text("views.js").unwrap().lines().find(|line| line.contains(" play: [")).unwrap();
        let mut first = vec!["index.html", "style.css", "views.js", "app.js"];
        first.extend(play.split('\'').filter(|part| part.ends_with(".js")));
        let mut at = 0;
        while let Some(&name) = first.get(at) {
            let lines = text(name).unwrap().lines().filter(|line| line.starts_with("import "));
            let needed = lines.filter_map(|line| line.split("'./").nth(1)?.split('\'').next());
            needed.for_each(|name| {
                if !first.contains(&name) {
                    first.push(name)
                }
            });
            at += 1;
        }
        assert!(first.contains(&"board.js") && !first.contains(&"watch.js"), "{first:?}");
        assert!(sent(&first) < 100_000, "{} bytes of {first:?}", sent(&first));
        // All files, which an installed page keeps, but its pictures.
        let names = FILES.iter().map(|(name, _)| *name);
        let kept: Vec<_> = names.filter(|name| !name.ends_with("png")).collect();
        assert!(sent(&kept) < 155_000, "{} bytes", sent(&kept));
    }
}
