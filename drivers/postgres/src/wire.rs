//! How messages are framed: a tag, and a length that counts itself.

use tacho_net::{Framing, Header, MESSAGE_MAX, Message};

/// No row of a sane server is larger; `PostgreSQL` itself stops at 1 GB.
const ROW_MAX: usize = 1 << 30;
/// Tags of rows: those of a table, and those of COPY.
const ROWS: [u8; 2] = [b'D', b'd'];

/// The framing of all messages but the first one.
pub struct Frames;

/// A connection on which messages travel.
pub type Wire = tacho_net::Wire<Frames>;

impl Framing for Frames {
    const HEADER: usize = 5;

    #[inline]
    fn header(bytes: &[u8]) -> Option<Header> {
        let &[tag, a, b, c, d] = bytes else { return None };
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        Some(Header { tag, length: length.checked_sub(4)? })
    }

    #[inline]
    fn body_max(tag: u8, _: bool) -> usize {
        if ROWS.contains(&tag) { ROW_MAX } else { MESSAGE_MAX }
    }
}

/// The answer is complete with this `ReadyForQuery`, which says whether a transaction is open.
#[inline]
pub fn answered(wire: &mut Wire, message: &Message) {
    let open = wire.body(message) != b"I";
    wire.done_within(open);
}
