//! What the waits of a server are, by its own words.

use tacho_store::record::WaitRecord;

/// What sessions run that wait for nothing, by the words of all drivers.
const CPU: &str = "CPU";

/// Whether a session waited for its client, by the words of the servers. That is no time of the server.
pub fn is_for_the_client(wait: &WaitRecord) -> bool {
    let begins = |text: &str, word: &str| text.to_lowercase().starts_with(word);
    begins(&wait.class, "client") || begins(&wait.class, "idle") || begins(&wait.event, "idle")
}

/// Whether sessions ran.
pub fn is_running(wait: &WaitRecord) -> bool {
    wait.class == CPU
}

/// The most frequent wait that is the server's own. What a session waits for its client is no time of
/// the server, and with round trips of any length it would lead every list.
pub fn busiest_of_server(waits: &[WaitRecord]) -> Option<&WaitRecord> {
    waits.iter().find(|wait| !is_for_the_client(wait))
}
