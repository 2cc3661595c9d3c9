//! The SQL dialect of the `noop` database. It uses the standard defaults, because this database
//! never reads its SQL.

use std::fmt::Write;

use tacho_driver::Dialect;

/// The dialect `noop`.
pub struct Noop;

impl Dialect for Noop {
    fn id(&self) -> &'static str {
        "noop"
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
