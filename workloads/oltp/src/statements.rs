//! The statements for each table, generated from SQL files for a single table.
//!
//! This file must never contain SQL itself. Start reading at [`Statement`]; the SQL text is in `sql/`.

use tacho_core::Result;
use tacho_driver::{Catalog, Dialect, Field, Section, StatementId};
use tacho_workload::SqlFiles;

/// The common subset of SQL.
const FILES: [&str; 2] = ["default.sql", "checks.sql"];
/// All SQL files, including the sections that dialects override.
const SQL: SqlFiles = tacho_workload::sql_files!();
/// Name of the table in the SQL files.
const TABLE: &str = "sbtest";
/// Text that follows the part of a check that is repeated for each table.
const ONCE: &str = "\nORDER BY ";
/// The parentheses that some checks have around their repeated part.
const OPENS: &str = "(\n";
const CLOSES: &str = "\n)";

/// Statements with a separate version for each table.
const OF_TABLE: [&str; 11] = [
    "point",
    "simple_range",
    "sum_range",
    "order_range",
    "distinct_range",
    "index_update",
    "non_index_update",
    "delete_row",
    "insert_row",
    "random_points",
    "random_ranges",
];
/// Statements over all tables.
const OF_ALL: [&str; 5] = ["check_rows", "check_ids", "check_texts", "sample_rows", "last_ids"];
/// Statements for a single bulk-insert table, followed by statements for all of these tables.
const OF_BULK_TABLE: [&str; 1] = ["insert_rows"];
const OF_BULK: [&str; 4] = ["check_numbers", "check_values", "last_ids", "rows_total"];

/// A statement on one table. Its number is its index in [`OF_TABLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    Point,
    SimpleRange,
    SumRange,
    OrderRange,
    DistinctRange,
    IndexUpdate,
    NonIndexUpdate,
    DeleteRow,
    InsertRow,
    RandomPoints,
    RandomRanges,
}

/// A statement over all tables. Its number is its index in [`OF_ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    CheckRows,
    CheckIds,
    CheckTexts,
    SampleRows,
    LastIds,
}

/// A statement for all bulk-insert tables. Its number is its index in [`OF_BULK`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bulk {
    CheckNumbers,
    CheckValues,
    LastIds,
    RowsTotal,
}

impl Bulk {
    /// Returns the insert statement for a table, given the table's zero-based index.
    #[inline]
    pub fn insert(table: i64) -> StatementId {
        StatementId((OF_BULK.len() + table as usize * OF_BULK_TABLE.len()) as u16)
    }
}

impl From<Bulk> for StatementId {
    fn from(statement: Bulk) -> Self {
        Self(statement as u16)
    }
}

impl Statement {
    /// Returns the statement for a table, given the table's zero-based index.
    #[inline]
    pub fn of(self, table: i64) -> StatementId {
        StatementId((OF_ALL.len() + table as usize * OF_TABLE.len() + self as usize) as u16)
    }

    pub fn name(self) -> &'static str {
        OF_TABLE[self as usize]
    }
}

impl From<Whole> for StatementId {
    fn from(statement: Whole) -> Self {
        Self(statement as u16)
    }
}

/// List lengths that the user can set.
#[derive(Clone, Copy, Debug)]
pub struct Lists {
    /// Number of values in `random_points`.
    pub points: u64,
    /// Number of ranges in `random_ranges`.
    pub ranges: u64,
    /// Number of rows in `insert_rows`.
    pub rows: u64,
}

impl Default for Lists {
    fn default() -> Self {
        Self { points: 1, ranges: 1, rows: 1 }
    }
}

/// Returns the statements for `tables` tables as written for `dialect`.
pub fn catalog(dialect: &dyn Dialect, tables: u64, lists: Lists) -> Result<Catalog> {
    build(dialect, tables, lists, &OF_ALL, &OF_TABLE)
}

/// Returns the statements for the bulk-insert tables.
pub fn bulk_catalog(dialect: &dyn Dialect, tables: u64, lists: Lists) -> Result<Catalog> {
    build(dialect, tables, lists, &OF_BULK, &OF_BULK_TABLE)
}

fn build(
    dialect: &dyn Dialect,
    tables: u64,
    lists: Lists,
    of_all: &[&str],
    of_table: &[&str],
) -> Result<Catalog> {
    let is_needed = |section: &&Section| {
        let name = section.name.as_str();
        of_all.contains(&name) || of_table.contains(&name)
    };
    let files = SQL.written(&FILES, dialect)?;
    let files: Vec<Vec<Section>> = files
        .iter()
        .map(|file| {
            let needed = file.iter().filter(is_needed);
            needed.flat_map(|section| expanded(section, tables, lists)).collect()
        })
        .collect();
    let mut names: Vec<String> = of_all.iter().map(|name| (*name).to_owned()).collect();
    for number in 1..=tables {
        names.extend(of_table.iter().map(|name| named(name, number)));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Catalog::build(dialect, &names, &files)
}

fn named(name: &str, number: u64) -> String {
    format!("{name}_{number}")
}

/// Returns a copy of the section for each table or, if the section covers all tables, a single section.
fn expanded(section: &Section, tables: u64, lists: Lists) -> Vec<Section> {
    if OF_ALL.iter().chain(&OF_BULK).any(|name| *name == section.name) {
        let sql = section.sql.iter().map(|sql| united(sql, tables)).collect();
        return vec![Section { sql, ..section.clone() }];
    }
    let section = match section.name.as_str() {
        "random_points" => listed(section, lists.points, ", "),
        "random_ranges" => listed(section, lists.ranges, " OR "),
        "insert_rows" => listed(section, lists.rows, "), ("),
        _ => section.clone(),
    };
    let numbered_section = |number| Section {
        name: named(&section.name, number),
        sql: section.sql.iter().map(|sql| of_table(sql, number)).collect(),
        ..section.clone()
    };
    (1..=tables).map(numbered_section).collect()
}

fn of_table(sql: &str, number: u64) -> String {
    sql.replace(TABLE, &format!("{TABLE}{number}"))
}

/// Returns a statement that applies a check to all tables and combines the results.
fn united(sql: &str, tables: u64) -> String {
    let (before, sql) = sql.split_at(sql.find(OPENS).map_or(0, |at| at + OPENS.len()));
    let ends = if before.is_empty() { ONCE } else { CLOSES };
    let (each, after) = sql.split_at(sql.find(ends).unwrap_or(sql.len()));
    let parts: Vec<String> = (1..=tables).map(|number| of_table(each, number)).collect();
    format!("{before}{}{after}", parts.join("\nUNION ALL\n"))
}

/// Returns the section with its condition repeated `count` times. Each repetition has its own parameters.
fn listed(section: &Section, count: u64, joint: &str) -> Section {
    let numbered = |name: &str, number: u64| format!("{name}_{number}");
    let params = (1..=count).flat_map(|number| {
        let field =
            move |field: &Field| Field { name: numbered(&field.name, number), ..field.clone() };
        section.params.iter().map(field)
    });
    let repeat = |sql: &String| {
        // Repeat either the list in parentheses or, if there is none, the condition after WHERE.
        let (start, end) = match (sql.find("(:"), sql.find(" WHERE ")) {
            (Some(open), _) => (open + 1, sql.rfind(')').unwrap_or(sql.len())),
            (None, Some(place)) => (place + " WHERE ".len(), sql.trim_end().len()),
            (None, None) => (0, sql.len()),
        };
        let parts: Vec<String> = (1..=count)
            .map(|number| {
                section.params.iter().fold(sql[start..end].to_owned(), |part, field| {
                    let name = format!(":{}", field.name);
                    part.replace(&name, &format!(":{}", numbered(&field.name, number)))
                })
            })
            .collect();
        format!("{}{}{}", &sql[..start], parts.join(joint), &sql[end..])
    };
    Section {
        params: params.collect(),
        sql: section.sql.iter().map(repeat).collect(),
        ..section.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(name: &str) -> Section {
        let files = SQL.sections(&FILES, "").expect("sections");
        files.into_iter().flatten().find(|section| section.name == name).expect("a section")
    }

    #[test]
    fn every_section_is_named_and_no_other() {
        let files = SQL.sections(&FILES, "").expect("sections").into_iter().flatten();
        let mut found: Vec<String> = files.map(|section| section.name).collect();
        let mut named = [&OF_TABLE[..], &OF_BULK_TABLE, &OF_ALL, &OF_BULK].concat();
        named.sort_unstable();
        named.dedup();
        found.sort_unstable();
        assert_eq!(found, named);
    }

    #[test]
    fn lists_are_as_long_as_asked() {
        let lists = Lists { points: 3, ranges: 2, rows: 2 };
        let points = &expanded(&section("random_points"), 2, lists)[1];
        assert_eq!(points.name, "random_points_2");
        let text = "SELECT id, k, c, pad FROM sbtest2 WHERE k IN (:k_1, :k_2, :k_3)";
        assert_eq!(points.sql[0].trim(), text);
        assert_eq!(points.params.len(), 3);
        let ranges = &expanded(&section("random_ranges"), 1, lists)[0];
        let text = "SELECT COUNT(k) FROM sbtest1 WHERE k BETWEEN :low_1 AND :high_1 \
                    OR k BETWEEN :low_2 AND :high_2";
        assert_eq!(ranges.sql[0].trim(), text);
        assert_eq!(ranges.params.len(), 4);
        let rows = &expanded(&section("insert_rows"), 1, lists)[0];
        let text = "INSERT INTO sbtest1 (id, k) VALUES (:id_1, :id_1), (:id_2, :id_2)";
        assert_eq!(rows.sql[0].trim(), text);
    }

    #[test]
    fn checks_are_over_all_tables() {
        let all = expanded(&section("last_ids"), 2, Lists::default());
        let each = |number| {
            format!(
                "SELECT 'sbtest{number}' AS table_name, COALESCE(MAX(id), 0) AS last_id FROM sbtest{number}"
            )
        };
        let text = format!("{}\nUNION ALL\n{}\nORDER BY table_name", each(1), each(2));
        assert_eq!(all[0].sql[0].trim(), text);
        let sum = &expanded(&section("rows_total"), 2, Lists::default())[0].sql[0];
        assert_eq!(sum.matches("UNION ALL\nSELECT").count(), 1, "{sum}");
        assert!(sum.trim().ends_with("FROM sbtest2\n) counted"), "{sum}");
    }
}
