//! A replacement for Unix sockets on systems that do not have them, such as Windows. Code that uses the type compiles,
//! but a socket can never be created.

use std::io;
use std::path::Path;
use std::task::{Context, Poll};
use std::time::Duration;

/// A stand-in for a connected Unix socket, because this system does not support Unix sockets.
pub enum UnixSocket {}

impl UnixSocket {
    /// Returns an error.
    #[expect(clippy::unused_async, reason = "elsewhere it waits")]
    pub async fn connect(_: &Path) -> io::Result<Self> {
        let text = "Unix sockets are not supported on this system; specify a host and port";
        Err(io::Error::new(io::ErrorKind::Unsupported, text))
    }

    /// Cannot be called, because no value of this type can be created.
    pub fn open_another(&self, _: Duration) -> io::Result<std::net::TcpStream> {
        match *self {}
    }

    /// Cannot be called.
    pub fn poll_read(&self, _: &mut Context<'_>, _: &mut [u8]) -> Poll<io::Result<usize>> {
        match *self {}
    }

    /// Cannot be called.
    pub fn poll_write(&mut self, _: &mut Context<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
        match *self {}
    }

    /// Cannot be called.
    pub fn written(&mut self) {
        match *self {}
    }
}
