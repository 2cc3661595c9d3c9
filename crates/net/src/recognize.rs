//! Recognizes the protocol of a server by the first bytes that the server sends. If the user specified the wrong port,
//! an error message can then name the product that uses it.
//!
//! This module never logs in and does not depend on a particular protocol. Start reading at [`recognize`].

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use crate::place::Parts;

/// Time limit for each step of the recognition. A healthy server responds within milliseconds.
const PATIENCE: Duration = Duration::from_secs(1);
/// Maximum number of bytes to read.
const WORDS_MAX: usize = 64;

/// A protocol's signature.
#[derive(Clone, Copy, Debug)]
pub struct Greeting {
    /// ID of the driver for this protocol, or the protocol's usual URL scheme if there is no driver for it.
    pub driver: &'static str,
    /// Product name for use in sentences.
    pub title: &'static str,
    /// Default port of a target.
    pub port: u16,
    /// The bytes that a client sends first. Empty if the server sends the first message.
    pub ask: &'static [u8],
    /// Returns true if a response with these first bytes comes from a server with this protocol.
    pub is_answer: fn(&[u8]) -> bool,
}

/// Returns the host and port of a location such as `//user@host:5432/database`. Returns `None` if the location is a
/// Unix socket or a list of hosts.
pub fn tcp_address(place: &str, usual_port: u16) -> Option<(String, u16)> {
    let Parts { host, port, .. } = Parts::read(place, "").ok()?;
    let host = host.filter(|host| !host.starts_with('/') && !host.contains(','))?;
    let port = port.map_or(Some(usual_port), |port| port.parse().ok())?;
    Some((host, port))
}

/// Returns the protocol of the server, if it is one of the known protocols.
pub fn recognize<'a>((host, port): (&str, u16), known: &'a [Greeting]) -> Option<&'a Greeting> {
    let first = answer((host, port), &[])?;
    let speaks_first = !first.is_empty();
    known.iter().filter(|greeting| greeting.ask.is_empty() == speaks_first).find(|greeting| {
        if speaks_first {
            (greeting.is_answer)(&first)
        } else {
            answer((host, port), greeting.ask).is_some_and(|answer| (greeting.is_answer)(&answer))
        }
    })
}

/// Returns the first bytes of the response. They may be empty. Returns `None` if the connection cannot be opened.
fn answer(address: (&str, u16), ask: &[u8]) -> Option<Vec<u8>> {
    let mut addresses = address.to_socket_addrs().ok()?;
    let mut stream =
        addresses.find_map(|address| TcpStream::connect_timeout(&address, PATIENCE).ok())?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.write_all(ask).ok()?;
    let mut answer = [0; WORDS_MAX];
    // A server that sends nothing is treated like one that closes the connection.
    let count = stream.read(&mut answer).unwrap_or(0);
    Some(answer[..count].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_of_one_host() {
        let table = [
            ("//u:p@h:1/d", Some(("h", 1))),
            ("//[::1]/d", Some(("::1", 7))),
            ("//u@h/d", Some(("h", 7))),
            ("//u@:1/d", None),
            ("//u@a,b/d", None),
            ("//u@%2Ftmp/d", None),
            ("file.db", None),
        ];
        for (place, expected) in table {
            let found = tcp_address(place, 7);
            assert_eq!(
                found.as_ref().map(|(host, port)| (host.as_str(), *port)),
                expected,
                "{place}"
            );
        }
    }
}
