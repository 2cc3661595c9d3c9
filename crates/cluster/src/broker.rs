//! The connection to the NATS server, on a thread of its own, so that no session shares it.
//!
//! What is said while the server is away waits for it in the client, and what must arrive is said again by
//! whoever said it. Start reading at [`Broker::join`].

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

/// Where a NATS server listens if nothing is said.
const PORT: &str = "4222";
/// Longest wait for the server at the start.
const CONNECT: Duration = Duration::from_secs(5);
/// Between two attempts to connect again.
const AGAIN: Duration = Duration::from_millis(200);
/// A connection without a sign of life for two of these is dropped.
const PING: Duration = Duration::from_secs(2);
/// How long the last words may take to the server, and to one that is away.
const LAST_WORDS: Duration = Duration::from_secs(5);
const GONE: Duration = Duration::from_secs(1);
/// Between two looks at what is to be said again.
pub(crate) const TICK: Duration = Duration::from_millis(250);

/// A NATS server, as the user names it.
#[derive(Clone)]
pub struct Broker {
    url: String,
    token: Option<String>,
    ca: Option<PathBuf>,
}

/// Without the token.
impl fmt::Debug for Broker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Broker").field("url", &self.url).finish_non_exhaustive()
    }
}

/// Who hears letters, and is asked several times a second what there is to say. Both on the connection's thread.
pub(crate) trait Ear: Send + Sync {
    /// A letter came.
    fn hear(&self, letter: Letter, line: &Line);
    /// Time has passed.
    fn tick(&self, line: &Line);
}

/// The way out.
#[derive(Clone)]
pub(crate) struct Line {
    letters: UnboundedSender<(String, Vec<u8>)>,
    connected: Arc<AtomicBool>,
}

impl Line {
    /// Says something. What is said after the end of the connection is lost.
    pub(crate) fn say(&self, subject: String, letter: &Letter) {
        if let Ok(text) = serde_json::to_vec(letter) {
            let _ = self.letters.send((subject, text));
        }
    }

    fn downgrade(&self) -> WeakLine {
        WeakLine { letters: self.letters.downgrade(), connected: self.connected.clone() }
    }

    /// Returns true if the server is there.
    pub(crate) fn is_connected(&self) -> bool {
        self.connected.load(Ordering::Relaxed)
    }
}

/// The connection; it ends with this, after what was said has left.
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
    /// Reads an address: `host`, `host:port`, `nats://host:port` or `tls://host:port`.
    ///
    /// # Errors
    /// If it is none, holds a password, or would send a token over the network in clear text.
    pub fn read(url: &str, token: Option<String>, ca: Option<PathBuf>) -> Result<Self> {
        let (scheme, place) = url.split_once("://").unwrap_or(("nats", url));
        let place = place.trim_end_matches('/');
        if !matches!(scheme, "nats" | "tls") || place.is_empty() || place.contains(['/', '?']) {
            return Err(Error::usage(format!("invalid address of a NATS server \"{url}\""))
                .hint("write it as nats://host:4222, or tls://host:4222"));
        }
        if place.contains('@') {
            return Err(Error::usage("the address of the NATS server holds a password or token")
                .hint("give the token in TACHO_NATS_TOKEN"));
        }
        let host = host_of(place);
        let place = if place.len() > host.len() { place.into() } else { format!("{place}:{PORT}") };
        let safe = scheme == "tls" || ca.is_some();
        if token.is_some() && !safe && !is_loopback(host) {
            return Err(Error::usage(format!(
                "the token would go to {host} over the network in clear text"
            ))
            .hint("use tls://, with --nats-ca for a certificate of your own"));
        }
        let scheme = if safe { "tls" } else { "nats" };
        Ok(Self { url: format!("{scheme}://{place}"), token, ca })
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Connects, and hears on these subjects.
    pub(crate) fn join(&self, subjects: Vec<String>, ear: Arc<dyn Ear>) -> Result<Connection> {
        // The client of NATS names no cryptography.
        tacho_net::provide_tls();
        let (letters, outbox) = unbounded_channel();
        let line = Line { letters, connected: Arc::default() };
        let (say, outcomes) = channel();
        // The thread ends when no other sender is left.
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
        let gone = || Error::new(ErrorKind::Other, "the connection's thread ended");
        outcomes.recv().unwrap_or_else(|_| Err(gone())).map_err(|error| self.with_remedy(error))?;
        Ok(Connection { line: Some(line), thread: Some(thread) })
    }

    fn with_remedy(&self, error: Error) -> Error {
        error
            .during(format!("connect to the NATS server {}", self.url))
            .hint("tacho up nats starts one on this machine and prints its address and token")
            .hint("TACHO_NATS_TOKEN is the token, --nats-ca the certificates to trust")
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
        // The server must know the subjects before this host is announced.
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
                    // It fails only if the connection is closed for good.
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

/// A line that does not keep the connection open.
#[derive(Clone)]
struct WeakLine {
    letters: WeakUnboundedSender<(String, Vec<u8>)>,
    connected: Arc<AtomicBool>,
}

impl WeakLine {
    /// Returns the line, unless the connection is closed.
    fn upgrade(&self) -> Option<Line> {
        Some(Line { letters: self.letters.upgrade()?, connected: self.connected.clone() })
    }
}

/// Hears on a subject until the connection ends.
async fn hear(client: Client, subject: String, ear: Arc<dyn Ear>, line: WeakLine) -> Result<()> {
    let mut letters = client
        .subscribe(subject)
        .await
        .map_err(|error| Error::new(ErrorKind::Connect, error.to_string()))?;
    tokio::spawn(async move {
        while let Some(message) = letters.next().await {
            // Messages that are not of Tacho are ignored.
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
            "the server refused the token".to_owned()
        }
        _ => error.to_string(),
    };
    Error::new(kind, text)
}

use ConnectErrorKind as ErrorKind_;

/// The host of `host:port`, or of `[::1]:port`.
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
