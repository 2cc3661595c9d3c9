//! Shared test code: instances, exchanges and digests.

#![allow(dead_code, reason = "each test binary uses some of it")]

use std::ops::Range;
use std::sync::Arc;

use tacho_core::Result;
use tacho_driver::{Exchange, Form, Value, Values};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract;
use tacho_workload::{Instance, Slice};

/// The profiles.
pub const PROFILES: [&str; 3] = ["tpcb-like", "simple-update", "select-only"];

/// Creates an instance with the given scale, profile and parameters.
pub fn instance(scale: u64, profile: &str, set: &[(&str, &str)]) -> Arc<dyn Instance> {
    let mut choices = contract::choices(scale, profile);
    choices.set = set.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    contract::instance(&*tacho_workload_tpcb::workload(), &choices)
}

/// Opens a session and prepares the instance's statements in it.
pub fn open(bench: &Bench<'_>, instance: &dyn Instance, form: Form) -> Result<Exchange> {
    let catalog = instance.catalog(bench.driver.dialect())?;
    bench.wait(Exchange::new(bench.session()?, catalog, form))
}

/// Returns all values in a range of a table's slots.
pub fn rows(instance: &dyn Instance, table: usize, slots: Range<u64>) -> Values {
    let mut source = instance.rows(&Slice { table, slots });
    let mut values = Values::default();
    while source.next_batch(&mut values) > 0 {}
    values
}

/// Returns an FNV-1a digest of the values, which is the same on every machine.
pub fn digest(values: &Values) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
        }
    };
    for at in 0..values.len() {
        match values.get(at) {
            Value::Null => add(b"n"),
            Value::Int(number) => add(&number.to_le_bytes()),
            Value::Text(text) => add(text),
            other => panic!("{other:?} is of no kind that the tables have"),
        }
    }
    hash
}
