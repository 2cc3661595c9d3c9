//! The socket of a connection: plain TCP, a Unix socket, or TLS over TCP.

mod tcp;
#[cfg_attr(not(unix), path = "no_unix.rs")]
mod unix;

use std::io::{self, Read, Write};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

pub use tcp::connect_tcp;
pub use unix::UnixSocket;

use crate::carrier::Carrier;
use crate::end_point::end_point;

/// A blocking socket.
pub trait Line: Read + Write {}
impl<T: Read + Write> Line for T {}

/// An open connection.
pub enum Stream {
    /// TCP.
    Tcp(TcpStream),
    /// A Unix socket.
    Unix(UnixSocket),
    /// TLS over TCP.
    Tls(Box<TlsStream<Carrier>>),
}

impl Stream {
    /// Returns the transport's name, which is shown together with the server's version and settings.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Tcp(_) => "tcp",
            Self::Unix(_) => "unix socket",
            Self::Tls(_) => "tls over tcp",
        }
    }

    /// Returns the channel binding for a login over TLS, or `None` without TLS.
    pub fn end_point(&self) -> Option<Vec<u8>> {
        let Self::Tls(stream) = self else { return None };
        end_point(stream.get_ref().1.peer_certificates()?.first()?)
    }

    /// Ends encryption and returns the plain socket, for protocols that encrypt only the login. Data that TLS has
    /// already read ahead is lost.
    #[must_use]
    pub fn in_clear(self) -> Self {
        match self {
            Self::Tls(stream) => Self::Tcp(stream.into_inner().0.into_stream()),
            other => other,
        }
    }

    /// Opens a second, blocking, unencrypted connection to the same server.
    pub fn open_another(&self, patience: Duration) -> io::Result<Box<dyn Line>> {
        let peer = match self {
            Self::Unix(socket) => return Ok(Box::new(socket.open_another(patience)?)),
            Self::Tcp(stream) => stream.peer_addr()?,
            Self::Tls(stream) => stream.get_ref().0.stream().peer_addr()?,
        };
        let stream = std::net::TcpStream::connect_timeout(&peer, patience)?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))?;
        Ok(Box::new(stream))
    }

    /// Reads into `buffer`. If no bytes are read, the stream has ended.
    ///
    /// If a read does not fill the buffer, tokio assumes that the socket is empty. The next poll therefore makes no
    /// system call.
    #[inline]
    pub fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        let mut buffer = ReadBuf::new(buffer);
        let read = match self {
            Self::Unix(socket) => return socket.poll_read(context, buffer.initialized_mut()),
            Self::Tcp(stream) => Pin::new(stream).poll_read(context, &mut buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(context, &mut buffer),
        };
        read.map_ok(|()| buffer.filled().len())
    }

    /// Writes some of `bytes`.
    #[inline]
    pub fn poll_write(
        &mut self,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self {
            Self::Tcp(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Unix(socket) => socket.poll_write(context, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    /// Flushes any data that TLS still holds. Plain sockets hold no data.
    #[inline]
    pub fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Tcp(_) => Poll::Ready(Ok(())),
            Self::Unix(socket) => {
                socket.written();
                Poll::Ready(Ok(()))
            }
            Self::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }
}
