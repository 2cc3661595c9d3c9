//! Observing a server while it works: its counters and gauges, and what its sessions wait for.
//!
//! Start reading at [`Collector`].

use tacho_core::Result;

use crate::BoxFuture;

/// An observer of a server during a run, on a connection of its own.
pub trait Collector: Send {
    /// The server's counters and gauges.
    fn read(&mut self) -> BoxFuture<'_, Result<Reading>>;

    /// What our sessions are doing at this moment; idle ones are left out.
    fn waits(&mut self) -> BoxFuture<'_, Result<Vec<Wait>>>;

    /// What cannot be seen for want of privileges or extensions, in sentences with the remedy.
    fn missing(&self) -> &[String];
}

/// What a server reports at one moment, by name with the unit last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// What only grows while the server is up, such as bytes written.
    pub counters: Vec<(&'static str, u64)>,
    /// What rises and falls, such as dirty pages.
    pub gauges: Vec<(&'static str, u64)>,
}

/// Sessions of ours that wait for the same thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Class, in the database's own words; `CPU` for sessions that run.
    pub class: String,
    /// Event; empty for sessions that run.
    pub event: String,
    /// How many sessions.
    pub sessions: u32,
}

impl Wait {
    /// Whether what they wait for is a lock, of a row or of a table, that another session holds.
    pub fn is_lock(&self) -> bool {
        self.class.eq_ignore_ascii_case("lock") || self.is_table_lock()
    }

    /// Whether it is a lock of a whole table, or of all tables, which no transaction of a workload takes.
    pub fn is_table_lock(&self) -> bool {
        let [class, event] = [&self.class, &self.event].map(|word| word.to_lowercase());
        let of_a_state = event.starts_with("waiting for") && event.ends_with(" lock");
        class == "lock" && event == "relation" || class.starts_with("lock/") || of_a_state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_are_told_from_other_waits() {
        let table = [
            ("Lock", "transactionid", [true, false]),
            ("Lock", "relation", [true, true]),
            ("lock", "row", [true, false]),
            ("lock/metadata", "sql/mdl", [true, true]),
            ("state", "Waiting for table metadata lock", [true, true]),
            ("state", "Waiting for backup lock", [true, true]),
            ("state", "Waiting for work", [false, false]),
            ("LWLock", "WALWrite", [false, false]),
            ("IO", "DataFileRead", [false, false]),
            ("CPU", "", [false, false]),
        ];
        for (class, event, expected) in table {
            let wait = Wait { class: class.into(), event: event.into(), sessions: 1 };
            assert_eq!([wait.is_lock(), wait.is_table_lock()], expected, "{class} {event}");
        }
    }
}
