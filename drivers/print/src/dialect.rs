//! The dialect of standard SQL.

use std::fmt::Write;

use tacho_driver::Dialect;

/// The dialect `print`.
pub struct Print;

impl Dialect for Print {
    fn id(&self) -> &'static str {
        "print"
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
