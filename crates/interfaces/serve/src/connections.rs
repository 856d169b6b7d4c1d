//! Connections: how many there may be, and how long one may take for its part.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tavola_files::limits;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{Id, JoinSet};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use crate::access::Client;
use crate::state::App;

/// How long accepting pauses where the system has no more files to give.
const PAUSE: Duration = Duration::from_millis(100);

/// What a client gets that is one too many.
const REFUSED: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n\
    Content-Length: 84\r\nRetry-After: 1\r\nConnection: close\r\n\r\n\
    {\"error\":{\"kind\":\"busy\",\"message\":\"too many connections are open, try again later\"}}";

/// Serves until the end, then what is open.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    app: App,
    mut ended: watch::Receiver<bool>,
) {
    let limits = &app.settings.limits;
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).max_buf_size(limits::HEAD_BYTES.default as usize);
    http.header_read_timeout(limits.time(&limits::HEADER_SECONDS));
    let (most, share) =
        (limits.count(&limits::CONNECTIONS), limits.count(&limits::CONNECTIONS_OF_CLIENT));
    let (mut open, mut clients) = (JoinSet::new(), HashMap::<Id, Client>::new());
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(closed) = open.join_next_with_id() => {
                clients.remove(&closed.map_or_else(|error| error.id(), |(id, ())| id));
                continue;
            }
            () = end(&mut ended) => break,
        };
        let Ok((stream, address)) = accepted else {
            sleep(PAUSE).await;
            continue;
        };
        let client = Client::of(address.ip());
        let own = clients.values().filter(|&&other| other == client).count();
        // Behind a proxy are many clients.
        let is_proxy = app.settings.proxies.contains(&address.ip().to_canonical());
        if open.len() >= most || (own >= share && !is_proxy) {
            // There is room for it in the buffer of a new connection.
            let _ = stream.try_write(REFUSED);
            continue;
        }
        let _ = stream.set_nodelay(true);
        let stream = Patient::new(stream, limits.time(&limits::STALL_SECONDS));
        let connection =
            http.serve_connection(TokioIo::new(stream), service(router.clone(), address));
        let mut ended = ended.clone();
        let handle = open.spawn(async move {
            let mut connection = pin!(connection);
            // Errors of single connections are theirs.
            tokio::select! {
                _ = connection.as_mut() => return,
                () = end(&mut ended) => connection.as_mut().graceful_shutdown(),
            }
            let _ = connection.await;
        });
        clients.insert(handle.id(), client);
    }
    while open.join_next().await.is_some() {}
}

async fn end(ended: &mut watch::Receiver<bool>) {
    let _ = ended.wait_for(|ended| *ended).await;
}

/// The router for a client.
fn service(
    router: Router,
    address: SocketAddr,
) -> impl Service<Request<Incoming>, Response = Response, Error = Infallible, Future: Send> {
    let router = TowerToHyperService::new(router);
    service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(address));
        router.call(request)
    })
}

/// A connection that ends when its client does not take the answers.
struct Patient {
    stream: TcpStream,
    limit: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    fn new(stream: TcpStream, limit: Duration) -> Self {
        Self { stream, limit, stalled: None }
    }

    fn write<T>(
        &mut self,
        cx: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut TcpStream>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let done = write(Pin::new(&mut self.stream), cx);
        if done.is_ready() {
            self.stalled = None;
            return done;
        }
        let until = Instant::now() + self.limit;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep_until(until)));
        stalled.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.write(cx, |stream, cx| stream.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.write(cx, |stream, cx| stream.poll_write_vectored(cx, bytes))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.write(cx, |stream, cx| stream.poll_flush(cx))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.write(cx, |stream, cx| stream.poll_shutdown(cx))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_a_whole_answer() {
        let text = std::str::from_utf8(REFUSED).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("Content-Length: {}", body.len())), "{}", body.len());
        serde_json::from_str::<serde_json::Value>(body).unwrap();
    }
}
