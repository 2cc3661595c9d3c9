//! The first words of the protocol, by which a server is recognized without a login.

use tacho_net::Greeting;

/// A client asks whether the server speaks TLS.
pub const GREETING: Greeting = Greeting {
    driver: "postgres",
    title: "PostgreSQL",
    port: 5432,
    ask: &[0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F],
    is_answer,
};

/// A single letter for yes or no, or an error.
fn is_answer(answer: &[u8]) -> bool {
    matches!(answer, [b'S' | b'N'] | [b'E', 0, 0, ..])
}
