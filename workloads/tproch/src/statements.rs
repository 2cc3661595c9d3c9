//! The statements by number, and the SQL files that contain them.
//!
//! This file must never contain SQL itself. Start reading at [`query`]; the SQL text is in `sql/`.

use tacho_core::Result;
use tacho_driver::{Catalog, Dialect, StatementId, parse_sections};

use crate::files::SQL;
use crate::hammerdb::Deviations;
use crate::names::Names;

/// SQL files in the common subset of SQL: queries in numerical order, then conditions, then refreshes.
const FILES: [&str; 3] = ["default.sql", "checks.sql", "refresh.sql"];

/// The cloud queries. A dialect's folder may contain a file of this name that overrides some of them.
const CLOUD: &str = "cloud.sql";

/// File in a dialect's folder with the queries that HammerDB writes differently.
const HAMMERDB: &str = "hammerdb/statements.sql";

/// Names of the cloud queries, whose statements are at the end of the catalog.
const CLOUD_NAMES: [&str; 13] =
    ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10", "c11", "c12", "c13"];

/// Section names, each at the index of its statement in the catalog.
const NAMES: [&str; 43] = [
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
    "check_h1",
    "check_h2",
    "check_h3",
    "check_h4",
    "check_h5",
    "check_h6",
    "sample_region",
    "sample_nation",
    "sample_supplier",
    "sample_customer",
    "sample_part",
    "sample_partsupp",
    "sample_orders",
    "sample_lineitem",
    "refresh_read",
    "refresh_write",
    "refreshed_total",
    "insert_order",
    "insert_line",
    "delete_lines",
    "delete_order",
];

/// Number of query statements.
const QUERIES: u16 = 22;
/// Number of statements that check conditions.
const CONDITIONS: u16 = 6;
/// Number of statements that sample a table.
const SAMPLES: u16 = 8;

/// Reads the progress of the refreshes.
pub const REFRESH_READ: StatementId = refresh(0);
/// Updates the recorded progress of a refresh function.
pub const REFRESH_WRITE: StatementId = refresh(1);
/// Reads the number of rows that each refresh function has inserted or deleted.
pub const REFRESHED_TOTAL: StatementId = refresh(2);
/// Inserts an order.
pub const INSERT_ORDER: StatementId = refresh(3);
/// Inserts a line of an order.
pub const INSERT_LINE: StatementId = refresh(4);
/// Deletes the lines of an order.
pub const DELETE_LINES: StatementId = refresh(5);
/// Deletes an order.
pub const DELETE_ORDER: StatementId = refresh(6);

const fn refresh(number: u16) -> StatementId {
    StatementId(QUERIES + CONDITIONS + SAMPLES + number)
}

/// Returns the statement for query `number`, counted from 1.
pub const fn query(number: u8) -> StatementId {
    StatementId(number as u16 - 1)
}

/// Returns the name of a query.
pub const fn query_name(number: u8) -> &'static str {
    NAMES[number as usize - 1]
}

/// Returns the statement for cloud query `number`, counted from 1.
pub const fn cloud_query(number: u8) -> StatementId {
    StatementId((NAMES.len() + number as usize - 1) as u16)
}

pub const fn cloud_name(number: u8) -> &'static str {
    CLOUD_NAMES[number as usize - 1]
}

/// Returns the query for condition `number`, counted from 1.
pub const fn condition(number: u16) -> StatementId {
    StatementId(QUERIES + number - 1)
}

pub const fn sample(table: usize) -> StatementId {
    StatementId(QUERIES + CONDITIONS + table as u16)
}

/// Returns all statements as written for `dialect`, with cloud queries and upper-case table names if requested.
pub fn catalog(
    dialect: &dyn Dialect,
    deviations: &Deviations,
    cloud: bool,
    upper_names: Option<Names>,
) -> Result<Catalog> {
    let id = dialect.id();
    let mut files = SQL.written(&FILES, dialect)?;
    let more = [SQL.file(CLOUD), SQL.of(id, CLOUD)].into_iter().flatten().filter(|_| cloud);
    for file in more {
        files.push(parse_sections(file)?);
    }
    let mut theirs = parse_sections(SQL.of(id, HAMMERDB).unwrap_or_default())?;
    theirs.retain(|section| match section.name.as_str() {
        "q15" => deviations.view,
        _ => deviations.whole,
    });
    files.push(theirs);
    if let Some(names) = upper_names {
        for section in files.iter_mut().flatten() {
            section.sql = section.sql.iter().map(|sql| names.in_sql(sql)).collect();
        }
    }
    let names = NAMES.into_iter().chain(CLOUD_NAMES.into_iter().filter(|_| cloud));
    Catalog::build(dialect, &names.collect::<Vec<_>>(), &files)
}

#[cfg(test)]
mod tests {
    use tacho_driver::Section;

    use super::*;

    #[test]
    fn every_section_is_named_and_no_other() -> Result<()> {
        let name = |section: Section| section.name;
        let files = SQL.sections(&FILES, "")?;
        assert_eq!(files.into_iter().flatten().map(name).collect::<Vec<_>>(), NAMES);
        let cloud = parse_sections(SQL.file(CLOUD).unwrap_or_default())?.into_iter();
        let cloud: Vec<String> = cloud.map(name).collect();
        assert_eq!(cloud, CLOUD_NAMES);
        assert_eq!((query_name(22), NAMES[usize::from(condition(6).0)]), ("q22", "check_h6"));
        assert_eq!(NAMES[usize::from(DELETE_ORDER.0)], "delete_order");
        assert_eq!(NAMES[usize::from(REFRESH_READ.0)], "refresh_read");
        Ok(())
    }
}
