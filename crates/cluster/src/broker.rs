//! The connection to the NATS server. It has a thread of its own, on which no database sessions run.
//!
//! Outgoing messages are queued while the server is unreachable. Senders repeat important messages.
//!
//! Start reading at [`Broker::join`].

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event};
use futures_util::StreamExt;
use tacho_core::{Error, ErrorKind, Result};
use tokio::sync::mpsc::{
    UnboundedReceiver, UnboundedSender, WeakUnboundedSender, unbounded_channel,
};

use crate::message::Letter;

/// Default port of a NATS server.
const PORT: &str = "4222";
/// Time limit for the initial connection to the server.
const CONNECT: Duration = Duration::from_secs(5);
/// Delay before each attempt to reconnect.
const AGAIN: Duration = Duration::from_millis(200);
/// Interval between pings. If no message arrives within two intervals, the connection is closed.
const PING: Duration = Duration::from_secs(2);
/// Time limit for sending the last messages before closing, if the server is connected.
const LAST_WORDS: Duration = Duration::from_secs(5);
const GONE: Duration = Duration::from_secs(1);
/// Interval between checks for messages that must be repeated.
pub(crate) const TICK: Duration = Duration::from_millis(250);

/// The address of a NATS server and its credentials.
#[derive(Clone)]
pub struct Broker {
    url: String,
    token: Option<String>,
    ca: Option<PathBuf>,
}

/// Omits the token.
impl fmt::Debug for Broker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Broker").field("url", &self.url).finish_non_exhaustive()
    }
}

/// A receiver of messages from the server. Its methods are called only on the connection's thread. One of them is
/// called several times a second, so that the receiver can also send messages when none arrive.
pub(crate) trait Ear: Send + Sync {
    /// Handles an incoming message.
    fn hear(&self, letter: Letter, line: &Line);
    /// Called several times a second.
    fn tick(&self, line: &Line);
}

/// The sending half of a connection.
#[derive(Clone)]
pub(crate) struct Line {
    letters: UnboundedSender<(String, Vec<u8>)>,
    connected: Arc<AtomicBool>,
}

impl Line {
    /// Sends a message. After the connection has ended, messages are lost.
    pub(crate) fn say(&self, subject: String, letter: &Letter) {
        if let Ok(text) = serde_json::to_vec(letter) {
            let _ = self.letters.send((subject, text));
        }
    }

    fn downgrade(&self) -> WeakLine {
        WeakLine { letters: self.letters.downgrade(), connected: self.connected.clone() }
    }

    /// Returns true if the server is connected.
    pub(crate) fn is_connected(&self) -> bool {
        self.connected.load(Ordering::Relaxed)
    }
}

/// A connection. When it is dropped, it sends all remaining messages and closes.
pub(crate) struct Connection {
    pub(crate) line: Option<Line>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.line = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Broker {
    /// Parses an address: `host`, `host:port`, `nats://host:port` or `tls://host:port`.
    ///
    /// # Errors
    /// Returns an error if the address is invalid or has a password, or if a token would be sent unencrypted over the
    /// network.
    pub fn read(url: &str, token: Option<String>, ca: Option<PathBuf>) -> Result<Self> {
        let (scheme, place) = url.split_once("://").unwrap_or(("nats", url));
        let place = place.trim_end_matches('/');
        if !matches!(scheme, "nats" | "tls") || place.is_empty() || place.contains(['/', '?']) {
            return Err(Error::usage(format!("invalid NATS server address \"{url}\""))
                .hint("use an address such as nats://host:4222 or tls://host:4222"));
        }
        if place.contains('@') {
            return Err(Error::usage("the NATS server address contains a password or token")
                .hint("set the token in TACHO_NATS_TOKEN"));
        }
        let host = host_of(place);
        let place = if place.len() > host.len() { place.into() } else { format!("{place}:{PORT}") };
        let safe = scheme == "tls" || ca.is_some();
        if token.is_some() && !safe && !is_loopback(host) {
            return Err(Error::usage(format!(
                "the token would be sent to {host} over the network in clear text"
            ))
            .hint("use tls://, with --nats-ca if the certificate is not publicly trusted"));
        }
        let scheme = if safe { "tls" } else { "nats" };
        Ok(Self { url: format!("{scheme}://{place}"), token, ca })
    }

    /// Returns the server's address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Connects and subscribes to the given subjects.
    pub(crate) fn join(&self, subjects: Vec<String>, ear: Arc<dyn Ear>) -> Result<Connection> {
        // Select a cryptography provider, because the NATS client does not do so itself.
        tacho_net::provide_tls();
        let (letters, outbox) = unbounded_channel();
        let line = Line { letters, connected: Arc::default() };
        let (say, outcomes) = channel();
        // The thread ends when no sender is left.
        let (weak, broker) = (line.downgrade(), self.clone());
        let work = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            match runtime {
                Ok(runtime) => {
                    runtime.block_on(broker.live(subjects, ear, outbox, weak, say));
                }
                Err(error) => drop(say.send(Err(error.into()))),
            }
        };
        let thread = std::thread::Builder::new().name("nats".into()).spawn(work)?;
        let gone = || Error::new(ErrorKind::Other, "the connection thread ended");
        outcomes.recv().unwrap_or_else(|_| Err(gone())).map_err(|error| self.with_remedy(error))?;
        Ok(Connection { line: Some(line), thread: Some(thread) })
    }

    fn with_remedy(&self, error: Error) -> Error {
        error
            .during(format!("connect to the NATS server {}", self.url))
            .hint("to start a server on this machine, use tacho up nats; it prints the server's address and token")
            .hint("set the token in TACHO_NATS_TOKEN and the trusted certificates with --nats-ca")
    }

    fn options(&self, connected: &Arc<AtomicBool>) -> ConnectOptions {
        let connected = connected.clone();
        let mut options = ConnectOptions::new()
            .name("tacho")
            .connection_timeout(CONNECT)
            .ping_interval(PING)
            .ignore_discovered_servers()
            .reconnect_delay_callback(|_| AGAIN)
            .event_callback(move |event| {
                match event {
                    Event::Connected => connected.store(true, Ordering::Relaxed),
                    Event::Disconnected | Event::Closed => {
                        connected.store(false, Ordering::Relaxed);
                    }
                    _ => {}
                }
                std::future::ready(())
            });
        if let Some(token) = &self.token {
            options = options.token(token.clone());
        }
        if let Some(ca) = &self.ca {
            options = options.add_root_certificates(ca.clone());
        }
        options.require_tls(self.url.starts_with("tls:"))
    }

    async fn live(
        self,
        subjects: Vec<String>,
        ear: Arc<dyn Ear>,
        mut outbox: Outbox,
        line: WeakLine,
        say: Sender<Result<()>>,
    ) {
        let client = match self.options(&line.connected).connect(&self.url).await {
            Ok(client) => client,
            Err(error) => return drop(say.send(Err(refused(&error)))),
        };
        line.connected.store(true, Ordering::Relaxed);
        for subject in subjects {
            let heard = hear(client.clone(), subject, ear.clone(), line.clone());
            if let Err(error) = heard.await {
                return drop(say.send(Err(error)));
            }
        }
        // Wait until the server has received the subscriptions, because this host announces itself afterwards and must
        // not miss the responses.
        let _ = client.flush().await;
        let _ = say.send(Ok(()));
        drop(say);
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            let next = std::pin::pin!(outbox.recv());
            let tick = std::pin::pin!(ticks.tick());
            match futures_util::future::select(next, tick).await {
                futures_util::future::Either::Left((None, _)) => break,
                futures_util::future::Either::Left((Some((subject, text)), _)) => {
                    // Errors are ignored, because they occur only if the connection is closed for good.
                    let _ = client.publish(subject, text.into()).await;
                }
                futures_util::future::Either::Right(_) => {
                    let Some(line) = line.upgrade() else { break };
                    ear.tick(&line);
                }
            }
        }
        let patience = if line.connected.load(Ordering::Relaxed) { LAST_WORDS } else { GONE };
        let _ = tokio::time::timeout(patience, client.flush()).await;
    }
}

type Outbox = UnboundedReceiver<(String, Vec<u8>)>;

/// The sending half of a connection, as a weak handle that does not keep the connection open.
#[derive(Clone)]
struct WeakLine {
    letters: WeakUnboundedSender<(String, Vec<u8>)>,
    connected: Arc<AtomicBool>,
}

impl WeakLine {
    /// Returns the sending half, or `None` if the connection is closed.
    fn upgrade(&self) -> Option<Line> {
        Some(Line { letters: self.letters.upgrade()?, connected: self.connected.clone() })
    }
}

/// Subscribes to a subject and forwards its messages until the connection ends.
async fn hear(client: Client, subject: String, ear: Arc<dyn Ear>, line: WeakLine) -> Result<()> {
    let mut letters = client
        .subscribe(subject)
        .await
        .map_err(|error| Error::new(ErrorKind::Connect, error.to_string()))?;
    tokio::spawn(async move {
        while let Some(message) = letters.next().await {
            // Ignore messages that do not have the format of Tacho's messages.
            let Ok(letter) = serde_json::from_slice(&message.payload) else { continue };
            let Some(line) = line.upgrade() else { break };
            ear.hear(letter, &line);
        }
    });
    Ok(())
}

fn refused(error: &async_nats::ConnectError) -> Error {
    let kind = match error.kind() {
        ErrorKind_::Authentication | ErrorKind_::AuthorizationViolation => ErrorKind::Auth,
        _ => ErrorKind::Connect,
    };
    let text = match error.kind() {
        ErrorKind_::AuthorizationViolation | ErrorKind_::Authentication => {
            "the server rejected the token".to_owned()
        }
        _ => error.to_string(),
    };
    Error::new(kind, text)
}

use ConnectErrorKind as ErrorKind_;

/// Returns the host from `host:port` or `[::1]:port`.
fn host_of(place: &str) -> &str {
    if place.starts_with('[') {
        return place.find(']').map_or(place, |end| &place[..=end]);
    }
    place.split_once(':').map_or(place, |(host, _)| host)
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_not_sent_in_clear_text() {
        let read = |url: &str, token: bool| Broker::read(url, token.then(|| "t".into()), None);
        for url in ["localhost", "127.0.0.1:99", "[::1]:4222", "tls://broker.example:4222"] {
            assert!(read(url, true).is_ok(), "{url}");
        }
        assert_eq!(read("localhost", true).expect("an address").url(), "nats://localhost:4222");
        assert!(read("broker.example", false).is_ok());
        for url in ["broker.example", "nats://10.0.0.1", "http://localhost", "a@localhost", ""] {
            assert!(read(url, true).is_err(), "{url}");
        }
    }
}
