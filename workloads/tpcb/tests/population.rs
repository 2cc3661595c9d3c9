//! Tests of the loaded rows: golden digests, purity, contents and load units.

use crate::common::{digest, instance, rows};
use tacho_core::Seed;
use tacho_driver::Value;

/// Digests of each table's first slots, computed independently of this code.
///
/// If a digest changes, so does every user's data, and the manifest needs a new version.
const GOLDEN: [(&str, u64, u64); 4] = [
    ("pgbench_branches", 300, 6_728_218_278_024_349_612),
    ("pgbench_tellers", 300, 12_181_225_040_686_385_430),
    ("pgbench_accounts", 300, 16_163_879_417_757_471_046),
    ("pgbench_history", 0, 14_695_981_039_346_656_037),
];

#[test]
fn golden_digests() {
    let instance = instance(300, "tpcb-like", &[]);
    for (table, (name, slots, expected)) in GOLDEN.into_iter().enumerate() {
        assert_eq!(instance.schema().tables[table].name, name);
        assert_eq!(digest(&rows(&*instance, table, 0..slots)), expected, "{name}");
    }
}

#[test]
fn any_cut_of_any_table_gives_the_same_rows() {
    let instance = instance(7, "tpcb-like", &[]);
    let mut rng = Seed(3).rng(0);
    for table in 0..3 {
        for _ in 0..20 {
            let start = rng.below(instance.slots(table));
            let end = (start + rng.below(2_000)).min(instance.slots(table));
            let middle = start + rng.below(end - start + 1);
            let mut joined = rows(&*instance, table, start..middle);
            let rest = rows(&*instance, table, middle..end);
            (0..rest.len()).for_each(|at| joined.push(rest.get(at)));
            assert!(joined == rows(&*instance, table, start..end), "{table} {start} {end}");
        }
    }
}

#[test]
fn the_last_rows_in_words() {
    let instance = instance(3, "select-only", &[]);
    let blanks = [b' '; 84];
    let expected: [&[Value<'_>]; 3] = [
        &[Value::Int(3), Value::Int(0), Value::Null],
        &[Value::Int(30), Value::Int(3), Value::Int(0), Value::Null],
        &[Value::Int(300_000), Value::Int(3), Value::Int(0), Value::Text(&blanks)],
    ];
    for (table, expected) in expected.into_iter().enumerate() {
        let last = instance.slots(table) - 1;
        let values = rows(&*instance, table, last..last + 1);
        let found: Vec<Value<'_>> = (0..values.len()).map(|at| values.get(at)).collect();
        assert_eq!(found, expected);
    }
    assert_eq!([0, 1, 2, 3].map(|table| instance.expected_rows(table)), [3, 30, 300_000, 0]);
}

#[test]
fn a_unit_is_the_accounts_of_a_branch() {
    let instance = instance(3, "tpcb-like", &[]);
    assert_eq!(instance.units(), 4);
    for branch in 1..=3 {
        let slices = instance.unit(branch).slices;
        let [slice] = slices.as_slice() else { panic!("{slices:?}") };
        let values = rows(&*instance, slice.table, slice.slots.clone());
        assert_eq!(values.len(), 400_000);
        let is_of_branch = |row: usize| values.get(row * 4 + 1) == Value::Int(branch as i64);
        assert!((0..100_000).all(is_of_branch), "accounts of branch {branch}");
    }
}
