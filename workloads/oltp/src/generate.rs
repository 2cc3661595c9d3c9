//! Pure row generators that compute a row from the seed, the table and the slot.
//!
//! Generators must keep no state between slots, so that any worker can generate any slots in any order.
//!
//! Start reading at [`Rows`].

use std::ops::Range;
use std::sync::Arc;

use tacho_core::Seed;
use tacho_driver::{RowSource, Values};
use tacho_workload::Slice;

use crate::input::{C_LENGTH, row_text};
use crate::schema::{C, PAD};
use crate::setup::Setup;

/// Number of rows in a batch.
const BATCH_ROWS: usize = 500;

/// The rows of one slice, in batches.
pub struct Rows {
    setup: Arc<Setup>,
    seed: Seed,
    slots: Range<u64>,
    text: Vec<u8>,
}

impl Rows {
    /// Returns the rows of `slice`.
    pub fn new(setup: Arc<Setup>, slice: &Slice) -> Self {
        let seed = setup.data_seed.child("sbtest").nth(slice.table as u64);
        Self { setup, seed, slots: slice.slots.clone(), text: Vec::new() }
    }
}

impl RowSource for Rows {
    fn next_batch(&mut self, rows: &mut Values) -> usize {
        let mut made = 0;
        while made < BATCH_ROWS
            && let Some(slot) = self.slots.next()
        {
            let mut rng = self.seed.rng(slot);
            rows.int(slot as i64 + 1);
            rows.int(self.setup.loaded_k.draw(1, self.setup.size, &mut rng));
            self.text.clear();
            row_text(&mut rng, &mut self.text);
            let (c, pad) = self.text.split_at(C_LENGTH);
            // A char(n) value includes its padding.
            rows.text_with(|out| padded(c, C, out));
            rows.text_with(|out| padded(pad, PAD, out));
            made += 1;
        }
        made
    }
}

fn padded(text: &[u8], length: u16, out: &mut Vec<u8>) {
    let end = out.len() + usize::from(length);
    out.extend_from_slice(text);
    out.resize(end, b' ');
}
