//! The names of the statements, and the SQL files that contain them.
//!
//! This file must never contain SQL itself. Start reading at [`Statement`]; the SQL text is in `sql/`.

use tacho_core::Result;
use tacho_driver::{Catalog, Dialect, StatementId};
use tacho_workload::SqlFiles;

/// The common subset of SQL.
const FILES: [&str; 2] = ["default.sql", "checks.sql"];

/// All SQL files, including the sections that dialects override.
const SQL: SqlFiles = tacho_workload::sql_files!();

/// Defines the statements: the name of each variant, together with the name of its section in the SQL file.
macro_rules! statements {
    ($($variant:ident = $name:literal,)*) => {
        /// A statement. Its number is its index in the catalog.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Statement {
            $(#[doc = concat!("Section `", $name, "`.")] $variant,)*
        }

        const NAMES: &[&str] = &[$($name,)*];
    };
}

statements! {
    AccountUpdate = "account_update",
    AccountBalance = "account_balance",
    TellerUpdate = "teller_update",
    BranchUpdate = "branch_update",
    HistoryInsert = "history_insert",
    HistoryCount = "history_count",
    CommitsTotal = "commits_total",
    CheckC1 = "check_c1",
    CheckC2 = "check_c2",
    CheckC3 = "check_c3",
    CheckC4 = "check_c4",
    CheckC5 = "check_c5",
    CheckC6 = "check_c6",
    CheckC7 = "check_c7",
    SampleAccounts = "sample_accounts",
}

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
    Catalog::build(dialect, NAMES, &SQL.written(&FILES, dialect)?)
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
