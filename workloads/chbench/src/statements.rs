//! Our own statements by number, and the SQL files that hold them.
//!
//! They come after those of the orders, so that a number here is a place behind them. It must never hold
//! SQL itself. Start reading at [`Own`]; the texts are in `sql/`.

use tacho_core::Result;
use tacho_driver::{Catalog, Dialect, StatementId};
use tacho_workload::SqlFiles;

/// How many there are.
pub const QUERIES: usize = 22;

/// Statements of conditions.
const CONDITIONS: u16 = 4;

/// The common subset of SQL: the queries in the order of their numbers, then the conditions.
const FILES: [&str; 2] = ["default.sql", "checks.sql"];

/// All files, with the sections that a dialect writes in its own way.
const SQL: SqlFiles = tacho_workload::sql_files!();

/// Names of the sections in the order of the files.
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

/// Where our own statements begin in the catalog of an instance.
#[derive(Clone, Copy, Debug)]
pub struct Own {
    /// The number of statements before them.
    pub first: u16,
}

impl Own {
    /// The query with this number, from 1.
    pub const fn query(self, number: u8) -> StatementId {
        StatementId(self.first + number as u16 - 1)
    }

    /// The statement that reads one of Tacho's tables as a whole, by its place.
    pub const fn sample(self, table: usize) -> StatementId {
        StatementId(self.first + QUERIES as u16 + CONDITIONS + table as u16)
    }

    /// The statement of the condition with this number, from 1.
    pub const fn condition(self, number: u16) -> StatementId {
        StatementId(self.first + QUERIES as u16 + number - 1)
    }
}

/// The name of a query.
pub const fn query_name(number: u8) -> &'static str {
    NAMES[number as usize - 1]
}

/// Our own statements as written for `dialect`.
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
        let own = Own { first: 0 };
        assert_eq!(NAMES[usize::from(own.query(22).0)], "q22");
        assert_eq!(NAMES[usize::from(own.condition(1).0)], "check_n1");
        assert_eq!(NAMES[usize::from(own.sample(0).0)], "sample_region");
        Ok(())
    }
}
