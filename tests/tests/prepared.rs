//! Databases that many tests copy, each of them prepared once.

use tacho_tests::Prepared;

/// One warehouse.
pub static ONE: Prepared = Prepared::new("one", "");
/// Two warehouses with a seed that tests build again.
pub static TWO: Prepared = Prepared::new("two", "--scale 2 --seed 11");
