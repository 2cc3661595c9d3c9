//! The loaded rows: all keys, each with an empty list. The seed does not matter.
//!
//! Start reading at [`Rows`].

use std::ops::Range;

use tacho_driver::{RowSource, Values};

/// Number of rows in a batch.
const BATCH_ROWS: usize = 500;

/// The rows of one slice, in batches.
pub struct Rows {
    slots: Range<u64>,
}

impl Rows {
    /// Returns the rows in these slots.
    pub fn new(slots: Range<u64>) -> Self {
        Self { slots }
    }
}

impl RowSource for Rows {
    fn next_batch(&mut self, rows: &mut Values) -> usize {
        let mut made = 0;
        for slot in self.slots.by_ref().take(BATCH_ROWS) {
            rows.int(slot as i64 + 1);
            rows.text(b"");
            made += 1;
        }
        made
    }
}
