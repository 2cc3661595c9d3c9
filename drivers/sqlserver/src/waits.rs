//! Classifies the server's wait types, as listed in `sys.dm_os_wait_stats`.

use tacho_core::WaitKind;

/// Prefixes of wait types. If several prefixes match, the longest applies, so it comes first.
const KINDS: [(&str, WaitKind); 25] = [
    ("LCK_M_SCH", WaitKind::TableLock),
    ("LCK_M_I", WaitKind::TableLock),
    ("LCK_M_BU", WaitKind::TableLock),
    ("LCK_M_", WaitKind::Lock),
    ("PAGEIOLATCH", WaitKind::DataFiles),
    ("PAGELATCH", WaitKind::Latch),
    ("LATCH", WaitKind::Latch),
    ("SPINLOCK", WaitKind::Latch),
    ("WRITELOG", WaitKind::Log),
    ("LOGBUFFER", WaitKind::Log),
    ("LOGMGR", WaitKind::Log),
    ("LOG_RATE", WaitKind::Log),
    ("IO_COMPLETION", WaitKind::DataFiles),
    ("ASYNC_IO", WaitKind::DataFiles),
    ("ASYNC_NETWORK_IO", WaitKind::Client),
    ("WRITE_COMPLETION", WaitKind::DataFiles),
    ("BACKUPIO", WaitKind::DataFiles),
    ("CX", WaitKind::Coordination),
    ("EXCHANGE", WaitKind::Coordination),
    ("HADR", WaitKind::Coordination),
    ("HT", WaitKind::Coordination),
    ("BPSORT", WaitKind::Coordination),
    ("PARALLEL_REDO", WaitKind::Coordination),
    ("SOS_SCHEDULER_YIELD", WaitKind::Running),
    ("THREADPOOL", WaitKind::Other),
];

/// Returns the kind of a wait type. An empty name means that the session is not waiting.
pub fn kind(name: &str) -> WaitKind {
    if name.is_empty() {
        return WaitKind::Running;
    }
    let known = KINDS.iter().find(|(start, _)| name.starts_with(start));
    known.map_or(WaitKind::Other, |(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_have_their_kinds() {
        let table = [
            ("", WaitKind::Running),
            ("LCK_M_X", WaitKind::Lock),
            ("LCK_M_SCH_M", WaitKind::TableLock),
            ("LCK_M_IX", WaitKind::TableLock),
            ("PAGEIOLATCH_SH", WaitKind::DataFiles),
            ("PAGELATCH_EX", WaitKind::Latch),
            ("WRITELOG", WaitKind::Log),
            ("ASYNC_NETWORK_IO", WaitKind::Client),
            ("CXCONSUMER", WaitKind::Coordination),
            ("PREEMPTIVE_OS_WRITEFILE", WaitKind::Other),
        ];
        for (name, expected) in table {
            assert_eq!(kind(name), expected, "{name}");
        }
    }
}
