//! A PostgreSQL proxy that acknowledges commits without executing them, to imitate a server that cannot be trusted.
//!
//! The proxy withholds a COMMIT only if it was sent as a prepared statement. If a COMMIT is part of a query's text, the
//! proxy forwards it.
//!
//! Start reading at [`EarlyCommits::start`].

use std::io::{Read, Result, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The response to a withheld COMMIT. It consists of `BindComplete` and `CommandComplete`.
const DONE: &[u8] = b"2\0\0\0\x04C\0\0\0\x0bCOMMIT\0";
/// Size of a message's length field.
const LENGTH: usize = 4;

#[derive(Default)]
struct Shared {
    early: AtomicBool,
    answered: AtomicU64,
    connections: Mutex<Vec<TcpStream>>,
}

/// The proxy. Each of its threads ends when a connection is closed, except for the listener, which ends with the
/// program.
pub struct EarlyCommits {
    shared: Arc<Shared>,
    port: u16,
}

impl EarlyCommits {
    /// Starts a proxy that forwards everything to this port.
    ///
    /// # Errors
    /// Returns an error if the proxy cannot listen.
    pub fn start(to: u16) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared::default());
        let state = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // If the server cannot be reached, close the client's connection.
                let _ = connect(client, to, &state);
            }
        });
        Ok(Self { shared, port })
    }

    /// Returns the proxy's listening port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Starts to acknowledge each COMMIT without forwarding it to the server.
    pub fn answer_early(&self) {
        self.shared.early.store(true, Ordering::SeqCst);
    }

    /// Closes all connections and starts to forward everything again. Returns the number of commits that were
    /// acknowledged but never forwarded.
    pub fn crash(&self) -> u64 {
        for connection in self.shared.connections().drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
        self.shared.early.store(false, Ordering::SeqCst);
        self.shared.answered.swap(0, Ordering::SeqCst)
    }
}

impl Shared {
    fn connections(&self) -> MutexGuard<'_, Vec<TcpStream>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn connect(client: TcpStream, to: u16, shared: &Arc<Shared>) -> Result<()> {
    let server = TcpStream::connect(("127.0.0.1", to))?;
    let both = [&client, &server];
    for stream in both {
        stream.set_nodelay(true)?;
        shared.connections().push(stream.try_clone()?);
    }
    // Number of commits withheld since the previous `ReadyForQuery`.
    let kept = Arc::new(AtomicU64::new(0));
    let (client_too, server_too) = (client.try_clone()?, server.try_clone()?);
    let (state, also) = (Arc::clone(shared), Arc::clone(&kept));
    thread::spawn(move || {
        let _ = requests(&client, &server, &state, &also);
        hang_up(&client, &server);
    });
    let state = Arc::clone(shared);
    thread::spawn(move || {
        let _ = answers(&server_too, &client_too, &state, &kept);
        hang_up(&client_too, &server_too);
    });
    Ok(())
}

fn hang_up(client: &TcpStream, server: &TcpStream) {
    let _ = client.shutdown(Shutdown::Both);
    let _ = server.shutdown(Shutdown::Both);
}

/// Reads the next message. All messages have a tag, except for the first one from a client.
fn message(mut from: &TcpStream, tagged: bool) -> Result<Vec<u8>> {
    let mut bytes = vec![0; usize::from(tagged) + LENGTH];
    from.read_exact(&mut bytes)?;
    let head = bytes.len();
    let length = &bytes[head - LENGTH..];
    let length = u32::from_be_bytes([length[0], length[1], length[2], length[3]]) as usize;
    bytes.resize(head + length.saturating_sub(LENGTH), 0);
    from.read_exact(&mut bytes[head..])?;
    Ok(bytes)
}

fn requests(
    client: &TcpStream,
    mut server: &TcpStream,
    shared: &Shared,
    kept: &AtomicU64,
) -> Result<()> {
    server.write_all(&message(client, false)?)?;
    let mut round_trip = Vec::new();
    let mut is_commit = false;
    loop {
        let next = message(client, true)?;
        // A Bind message contains the name of a portal, followed by the name of a statement. The client has prepared
        // COMMIT under the name `c`.
        if next[0] == b'B' {
            is_commit = next[5..].starts_with(b"\0c\0") && shared.early.load(Ordering::SeqCst);
        }
        match next[0] {
            b'B' if is_commit => {}
            b'E' if is_commit => {
                kept.fetch_add(1, Ordering::SeqCst);
                is_commit = false;
            }
            _ => round_trip.extend_from_slice(&next),
        }
        if !matches!(next[0], b'B' | b'E' | b'D' | b'P' | b'C') {
            server.write_all(&round_trip)?;
            round_trip.clear();
        }
    }
}

fn answers(
    server: &TcpStream,
    mut client: &TcpStream,
    shared: &Shared,
    kept: &AtomicU64,
) -> Result<()> {
    loop {
        let mut next = message(server, true)?;
        let mut early = 0;
        // ReadyForQuery. The withheld commits are now complete, so report that no transaction is open.
        if next[0] == b'Z' {
            early = kept.swap(0, Ordering::SeqCst);
            if early > 0 {
                if next[5] == b'E' {
                    // The transaction has failed, so its commit must not be acknowledged.
                    early = 0;
                } else {
                    next[5] = b'I';
                }
            }
        }
        let mut bytes = DONE.repeat(early as usize);
        bytes.extend(next);
        client.write_all(&bytes)?;
        shared.answered.fetch_add(early, Ordering::SeqCst);
    }
}
