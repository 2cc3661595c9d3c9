//! Recognizes a server without logging in, by the first packet that it sends.

use tacho_net::Greeting;

/// The greeting of MySQL and MariaDB servers, which they send before the client sends anything.
pub const GREETING: Greeting =
    Greeting { driver: "mysql", title: "MySQL or MariaDB", port: 3306, ask: &[], is_answer };

/// Returns true if this is a server's first packet, which contains either protocol version 10 or an error such as too
/// many connections.
fn is_answer(answer: &[u8]) -> bool {
    matches!(answer, [_, _, _, 0, 10 | 0xFF, ..])
}
