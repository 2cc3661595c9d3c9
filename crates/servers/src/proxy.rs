//! A proxy that can interrupt connections. Clients connect to the proxy's Unix socket instead of
//! the server's.
//!
//! Two threads per connection copy the data unchanged. Start reading at [`Proxy::start`].

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use tacho_core::{Error, Result};

use crate::server_pool::ServerPool;

/// Number of bytes copied at a time.
const BLOCK: usize = 16 * 1024;

/// The proxy's handling of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// Data passes after this delay.
    Open(Duration),
    /// The proxy holds back all data, as if the network were interrupted, and passes it on later.
    Held,
    /// Existing connections are closed. New connections are closed immediately.
    Closed,
}

struct Shared {
    passage: Mutex<(Passage, bool)>,
    changed: Condvar,
    /// The connections. Those that have ended are removed when the next client connects.
    connections: Mutex<Vec<Weak<Connection>>>,
}

/// A connection through the proxy, with a socket to the client and one to the server. Its two
/// threads share the sockets.
struct Connection {
    client: UnixStream,
    server: UnixStream,
}

impl Connection {
    fn close(&self) {
        let _ = self.client.shutdown(Shutdown::Both);
        let _ = self.server.shutdown(Shutdown::Both);
    }
}

/// A running proxy. Dropping it closes its connections.
pub struct Proxy {
    shared: Arc<Shared>,
    socket: PathBuf,
    thread: Option<JoinHandle<()>>,
}

impl Proxy {
    /// Listens on `socket` and connects to the server at `server`. Replaces an existing socket.
    ///
    /// # Errors
    /// Returns any I/O error that occurs when the socket is created.
    pub fn start(socket: &Path, server: &Path) -> Result<Self> {
        if socket.symlink_metadata().is_ok() {
            std::fs::remove_file(socket)?;
        }
        let listen = UnixListener::bind(socket);
        let listener = listen.map_err(|error| {
            Error::from(error).during(format!("listen at {}", socket.display()))
        })?;
        let shared = Arc::new(Shared {
            passage: Mutex::new((Passage::Open(Duration::ZERO), false)),
            changed: Condvar::new(),
            connections: Mutex::new(Vec::new()),
        });
        let (state, server) = (Arc::clone(&shared), server.to_owned());
        let thread = std::thread::Builder::new().name("proxy".into());
        let thread = thread.spawn(move || accept(&listener, &server, &state))?;
        Ok(Self { shared, socket: socket.to_owned(), thread: Some(thread) })
    }

    /// Sets how the proxy handles data that arrives from now on.
    pub fn set(&self, passage: Passage) {
        locked(&self.shared.passage).0 = passage;
        self.shared.changed.notify_all();
        if passage == Passage::Closed {
            close(&self.shared);
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        locked(&self.shared.passage).1 = true;
        self.shared.changed.notify_all();
        close(&self.shared);
        // The proxy's thread blocks until a client connects. Connect once, so that it wakes up and
        // exits.
        let _ = UnixStream::connect(&self.socket);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let _ = std::fs::remove_file(&self.socket);
    }
}

impl ServerPool {
    /// Starts a proxy for a server. Returns the proxy and the target for its clients.
    ///
    /// # Errors
    /// Fails like [`Proxy::start`], or returns a usage error if the name is unknown.
    pub fn proxied(&self, name: &str) -> Result<(Proxy, String)> {
        let server = self.opened(&self.state_of(name)?)?;
        let mut place = server.place().clone();
        place.sockets = place.sockets.join("x");
        std::fs::create_dir_all(&place.sockets)?;
        let product = server.product();
        let proxy = Proxy::start(&product.socket(&place), &product.socket(server.place()))?;
        Ok((proxy, product.target(&place)))
    }
}

fn accept(listener: &UnixListener, server: &Path, shared: &Arc<Shared>) {
    for client in listener.incoming() {
        let (passage, ended) = *locked(&shared.passage);
        if ended {
            return;
        }
        let Ok(client) = client else { continue };
        if passage != Passage::Closed {
            // If connecting to the server fails, the client's connection is closed.
            let _ = connect(client, server, shared);
        }
    }
}

fn connect(client: UnixStream, server: &Path, shared: &Arc<Shared>) -> std::io::Result<()> {
    let server = UnixStream::connect(server)?;
    let connection = Arc::new(Connection { client, server });
    {
        let mut connections = locked(&shared.connections);
        connections.retain(|connection| connection.strong_count() > 0);
        connections.push(Arc::downgrade(&connection));
    }
    let ways: [fn(&Connection) -> [&UnixStream; 2]; 2] = [
        |connection| [&connection.client, &connection.server],
        |connection| [&connection.server, &connection.client],
    ];
    for way in ways {
        let (shared, connection) = (Arc::clone(shared), Arc::clone(&connection));
        let work = move || {
            let [from, to] = way(&connection);
            let _ = copy(from, to, &shared);
            connection.close();
        };
        std::thread::Builder::new().name("proxy".into()).spawn(work)?;
    }
    Ok(())
}

fn copy(mut from: &UnixStream, mut to: &UnixStream, shared: &Shared) -> std::io::Result<()> {
    let mut block = [0; BLOCK];
    loop {
        let length = match from.read(&mut block) {
            Ok(0) => return Ok(()),
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        wait(shared);
        to.write_all(&block[..length])?;
    }
}

/// Waits until data may pass.
fn wait(shared: &Shared) {
    let held = |(passage, ended): &mut (Passage, bool)| *passage == Passage::Held && !*ended;
    let passage = locked(&shared.passage);
    let passage = shared.changed.wait_while(passage, held).unwrap_or_else(PoisonError::into_inner);
    if let (Passage::Open(delay), false) = *passage
        && !delay.is_zero()
    {
        let _ = shared.changed.wait_timeout(passage, delay);
    }
}

/// Closes all connections.
fn close(shared: &Shared) {
    for connection in locked(&shared.connections).drain(..) {
        if let Some(connection) = connection.upgrade() {
            connection.close();
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    /// Returns a proxy for a server that echoes each byte, and the socket for clients.
    fn echo(folder: &Path) -> (Proxy, PathBuf) {
        let (server, socket) = (folder.join("server"), folder.join("proxy"));
        let listener = UnixListener::bind(&server).expect("a socket");
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.expect("a client");
                let shared = Shared {
                    passage: Mutex::new((Passage::Open(Duration::ZERO), false)),
                    changed: Condvar::new(),
                    connections: Mutex::new(Vec::new()),
                };
                std::thread::spawn(move || copy(&client, &client, &shared));
            }
        });
        (Proxy::start(&socket, &server).expect("a proxy"), socket)
    }

    fn answered(mut client: &UnixStream) -> std::io::Result<u8> {
        let mut byte = [7];
        client.write_all(&byte)?;
        client.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a delay is measured")]
    fn a_line_is_cut_whole_again_slow_and_closed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (proxy, socket) = echo(folder.path());
        let client = UnixStream::connect(&socket).expect("a connection");
        assert_eq!(answered(&client).expect("an answer"), 7);

        proxy.set(Passage::Held);
        client.set_read_timeout(Some(Duration::from_millis(50))).expect("a limit");
        let error = answered(&client).expect_err("held");
        assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}");
        proxy.set(Passage::Open(Duration::ZERO));
        client.set_read_timeout(None).expect("no limit");
        let mut late = [0];
        (&client).read_exact(&mut late).expect("what was held");
        assert_eq!(late, [7]);

        let delay = Duration::from_millis(30);
        proxy.set(Passage::Open(delay));
        let begin = Instant::now();
        assert_eq!(answered(&client).expect("an answer"), 7);
        assert!(begin.elapsed() >= 2 * delay, "both ways");

        proxy.set(Passage::Closed);
        assert!(answered(&client).is_err());
        assert!(UnixStream::connect(&socket).and_then(|new| answered(&new)).is_err());
        proxy.set(Passage::Open(Duration::ZERO));
        let again = UnixStream::connect(&socket).expect("a connection");
        assert_eq!(answered(&again).expect("an answer"), 7);
        drop(proxy);
        assert!(answered(&again).is_err() && !socket.exists());
    }
}
