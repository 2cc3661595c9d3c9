//! Counts the pages that a connection found in its cache, and those that it had to read.
//!
//! Files used for sorting are not counted.

#![expect(unsafe_code, reason = "these counters are not available through the safe API")]

use rusqlite::{Connection, ffi};
use tacho_core::{QueryStats, Result};

use crate::errors::native;

/// The counters of a connection, which include all databases that it uses.
#[derive(Debug)]
pub struct Counted {
    page_bytes: u64,
    hits: u64,
    misses: u64,
}

impl Counted {
    /// Starts counting.
    pub fn of(connection: &Connection) -> Result<Self> {
        let size = |row: &rusqlite::Row<'_>| row.get(0);
        let page_bytes: u32 = connection.query_row("PRAGMA page_size", [], size).map_err(native)?;
        let mut counted = Self { page_bytes: page_bytes.into(), hits: 0, misses: 0 };
        counted.look(connection);
        (counted.hits, counted.misses) = (0, 0);
        Ok(counted)
    }

    /// Returns how much the counters have grown since they were first read.
    pub fn read(&mut self, connection: &Connection) -> QueryStats {
        self.look(connection);
        QueryStats {
            read_bytes: Some(self.misses * self.page_bytes),
            cached_bytes: Some(self.hits * self.page_bytes),
            ..QueryStats::default()
        }
    }

    fn look(&mut self, connection: &Connection) {
        self.hits += taken(connection, ffi::SQLITE_DBSTATUS_CACHE_HIT);
        self.misses += taken(connection, ffi::SQLITE_DBSTATUS_CACHE_MISS);
    }
}

/// Reads a counter and resets it.
fn taken(connection: &Connection, counter: i32) -> u64 {
    let (mut now, mut most) = (0, 0);
    // SAFETY: the handle belongs to an open connection that is not in use elsewhere, and the function only writes two
    // numbers.
    let outcome = unsafe {
        ffi::sqlite3_db_status(connection.handle(), counter, &raw mut now, &raw mut most, 1)
    };
    debug_assert_eq!(outcome, ffi::SQLITE_OK, "every SQLite version has this counter");
    // SQLite returns the counter as a signed number, but it must be read as an unsigned one.
    u64::from(now.cast_unsigned())
}
