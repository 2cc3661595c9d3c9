//! Cancels the work that the server is still doing for an abandoned session.
//!
//! The server notices a closed socket only when it sends something. Without a cancellation, a statement that waits
//! would therefore stay on the server after its client has gone.
//!
//! A cancellation must be quick, because it also happens while the program is exiting.

use std::io::{self, Read, Write};
use std::time::Duration;

use tacho_net::Stream;

/// The request code of a `CancelRequest`.
const CODE: u32 = 80_877_102;
/// Time limit for connecting to the server, and for waiting until it closes the connection.
const PATIENCE: Duration = Duration::from_millis(500);

/// Process ID and secret, which the server requires when a client asks it to cancel a session's work.
pub type Key = [u8; 8];

/// Asks the server to cancel the work of the session that uses this socket. This requires no login and gets no
/// response.
pub fn cancel(stream: &Stream, key: Key) -> io::Result<()> {
    let mut again = stream.open_another(PATIENCE)?;
    again.write_all(&message(key))?;
    // Wait until the server closes the connection, which means that it has forwarded the request.
    again.read(&mut [0]).map(|_| ())
}

fn message(key: Key) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&16_u32.to_be_bytes());
    bytes[4..8].copy_from_slice(&CODE.to_be_bytes());
    bytes[8..].copy_from_slice(&key);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_request_is_as_the_protocol_has_it() {
        let expected = b"\0\0\0\x10\x04\xd2\x16\x2e\0\0\0\x07abcd";
        assert_eq!(&message(*b"\0\0\0\x07abcd"), expected);
    }
}
