//! Rows of `customer` and `history`, clause 4.3.3.1.

use tacho_core::Rng;
use tacho_driver::Values;

use super::places::overwritten;
use super::{Generator, a_string};
use crate::random::{DIGITS, last_name};
use crate::schema::{CUSTOMERS, DISTRICTS};

/// Number of customers per district whose last names are generated from the numbers 0 to 999, in
/// order. The names of all others are random.
const NAMED_IN_TURN: i64 = 1_000;

/// Returns the warehouse, district and number of the customer or order in a slot.
pub(super) fn place(slot: u64) -> (i64, i64, i64) {
    let (district, number) = (slot as i64 / CUSTOMERS, slot as i64 % CUSTOMERS);
    (district / DISTRICTS + 1, district % DISTRICTS + 1, number + 1)
}

impl Generator {
    pub(super) fn customer(&self, slot: u64, rng: &mut Rng, rows: &mut Values) {
        let (w, d, c) = place(slot);
        rows.int(w);
        rows.int(d);
        rows.int(c);
        a_string(rng, 8, 16, rows);
        rows.text(b"OE");
        let name = match c {
            ..=NAMED_IN_TURN => c - 1,
            _ if self.population.uniform_name => rng.between(0, NAMED_IN_TURN - 1),
            _ => self.constants.load_name(rng),
        };
        rows.text_with(|text| last_name(name, text));
        self.address(rng, rows);
        self.phone(rng, rows);
        rows.time(self.loaded_at);
        self.account(rng, rows);
        self.long_string(rng, (300, 500), rows);
    }

    fn phone(&self, rng: &mut Rng, rows: &mut Values) {
        rows.text_with(|text| {
            if self.population.phone_left {
                for _ in 0..2 {
                    overwritten(b"00000000", rng.between(0, 99_999_999), text);
                }
            } else {
                rng.string(16, DIGITS, text);
            }
        });
    }

    /// Appends a customer's credit, discount and balance, and the totals of payments and deliveries.
    fn account(&self, rng: &mut Rng, rows: &mut Values) {
        let bad =
            if self.population.credit_half_bad { rng.chance(1, 2) } else { rng.chance(1, 10) };
        rows.text(if bad { b"BC" } else { b"GC" });
        rows.decimal(5_000_000);
        rows.decimal(if self.population.discount_coarse {
            rng.between(0, 50) * 100
        } else {
            rng.between(0, 5_000)
        });
        rows.decimal(-1_000);
        rows.decimal(1_000);
        rows.int(1);
        rows.int(0);
    }

    pub(super) fn history(&self, slot: u64, rng: &mut Rng, rows: &mut Values) {
        let (w, d, c) = place(slot);
        rows.int(c);
        rows.int(d);
        rows.int(w);
        rows.int(d);
        rows.int(w);
        rows.time(self.loaded_at);
        rows.decimal(1_000);
        a_string(rng, 12, 24, rows);
    }
}
