//! Generates the rows of the three additional tables. A row depends only on the seed, the table and the slot.
//!
//! The generator must not keep any state between slots. Start reading at [`Rows`].

use std::io::Write;
use std::ops::Range;

use tacho_core::{Rng, Seed};
use tacho_driver::{RowSource, Values};

use crate::nations::{NATIONS, REGIONS};
use crate::schema::{NATION, REGION};

/// Number of rows in a batch.
const BATCH_ROWS: u64 = 500;
/// Number of suppliers among which one has complaints. TPC-H, clause 4.2.3, requires five in ten thousand.
const SUPPLIERS_PER_BAD: u64 = 2_000;
/// Text in the comment of a supplier with complaints. It cannot occur by chance, because other
/// comments contain only upper-case letters.
const BAD: &[u8] = b"bad";
/// Alphabet of comments.
const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ ";
/// Alphabet of addresses.
const ALPHANUMERIC: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Digits of phone numbers.
const DIGITS: &[u8] = b"0123456789";

/// The rows of one table in a range of slots.
pub struct Rows {
    seed: Seed,
    table: usize,
    slots: Range<u64>,
}

impl Rows {
    /// Returns the rows for `slots` of additional table `table`, generated from `data_seed`.
    pub fn new(data_seed: Seed, table: usize, slots: Range<u64>) -> Self {
        let seed = data_seed.child(["region", "nation", "supplier"][table]);
        Self { seed, table, slots }
    }

    fn row(&self, slot: u64, rows: &mut Values) {
        let rng = &mut self.seed.rng(slot);
        match self.table {
            REGION => {
                rows.int(slot as i64);
                rows.text(REGIONS[slot as usize].as_bytes());
                comment(rng, rows);
            }
            NATION => {
                let (key, name, region) = NATIONS[slot as usize];
                rows.int(key.into());
                rows.text(name.as_bytes());
                rows.int(region as i64);
                comment(rng, rows);
            }
            _ => self.supplier(slot, rng, rows),
        }
    }

    fn supplier(&self, slot: u64, rng: &mut Rng, rows: &mut Values) {
        rows.int(slot as i64);
        // Writing to a `Vec` cannot fail.
        rows.text_with(|text| drop(write!(text, "Supplier#{slot:09}")));
        let length = rng.between(10, 40) as usize;
        rows.text_with(|text| rng.string(length, ALPHANUMERIC, text));
        let (nation, ..) = NATIONS[rng.below(NATIONS.len() as u64) as usize];
        rows.int(nation.into());
        rows.text_with(|text| {
            for (digits, end) in [(2, "-"), (3, "-"), (3, "-"), (4, "")] {
                rng.string(digits, DIGITS, text);
                text.extend_from_slice(end.as_bytes());
            }
        });
        rows.decimal(rng.between(-99_999, 999_999));
        if self.is_bad(slot) {
            let length = rng.between(25, 98) as usize;
            rows.text_with(|text| {
                rng.string(length, LETTERS, text);
                text.extend_from_slice(BAD);
            });
        } else {
            comment(rng, rows);
        }
    }

    /// Returns true if the supplier has complaints. There is one such supplier in each group.
    fn is_bad(&self, slot: u64) -> bool {
        let group = slot / SUPPLIERS_PER_BAD;
        let place = self.seed.child("bad").rng(group).below(SUPPLIERS_PER_BAD);
        slot % SUPPLIERS_PER_BAD == place
    }
}

fn comment(rng: &mut Rng, rows: &mut Values) {
    let length = rng.between(25, 100) as usize;
    rows.text_with(|text| rng.string(length, LETTERS, text));
}

impl RowSource for Rows {
    fn next_batch(&mut self, rows: &mut Values) -> usize {
        let end = (self.slots.start + BATCH_ROWS).min(self.slots.end);
        let batch = self.slots.start..end;
        self.slots.start = end;
        let made = batch.end.saturating_sub(batch.start) as usize;
        batch.for_each(|slot| self.row(slot, rows));
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{SUPPLIER, SUPPLIERS};

    #[test]
    fn five_suppliers_are_bad() {
        for seed in 0..20 {
            let rows = Rows::new(Seed(seed), SUPPLIER, 0..0);
            assert_eq!((0..SUPPLIERS).filter(|slot| rows.is_bad(*slot)).count(), 5, "seed {seed}");
        }
    }
}
