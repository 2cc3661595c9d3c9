//! Databases that many tests copy, each prepared once.

use tacho_tests::Prepared;

/// One warehouse.
pub static ONE: Prepared = Prepared::new("one", "");
/// Two warehouses, of a seed that tests build again.
pub static TWO: Prepared = Prepared::new("two", "--scale 2 --seed 11");
