//! A server on a free port, and a client that speaks just enough HTTP.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tavola_engine::{Engine, Question};
use tavola_serve::{ServeError, Server, ServerSettings};

/// A server of its own for each test.
pub struct World {
    server: Option<Server>,
    address: SocketAddr,
    pub token: Option<String>,
}

/// What came back.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The kind of an error, which must have a message too.
    pub fn kind(&self) -> String {
        let json = self.json();
        assert!(!json["error"]["message"].as_str().unwrap().is_empty());
        json["error"]["kind"].as_str().unwrap().to_owned()
    }
}

impl World {
    pub fn new() -> Self {
        Self::with(ServerSettings::default())
    }

    pub fn with(settings: ServerSettings) -> Self {
        Self::start(settings).unwrap()
    }

    pub fn start(settings: ServerSettings) -> Result<Self, ServeError> {
        let token = settings.token.clone();
        let default = Question::start("backgammon".parse().unwrap());
        let engine = Arc::new(Engine::without_tables());
        let server = Server::start(settings, engine, default)?;
        Ok(Self { address: server.address(), server: Some(server), token })
    }

    pub fn with_games(folder: PathBuf) -> Self {
        Self::with(ServerSettings { games: Some(folder), ..ServerSettings::default() })
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Sends bytes as they are.
    pub fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // A server that has refused a body closes before it has read all of it.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        let body = if chunked { unchunked(body) } else { body.to_owned() };
        Answer { status, head: head.to_owned(), body }
    }

    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        let own = |name: &str| headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        if !own("host") {
            text.push_str(&format!("Host: {}\r\n", self.address));
        }
        if let (Some(token), false) = (&self.token, own("authorization")) {
            text.push_str(&format!("Authorization: Bearer {token}\r\n"));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        let mut bytes = text.into_bytes();
        bytes.extend_from_slice(body);
        self.raw(&bytes)
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    pub fn post(&self, path: &str, body: &str) -> Answer {
        self.send("POST", path, &[("Content-Type", "application/json")], body.as_bytes())
    }

    pub fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, &[], b"")
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.server.take().unwrap().stop();
    }
}

fn unchunked(mut body: &str) -> String {
    let mut text = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 || rest.len() < size {
            break;
        }
        text.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
    }
    text
}
