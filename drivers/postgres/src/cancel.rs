//! The last word of a session that is given up while the server works for it: stop.
//!
//! A server notices a closed socket only when it has something to say, so a statement that waits for
//! a lock would continue after we left. It must never wait long: it runs while a program is ending.

use std::io::{self, Read, Write};
use std::time::Duration;

use tacho_net::Stream;

/// The code of a `CancelRequest`.
const CODE: u32 = 80_877_102;
/// How long a server may take to accept the connection and to close it again.
const PATIENCE: Duration = Duration::from_millis(500);

/// What the server wants to hear from whoever cancels a session: its process and a secret.
pub type Key = [u8; 8];

/// Asks the server to stop what it does for the session of this socket. Servers take the request
/// without encryption and without a login; they never answer.
pub fn cancel(stream: &Stream, key: Key) -> io::Result<()> {
    let mut again = stream.open_another(PATIENCE)?;
    again.write_all(&message(key))?;
    // The server hangs up when it has passed the request on.
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
