//! Computes each row from its table and slot. There is nothing random in the rows, so the seed does not matter.
//!
//! Generators must keep no state between slots, so that any worker can generate any slots in any order.
//!
//! Start reading at [`Rows`].

use std::ops::Range;

use tacho_driver::{RowSource, Values};
use tacho_workload::Slice;

use crate::schema::{ACCOUNT, ACCOUNT_FILLER, ACCOUNTS, BRANCH, TELLER, TELLERS};

/// Number of rows in a batch.
const BATCH_ROWS: usize = 500;
/// An account's filler, which is an empty string that `char` pads with blanks.
const BLANKS: [u8; ACCOUNT_FILLER as usize] = [b' '; ACCOUNT_FILLER as usize];

/// The rows of one slice, in batches.
pub struct Rows {
    table: usize,
    slots: Range<u64>,
}

impl Rows {
    /// Returns the rows of `slice`.
    pub fn new(slice: &Slice) -> Self {
        Self { table: slice.table, slots: slice.slots.clone() }
    }
}

impl RowSource for Rows {
    fn next_batch(&mut self, rows: &mut Values) -> usize {
        let mut made = 0;
        while made < BATCH_ROWS
            && let Some(slot) = self.slots.next()
        {
            made += row(self.table, slot as i64, rows);
        }
        made
    }
}

/// Appends the row in a slot. As in pgbench, balances are 0, and the fillers of branches and tellers are NULL.
#[inline]
fn row(table: usize, slot: i64, rows: &mut Values) -> usize {
    rows.int(slot + 1);
    match table {
        BRANCH => {
            rows.int(0);
            rows.null();
        }
        TELLER => {
            rows.int(slot / TELLERS + 1);
            rows.int(0);
            rows.null();
        }
        ACCOUNT => {
            rows.int(slot / ACCOUNTS + 1);
            rows.int(0);
            rows.text(&BLANKS);
        }
        _ => unreachable!("the history has no slots"),
    }
    1
}
