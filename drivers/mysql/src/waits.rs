//! Classifies waits by the names that the server gives them: performance schema instruments and process states.

use tacho_core::WaitKind;

/// Returns the kind of a wait from the class and event that Tacho's wait queries report.
pub fn kind(class: &str, event: &str) -> WaitKind {
    let event = event.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| event.contains(word));
    match class {
        "CPU" => WaitKind::Running,
        "client" => WaitKind::Client,
        "lock" => WaitKind::Lock,
        _ if class.starts_with("synch/") => WaitKind::Latch,
        _ if class.starts_with("lock/") => WaitKind::TableLock,
        _ if event.ends_with(" lock") && event.starts_with("waiting for") => WaitKind::TableLock,
        _ if event.ends_with(" lock") => WaitKind::Lock,
        _ if has(&["log", "redo", "commit", "flush"]) => WaitKind::Log,
        _ if class.starts_with("io/") || has(&["read", "writ", "file", "table"]) => {
            WaitKind::DataFiles
        }
        _ => WaitKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_have_their_kinds() {
        let table = [
            ("CPU", "", WaitKind::Running),
            ("client", "idle in transaction", WaitKind::Client),
            ("lock", "row", WaitKind::Lock),
            ("lock/metadata", "sql/mdl", WaitKind::TableLock),
            ("state", "Waiting for table metadata lock", WaitKind::TableLock),
            ("state", "Waiting for backup lock", WaitKind::TableLock),
            ("state", "Waiting for work", WaitKind::Other),
            ("state", "Commit", WaitKind::Log),
            ("synch/mutex", "innodb/trx_sys_mutex", WaitKind::Latch),
            ("io/file", "innodb/innodb_log_file", WaitKind::Log),
            ("io/table", "sql/handler", WaitKind::DataFiles),
        ];
        for (class, event, expected) in table {
            assert_eq!(kind(class, event), expected, "{class} {event}");
        }
    }
}
