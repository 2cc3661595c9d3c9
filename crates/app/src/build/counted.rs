//! A row source that counts its rows and ends early if the build must stop.

use std::sync::atomic::{AtomicU64, Ordering};

use tacho_core::Error;
use tacho_driver::{RowSource, Values};

/// Counts the rows that another source produces.
pub(crate) struct Counted<'a> {
    pub(crate) source: Box<dyn RowSource>,
    /// The number of rows loaded into the table by all workers.
    pub(crate) total: &'a AtomicU64,
    /// The number of rows from this source.
    pub(crate) rows: u64,
    pub(crate) stop: &'a (dyn Fn() -> bool + Sync),
}

impl RowSource for Counted<'_> {
    fn next_batch(&mut self, rows: &mut Values) -> usize {
        if (self.stop)() {
            return 0;
        }
        let made = self.source.next_batch(rows);
        self.rows += made as u64;
        self.total.fetch_add(made as u64, Ordering::Relaxed);
        made
    }

    fn error(&mut self) -> Option<Error> {
        self.source.error()
    }
}
