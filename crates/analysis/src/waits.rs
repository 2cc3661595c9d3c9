//! Classification of server waits.

use tacho_core::WaitKind;
use tacho_store::record::{ServerLoadRecord, WaitRecord};

/// Returns the kind of a wait. Older records do not contain it, so it is derived from words in the wait's name. New
/// waits need no such words, because drivers now record their kind.
pub fn wait_kind(wait: &WaitRecord) -> WaitKind {
    wait.kind.unwrap_or_else(|| kind_of_words(&wait.class, &wait.event))
}

/// Recognises words in names such as `LWLock`, `wait/io/file/…` and `Waiting for table metadata lock`.
fn kind_of_words(class: &str, event: &str) -> WaitKind {
    let [class, event] = [class, event].map(str::to_lowercase);
    let has = |words: &[&str]| words.iter().any(|word| event.contains(word));
    let is_latch = ["lwlock", "synch", "bufferpin"].iter().any(|word| class.contains(word));
    match class.as_str() {
        "cpu" if event.is_empty() => WaitKind::Running,
        c if c.starts_with("client") || c.starts_with("idle") => WaitKind::Client,
        _ if event.starts_with("idle") => WaitKind::Client,
        _ if is_latch => WaitKind::Latch,
        c if c.contains("lock") || event.ends_with(" lock") => WaitKind::Lock,
        _ if has(&["wal", "log", "redo", "commit", "flush"]) => WaitKind::Log,
        c if c.contains("io") || has(&["read", "writ", "file", "table"]) => WaitKind::DataFiles,
        "ipc" | "timeout" | "activity" => WaitKind::Coordination,
        _ => WaitKind::Other,
    }
}

/// Returns true if the session was waiting for its client. The server does nothing during such a wait.
pub fn is_for_the_client(wait: &WaitRecord) -> bool {
    wait_kind(wait) == WaitKind::Client
}

/// Returns two mean numbers of sessions: those that were active in the server, and those that were waiting for their
/// client within a transaction.
pub fn sessions_by_place(load: &ServerLoadRecord) -> [f64; 2] {
    let waiting = load.waits.iter().filter(|wait| is_for_the_client(wait));
    let for_client = waiting.fold(0.0, |sum, wait| sum + wait.sessions);
    [(load.active_sessions - for_client).max(0.0), for_client]
}

/// Returns true if the session was running.
pub fn is_running(wait: &WaitRecord) -> bool {
    wait_kind(wait) == WaitKind::Running
}

/// Returns the most frequent wait within the server. Waits for the client would nearly always be more frequent, so they
/// are excluded.
pub fn busiest_of_server(waits: &[WaitRecord]) -> Option<&WaitRecord> {
    waits.iter().find(|wait| !is_for_the_client(wait))
}
