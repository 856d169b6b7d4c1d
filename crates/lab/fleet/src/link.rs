//! The connection, streams and consumers.

use std::path::PathBuf;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectOptions, ServerAddr};
use percent_encoding::percent_decode_str;

use crate::error::FleetError;
use crate::wire::{BLOBS, DEAD, MESSAGE, RESULTS, STREAMS, WORK};

/// The consumer that all workers share.
pub(crate) const WORKERS: &str = "workers";

/// How long a request to the server may take.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// Where the NATS server is, and who asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// Such as `nats://host:4222`, `nats://user:password@host` or `tls://host`.
    pub url: String,
    /// A NATS credentials file (`.creds`), with a JWT and the seed of its key.
    pub credentials: Option<PathBuf>,
    /// Certificates in PEM of who may vouch for the server, beside those of the system. With it,
    /// only connections with TLS are made.
    pub tls_ca: Option<PathBuf>,
    /// The commit that the program was built from, if it is known: the same for a learner and its
    /// workers.
    pub commit: Option<&'static str>,
}

impl Address {
    /// The address without user and password, for messages.
    pub fn shown(&self) -> String {
        match (self.url.find("://"), self.url.rfind('@')) {
            (Some(scheme), Some(at)) if scheme + 3 <= at => {
                format!("{}{}", &self.url[..scheme + 3], &self.url[at + 1..])
            }
            (None, Some(at)) => self.url[at + 1..].to_owned(),
            _ => self.url.clone(),
        }
    }
}

/// Options with the user that an address names, as `USER:PASSWORD@` or as `TOKEN@`: the client
/// itself takes no notice of it.
fn with_user(options: ConnectOptions, url: &str) -> ConnectOptions {
    let Ok(address) = url.parse::<ServerAddr>() else { return options };
    let decoded = |part| percent_decode_str(part).decode_utf8_lossy().into_owned();
    match (address.username().map(decoded), address.password().map(decoded)) {
        (Some(user), Some(password)) => options.user_and_password(user, password),
        (Some(token), None) => options.token(token),
        (None, _) => options,
    }
}

/// What connections run on: one thread besides the calling one.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, FleetError> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(FleetError::Runtime)
}

/// A connection to the server, which is made again whenever it is lost.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) client: Client,
    pub(crate) context: Context,
}

impl Link {
    /// Connects. Whether the server has JetStream shows with the first stream: clients of this
    /// version cannot read what `nats-server` 2.9 says of an account.
    pub(crate) async fn connect(address: &Address, name: &str) -> Result<Self, FleetError> {
        let mut options = ConnectOptions::new()
            .name(name)
            .max_reconnects(None)
            .connection_timeout(REQUEST_TIMEOUT)
            .request_timeout(Some(REQUEST_TIMEOUT))
            .ping_interval(Duration::from_secs(5))
            .reconnect_delay_callback(|attempts| {
                Duration::from_millis(100 * attempts.clamp(1, 20) as u64)
            });
        if let Some(path) = &address.credentials {
            options = options
                .credentials_file(path)
                .await
                .map_err(|source| FleetError::Credentials { path: path.clone(), source })?;
        }
        if let Some(path) = &address.tls_ca {
            options = options.add_root_certificates(path.clone()).require_tls(true);
        }
        options = with_user(options, &address.url);
        let refused = |reason: String| FleetError::Connect { url: address.shown(), reason };
        let client = options
            .connect(address.url.as_str())
            .await
            .map_err(|error| refused(tavola_files::chain(&error)))?;
        let found = client.server_info().max_payload;
        if found < MESSAGE {
            let (url, expected) = (address.shown(), MESSAGE);
            return Err(FleetError::MaxPayload { url, found, expected });
        }
        let context = jetstream::new(client.clone());
        Ok(Self { client, context })
    }

    /// Makes the streams, where they are not there, and the queue of shards. The learner does it.
    pub(crate) async fn ensure_streams(&self, ack_wait: Duration) -> Result<(), FleetError> {
        for (name, subjects) in STREAMS {
            let config = Config {
                name: name.to_owned(),
                subjects: vec![subjects.to_owned()],
                retention: match name {
                    WORK | RESULTS => RetentionPolicy::WorkQueue,
                    _ => RetentionPolicy::Limits,
                },
                storage: StorageType::File,
                // What a killed learner has left goes away by itself.
                max_age: match name {
                    DEAD => Duration::from_secs(7 * 86_400),
                    BLOBS => Duration::from_secs(2 * 86_400),
                    _ => Duration::from_secs(86_400),
                },
                // A part of a blob that is sent again replaces itself.
                max_messages_per_subject: if name == BLOBS { 1 } else { -1 },
                discard: DiscardPolicy::Old,
                ..Config::default()
            };
            self.context
                .get_or_create_stream(config)
                .await
                .map_err(FleetError::server("make a stream"))?;
        }
        let config = pull::Config {
            durable_name: Some(WORKERS.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait,
            max_ack_pending: 100_000,
            ..pull::Config::default()
        };
        self.context
            .create_consumer_on_stream(config, WORK)
            .await
            .map_err(FleetError::server("make the queue of shards"))?;
        Ok(())
    }

    /// The queue of shards.
    pub(crate) async fn work(&self) -> Result<PullConsumer, FleetError> {
        self.context
            .get_consumer_from_stream(WORKERS, WORK)
            .await
            .map_err(FleetError::server("find the queue of shards"))
    }

    /// The queue of results of a run.
    pub(crate) async fn results(&self, run: &str) -> Result<PullConsumer, FleetError> {
        let config = pull::Config {
            durable_name: Some(format!("learner-{run}")),
            filter_subject: format!("tavola.result.{run}.*"),
            ack_policy: AckPolicy::Explicit,
            ack_wait: Duration::from_secs(30),
            max_ack_pending: 100_000,
            // The queue of a learner that is gone goes too.
            inactive_threshold: Duration::from_secs(3600),
            ..pull::Config::default()
        };
        self.context
            .create_consumer_on_stream(config, RESULTS)
            .await
            .map_err(FleetError::server("make the queue of results"))
    }

    /// Puts messages into their streams, and waits until all are there: once for many of them.
    pub(crate) async fn publish_all(
        &self,
        messages: Vec<(String, Vec<u8>)>,
    ) -> Result<(), FleetError> {
        const AT_A_TIME: usize = 256;
        let mut messages = messages.into_iter().peekable();
        while messages.peek().is_some() {
            let mut stored = Vec::new();
            for (subject, bytes) in messages.by_ref().take(AT_A_TIME) {
                let sent = self.context.publish(subject, bytes.into()).await;
                stored.push(sent.map_err(FleetError::server("store a message"))?);
            }
            for stored in stored {
                stored.await.map_err(FleetError::server("store a message"))?;
            }
        }
        Ok(())
    }

    /// Puts a message into its stream, and waits until it is there.
    pub(crate) async fn publish(&self, subject: String, bytes: Vec<u8>) -> Result<(), FleetError> {
        self.publish_all(vec![(subject, bytes)]).await
    }

    /// Removes the messages of a subject from a stream.
    pub(crate) async fn purge(&self, stream: &str, subject: String) -> Result<(), FleetError> {
        let failed = FleetError::server("remove old messages");
        let stream = self.context.get_stream(stream).await.map_err(&failed)?;
        stream.purge().filter(subject).await.map_err(FleetError::server("remove old messages"))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        let shown = |url: &str| Address { url: url.to_owned(), ..Address::default() }.shown();
        assert_eq!(shown("nats://me:secret@host:4222"), "nats://host:4222");
        assert_eq!(shown("me:secret@host"), "host");
        assert_eq!(shown("tls://host"), "tls://host");
    }
}
