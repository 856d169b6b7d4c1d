//! Who may ask: the token, the site that a page comes from, the size and the type of a body.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::{ConnectInfo, FromRequest, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderName, Method, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::LengthLimitError;
use serde::de::DeserializeOwned;
use tavola_files::limits;

use crate::error::{ApiError, Result};
use crate::state::App;

/// How long a client with a wrong token waits for the answer.
const PAUSE: Duration = Duration::from_millis(500);

/// The largest body in JSON.
const LARGEST_JSON: usize = tavola_engine::LONGEST_LINE;

/// The address of the client, by which the queue shares. Of an address of 128 bits it is the
/// network: who has one of these networks has all the addresses in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Client(pub(crate) IpAddr);

impl Client {
    /// The client with this address.
    pub(crate) fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
            address => address,
        })
    }
}

impl FromRequestParts<App> for Client {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        address(&parts.extensions, &parts.headers, &app.settings.proxies)
            .map(Self::of)
            .ok_or_else(|| ApiError::internal("the address of the client is not known"))
    }
}

/// The address from which a request comes: that of the connection or, where that is a proxy that
/// the server knows, the last one that its headers name and that is no such proxy.
pub(crate) fn address(
    extensions: &Extensions,
    headers: &HeaderMap,
    proxies: &[IpAddr],
) -> Option<IpAddr> {
    let ConnectInfo(address) = extensions.get::<ConnectInfo<SocketAddr>>()?;
    let mut address = address.ip().to_canonical();
    let lists = |name: &str| -> Vec<String> {
        let texts = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        texts.flat_map(|text| text.split(',')).map(str::to_owned).collect()
    };
    let mut hops = lists("x-forwarded-for");
    if hops.is_empty() {
        let of_hop = |hop: String| {
            let mut pairs = hop.split(';').filter_map(|pair| pair.trim().split_once('='));
            pairs.find(|(name, _)| name.eq_ignore_ascii_case("for")).map(|(_, it)| it.to_owned())
        };
        hops = lists("forwarded").into_iter().filter_map(of_hop).collect();
    }
    // What is behind the first address that nobody vouches for may be anything.
    for hop in hops.iter().rev() {
        if !proxies.contains(&address) {
            break;
        }
        let Some(before) = hop_address(hop) else { break };
        address = before;
    }
    Some(address)
}

/// The address in a header of a proxy, with or without a port, quotes and brackets.
fn hop_address(text: &str) -> Option<IpAddr> {
    let text = text.trim().trim_matches('"');
    let bare = text.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(inner, _)| inner);
    let parsed = bare.unwrap_or(text).parse().ok();
    let address = parsed.or_else(|| text.parse::<SocketAddr>().ok().map(|it| it.ip()))?;
    Some(address.to_canonical())
}

/// Refuses what comes from another site or without the token.
pub(crate) async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    match check(&app, request.method(), request.uri(), request.headers()) {
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

fn check(app: &App, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<()> {
    let path = uri.path();
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let hosts = headers.get_all(header::HOST).iter().count();
    if hosts > 1 {
        return Err(ApiError::request(format_args!(
            "there are {hosts} headers Host, expected one"
        )));
    }
    let host = text(header::HOST).unwrap_or_default();
    if let Some(named) = uri.authority().filter(|named| !named.as_str().eq_ignore_ascii_case(host))
    {
        return Err(ApiError::request(format_args!(
            "the request is for {:?}, and its Host is {host:?}, expected the same",
            named.as_str()
        )));
    }
    // A name that resolves to this machine may belong to a page that should not ask it. With a
    // token the name is whatever users call the server, and such a page has no token.
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
    // Requests of other sites without an Origin are those of links, which lead to the page alone.
    let is_link = method == Method::GET
        && text(HeaderName::from_static("sec-fetch-mode")) == Some("navigate")
        && text(HeaderName::from_static("sec-fetch-dest")) == Some("document")
        && !path.starts_with("/api/");
    let site = text(HeaderName::from_static("sec-fetch-site"));
    if headers.get(header::ORIGIN).is_none()
        && matches!(site, Some("cross-site" | "same-site"))
        && !is_link
    {
        return Err(ApiError::forbidden("the request comes from another site"));
    }
    let Some(token) = &app.settings.token else { return Ok(()) };
    if !path.starts_with("/api/") && path != "/metrics" {
        return Ok(());
    }
    let given = text(header::AUTHORIZATION).and_then(|value| value.split_once(' '));
    let given = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    match given.is_some_and(|(_, given)| is_equal(given.trim(), token)) {
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
pub(crate) fn is_equal(one: &str, two: &str) -> bool {
    one.len() == two.len() && one.bytes().zip(two.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

/// A body of JSON as it came.
pub(crate) struct JsonText(pub(crate) Vec<u8>);

impl FromRequest<App> for JsonText {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self> {
        let (sent, kind) = media_type(&request);
        let text = whole(app, request.into_body(), LARGEST_JSON).await?;
        // curl calls what it sends a form: an object of JSON, or nothing, needs no header. Pages of
        // other sites are known by theirs.
        let plain = text.trim_ascii_start().first().is_none_or(|&first| first == b'{');
        if kind != "application/json" && !plain {
            return Err(ApiError::media_type(&sent, "application/json"));
        }
        Ok(Self(text))
    }
}

impl JsonText {
    /// The body as a type; an empty one is an empty object.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T> {
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

    async fn from_request(request: Request, app: &App) -> Result<Self> {
        let (sent, kind) = media_type(&request);
        // Its content says which format it has.
        if kind.starts_with("multipart/") {
            return Err(ApiError::media_type(&sent, "application/octet-stream or text/plain"));
        }
        let limit = app.settings.limits.count(&limits::UPLOAD_BYTES);
        Ok(Self(whole(app, request.into_body(), limit).await?))
    }
}

/// The type of a body: as it was sent, and without what follows it.
fn media_type(request: &Request) -> (String, String) {
    let sent = request.headers().get(header::CONTENT_TYPE);
    let sent = sent.and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let kind = sent.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    (sent, kind)
}

async fn whole(app: &App, body: Body, limit: usize) -> Result<Vec<u8>> {
    let too_large = || ApiError::too_large(format_args!("the body is larger than {limit} bytes"));
    // What says that it is too large is not waited for.
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large());
    }
    let patience = app.settings.limits.time(&limits::BODY_SECONDS);
    match tokio::time::timeout(patience, to_bytes(body, limit)).await {
        Ok(Ok(bytes)) => Ok(bytes.into()),
        Ok(Err(error)) => {
            let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
            while let Some(error) = cause {
                if error.is::<LengthLimitError>() {
                    return Err(too_large());
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

    fn from(connection: &str, headers: &[(&'static str, &str)], proxies: &[&str]) -> String {
        let mut extensions = Extensions::new();
        let connection: IpAddr = connection.parse().unwrap();
        extensions.insert(ConnectInfo(SocketAddr::new(connection, 1)));
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        let proxies: Vec<IpAddr> = proxies.iter().map(|proxy| proxy.parse().unwrap()).collect();
        address(&extensions, &map, &proxies).unwrap().to_string()
    }

    #[test]
    fn an_address_in_a_header_counts_from_a_known_proxy_alone() {
        let forwarded = "x-forwarded-for";
        for (connection, header, value, expected) in [
            ("192.0.2.1", forwarded, "198.51.100.7", "192.0.2.1"),
            ("10.0.0.1", forwarded, "198.51.100.7", "198.51.100.7"),
            ("10.0.0.1", forwarded, "203.0.113.9, 198.51.100.7", "198.51.100.7"),
            ("10.0.0.1", forwarded, "203.0.113.9, 198.51.100.7, 10.0.0.2", "198.51.100.7"),
            ("10.0.0.1", forwarded, "198.51.100.7:4711", "198.51.100.7"),
            ("10.0.0.1", forwarded, "[2001:db8::7]:4711", "2001:db8::7"),
            ("10.0.0.1", forwarded, "2001:db8::7", "2001:db8::7"),
            ("10.0.0.1", forwarded, "unknown", "10.0.0.1"),
            ("10.0.0.1", forwarded, "10.0.0.2", "10.0.0.2"),
            ("::ffff:10.0.0.1", forwarded, "::ffff:198.51.100.7", "198.51.100.7"),
            (
                "10.0.0.1",
                "forwarded",
                "for=203.0.113.9, for=198.51.100.7;proto=https",
                "198.51.100.7",
            ),
            ("10.0.0.1", "forwarded", "proto=https;For=\"[2001:db8::7]:80\"", "2001:db8::7"),
            ("192.0.2.1", "forwarded", "for=198.51.100.7", "192.0.2.1"),
        ] {
            let found = from(connection, &[(header, value)], &["10.0.0.1", "10.0.0.2"]);
            assert_eq!(found, expected, "{connection} {value}");
        }
        let lines = [(forwarded, "203.0.113.9"), (forwarded, "198.51.100.7")];
        assert_eq!(from("10.0.0.1", &lines, &["10.0.0.1"]), "198.51.100.7");
        let both = [("forwarded", "for=203.0.113.9"), (forwarded, "198.51.100.7")];
        assert_eq!(from("10.0.0.1", &both, &["10.0.0.1"]), "198.51.100.7");
        assert_eq!(from("10.0.0.1", &[], &["10.0.0.1"]), "10.0.0.1");
    }

    #[test]
    fn a_client_is_an_address_or_a_network_of_long_ones() {
        let client = |text: &str| Client::of(text.parse().unwrap());
        assert_eq!(client("2001:db8::1"), client("2001:db8::ffff:1"));
        assert_ne!(client("2001:db8::1"), client("2001:db8:0:1::1"));
        assert_ne!(client("192.0.2.1"), client("192.0.2.2"));
        assert_eq!(client("::ffff:192.0.2.1"), client("192.0.2.1"));
        assert_ne!(client("::1"), client("127.0.0.1"));
    }

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
        assert!(is_equal("secret", "secret"));
        assert!(!is_equal("secret", "secreT") && !is_equal("secre", "secret"));
    }
}
