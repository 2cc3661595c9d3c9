//! The first words of the protocol, by which a server is recognized without a login.

use tacho_net::Greeting;

/// Of MySQL and MariaDB: the server speaks first.
pub const GREETING: Greeting =
    Greeting { driver: "mysql", title: "MySQL or MariaDB", port: 3306, ask: &[], is_answer };

/// A packet with the number 0 that holds version 10 of the protocol, or an error such as too many connections.
fn is_answer(answer: &[u8]) -> bool {
    matches!(answer, [_, _, _, 0, 10 | 0xFF, ..])
}
