//! The colours and textures of waits. They are the same in all reports and in the live view.
//!
//! The colour of a wait shows its kind, and the texture distinguishes events of the same kind. An event looks the same
//! in all runs.
//!
//! Start reading at [`WaitLook::of`].

use tacho_analysis::wait_kind;
use tacho_core::WaitKind;
use tacho_store::record::WaitRecord;

/// Indexes into the palette, which the page defines as `--c0` to `--c7`.
const RUNNING: u8 = 2;
const DATA_FILES: u8 = 0;
const LOG: u8 = 5;
const LOCK: u8 = 1;
const LATCH: u8 = 3;
const COORDINATION: u8 = 6;
const ELSE: u8 = 4;
const REST: u8 = 7;

/// Number of textures: plain, two kinds of hatching, and dots.
pub const TEXTURES: u8 = 4;

/// Name of the row that combines all waits without their own row.
pub const OTHER: &str = "other";

/// The appearance of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WaitLook {
    /// Index of the colour in the palette.
    pub color: u8,
    /// Index of the texture, which is less than [`TEXTURES`].
    pub texture: u8,
}

impl WaitLook {
    /// The appearance of running sessions.
    pub const RUNNING: Self = Self { color: RUNNING, texture: 0 };
    /// The appearance of the row that combines the remaining waits.
    pub const REST: Self = Self { color: REST, texture: 0 };

    /// Returns the appearance of a wait.
    pub fn of(wait: &WaitRecord) -> Self {
        let color = match wait_kind(wait) {
            WaitKind::Running => return Self::RUNNING,
            _ if wait.class == OTHER && wait.event.is_empty() => return Self::REST,
            WaitKind::Lock | WaitKind::TableLock => LOCK,
            WaitKind::Latch => LATCH,
            WaitKind::Log => LOG,
            WaitKind::DataFiles => DATA_FILES,
            WaitKind::Coordination => COORDINATION,
            WaitKind::Client | WaitKind::Other => ELSE,
        };
        Self { color, texture: texture(&wait.event) }
    }
}

/// Returns the texture of an event. Frequent events have fixed textures; for others, the FNV-1a hash of the name
/// selects one.
fn texture(event: &str) -> u8 {
    match event {
        "transactionid" | "row" | "WALSync" | "DataFileRead" | "BufferContent" => 0,
        "tuple" | "WALWrite" | "DataFileWrite" | "BufferMapping" => 1,
        "relation" | "WALInsert" | "DataFileExtend" | "LockManager" => 2,
        "extend" | "WALInitSync" | "DataFileFlush" | "ProcArray" => 3,
        _ => {
            let hash = event.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            // Use the upper half of the hash, because it is better mixed than the lower half.
            ((hash >> 32) % u64::from(TEXTURES)) as u8
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_follows_from_the_words_alone() {
        let look = |class: &str, event: &str| {
            let [class, event] = [class, event].map(str::to_owned);
            WaitLook::of(&WaitRecord { class, event, kind: None, sessions: 1.0, share: 1.0 })
        };
        let table = [
            (("CPU", ""), (RUNNING, 0)),
            (("other", ""), (REST, 0)),
            (("Lock", "transactionid"), (LOCK, 0)),
            (("Lock", "tuple"), (LOCK, 1)),
            (("lock", "row"), (LOCK, 0)),
            (("IO", "WALSync"), (LOG, 0)),
            (("IO", "WALWrite"), (LOG, 1)),
            (("LWLock", "WALWrite"), (LATCH, 1)),
            (("LWLock", "BufferContent"), (LATCH, 0)),
            (("IO", "DataFileRead"), (DATA_FILES, 0)),
            (("IPC", "ProcArrayGroupUpdate"), (COORDINATION, texture("ProcArrayGroupUpdate"))),
        ];
        for ((class, event), (color, texture)) in table {
            assert_eq!(look(class, event), WaitLook { color, texture }, "{class} {event}");
        }
        for (class, event) in
            [("state", "Waiting for table metadata lock"), ("lock/table", "sql/handler")]
        {
            assert_eq!(look(class, event).color, LOCK, "{event}");
        }
        assert_eq!(look("io/file", "innodb/innodb_log_file").color, LOG);
        assert_eq!(look("synch/mutex", "innodb/trx_sys_mutex").color, LATCH);
        assert_eq!(look("state", "Commit").color, LOG);
    }

    #[test]
    fn every_texture_is_in_use() {
        let names = ["init", "update", "Sending data", "statistics", "optimizing", "freeing items"];
        let mut seen: Vec<u8> = names.iter().map(|name| texture(name)).collect();
        seen.sort_unstable();
        seen.dedup();
        assert!(seen.len() > 2 && seen.iter().all(|one| *one < TEXTURES), "{seen:?}");
    }
}
