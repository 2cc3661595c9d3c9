//! A Unix socket that wakes its session only when there is something to read.
//!
//! tokio's Unix socket always waits for both reading and writing, so the kernel wakes the thread twice for each
//! request. In a single session, this costs a third of the client's CPU time. The socket in this module waits for
//! writing only while a write is blocked.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A connected socket.
pub struct UnixSocket {
    socket: AsyncFd<UnixStream>,
    /// A second handle to the same socket. It exists only while a write is blocked.
    blocked: Option<AsyncFd<UnixStream>>,
}

impl UnixSocket {
    /// Connects to the socket at this path.
    pub async fn connect(path: &Path) -> io::Result<Self> {
        let socket = tokio::net::UnixStream::connect(path).await?.into_std()?;
        let socket = register(socket, Interest::READABLE)?;
        Ok(Self { socket, blocked: None })
    }

    /// Opens a second, blocking connection to the same server.
    pub fn open_another(&self, patience: Duration) -> io::Result<UnixStream> {
        let peer = self.socket.get_ref().peer_addr()?;
        let path = peer.as_pathname().ok_or(io::ErrorKind::NotFound)?;
        let stream = UnixStream::connect(path)?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))?;
        Ok(stream)
    }

    /// Reads into `buffer`. If no bytes are read, the stream has ended.
    #[inline]
    pub fn poll_read(
        &self,
        context: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        loop {
            let mut readiness = ready!(self.socket.poll_read_ready(context))?;
            if let Ok(read) = readiness.try_io(|socket| socket.get_ref().read(buffer)) {
                // If a read did not fill the buffer, the socket is empty, and another read would waste a system call.
                // At the end of the stream, the socket remains marked as ready.
                if read.as_ref().is_ok_and(|count| (1..buffer.len()).contains(count)) {
                    readiness.clear_ready();
                }
                return Poll::Ready(read);
            }
        }
    }

    /// Writes some of `bytes`.
    #[inline]
    pub fn poll_write(
        &mut self,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.blocked.is_none() {
            match self.socket.get_ref().write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                written => return Poll::Ready(written),
            }
        }
        self.poll_blocked(context, bytes)
    }

    #[cold]
    fn poll_blocked(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let blocked = if let Some(blocked) = self.blocked.take() {
            blocked
        } else {
            let handle = self.socket.get_ref().try_clone()?;
            register(handle, Interest::WRITABLE)?
        };
        let blocked = self.blocked.insert(blocked);
        loop {
            let mut readiness = ready!(blocked.poll_write_ready(context))?;
            if let Ok(written) = readiness.try_io(|socket| socket.get_ref().write(bytes)) {
                return Poll::Ready(written);
            }
        }
    }

    /// Stops waiting for the socket to become writable. Called once everything has been written.
    #[inline]
    pub fn written(&mut self) {
        self.blocked = None;
    }
}

/// Registers one direction of a socket with the event loop.
#[expect(unsafe_code, reason = "tokio cannot know that the socket stays open")]
fn register(socket: UnixStream, interest: Interest) -> io::Result<AsyncFd<UnixStream>> {
    // SAFETY: `UnixStream` owns its file descriptor. The only methods called on it are `read`, `write` and `try_clone`,
    // which neither replace nor close the descriptor.
    Ok(unsafe { AsyncFd::register_with_interest(socket, interest)? })
}
