//! A TCP connection that carries TLS. During the handshake, some protocols wrap TLS in messages of their own.
//!
//! Start reading at [`Envelope`].

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// The format of the messages in which a protocol wraps the TLS handshake.
#[derive(Clone, Copy, Debug)]
pub struct Envelope {
    /// Number of bytes in the header of each message.
    pub header_bytes: usize,
    /// Parses a header. Returns the length of the body, or `None` if the bytes are not a valid header.
    pub length: fn(&[u8]) -> Option<usize>,
    /// Appends a message with this body.
    pub wrap: fn(&[u8], &mut Vec<u8>),
}

/// The connection.
pub struct Carrier {
    stream: TcpStream,
    /// State of a wrapped handshake, or `None` if no handshake is in progress.
    wrapper: Option<Box<Wrapper>>,
}

/// State of the messages in which a handshake is wrapped.
struct Wrapper {
    envelope: Envelope,
    /// Bytes of the handshake that have not yet been packed into a message.
    plain: Vec<u8>,
    /// Wrapped bytes that have been prepared but not sent yet.
    out: Vec<u8>,
    /// The part of the next message's header that has arrived.
    header: Vec<u8>,
    /// The number of bytes of the current message that are still to arrive.
    left: usize,
}

impl Carrier {
    pub fn new(stream: TcpStream, envelope: Option<Envelope>) -> Self {
        let wrapper = |envelope| {
            let (plain, out, header) = (Vec::new(), Vec::new(), Vec::new());
            Box::new(Wrapper { envelope, plain, out, header, left: 0 })
        };
        Self { stream, wrapper: envelope.map(wrapper) }
    }

    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    pub fn into_stream(self) -> TcpStream {
        self.stream
    }

    /// Ends the handshake.
    pub fn finish(&mut self) {
        self.wrapper = None;
    }
}

impl Wrapper {
    /// Sends everything that has been written since the last call as a single message.
    fn poll_flush(
        &mut self,
        stream: &mut TcpStream,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.plain.is_empty() {
            (self.envelope.wrap)(&self.plain, &mut self.out);
            self.plain.clear();
        }
        while !self.out.is_empty() {
            let sent = ready!(Pin::new(&mut *stream).poll_write(context, &self.out))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.out.drain(..sent);
        }
        Poll::Ready(Ok(()))
    }

    /// Reads messages and removes their headers. If no bytes are returned, the stream has ended.
    fn poll_read(
        &mut self,
        stream: &mut TcpStream,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while self.left == 0 {
            let mut bytes = [0; 16];
            let missing = self.envelope.header_bytes - self.header.len();
            let mut part = ReadBuf::new(&mut bytes[..missing]);
            ready!(Pin::new(&mut *stream).poll_read(context, &mut part))?;
            if part.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
            self.header.extend_from_slice(part.filled());
            if self.header.len() == self.envelope.header_bytes {
                let length = (self.envelope.length)(&self.header);
                self.left = length.ok_or(io::ErrorKind::InvalidData)?;
                self.header.clear();
            }
        }
        let most = self.left.min(buffer.remaining());
        let mut part = ReadBuf::new(buffer.initialize_unfilled_to(most));
        ready!(Pin::new(stream).poll_read(context, &mut part))?;
        let count = part.filled().len();
        buffer.advance(count);
        self.left -= count;
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Carrier {
    #[inline]
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { stream, wrapper } = self.get_mut();
        match wrapper {
            None => Pin::new(stream).poll_read(context, buffer),
            Some(wrapper) => wrapper.poll_read(stream, context, buffer),
        }
    }
}

impl AsyncWrite for Carrier {
    #[inline]
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let Self { stream, wrapper } = self.get_mut();
        match wrapper {
            None => Pin::new(stream).poll_write(context, bytes),
            Some(wrapper) => {
                wrapper.plain.extend_from_slice(bytes);
                Poll::Ready(Ok(bytes.len()))
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, wrapper } = self.get_mut();
        match wrapper {
            None => Pin::new(stream).poll_flush(context),
            Some(wrapper) => wrapper.poll_flush(stream, context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}
