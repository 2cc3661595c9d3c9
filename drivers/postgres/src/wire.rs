//! Splits the stream into messages. A message consists of a tag, a length and a body. The length includes itself.

use tacho_net::{Framing, Header, MESSAGE_MAX, Message};

/// Maximum size of a row, which is also the limit of `PostgreSQL` itself.
const ROW_MAX: usize = 1 << 30;
/// Tags for table rows and COPY rows.
const ROWS: [u8; 2] = [b'D', b'd'];

/// The framing of every message except the first: one byte for the type, and the message's length in four bytes.
pub struct Frames;

/// A connection that transfers messages.
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

/// Completes a response after its last message, `ReadyForQuery`. This message also states whether a transaction is
/// open.
#[inline]
pub fn answered(wire: &mut Wire, message: &Message) {
    let open = wire.body(message) != b"I";
    wire.done_within(open);
}
