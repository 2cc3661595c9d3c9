//! Pure row generators that compute rows from the seed, the table and the slot.
//!
//! Generators must keep no state between slots, so that any worker can generate any slots in any order.
//!
//! Start reading at [`Generator::slot`].

mod customers;
mod orders;
mod permutation;
mod places;

use std::ops::Range;
use std::sync::Arc;

use tacho_core::{Rng, Seed};
use tacho_driver::{RowSource, Values};
use tacho_workload::Slice;

use crate::random::{ALPHANUMERIC, Constants};
use crate::schema::{
    CUSTOMER, DISTRICT, HISTORY, ITEM, NEW_ORDER, ORDER_LINE, ORDERS, STOCK, TABLES, WAREHOUSE,
};
use crate::settings::Population;

/// Minimum number of rows in a batch. A batch may be larger, because it always contains all rows of its last slot.
const BATCH_ROWS: usize = 500;

/// Generates the rows of all tables.
#[derive(Clone, Debug)]
pub struct Generator {
    /// An independent seed for each table.
    seeds: [Seed; TABLES],
    /// Seed for the number of lines in each order. The rows of both `orders` and `order_line` depend on it.
    line_counts: Seed,
    population: Population,
    constants: Constants,
    loaded_at: i64,
}

impl Generator {
    /// Creates a generator for data with the given seed.
    pub fn new(
        data_seed: Seed,
        population: Population,
        constants: Constants,
        loaded_at: i64,
    ) -> Self {
        let names = [
            "warehouse",
            "district",
            "customer",
            "history",
            "item",
            "stock",
            "orders",
            "new_order",
            "order_line",
        ];
        Self {
            seeds: names.map(|name| data_seed.child(name)),
            line_counts: data_seed.child("line counts"),
            population,
            constants,
            loaded_at,
        }
    }

    /// Appends the rows in one slot and returns their number.
    #[inline]
    pub fn slot(&self, table: usize, slot: u64, rows: &mut Values) -> usize {
        let rng = &mut self.seeds[table].rng(slot);
        match table {
            WAREHOUSE => self.warehouse(slot, rng, rows),
            DISTRICT => self.district(slot, rng, rows),
            CUSTOMER => self.customer(slot, rng, rows),
            HISTORY => self.history(slot, rng, rows),
            ITEM => self.item(slot, rng, rows),
            STOCK => self.stock(slot, rng, rows),
            ORDERS => self.order(slot, rng, rows),
            NEW_ORDER => Self::new_order(slot, rows),
            ORDER_LINE => return self.order_lines(slot, rng, rows),
            _ => return 0,
        }
        1
    }
}

/// The rows of one slice, in batches.
pub struct Rows {
    generator: Arc<Generator>,
    table: usize,
    slots: Range<u64>,
}

impl Rows {
    /// Returns the rows of `slice`.
    pub fn new(generator: Arc<Generator>, slice: &Slice) -> Self {
        Self { generator, table: slice.table, slots: slice.slots.clone() }
    }
}

impl RowSource for Rows {
    fn next_batch(&mut self, rows: &mut Values) -> usize {
        let mut made = 0;
        while made < BATCH_ROWS
            && let Some(slot) = self.slots.next()
        {
            made += self.generator.slot(self.table, slot, rows);
        }
        made
    }
}

impl Generator {
    /// Appends a string of letters and digits with a random length, which the standard calls an a-string. If
    /// `one_letter` is set, the string repeats a single letter.
    #[inline]
    fn long_string(&self, rng: &mut Rng, (low, high): (i64, i64), rows: &mut Values) {
        if !self.population.one_letter {
            return a_string(rng, low, high, rows);
        }
        let length = rng.between(low, high) as usize;
        let letter = ALPHANUMERIC[rng.below(ALPHANUMERIC.len() as u64) as usize];
        rows.text_with(|text| text.resize(text.len() + length, letter));
    }
}

/// Appends an a-string of uniformly distributed length, clause 4.3.2.2.
#[inline]
fn a_string(rng: &mut Rng, low: i64, high: i64, rows: &mut Values) {
    let length = rng.between(low, high) as usize;
    rows.text_with(|text| rng.string(length, ALPHANUMERIC, text));
}
