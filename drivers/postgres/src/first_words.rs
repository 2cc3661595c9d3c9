//! Recognizes a server by its first response, without logging in.

use tacho_net::Greeting;

/// A request that asks whether the server supports TLS.
pub const GREETING: Greeting = Greeting {
    driver: "postgres",
    title: "PostgreSQL",
    port: 5432,
    ask: &[0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F],
    is_answer,
};

/// Returns true if this is the response of a PostgreSQL server: an error, or a single letter that means yes or no.
fn is_answer(answer: &[u8]) -> bool {
    matches!(answer, [b'S' | b'N'] | [b'E', 0, 0, ..])
}
