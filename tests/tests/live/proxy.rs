//! A TCP proxy that simulates network failures. It can close its connections after some number of
//! bytes, or stop forwarding.
//!
//! Start reading at [`Proxy::start`].

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread;

/// A TCP proxy. Each of its threads stops when its connection closes, and the listener stops when the program exits.
pub struct Proxy {
    port: u16,
    frozen: Arc<AtomicBool>,
}

impl Proxy {
    /// Starts a proxy for a port. When clients have sent this many bytes in total, the proxy closes all connections.
    pub fn start(to: u16, bytes: i64) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let left = Arc::new(AtomicI64::new(bytes));
        let frozen = Arc::new(AtomicBool::new(false));
        let still = Arc::clone(&frozen);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if left.load(Ordering::SeqCst) <= 0 {
                    continue;
                }
                let server = TcpStream::connect(("127.0.0.1", to)).expect("the server");
                let (client_too, server_too) = (twin(&client), twin(&server));
                let (left, still) = (left.clone(), still.clone());
                let still_too = still.clone();
                thread::spawn(move || pass(&client, &server, Some(&left), &still));
                thread::spawn(move || pass(&server_too, &client_too, None, &still_too));
            }
        });
        Self { port, frozen }
    }

    /// Stops forwarding but keeps all connections open. New connections are accepted, but get no response.
    pub fn freeze(&self) {
        self.frozen.store(true, Ordering::SeqCst);
    }

    /// Returns the proxy's listening port.
    pub fn port(&self) -> u16 {
        self.port
    }
}

fn twin(stream: &TcpStream) -> TcpStream {
    stream.try_clone().expect("a second handle")
}

/// Copies data until one side closes or the limit is reached, then closes both sides.
fn pass(mut from: &TcpStream, mut to: &TcpStream, left: Option<&AtomicI64>, frozen: &AtomicBool) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let bytes = count as i64;
        if left.is_some_and(|left| left.fetch_sub(bytes, Ordering::SeqCst) <= bytes) {
            break;
        }
        while frozen.load(Ordering::SeqCst) {
            thread::park();
        }
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    for stream in [from, to] {
        // It may already be closed.
        let _ = stream.shutdown(Shutdown::Both);
    }
}
