//! Tacho's update sets. Each consists of the orders that a refresh inserts and the orders that it deletes.
//!
//! dbgen uses 8 of every 32 order keys. In all of these keys, two bits in the middle, called the *sequence*, are 0.
//!
//! A set contains every thousandth order, so the inserted and deleted keys are spread evenly over the table.
//!
//! The first thousand sets delete the loaded orders, which have sequence 0, and insert orders with sequence 1. The
//! second thousand sets replace these by orders with sequence 2, and the third thousand sets replace those by orders
//! with sequence 3.
//!
//! Each set can be generated without the earlier sets.
//!
//! Start reading at [`UpdateSet`].

use std::iter::Peekable;

use tacho_driver::Values;
use tpchgen::generators::{
    LineItemGenerator, LineItemGeneratorIterator, OrderGenerator, OrderGeneratorIterator,
    OrderStatus,
};

use crate::generate;
use crate::hammerdb::Deviations;
use crate::schema::{ORDERS, rows_per_step};
use crate::setup::Setup;

/// Number of sets that together replace all orders once, because a set consists of 0.1 % of the orders, clause 2.5.
pub const SETS_OF_A_ROUND: u64 = 1_000;
/// Number of the last possible set. The two bits of a sequence have four values. The loaded orders have sequence 0, so
/// three values remain.
pub const LAST_SET: u64 = 3 * SETS_OF_A_ROUND;
/// Number of low-order bits that are the same in an order's key and in the order's number.
const KEPT_BITS: u32 = 3;
/// Number of bits in the sequence.
const SEQUENCE_BITS: u32 = 2;

/// Returns the number of orders in a set for `steps` steps, which is 1500 per gigabyte.
pub const fn orders_per_set(steps: u64) -> u64 {
    rows_per_step(ORDERS) * steps / SETS_OF_A_ROUND
}

/// The keys in all update sets for a given data set.
#[derive(Clone, Copy, Debug)]
pub struct Keys {
    /// Number of orders in a set, if a set consists of neighbouring orders.
    neighbours: Option<u64>,
}

impl Keys {
    /// Returns the keys for a setup.
    pub fn of(setup: &Setup) -> Self {
        let per_set = orders_per_set(setup.steps);
        Self { neighbours: setup.deviations.neighbours.then_some(per_set) }
    }

    /// Returns the key that the set inserts at zero-based position `at`.
    pub const fn inserted(self, set: u64, at: u64) -> i64 {
        key(self.number(set, at), (set - 1) / SETS_OF_A_ROUND + 1)
    }

    /// Returns the key that the set deletes at zero-based position `at`.
    pub const fn deleted(self, set: u64, at: u64) -> i64 {
        key(self.number(set, at), (set - 1) / SETS_OF_A_ROUND)
    }

    /// Returns true if the key belongs to a loaded order that no refresh has deleted yet.
    ///
    /// Refreshes have deleted the orders of all sets before `set`, and the first `done` orders of `set`.
    pub const fn is_left(self, key: i64, set: u64, done: u64) -> bool {
        let key = key.unsigned_abs();
        let kept = key & ((1 << KEPT_BITS) - 1);
        let sequence = (key >> KEPT_BITS) & ((1 << SEQUENCE_BITS) - 1);
        let number = (key >> (KEPT_BITS + SEQUENCE_BITS) << KEPT_BITS | kept).saturating_sub(1);
        let (of_set, at) = match self.neighbours {
            Some(per_set) => (number / per_set + 1, number % per_set),
            None => (number % SETS_OF_A_ROUND + 1, number / SETS_OF_A_ROUND),
        };
        sequence == 0 && (of_set > set || of_set == set && at >= done)
    }

    /// Returns the number of the loaded order at position `at` of the set.
    const fn number(self, set: u64, at: u64) -> u64 {
        let set = (set - 1) % SETS_OF_A_ROUND;
        match self.neighbours {
            Some(per_set) => set * per_set + at + 1,
            None => at * SETS_OF_A_ROUND + set + 1,
        }
    }
}

/// Returns one of dbgen's sparse keys, clause 4.2.3.
const fn key(number: u64, sequence: u64) -> i64 {
    let kept = number & ((1 << KEPT_BITS) - 1);
    (((((number >> KEPT_BITS) << SEQUENCE_BITS) + sequence) << KEPT_BITS) + kept) as i64
}

/// The rows that an update set inserts. They are the orders that dbgen would generate after the
/// loaded ones, but with other keys.
pub struct UpdateSet {
    keys: Keys,
    deviations: Deviations,
    set: u64,
    at: u64,
    orders: OrderGeneratorIterator<'static>,
    lines: Peekable<LineItemGeneratorIterator<'static>>,
}

impl UpdateSet {
    /// Creates the rows, starting with the order at position `from`.
    pub fn new(setup: &Setup, set: u64, from: u64) -> Self {
        let factor = generate::factor(setup.steps);
        let (part, count) = ((SETS_OF_A_ROUND + set) as i32, SETS_OF_A_ROUND as i32);
        let orders = OrderGenerator::new(factor, part, count).iter();
        let lines = LineItemGenerator::new(factor, part, count).iter().peekable();
        let (keys, deviations) = (Keys::of(setup), setup.deviations);
        let mut rows = Self { keys, deviations, set, at: 0, orders, lines };
        let mut unused = (Values::default(), Vec::new());
        while rows.at < from && rows.next(&mut unused.0, &mut unused.1) {}
        rows
    }

    /// Prepares the data that the generator needs for all rows. This takes seconds in a new process.
    pub fn warm(mut self) {
        self.next(&mut Values::default(), &mut Vec::new());
    }

    /// Reads the next order and its lines, each line into a separate buffer. Returns false after the last order.
    pub fn next(&mut self, order: &mut Values, lines: &mut Vec<Values>) -> bool {
        order.clear();
        lines.clear();
        let Some(mut row) = self.orders.next() else { return false };
        let (made_as, key) = (row.o_orderkey, self.keys.inserted(self.set, self.at));
        self.at += 1;
        row.o_orderkey = key;
        if self.deviations.open {
            row.o_orderstatus = OrderStatus::Open;
        }
        generate::order(&row, &self.deviations, order);
        while let Some(mut line) = self.lines.next_if(|line| line.l_orderkey == made_as) {
            line.l_orderkey = key;
            let mut values = Values::default();
            generate::line(&line, &self.deviations, &mut values);
            lines.push(values);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tacho_driver::Value;

    use super::*;
    use crate::setup::tests::setup;

    #[test]
    fn refresh_sets_delete_existing_orders_and_insert_new_ones() {
        for profile in ["spec", "hammerdb"] {
            let (setup, orders) = (setup(2, profile), orders_per_set(2));
            let keys = Keys::of(&setup);
            let mut there: BTreeSet<i64> = (1..=rows_per_step(ORDERS) * setup.steps)
                .map(|n| OrderGenerator::make_order_key(n as i64))
                .collect();
            let count = there.len();
            for set in 1..=LAST_SET {
                for at in 0..orders {
                    assert!(there.insert(keys.inserted(set, at)), "set {set} inserts a key twice");
                }
                for at in 0..orders {
                    let key = keys.deleted(set, at);
                    assert_eq!(keys.is_left(key, set, at), set <= SETS_OF_A_ROUND, "{set} {at}");
                    assert!(there.remove(&key), "set {set} deletes nothing");
                    assert!(!keys.is_left(key, set, at + 1), "{set} {at}");
                }
                assert_eq!(there.len(), count);
                let left = |key: &&i64| keys.is_left(**key, set, orders);
                let loaded = (count as u64).saturating_sub(set * orders);
                if set % 100 == 1 {
                    assert_eq!(there.iter().filter(left).count() as u64, loaded, "{set}");
                }
            }
            // After the last set, all orders have sequence 3. None of them has the key of a loaded order.
            assert!(there.iter().all(|key| key % 32 >= 24), "{profile}");
        }
    }

    #[test]
    fn a_set_is_spread_over_all_keys() {
        let last = OrderGenerator::make_order_key(1_500_000);
        let set = |profile| -> Vec<i64> {
            let keys = Keys::of(&setup(100, profile));
            (0..orders_per_set(100)).map(|at| keys.inserted(7, at)).collect()
        };
        let theirs = set("hammerdb");
        assert!(theirs[1_499] - theirs[0] < 4 * 1_500 + 32, "neighbours are");
        let keys = set("spec");
        assert_eq!(keys.len(), 1_500);
        for part in 0..10 {
            let range = last * part / 10..last * (part + 1) / 10;
            assert_eq!(keys.iter().filter(|key| range.contains(key)).count(), 150, "{part}");
        }
    }

    #[test]
    fn a_set_has_its_orders_each_with_lines_wherever_it_is_begun() {
        for set in [1, 1_000, 2_999, LAST_SET] {
            let mut whole = UpdateSet::new(&setup(1, "spec"), set, 0);
            let (mut order, mut lines) = (Values::default(), Vec::new());
            let mut all = Vec::new();
            while whole.next(&mut order, &mut lines) {
                let key = Keys::of(&setup(1, "spec")).inserted(set, all.len() as u64);
                assert!((1..=7).contains(&lines.len()), "{set}: {}", lines.len());
                assert!(order.get(0) == Value::Int(key));
                assert!(lines.iter().all(|line| line.get(0) == Value::Int(key)));
                all.push((order.clone(), lines.clone()));
            }
            assert_eq!(all.len() as u64, orders_per_set(1), "{set}");
            let mut rest = UpdateSet::new(&setup(1, "spec"), set, 9);
            assert!(rest.next(&mut order, &mut lines) && all[9] == (order, lines));
        }
    }

    #[test]
    fn inserted_orders_are_open_if_that_is_asked_for() {
        let states = |profile| -> BTreeSet<String> {
            let (mut order, mut lines) = (Values::default(), Vec::new());
            let sets = (1..=40).map(|set| {
                UpdateSet::new(&setup(1, profile), set, 0).next(&mut order, &mut lines);
                format!("{:?}", order.get(2))
            });
            sets.collect()
        };
        assert_eq!((states("spec").len(), states("hammerdb").len()), (3, 1));
    }

    #[test]
    fn no_set_repeats_the_orders_of_the_load_or_of_another() {
        let first = |set: u64| {
            let (mut order, mut lines) = (Values::default(), Vec::new());
            UpdateSet::new(&setup(1, "spec"), set, 0).next(&mut order, &mut lines);
            lines.swap_remove(0)
        };
        let comments: BTreeSet<String> =
            (1..=50).map(|set| format!("{:?}", first(set).get(15))).collect();
        assert!(comments.len() > 45, "{}", comments.len());
    }
}
