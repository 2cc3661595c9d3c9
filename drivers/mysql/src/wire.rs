//! Divides the stream into packets. The header of a packet contains its length in three bytes, and a sequence number
//! that increases within a command.
//!
//! <https://mariadb.com/docs/server/reference/clientserver-protocol/0-packet>

use tacho_core::{Error, Result};
use tacho_net::{Framing, Header, MESSAGE_MAX};

/// Size at which a packet body is continued in the next packet. No row or statement of Tacho reaches this size.
pub const BODY_END: usize = 0xFF_FFFF;
/// Bytes before a packet body.
pub const HEADER_BYTES: usize = 4;

/// The packet framing.
pub struct Packets;

/// A connection that transfers packets. The tag of a message is the packet's sequence number.
pub type Wire = tacho_net::Wire<Packets>;

impl Framing for Packets {
    const HEADER: usize = HEADER_BYTES;

    #[inline]
    fn header(bytes: &[u8]) -> Option<Header> {
        let &[a, b, c, tag] = bytes else { return None };
        let length = u32::from_le_bytes([a, b, c, 0]) as usize;
        (length < BODY_END).then_some(Header { tag, length })
    }

    #[inline]
    fn body_max(_: u8, rows: bool) -> usize {
        if rows { BODY_END } else { MESSAGE_MAX }
    }
}

/// Appends a packet with this sequence number. The function `write` appends the body.
#[inline]
pub fn packet(
    number: u8,
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>) -> Result<()>,
) -> Result<()> {
    let at = begin(number, out);
    write(out)?;
    end(at, out)
}

/// Starts a packet and returns its position, which has to be passed to [`end`].
#[inline]
pub fn begin(number: u8, out: &mut Vec<u8>) -> usize {
    out.extend_from_slice(&[0, 0, 0, number]);
    out.len() - HEADER_BYTES
}

/// Ends the packet that starts at this position.
#[inline]
pub fn end(at: usize, out: &mut [u8]) -> Result<()> {
    let length = out.len() - at - HEADER_BYTES;
    if length >= BODY_END {
        return Err(too_large(length));
    }
    out[at..at + 3].copy_from_slice(&(length as u32).to_le_bytes()[..3]);
    Ok(())
}

#[cold]
fn too_large(length: usize) -> Error {
    Error::usage(format!("request too large: {length} bytes (maximum 16 MiB)"))
        .hint("send less data in one statement")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_have_their_length_and_number() -> Result<()> {
        let mut out = Vec::new();
        packet(3, &mut out, |out| {
            out.extend_from_slice(b"abc");
            Ok(())
        })?;
        assert_eq!(out, b"\x03\0\0\x03abc");
        assert_eq!(Packets::header(&out[..4]), Some(Header { tag: 3, length: 3 }));
        assert_eq!(Packets::header(&[0xFF; 4]), None);
        let large = packet(0, &mut out, |out| {
            out.resize(out.len() + BODY_END, 0);
            Ok(())
        });
        assert!(large.is_err());
        Ok(())
    }
}
