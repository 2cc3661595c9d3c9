//! A socket with two buffers. It sends requests and receives complete messages.
//!
//! While sending, the client also reads, because a server may stop receiving until its responses
//! have been read. Once the buffers are large enough, no more memory is allocated.
//!
//! Start reading at [`Wire::poll_progress`].

use std::future::poll_fn;
use std::io;
use std::marker::PhantomData;
use std::ops::Range;
use std::task::{Context, Poll, ready};

use tacho_core::{Error, ErrorKind, Result, Retry};

use crate::errors::{lost, unexpected};
use crate::stream::Stream;

/// Minimum size of a session's read buffer. It is small, because with 5,000 sessions each
/// additional KiB takes 5 MB of memory.
const SMALL: usize = 2 * 1024;
/// Maximum size of a read buffer. Its size doubles each time that a read fills it.
const LARGE: usize = 64 * 1024;

/// Maximum body size of any message except a row. Examples of such messages are errors and greetings.
pub const MESSAGE_MAX: usize = 1024 * 1024;

/// A protocol's rules for where messages start and end.
pub trait Framing {
    /// Number of bytes in the header of each message.
    const HEADER: usize;

    /// Parses the [`Framing::HEADER`] bytes of a header. Returns `None` if this cannot be a header.
    fn header(bytes: &[u8]) -> Option<Header>;

    /// Returns the maximum body size of a message with this tag. It may exceed [`MESSAGE_MAX`] only
    /// for rows. `rows` is true while the client is reading a table.
    fn body_max(tag: u8, rows: bool) -> usize;
}

/// The header of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// One byte that describes the message, such as its kind or its sequence number.
    pub tag: u8,
    /// Length of the body in bytes.
    pub length: usize,
}

/// A complete message: its tag, and the position of its body in the buffer. The position is valid
/// only until more data is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// See [`Header::tag`].
    pub tag: u8,
    /// Position of the body.
    pub body: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A new request can be started.
    Idle,
    /// A request is in progress, and its response is not complete yet.
    Busy,
    /// The connection can no longer be used.
    Lost,
}

/// A connection that transfers messages.
pub struct Wire<F> {
    stream: Stream,
    /// The request buffer, to which requests are appended.
    pub out: Vec<u8>,
    sent: usize,
    /// Start of the current request in the buffer.
    begun: usize,
    flushed: bool,
    input: Vec<u8>,
    start: usize,
    end: usize,
    /// The error of a failed write. It is reported only when reading fails too, because the server
    /// may have sent a message that explains the failure better.
    write_error: Option<io::Error>,
    state: State,
    in_transaction: bool,
    /// True if the next message may be a row.
    rows: bool,
    framing: PhantomData<F>,
}

impl<F: Framing> Wire<F> {
    /// Creates a wire on an open socket.
    pub fn new(stream: Stream) -> Self {
        Self {
            stream,
            out: Vec::new(),
            sent: 0,
            begun: 0,
            flushed: true,
            input: vec![0; SMALL],
            start: 0,
            end: 0,
            write_error: None,
            state: State::Idle,
            in_transaction: false,
            rows: false,
            framing: PhantomData,
        }
    }

    /// Returns the socket, for example to encrypt the connection. Bytes that were read but not
    /// consumed are lost.
    pub fn into_stream(self) -> Stream {
        self.stream
    }

    /// Returns the name of the transport, which is shown with the facts about the server.
    pub fn transport(&self) -> &'static str {
        self.stream.name()
    }

    /// Returns the channel binding for a login over TLS, or `None` without TLS.
    pub fn end_point(&self) -> Option<Vec<u8>> {
        self.stream.end_point()
    }

    /// Starts a request.
    ///
    /// # Errors
    /// Returns an error if the connection is lost, or if the previous request was abandoned. After an abandoned
    /// request, its response may still arrive and would be taken for that to the new request.
    #[inline]
    pub fn begin(&mut self) -> Result<()> {
        if self.state != State::Idle {
            return Err(self.unusable());
        }
        // A response may arrive before its request has been sent completely. The rest of the
        // request must still be sent; otherwise, the server would misread the next request.
        self.out.drain(..self.sent);
        (self.sent, self.begun) = (0, self.out.len());
        (self.state, self.rows) = (State::Busy, false);
        Ok(())
    }

    /// Records whether the next message may be a row. Only rows may be very long.
    #[inline]
    pub fn expect_rows(&mut self, rows: bool) {
        self.rows = rows;
    }

    /// Removes a request from the buffer. No part of it may have been sent yet.
    pub fn withdraw(&mut self) {
        self.out.truncate(self.begun);
        self.state = State::Idle;
    }

    /// Completes the response.
    #[inline]
    pub fn done(&mut self) {
        self.state = State::Idle;
    }

    /// Returns the bytes that were read but not yet consumed.
    #[inline]
    pub fn unread(&self) -> &[u8] {
        &self.input[self.start..self.end]
    }

    /// Marks the response as complete and records whether a transaction is open. A failed
    /// transaction is still open.
    #[inline]
    pub fn done_within(&mut self, transaction: bool) {
        self.in_transaction = transaction;
        self.done();
    }

    /// Returns true if the server's last response reported an open transaction.
    #[inline]
    pub fn in_transaction(&self) -> bool {
        self.in_transaction
    }

    /// Marks the connection as lost.
    pub fn give_up(&mut self) {
        self.state = State::Lost;
    }

    /// Returns true if a new request can be started.
    pub fn is_idle(&self) -> bool {
        self.state == State::Idle
    }

    /// Returns true if a response from the server is pending.
    pub fn is_busy(&self) -> bool {
        self.state == State::Busy
    }

    /// Returns the socket.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Frees memory after a large request or response.
    pub fn shrink(&mut self) {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            self.input.truncate(SMALL);
            self.input.shrink_to_fit();
        }
        if self.out.is_empty() {
            self.out.shrink_to_fit();
        }
    }

    /// Returns the next complete message that has already arrived.
    #[inline]
    pub fn arrived(&mut self) -> Result<Option<Message>> {
        let here = &self.input[self.start..self.end];
        let Some(header) = here.get(..F::HEADER) else { return Ok(None) };
        let is_possible = |header: &Header| header.length <= F::body_max(header.tag, self.rows);
        let Some(Header { tag, length }) = F::header(header).filter(is_possible) else {
            return Err(unexpected("invalid message length"));
        };
        if here.len() - F::HEADER < length {
            return Ok(None);
        }
        let first = self.start + F::HEADER;
        let body = first..first + length;
        self.start = body.end;
        Ok(Some(Message { tag, body }))
    }

    /// Returns the body of a message, which is valid only until the next read.
    #[inline]
    pub fn body(&self, message: &Message) -> &[u8] {
        &self.input[message.body.clone()]
    }

    /// Sends pending bytes, and reads the bytes that are available. Returns `Poll::Ready` as soon as it has read at
    /// least one byte. An error means that the connection is lost.
    #[inline]
    pub fn poll_progress(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        // Read even if there is still data to send, because the server may be waiting for the
        // client to read.
        let _ = self.poll_send(context);
        self.poll_fill(context)
    }

    /// Returns ready once everything has been sent or sending has failed. After a failure, the next
    /// read returns the error.
    #[inline]
    pub fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while self.sent < self.out.len() {
            match ready!(self.stream.poll_write(context, &self.out[self.sent..])) {
                Ok(count) if count > 0 => self.sent += count,
                Ok(_) => self.cannot_write(io::ErrorKind::WriteZero.into()),
                Err(error) => self.cannot_write(error),
            }
            self.flushed = false;
        }
        if !self.flushed {
            if let Err(error) = ready!(self.stream.poll_flush(context)) {
                self.cannot_write(error);
            }
            self.flushed = true;
            self.out.clear();
            self.sent = 0;
        }
        Poll::Ready(())
    }

    /// Ready when something has been read.
    #[inline]
    pub fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        self.make_room();
        let read = ready!(self.stream.poll_read(context, &mut self.input[self.end..]));
        let error = match read {
            Ok(0) => io::ErrorKind::UnexpectedEof.into(),
            Ok(count) => {
                self.end += count;
                return Poll::Ready(Ok(()));
            }
            Err(error) => error,
        };
        self.state = State::Lost;
        Poll::Ready(Err(lost(&self.write_error.take().unwrap_or(error))))
    }

    /// Waits for the next message.
    pub async fn message(&mut self) -> Result<Message> {
        poll_fn(|context| {
            loop {
                if let Some(message) = self.arrived()? {
                    return Poll::Ready(Ok(message));
                }
                ready!(self.poll_progress(context))?;
            }
        })
        .await
    }

    /// Makes room in the read buffer for the rest of the current message, or for at least one byte.
    ///
    /// A header can claim any length, so the buffer grows only as data arrives.
    #[inline]
    fn make_room(&mut self) {
        let length = self.input.len();
        let full = self.end == length;
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        let header = self.input[self.start..self.end].get(..F::HEADER).and_then(F::header);
        let wanted = F::HEADER + header.map_or(0, |header| header.length);
        if !full && self.start + wanted <= length {
            return;
        }
        if self.start > 0 {
            self.input.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        let double = 2 * length;
        let room = if full { double.min(LARGE.max(wanted)) } else { 0 };
        self.input.resize(length.max(room).max(wanted.min(LARGE)), 0);
    }

    fn cannot_write(&mut self, error: io::Error) {
        self.write_error = Some(error);
        self.sent = self.out.len();
    }

    #[cold]
    fn unusable(&self) -> Error {
        let text = match self.state {
            State::Lost => "connection lost earlier",
            _ => "an earlier request on this connection was abandoned",
        };
        Error::new(ErrorKind::Connect, text).retry(Retry::NewConnection)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixListener;

    use super::*;
    use crate::stream::UnixSocket;

    struct Bytes;

    impl Framing for Bytes {
        const HEADER: usize = 1;

        fn header(bytes: &[u8]) -> Option<Header> {
            Some(Header { tag: bytes[0], length: 0 })
        }

        fn body_max(_: u8, _: bool) -> usize {
            0
        }
    }

    /// A message format for tests. Its length field has eight bytes. While rows are expected, every message may be as
    /// long as a row.
    struct Long;

    impl Framing for Long {
        const HEADER: usize = 8;

        fn header(bytes: &[u8]) -> Option<Header> {
            let length = u64::from_le_bytes(bytes.try_into().ok()?) as usize;
            Some(Header { tag: 0, length })
        }

        fn body_max(_: u8, rows: bool) -> usize {
            if rows { ROW_MAX } else { MESSAGE_MAX }
        }
    }

    const ROW_MAX: usize = 1 << 40;

    /// Returns a connection to a peer that sends exactly these bytes.
    async fn after(written: Vec<u8>) -> Result<(Wire<Long>, tempfile::TempDir)> {
        let folder = tempfile::tempdir()?;
        let listener = UnixListener::bind(folder.path().join("s"))?;
        let socket = UnixSocket::connect(&folder.path().join("s")).await?;
        let (mut peer, _) = listener.accept()?;
        std::thread::spawn(move || peer.write_all(&written));
        Ok((Wire::new(Stream::Unix(socket)), folder))
    }

    #[test]
    fn a_buffer_grows_with_what_arrives() -> Result<()> {
        let event_loop = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        event_loop.block_on(async {
            for arrived in [0, 5, 3_000, 200_000, 3_000_000] {
                let mut written = (ROW_MAX as u64).to_le_bytes().to_vec();
                written.resize(written.len() + arrived, b'r');
                let (mut wire, _folder) = after(written).await?;
                wire.expect_rows(true);
                let error = wire.message().await.expect_err("the rest never comes");
                assert!(error.to_string().contains("connection"), "{error}");
                let room = wire.input.capacity();
                assert!(room <= LARGE.max(2 * arrived + LARGE), "{arrived} bytes: {room}");
            }
            Ok(())
        })
    }

    #[test]
    fn a_long_row_arrives_whole_and_another_long_message_is_rejected() -> Result<()> {
        let event_loop = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        event_loop.block_on(async {
            let length = 3 * MESSAGE_MAX;
            let mut written = (length as u64).to_le_bytes().to_vec();
            written.extend((0..length).map(|at| at as u8));
            written.extend(2_u64.to_le_bytes());
            written.extend(b"ab");
            let (mut wire, _folder) = after(written.clone()).await?;
            wire.expect_rows(true);
            let long = wire.message().await?;
            assert!(wire.body(&long) == &written[8..8 + length], "each byte is at its place");
            let next = wire.message().await?;
            assert_eq!(wire.body(&next), b"ab");
            let (mut wire, _folder) = after(written).await?;
            let error = wire.message().await.expect_err("no row");
            assert!(error.to_string().contains("invalid message length"), "{error}");
            assert!(wire.input.capacity() <= LARGE);
            Ok(())
        })
    }

    /// Size of a request that is larger than the buffers of any socket.
    const LARGE_REQUEST: usize = 8 << 20;

    #[test]
    fn a_request_that_is_answered_too_early_is_sent_to_its_end() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("s");
        let listener = UnixListener::bind(&path)?;
        let event_loop = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        event_loop.block_on(async {
            let mut wire = Wire::<Bytes>::new(Stream::Unix(UnixSocket::connect(&path).await?));
            let (mut peer, _) = listener.accept()?;
            wire.begin()?;
            wire.out.resize(LARGE_REQUEST, b'a');
            let blocked =
                poll_fn(|context| Poll::Ready(wire.poll_send(context).is_pending())).await;
            assert!(blocked && wire.sent > 0, "a part of it is on its way");
            wire.done();
            wire.begin()?;
            wire.out.push(b'c');
            wire.withdraw();
            wire.begin()?;
            wire.out.push(b'b');
            let reader = std::thread::spawn(move || {
                let mut all = Vec::new();
                peer.read_to_end(&mut all).map(|_| all)
            });
            poll_fn(|context| wire.poll_send(context)).await;
            drop(wire);
            let all = reader.join().expect("no panic")?;
            assert_eq!((all.len(), all.last()), (LARGE_REQUEST + 1, Some(&b'b')));
            Ok(())
        })
    }
}
