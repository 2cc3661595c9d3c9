//! Classifies the server's wait classes and events, as listed in `v$event_name`.

use tacho_core::WaitKind;

/// Prefixes of events whose kind is more specific than their class.
const EVENTS: [(&str, WaitKind); 8] = [
    ("enq: TX - index contention", WaitKind::Latch),
    ("enq: TX", WaitKind::Lock),
    ("enq: TM", WaitKind::TableLock),
    ("enq: HW", WaitKind::Latch),
    ("library cache lock", WaitKind::TableLock),
    ("buffer busy", WaitKind::Latch),
    ("log ", WaitKind::Log),
    ("PX ", WaitKind::Coordination),
];
/// Wait classes.
const CLASSES: [(&str, WaitKind); 7] = [
    ("User I/O", WaitKind::DataFiles),
    ("System I/O", WaitKind::DataFiles),
    ("Commit", WaitKind::Log),
    ("Concurrency", WaitKind::Latch),
    ("Network", WaitKind::Client),
    ("Idle", WaitKind::Client),
    ("Cluster", WaitKind::Coordination),
];

/// Returns the kind of a wait. An empty name means that the session is not waiting.
pub fn kind(class: &str, event: &str) -> WaitKind {
    if event.is_empty() {
        return WaitKind::Running;
    }
    let of_event = EVENTS.iter().find(|(start, _)| event.starts_with(start));
    let found = of_event.or_else(|| CLASSES.iter().find(|(name, _)| *name == class));
    found.map_or(WaitKind::Other, |(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_have_their_kinds() {
        let table = [
            ("", "", WaitKind::Running),
            ("Application", "enq: TX - row lock contention", WaitKind::Lock),
            ("Concurrency", "enq: TX - index contention", WaitKind::Latch),
            ("Application", "enq: TM - contention", WaitKind::TableLock),
            ("User I/O", "db file sequential read", WaitKind::DataFiles),
            ("Commit", "log file sync", WaitKind::Log),
            ("Configuration", "log buffer space", WaitKind::Log),
            ("Concurrency", "latch: cache buffers chains", WaitKind::Latch),
            ("Network", "SQL*Net more data to client", WaitKind::Client),
            ("Cluster", "gc current block busy", WaitKind::Coordination),
            ("Scheduler", "resmgr:cpu quantum", WaitKind::Other),
        ];
        for (class, event, expected) in table {
            assert_eq!(kind(class, event), expected, "{event}");
        }
    }
}
