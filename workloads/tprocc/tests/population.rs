//! Tests the generated rows. Their digests must be the same as before, slots must not depend on each other, and counts
//! and fractions must be those that clause 4.3.3.1 or HammerDB requires.

use crate::common::{Digest, column, count, instance, table, visit};
use tacho_core::Seed;
use tacho_driver::Value;
use tacho_workload::Instance;

/// Number of slots per warehouse in tables that have one slot per customer or per order.
const PER_WAREHOUSE: u64 = 30_000;

/// Digests of each table's first 300 slots with the tests' seed.
///
/// If a digest changes, so does every user's data, and the manifest needs a new version.
const GOLDEN: [(&str, u64, u64); 9] = [
    ("warehouse", 5_661_745_636_907_237_931, 16_216_040_745_195_610_033),
    ("district", 12_434_346_461_944_692_146, 1_198_730_611_115_691_946),
    ("customer", 5_520_419_953_093_471_823, 12_704_585_198_244_412_215),
    ("history", 14_498_832_752_600_623_462, 14_498_832_752_600_623_462),
    ("item", 10_803_586_109_814_644_421, 14_601_181_554_928_354_332),
    ("stock", 674_725_353_069_011_515, 11_395_379_712_876_591_435),
    ("orders", 8_232_843_547_051_444_372, 9_085_508_042_294_545_565),
    ("new_order", 6_125_544_326_915_097_830, 6_125_544_326_915_097_830),
    ("order_line", 13_176_435_056_458_974_591, 13_359_112_848_525_328_044),
];

fn digest(instance: &dyn Instance, table: usize, slots: std::ops::Range<u64>) -> u64 {
    let mut digest = Digest::EMPTY;
    visit(instance, table, slots, |values| digest.values(values));
    digest.0
}

#[test]
fn golden_digests() {
    let (spec, hammerdb) = (instance(300, "spec", &[]), instance(300, "hammerdb", &[]));
    let found: Vec<(&str, u64, u64)> = GOLDEN
        .iter()
        .map(|(name, ..)| {
            let table = table(&*spec, name);
            (*name, digest(&*spec, table, 0..300), digest(&*hammerdb, table, 0..300))
        })
        .collect();
    assert_eq!(found, GOLDEN);
}

#[test]
fn first_rows_in_words() {
    let spec = instance(1, "spec", &[]);
    let row = |name: &str| {
        let mut words = String::new();
        visit(&*spec, table(&*spec, name), 0..1, |values| {
            words = format!(
                "{:?}",
                (0..values.len().min(8)).map(|at| values.get(at)).collect::<Vec<_>>()
            );
        });
        words
    };
    let start = "[Int(1), Int(1), Int(1), Int(1), ";
    assert!(row("order_line").starts_with(start), "{}", row("order_line"));
    assert_eq!(row("new_order"), "[Int(1), Int(1), Int(2101)]");
    assert!(
        row("district").starts_with("[Int(1), Int(1), Decimal(3000000), "),
        "{}",
        row("district")
    );
}

#[test]
fn any_cut_of_any_table_gives_the_same_rows() {
    for profile in ["spec", "hammerdb"] {
        let instance = instance(7, profile, &[]);
        let mut rng = Seed(3).rng(0);
        for table in 0..instance.schema().tables.len() {
            let slots = instance.slots(table);
            for _ in 0..20 {
                let start = rng.below(slots);
                let end = (start + rng.below(2_000)).min(slots);
                let middle = start + rng.below(end - start + 1);
                let mut joined = Digest::EMPTY;
                visit(&*instance, table, start..middle, |values| joined.values(values));
                visit(&*instance, table, middle..end, |values| joined.values(values));
                assert_eq!(
                    joined.0,
                    digest(&*instance, table, start..end),
                    "{table} {start} {end}"
                );
            }
        }
    }
}

#[test]
fn data_depend_on_the_seed_and_not_on_the_scale() {
    let (small, large) = (instance(1, "spec", &[]), instance(50, "spec", &[]));
    for table in 0..small.schema().tables.len() {
        let slots = 0..small.slots(table).min(500);
        assert_eq!(digest(&*small, table, slots.clone()), digest(&*large, table, slots));
    }
}

#[test]
fn a_warehouse_has_its_rows() {
    let instance = instance(2, "spec", &[]);
    let (customers, _) = count(&*instance, ("customer", "c_id"), 0..PER_WAREHOUSE, |_| true);
    assert_eq!(customers, 30_000);
    let second = PER_WAREHOUSE..2 * PER_WAREHOUSE;
    let (lines, matching) =
        count(&*instance, ("order_line", "ol_w_id"), second, |w| w == Value::Int(2));
    assert_eq!(lines, matching);
    assert!((298_500..=301_500).contains(&lines), "{lines}");
    let expected = [2, 20, 60_000, 60_000, 100_000, 200_000, 60_000, 18_000, 600_000];
    for (table, rows) in expected.into_iter().enumerate() {
        assert_eq!(instance.expected_rows(table), rows);
    }
}

#[test]
fn orders_agree_with_their_lines_and_promise_the_same_sum() {
    let instance = instance(1, "spec", &[]);
    let mut promised = 0;
    count(&*instance, ("orders", "o_ol_cnt"), 0..5_000, |value| {
        if let Value::Int(count) = value {
            assert!((5..=15).contains(&count));
            promised += count as u64;
        }
        true
    });
    let (lines, _) = count(&*instance, ("order_line", "ol_o_id"), 0..5_000, |_| true);
    assert_eq!(lines, promised);
}

#[test]
fn shares_of_the_population() {
    let bad = |value: Value<'_>| value == Value::Text(b"BC");
    let upper = |value: Value<'_>| holds(value, b"ORIGINAL");
    let lower = |value: Value<'_>| holds(value, b"original");
    let spec = instance(10, "spec", &[]);
    let hammerdb = instance(10, "hammerdb", &[]);
    let share = |(rows, found): (u64, u64)| found as f64 / rows as f64;
    let close =
        |found: f64, wanted: f64| assert!((found - wanted).abs() < 0.003, "{found} {wanted}");
    close(share(count(&*spec, ("customer", "c_credit"), 0..200_000, bad)), 0.1);
    close(share(count(&*hammerdb, ("customer", "c_credit"), 0..200_000, bad)), 0.5);
    for (name, data) in [("item", "i_data"), ("stock", "s_data")] {
        close(share(count(&*spec, (name, data), 0..100_000, upper)), 0.1);
        close(share(count(&*spec, (name, data), 0..100_000, lower)), 0.0);
        close(share(count(&*hammerdb, (name, data), 0..100_000, lower)), 0.095_16);
    }
    let open = |value: Value<'_>| value == Value::Null;
    assert_eq!(count(&*spec, ("orders", "o_carrier_id"), 0..PER_WAREHOUSE, open), (30_000, 9_000));
}

fn holds(value: Value<'_>, mark: &[u8]) -> bool {
    matches!(value, Value::Text(text) if text.windows(mark.len()).any(|part| part == mark))
}

#[test]
fn every_customer_has_one_order_and_hammerdb_leaves_half_without() {
    for (profile, expected) in [("spec", 3_000..=3_000), ("hammerdb", 1_420..=1_580)] {
        let instance = instance(2, profile, &[]);
        for district in [0, 7, 19] {
            let mut seen = vec![false; 3_001];
            let slots = district * 3_000..(district + 1) * 3_000;
            count(&*instance, ("orders", "o_c_id"), slots, |value| {
                if let Value::Int(customer) = value {
                    seen[customer as usize] = true;
                }
                true
            });
            let with_order = seen.iter().filter(|seen| **seen).count();
            assert!(expected.contains(&with_order), "{profile} {district}: {with_order}");
        }
    }
}

#[test]
fn districts_have_different_permutations() {
    let instance = instance(1, "spec", &[]);
    let orders = table(&*instance, "orders");
    let at = column(&*instance, orders, "o_c_id");
    let first = |district: u64| {
        let mut customers = Vec::new();
        visit(&*instance, orders, district * 3_000..district * 3_000 + 20, |values| {
            customers.extend((0..20).map(|row| format!("{:?}", values.get(row * 8 + at))));
        });
        customers
    };
    assert_ne!(first(0), first(1));
}

#[test]
fn amounts_are_on_open_orders_and_in_hammerdb_on_delivered_ones() {
    let zero = |value: Value<'_>| value == Value::Decimal(0);
    // Orders 1 to 2100 in the first district are delivered; the others are not.
    for (profile, delivered_zero) in [("spec", true), ("hammerdb", false)] {
        let instance = instance(1, profile, &[]);
        let column = ("order_line", "ol_amount");
        let (rows, zeros) = count(&*instance, column, 0..2_100, zero);
        assert_eq!(zeros, if delivered_zero { rows } else { 0 }, "{profile}");
        let (rows, zeros) = count(&*instance, column, 2_100..3_000, zero);
        assert_eq!(zeros, if delivered_zero { 0 } else { rows }, "{profile}");
    }
}
