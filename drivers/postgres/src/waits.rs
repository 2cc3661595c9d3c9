//! Classifies the server's wait events.

use tacho_core::WaitKind;

/// Returns the kind of a wait, given its type and event in `pg_stat_activity`.
pub fn kind(class: &str, event: &str) -> WaitKind {
    let event = event.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| event.contains(word));
    match class {
        "CPU" => WaitKind::Running,
        "Client" => WaitKind::Client,
        "Lock" if event == "relation" => WaitKind::TableLock,
        // Count the locks `extend` and `page` as latches, because inserts hold them only while they extend a table's
        // file, not until the end of the transaction.
        "Lock" if matches!(&*event, "extend" | "page") => WaitKind::Latch,
        "Lock" => WaitKind::Lock,
        "LWLock" | "BufferPin" => WaitKind::Latch,
        _ if has(&["wal", "log", "redo", "commit", "flush"]) => WaitKind::Log,
        "IO" => WaitKind::DataFiles,
        "IPC" | "Timeout" | "Activity" => WaitKind::Coordination,
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
            ("Client", "ClientRead", WaitKind::Client),
            ("Lock", "transactionid", WaitKind::Lock),
            ("Lock", "relation", WaitKind::TableLock),
            ("Lock", "extend", WaitKind::Latch),
            ("LWLock", "WALWrite", WaitKind::Latch),
            ("IO", "WALSync", WaitKind::Log),
            ("IO", "DataFileRead", WaitKind::DataFiles),
            ("IPC", "ProcArrayGroupUpdate", WaitKind::Coordination),
        ];
        for (class, event, expected) in table {
            assert_eq!(kind(class, event), expected, "{class} {event}");
        }
    }
}
