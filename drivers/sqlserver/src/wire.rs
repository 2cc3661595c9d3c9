//! Divides messages into packets.
//!
//! As specified in [MS-TDS] 2.2.3.1, a packet starts with a header of eight bytes. The header also marks the last
//! packet of a message.
//!
//! Start reading at [`seal`].

use tacho_net::{Framing, Header, MESSAGE_MAX};

/// Size of the header in front of a packet's body.
pub const HEADER_BYTES: usize = 8;
/// Message types, [MS-TDS] 2.2.3.1.1.
pub const BATCH: u8 = 0x01;
pub const RPC: u8 = 0x03;
const RESULT: u8 = 0x04;
pub const ATTENTION: u8 = 0x06;
pub const BULK_LOAD: u8 = 0x07;
pub const TRANSACTION: u8 = 0x0E;
pub const LOGIN: u8 = 0x10;
pub const PRELOGIN: u8 = 0x12;
/// Status of the last packet of a message.
pub const LAST: u8 = 0x01;

/// The framing of packets. A message's tag is the status byte from the packet header.
pub struct Packets;

/// A connection that transfers packets.
pub type Wire = tacho_net::Wire<Packets>;

impl Framing for Packets {
    const HEADER: usize = HEADER_BYTES;

    #[inline]
    fn header(bytes: &[u8]) -> Option<Header> {
        let &[RESULT | PRELOGIN, tag, high, low, ..] = bytes else { return None };
        let length = usize::from(u16::from_be_bytes([high, low]));
        Some(Header { tag, length: length.checked_sub(HEADER_BYTES)? })
    }

    #[inline]
    fn body_max(_: u8, _: bool) -> usize {
        MESSAGE_MAX
    }
}

/// A message that is being written to a buffer.
#[derive(Clone, Copy, Debug)]
pub struct Writing {
    kind: u8,
    /// Position of the header of the first packet that is not complete yet.
    pub at: usize,
    /// Number of that packet.
    number: u8,
}

/// Starts a message and reserves space for its first header. The body has to be appended next.
#[inline]
pub fn begin(kind: u8, out: &mut Vec<u8>) -> Writing {
    let at = out.len();
    out.extend_from_slice(&[0; HEADER_BYTES]);
    Writing { kind, at, number: 1 }
}

/// Adds the headers of all complete packets. A packet has `size` bytes, but the last one of a message may be smaller.
///
/// Moves the rest of the body to make room for the headers.
#[inline]
pub fn seal(writing: &mut Writing, size: usize, last: bool, out: &mut Vec<u8>) {
    let (at, most) = (writing.at, size - HEADER_BYTES);
    let body = out.len() - at - HEADER_BYTES;
    let count = if last { body.div_ceil(most).max(1) } else { body / most };
    if count == 0 {
        return;
    }
    // The first packet already has a header. If the message continues, the last packet is still incomplete but needs a
    // header as well.
    let more = if last { count - 1 } else { count };
    let end = out.len();
    out.resize(end + more * HEADER_BYTES, 0);
    for index in (1..=more).rev() {
        let from = at + HEADER_BYTES + index * most;
        out.copy_within(from..(from + most).min(end), from + index * HEADER_BYTES);
    }
    for index in 0..count {
        let start = at + index * size;
        let is_last = last && index + 1 == count;
        let length = if is_last { out.len() - start } else { size } as u16;
        let [high, low] = length.to_be_bytes();
        let status = if is_last { LAST } else { 0 };
        let header = [writing.kind, status, high, low, 0, 0, writing.number, 0];
        out[start..start + HEADER_BYTES].copy_from_slice(&header);
        writing.number = writing.number.wrapping_add(1);
    }
    writing.at = at + count * size;
}

/// Appends a message that consists of a single packet with this body.
pub fn packet(kind: u8, body: &[u8], out: &mut Vec<u8>) {
    let mut writing = begin(kind, out);
    out.extend_from_slice(body);
    seal(&mut writing, HEADER_BYTES + body.len().max(1), true, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(mut bytes: &[u8], kind: u8) -> (Vec<u8>, Vec<(u8, u8, usize)>) {
        let (mut all, mut headers) = (Vec::new(), Vec::new());
        while !bytes.is_empty() {
            assert_eq!(bytes[0], kind);
            let length = usize::from(u16::from_be_bytes([bytes[2], bytes[3]]));
            headers.push((bytes[1], bytes[6], length));
            all.extend_from_slice(&bytes[HEADER_BYTES..length]);
            bytes = &bytes[length..];
        }
        (all, headers)
    }

    #[test]
    fn a_message_is_cut_into_packets() {
        for length in [0, 1, 11, 12, 13, 24, 25, 60] {
            let body: Vec<u8> = (0..length).collect();
            let mut out = vec![9; 3];
            let mut writing = begin(RPC, &mut out);
            out.extend_from_slice(&body);
            seal(&mut writing, 20, true, &mut out);
            let (all, headers) = bodies(&out[3..], RPC);
            assert_eq!(all, body);
            assert_eq!(headers.len(), usize::from(length).div_ceil(12).max(1));
            for (index, (status, number, size)) in headers.iter().enumerate() {
                let is_last = index + 1 == headers.len();
                assert_eq!((*status, *number), (u8::from(is_last), index as u8 + 1));
                assert!(is_last || *size == 20);
            }
        }
    }

    #[test]
    fn a_long_message_leaves_piece_by_piece() {
        let (mut out, mut expected) = (Vec::new(), Vec::new());
        let mut writing = begin(BULK_LOAD, &mut out);
        for piece in [5_u8, 7, 30, 0, 12, 1] {
            let bytes = vec![piece; usize::from(piece)];
            out.extend_from_slice(&bytes);
            expected.extend_from_slice(&bytes);
            seal(&mut writing, 20, false, &mut out);
            assert_eq!(writing.at % 20, 0, "full packets stand before it");
        }
        seal(&mut writing, 20, true, &mut out);
        let (all, headers) = bodies(&out, BULK_LOAD);
        assert_eq!(all, expected);
        assert_eq!(headers.iter().filter(|(status, ..)| *status == LAST).count(), 1);
    }

    #[test]
    fn only_answers_are_read() {
        let header = |bytes: &[u8]| Packets::header(bytes);
        assert_eq!(header(&[4, 1, 0, 9, 0, 0, 1, 0]), Some(Header { tag: 1, length: 1 }));
        assert_eq!(header(&[4, 1, 0, 7, 0, 0, 1, 0]), None);
        assert_eq!(header(b"HTTP/1.1"), None);
    }
}
