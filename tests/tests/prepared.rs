//! Databases that are prepared once and then copied by many tests.

use tacho_tests::Prepared;

/// One warehouse.
pub static ONE: Prepared = Prepared::new("one", "");
/// Two warehouses, built with a seed that tests use to build them again.
pub static TWO: Prepared = Prepared::new("two", "--scale 2 --seed 11");
