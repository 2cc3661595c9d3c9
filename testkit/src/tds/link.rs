//! A connection that transfers packets (MS-TDS 2.2.3). It can encrypt them, and can cause faults on purpose.
//!
//! Reading and writing use separate threads, so that an attention signal is noticed while a statement is running.
//!
//! Start reading at [`Link`].

#![expect(clippy::disallowed_methods, reason = "a delay is one of real time")]

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use rustls::{ServerConfig, ServerConnection};

use super::Faults;

/// Message types.
pub const BATCH: u8 = 1;
pub const RPC: u8 = 3;
pub const REPLY: u8 = 4;
pub const ATTENTION: u8 = 6;
pub const BULK: u8 = 7;
pub const TRANSACTION: u8 = 14;
pub const LOGIN: u8 = 16;
pub const PRELOGIN: u8 = 18;

/// Status bits of a packet.
const END: u8 = 1;
const IGNORE: u8 = 2;
pub const RESET: u8 = 8;
pub const RESET_KEEP: u8 = 16;
const HEADER: usize = 8;

/// A message with its type, and the status byte of its first packet.
pub struct Message {
    pub kind: u8,
    pub status: u8,
    pub body: Vec<u8>,
}

/// A connection, which a reading thread and a writing thread share.
pub struct Link {
    socket: TcpStream,
    tls: Mutex<Option<Box<ServerConnection>>>,
    faults: Arc<Mutex<Faults>>,
}

fn bad(error: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::InvalidData, error.to_string())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Link {
    pub fn new(socket: TcpStream, faults: Arc<Mutex<Faults>>) -> Self {
        Self { socket, tls: Mutex::new(None), faults }
    }

    /// Closes the connection in both directions.
    pub fn close(&self) {
        let _ = self.socket.shutdown(Shutdown::Both);
    }

    /// Encrypts the connection from now on. If `packets` is set, the handshake is inside prelogin packets.
    pub fn encrypt(
        &self,
        config: Arc<ServerConfig>,
        inbox: &mut Inbox,
        packets: bool,
    ) -> Result<()> {
        let mut tls = ServerConnection::new(config).map_err(bad)?;
        tls.set_buffer_limit(None);
        while tls.is_handshaking() {
            let bytes = if packets {
                inbox.packet(self)?.2
            } else {
                inbox.fill(self)?;
                std::mem::take(&mut inbox.0)
            };
            feed(&mut tls, &bytes, &mut inbox.0)?;
            let mut out = Vec::new();
            while tls.wants_write() {
                tls.write_tls(&mut out)?;
            }
            if packets && !out.is_empty() {
                out = framed(PRELOGIN, &out, 4_096 - HEADER);
            }
            self.send_raw(&out)?;
        }
        if packets {
            let early = std::mem::take(&mut inbox.0);
            feed(&mut tls, &early, &mut inbox.0)?;
        }
        *lock(&self.tls) = Some(Box::new(tls));
        Ok(())
    }

    /// Stops the encryption, because the client only requested it for the login.
    pub fn decrypt(&self) {
        *lock(&self.tls) = None;
    }

    /// Sends a reply in packets of no more than `packet_bytes` bytes.
    pub fn send(&self, body: &[u8], packet_bytes: usize) -> Result<()> {
        let cut = lock(&self.faults).packet_bytes;
        self.send_cut(body, cut.unwrap_or(packet_bytes - HEADER).max(1))
    }

    /// Sends a reply in packets whose content is at most `most` bytes long.
    ///
    /// Used for prelogin replies. They must arrive correctly, even if a test requests faulty packet sizes.
    pub fn send_cut(&self, body: &[u8], most: usize) -> Result<()> {
        let delay = lock(&self.faults).delay;
        std::thread::sleep(delay);
        let bytes = framed(REPLY, body, most);
        let mut tls = lock(&self.tls);
        let Some(tls) = &mut *tls else { return self.send_raw(&bytes) };
        tls.writer().write_all(&bytes)?;
        let mut out = Vec::new();
        while tls.wants_write() {
            tls.write_tls(&mut out)?;
        }
        self.send_raw(&out)
    }

    fn send_raw(&self, bytes: &[u8]) -> Result<()> {
        let (piece, left) = {
            let mut faults = lock(&self.faults);
            let left = faults.drop_after;
            if let Some(left) = left {
                let rest = left.saturating_sub(bytes.len());
                faults.drop_after = (rest > 0).then_some(rest);
            }
            (faults.write_bytes.unwrap_or(usize::MAX).max(1), left.unwrap_or(usize::MAX))
        };
        for piece in bytes[..bytes.len().min(left)].chunks(piece) {
            (&self.socket).write_all(piece)?;
        }
        if left <= bytes.len() {
            self.close();
            return Err(ErrorKind::ConnectionAborted.into());
        }
        Ok(())
    }
}

/// Splits a body into packets. They do not contain the session number, because no client needs it.
fn framed(kind: u8, body: &[u8], most: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len() + HEADER);
    let count = body.len().div_ceil(most).max(1);
    for number in 0..count {
        let part = &body[number * most..body.len().min((number + 1) * most)];
        let status = if number + 1 == count { END } else { 0 };
        let [high, low] = ((part.len() + HEADER) as u16).to_be_bytes();
        out.extend([kind, status, high, low, 0, 51, (number + 1) as u8, 0]);
        out.extend(part);
    }
    out
}

fn feed(tls: &mut ServerConnection, mut bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
    while !bytes.is_empty() {
        tls.read_tls(&mut bytes)?;
        let state = tls.process_new_packets().map_err(bad)?;
        let start = out.len();
        out.resize(start + state.plaintext_bytes_to_read(), 0);
        tls.reader().read_exact(&mut out[start..])?;
    }
    Ok(())
}

/// Decrypted bytes that have arrived but have not been read yet.
#[derive(Default)]
pub struct Inbox(Vec<u8>);

impl Inbox {
    fn fill(&mut self, link: &Link) -> Result<()> {
        let mut raw = vec![0; 16 * 1024];
        let count = (&link.socket).read(&mut raw)?;
        if count == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let mut tls = lock(&link.tls);
        if let Some(tls) = &mut *tls {
            return feed(tls, &raw[..count], &mut self.0);
        }
        self.0.extend(&raw[..count]);
        Ok(())
    }

    /// Returns the type, status and content of the next packet.
    fn packet(&mut self, link: &Link) -> Result<(u8, u8, Vec<u8>)> {
        loop {
            if let Some(header) = self.0.first_chunk::<HEADER>().copied() {
                let length = usize::from(u16::from_be_bytes([header[2], header[3]]));
                if length < HEADER {
                    return Err(bad("a packet shorter than its header"));
                }
                if self.0.len() >= length {
                    let packet: Vec<u8> = self.0.drain(..length).skip(HEADER).collect();
                    return Ok((header[0], header[1], packet));
                }
            }
            self.fill(link)?;
        }
    }

    /// Returns the next message. Skips messages that the sender has marked as withdrawn.
    pub fn message(&mut self, link: &Link) -> Result<Message> {
        loop {
            let (kind, status, mut body) = self.packet(link)?;
            let mut last = status;
            while last & END == 0 {
                let (other, status, part) = self.packet(link)?;
                if other != kind {
                    return Err(bad("packets of two messages are mixed"));
                }
                last = status;
                body.extend(part);
            }
            if last & IGNORE == 0 {
                return Ok(Message { kind, status, body });
            }
        }
    }
}
