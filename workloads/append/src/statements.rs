//! The names of the statements, and the SQL files that contain them.
//!
//! This file must never contain SQL itself. Start reading at [`Statement`]; the SQL text is in `sql/`.

use tacho_core::Result;
use tacho_driver::{Catalog, Dialect, StatementId};
use tacho_workload::SqlFiles;

/// The common subset of SQL.
const FILES: [&str; 1] = ["default.sql"];

/// All SQL files, including the sections that dialects override.
const SQL: SqlFiles = tacho_workload::sql_files!();

/// A statement. Its number is its index in the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Reads a list.
    ListRead,
    /// Appends a value.
    ListAppend,
    /// Writes a whole list.
    ListWrite,
    /// Finds the last key that a run has used.
    LastUsed,
    /// Reads the lists of a range of keys.
    ListsBetween,
    /// Checks the number of keys.
    CheckKeys,
    /// Checks the form of all lists.
    CheckLists,
}

const NAMES: [&str; 7] = [
    "list_read",
    "list_append",
    "list_write",
    "last_used",
    "lists_between",
    "check_keys",
    "check_lists",
];

impl From<Statement> for StatementId {
    #[inline]
    fn from(statement: Statement) -> Self {
        Self(statement as u16)
    }
}

impl Statement {
    pub fn name(self) -> &'static str {
        NAMES[self as usize]
    }
}

/// Returns all statements as written for `dialect`.
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
        Ok(())
    }
}
