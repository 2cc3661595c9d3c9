//! Recognizes a server by the first packet it sends, without logging in.

use tacho_net::Greeting;

/// The greeting of MySQL and MariaDB servers, which they send before the client sends anything.
pub const GREETING: Greeting =
    Greeting { driver: "mysql", title: "MySQL or MariaDB", port: 3306, ask: &[], is_answer };

/// Returns true for the server's first packet: protocol version 10, or an error such as too many connections.
fn is_answer(answer: &[u8]) -> bool {
    matches!(answer, [_, _, _, 0, 10 | 0xFF, ..])
}
