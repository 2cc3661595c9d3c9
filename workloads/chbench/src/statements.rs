//! The additional statements, identified by number, and the SQL files that contain them.
//!
//! In the catalog, the additional statements come after the order-processing statements. In this
//! file, they are numbered from the first additional statement.
//!
//! This file must never contain SQL itself.
//!
//! Start reading at [`Own`]. The SQL text is in `sql/`.

use tacho_core::Result;
use tacho_driver::{Catalog, Dialect, StatementId};
use tacho_workload::SqlFiles;

/// Number of queries.
pub const QUERIES: usize = 22;

/// Number of statements that check conditions.
const CONDITIONS: u16 = 4;

/// SQL files in the common subset of SQL: the queries in numerical order, then the conditions.
const FILES: [&str; 2] = ["default.sql", "checks.sql"];

/// All SQL files, including the sections that dialects override.
const SQL: SqlFiles = tacho_workload::sql_files!();

/// Section names in the order in which they appear in the files.
const NAMES: [&str; 29] = [
    "q1",
    "q2",
    "q3",
    "q4",
    "q5",
    "q6",
    "q7",
    "q8",
    "q9",
    "q10",
    "q11",
    "q12",
    "q13",
    "q14",
    "q15",
    "q16",
    "q17",
    "q18",
    "q19",
    "q20",
    "q21",
    "q22",
    "check_n1",
    "check_n2",
    "check_n3",
    "check_n4",
    "sample_region",
    "sample_nation",
    "sample_supplier",
];

/// The numbers of the additional statements in an instance's catalog, which depend on how many
/// statements come before them.
#[derive(Clone, Copy, Debug)]
pub struct Own {
    /// Number of order-processing statements, which come before the additional ones in the catalog.
    pub first: u16,
}

impl Own {
    /// Returns the statement for query `number`, counted from 1.
    pub const fn query(self, number: u8) -> StatementId {
        StatementId(self.first + number as u16 - 1)
    }

    /// Returns the statement that reads all rows of additional table `table`.
    pub const fn sample(self, table: usize) -> StatementId {
        StatementId(self.first + QUERIES as u16 + CONDITIONS + table as u16)
    }

    /// Returns the statement for condition `number`, counted from 1.
    pub const fn condition(self, number: u16) -> StatementId {
        StatementId(self.first + QUERIES as u16 + number - 1)
    }
}

/// Returns the name of a query.
pub const fn query_name(number: u8) -> &'static str {
    NAMES[number as usize - 1]
}

/// Returns the additional statements in the form written for `dialect`.
pub fn catalog(dialect: &dyn Dialect) -> Result<Catalog> {
    Catalog::build(dialect, &NAMES, &SQL.written(&FILES, dialect)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_is_named_and_no_other() -> Result<()> {
        let files = SQL.sections(&FILES, "")?.into_iter().flatten();
        let found: Vec<String> = files.map(|section| section.name).collect();
        assert_eq!(found, NAMES);
        let statements = Own { first: 0 };
        assert_eq!(NAMES[usize::from(statements.query(22).0)], "q22");
        assert_eq!(NAMES[usize::from(statements.condition(1).0)], "check_n1");
        assert_eq!(NAMES[usize::from(statements.sample(0).0)], "sample_region");
        Ok(())
    }
}
