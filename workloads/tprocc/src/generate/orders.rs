//! Rows of orders, `new_order` and `order_line`, clause 4.3.3.1.

use tacho_core::Rng;
use tacho_driver::Values;

use super::Generator;
use super::customers::place;
use super::permutation::permuted;
use crate::random::ALPHANUMERIC;
use crate::schema::{CUSTOMERS, DISTRICTS, FIRST_OPEN_ORDER, ITEMS, OPEN_ORDERS};

impl Generator {
    pub(super) fn order(&self, slot: u64, rng: &mut Rng, rows: &mut Values) {
        let (w, d, o) = place(slot);
        rows.int(w);
        rows.int(d);
        rows.int(o);
        rows.int(self.customer_of(slot, o, rng));
        let carrier = rng.between(1, 10);
        if o < FIRST_OPEN_ORDER {
            rows.int(carrier);
        } else {
            rows.null();
        }
        rows.int(self.line_count(slot));
        rows.int(1);
        rows.time(self.loaded_at);
    }

    pub(super) fn new_order(slot: u64, rows: &mut Values) {
        let (district, number) = (slot as i64 / OPEN_ORDERS, slot as i64 % OPEN_ORDERS);
        rows.int(district / DISTRICTS + 1);
        rows.int(district % DISTRICTS + 1);
        rows.int(FIRST_OPEN_ORDER + number);
    }

    pub(super) fn order_lines(&self, slot: u64, rng: &mut Rng, rows: &mut Values) -> usize {
        let (w, d, o) = place(slot);
        let delivered = o < FIRST_OPEN_ORDER;
        let count = self.line_count(slot);
        for number in 1..=count {
            rows.int(w);
            rows.int(d);
            rows.int(o);
            rows.int(number);
            rows.int(rng.between(1, ITEMS));
            if delivered {
                rows.time(self.loaded_at);
            } else {
                rows.null();
            }
            rows.decimal(self.amount(delivered, rng));
            rows.int(w);
            rows.int(5);
            rows.text_with(|text| rng.string(24, ALPHANUMERIC, text));
        }
        count as usize
    }

    /// Returns `o_ol_cnt`. It is drawn from a separate random stream, so that the rows of `orders`
    /// and `order_line` agree although they are generated separately.
    #[inline]
    fn line_count(&self, slot: u64) -> i64 {
        self.line_counts.rng(slot).between(5, self.population.lines_max)
    }

    /// Returns `o_c_id`, for which each district has a random permutation of its customers.
    ///
    /// For HammerDB, draws a customer number that is not below the order number. This has the same effect as HammerDB's
    /// own shuffle.
    fn customer_of(&self, slot: u64, o: i64, rng: &mut Rng) -> i64 {
        if self.population.independent_customers {
            return rng.between(o, CUSTOMERS);
        }
        let district =
            self.seeds[crate::schema::ORDERS].child("customers").nth(slot / CUSTOMERS as u64);
        permuted(district, o as u64 - 1) as i64 + 1
    }

    /// Returns `ol_amount` in cents.
    #[inline]
    fn amount(&self, delivered: bool, rng: &mut Rng) -> i64 {
        match (self.population.amounts_reversed, delivered) {
            (false, true) | (true, false) => 0,
            (false, false) if self.population.small_open_amounts => rng.between(10, 10_000),
            (false, false) => rng.between(1, 999_999),
            (true, true) => rng.between(10, 10_000),
        }
    }
}
