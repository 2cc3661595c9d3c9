//! What SQLite did for a connection: pages that it found in its cache, and pages that it did not.
//!
//! Files that it sorts in are not counted.

#![expect(unsafe_code, reason = "the safe interface does not reach these counters")]

use rusqlite::{Connection, ffi};
use tacho_core::{QueryStats, Result};

use crate::errors::native;

/// Counters of a connection, over all its databases.
#[derive(Debug)]
pub struct Counted {
    page_bytes: u64,
    hits: u64,
    misses: u64,
}

impl Counted {
    /// From now on.
    pub fn of(connection: &Connection) -> Result<Self> {
        let size = |row: &rusqlite::Row<'_>| row.get(0);
        let page_bytes: u32 = connection.query_row("PRAGMA page_size", [], size).map_err(native)?;
        let mut own = Self { page_bytes: page_bytes.into(), hits: 0, misses: 0 };
        own.look(connection);
        (own.hits, own.misses) = (0, 0);
        Ok(own)
    }

    /// Until now.
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

/// A counter, which begins again.
fn taken(connection: &Connection, counter: i32) -> u64 {
    let (mut now, mut most) = (0, 0);
    // SAFETY: the handle is that of a connection which is open and not used by anybody else for as long
    // as it is borrowed; the function writes to the two numbers alone.
    let outcome = unsafe {
        ffi::sqlite3_db_status(connection.handle(), counter, &raw mut now, &raw mut most, 1)
    };
    debug_assert_eq!(outcome, ffi::SQLITE_OK, "a counter that every SQLite has");
    // It is kept without a sign.
    u64::from(now.cast_unsigned())
}
