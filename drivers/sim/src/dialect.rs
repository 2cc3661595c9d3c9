//! The dialect of a server that never reads its SQL. It uses all defaults.

use std::fmt::Write;

use tacho_driver::Dialect;

/// The dialect `sim`.
pub struct Sim;

impl Dialect for Sim {
    fn id(&self) -> &'static str {
        "sim"
    }

    fn several_statements(&self) -> bool {
        true
    }

    fn results_by_name(&self) -> bool {
        true
    }

    fn placeholder(&self, position: usize, sql: &mut String) {
        // Writing to a `String` cannot fail.
        let _ = write!(sql, "${position}");
    }
}
