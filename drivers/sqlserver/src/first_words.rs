//! Recognizes a server by its first response, without logging in.

use tacho_net::Greeting;

/// The prelogin message, [MS-TDS] 2.2.6.5. It consists of a header, the position and length of each option, and their
/// values.
///
/// The options contain the client's version and the encryption mode.
pub const GREETING: Greeting = Greeting {
    driver: "sqlserver",
    title: "SQL Server",
    port: 1433,
    ask: b"\x12\x01\x00\x1a\x00\x00\x00\x00\
           \x00\x00\x0b\x00\x06\x01\x00\x11\x00\x01\xff\
           \x00\x00\x00\x00\x00\x00\x02",
    is_answer,
};

/// Returns true if the bytes start like a server's response that consists of a single packet.
fn is_answer(answer: &[u8]) -> bool {
    matches!(answer, [4, 1, 0, _, ..])
}
