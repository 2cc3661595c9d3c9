//! Tests whether a workload's checks detect changes to each column of its tables. The workload's documentation page
//! lists the checks that must detect each change.
//!
//! Start reading at [`changes_are_noticed`] and [`rows_are_counted`].

use std::collections::BTreeSet;

use tacho_core::{Column, Result, Table, Type};
use tacho_driver::{Catalog, Exchange, Form, StatementId};
use tacho_workload::{Check, Instance, Verdict, run_checks};

use crate::conformance::Bench;

const COLUMNS: &str = "| Column | Change | One row | All rows | Rows of a run |";
const ROWS: &str = "| Table | Rows deleted | Rows added |";
/// Kind of change that may set a column to any new value. This module chooses the value, so the test does not have to
/// provide one.
const ANY: &str = "any";
/// Marks a change that no check notices.
pub const UNNOTICED: &str = "–";
/// Number that is added to an existing key to make a new one. All existing keys are smaller.
const FAR: &str = "1000000";
/// Number of rows to delete.
const DELETED: u64 = 1_000;

/// Information about a workload that the test needs.
pub struct Changes<'a> {
    /// The workload's page.
    pub docs: &'a str,
    /// The new values for the changes, in lines of the form `column | change | new value`. Changes of the kind `any`
    /// need no line.
    pub values: &'a str,
    /// Conditions that select the rows written by a run, each for a table or one of its columns.
    pub of_run: &'a [(&'a str, &'a str)],
    /// Conditions that select a single row, each for a table or one of its columns. The row must be one of those that
    /// the workload's checks compare.
    pub one: &'a [(&'a str, String)],
}

/// A row of the page's column table.
pub struct Cells<'a> {
    /// The names of the columns, some with their table's name and a dot.
    pub columns: Vec<&'a str>,
    /// The change to the columns' values.
    pub change: &'a str,
    /// The checks that detect a change of one row, of all rows, and of the rows that a run has written.
    pub found_by: [&'a str; 3],
}

/// Changes every column of the given tables. The transaction of each change is rolled back.
///
/// # Errors
/// Returns any database error.
///
/// # Panics
/// Panics unless exactly the checks listed on the page detect the change.
pub fn changes_are_noticed(
    bench: &Bench<'_>,
    instance: &dyn Instance,
    tables: &[&str],
    changes: &Changes<'_>,
) -> Result<()> {
    let (mut trial, all) = (Trial::new(bench, instance)?, listed_columns(changes.docs));
    let mut unnoticed = Vec::new();
    for table in named(instance, tables) {
        let mut left: BTreeSet<&str> = table.columns.iter().map(|column| column.name).collect();
        let pairs =
            all.iter().flat_map(|cells| cells.columns.iter().map(move |name| (cells, *name)));
        for (cells, name) in pairs {
            let Some(known) = column_named(table, name) else { continue };
            let column = known.name;
            left.remove(column);
            for (scope, found_by) in cells.found_by.into_iter().enumerate() {
                let Some(rows) = changes.rows(table.name, column, scope) else {
                    assert_eq!(found_by, "", "{column}: a run writes no row of {}", table.name);
                    continue;
                };
                let sql = changes.update(table, known, cells.change, &rows);
                if found_by == UNNOTICED {
                    trial.has_rows(table.name, &rows)?;
                    unnoticed.push(sql);
                } else {
                    trial.is_noticed(&sql, found_by)?;
                }
            }
        }
        assert!(left.is_empty(), "the page says nothing of {left:?}");
    }
    trial.is_unnoticed(&unnoticed)?;
    trial.end()
}

/// Tests whether the checks detect deleted and added rows. An added row is a copy of another row in which one part of
/// the key is new.
///
/// # Errors
/// Returns any database error.
///
/// # Panics
/// Panics if a check that the page lists does not detect a change.
pub fn rows_are_counted(
    bench: &Bench<'_>,
    instance: &dyn Instance,
    tables: &[&str],
    docs: &str,
) -> Result<()> {
    let mut trial = Trial::new(bench, instance)?;
    let all = listed_rows(docs);
    for table in named(instance, tables) {
        let quoted = format!("`{}`", table.name);
        let row = all.iter().find(|row| row[0].split(' ').any(|name| name == quoted));
        let row = row.unwrap_or_else(|| panic!("the page says nothing of {quoted}"));
        let name = table.name;
        let row_key = if table.key.is_empty() { "rowid".to_owned() } else { table.key.join(", ") };
        let first = |count| {
            format!(
                "({row_key}) IN (SELECT {row_key} FROM {name} ORDER BY {row_key} LIMIT {count})"
            )
        };
        trial.is_noticed(&format!("DELETE FROM {name} WHERE {}", first(DELETED)), row[1])?;
        let keys = table.key.iter().map(|key| Some(*key));
        let keys: Vec<Option<&str>> =
            if table.key.is_empty() { vec![None] } else { keys.collect() };
        for key in keys {
            let value = |column: &Column| match key {
                Some(key) if key == column.name => format!("{key} + {FAR}"),
                _ => column.name.to_owned(),
            };
            let values: Vec<String> = table.columns.iter().map(value).collect();
            let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
            let (names, values) = (names.join(", "), values.join(", "));
            let sql = format!(
                "INSERT INTO {name} ({names}) SELECT {values} FROM {name} WHERE {}",
                first(3)
            );
            trial.is_noticed(&sql, row[2])?;
        }
    }
    trial.end()
}

impl Changes<'_> {
    /// Returns the condition that selects the rows to change: one row, all rows, or the rows of a run. Returns `None`
    /// if a run writes no rows of this table.
    fn rows(&self, table: &str, column: &str, scope: usize) -> Option<String> {
        let of = |key: &str, (name, _): &(&str, &str)| *name == key;
        match scope {
            0 => {
                let one = |key: &str| self.one.iter().find(|(name, _)| *name == key);
                let (_, rows) = one(column).or_else(|| one(table)).expect(table);
                Some(rows.clone())
            }
            1 => Some("1 = 1".to_owned()),
            _ => {
                let found = self.of_run.iter().find(|rows| of(column, rows));
                let found = found.or_else(|| self.of_run.iter().find(|rows| of(table, rows)));
                found.map(|(_, rows)| (*rows).to_owned())
            }
        }
    }

    fn update(&self, table: &Table, column: &Column, change: &str, rows: &str) -> String {
        let name = column.name;
        let value = new_value(table, column, change, self.values);
        format!("UPDATE {} SET {name} = {value} WHERE {rows}", table.name)
    }
}

/// A trial that makes changes, runs checks on the changed data, and rolls the changes back.
struct Trial<'a> {
    bench: &'a Bench<'a>,
    exchange: Exchange,
    catalog: std::sync::Arc<Catalog>,
    checks: Vec<Check>,
}

impl<'a> Trial<'a> {
    fn new(bench: &'a Bench<'a>, instance: &dyn Instance) -> Result<Self> {
        let catalog = instance.catalog(bench.driver.dialect())?;
        let session = bench.session()?;
        let exchange = bench.wait(Exchange::new(session, catalog.clone(), Form::Sql))?;
        Ok(Self { bench, exchange, catalog, checks: instance.checks() })
    }

    /// Checks that every listed check detects the change. If the list contains `or`, one of the checks is enough.
    ///
    /// If a check is in parentheses, it detects the change only in the rows of its sample.
    fn is_noticed(&mut self, sql: &str, found_by: &str) -> Result<()> {
        let parts = found_by.split(" or ").flat_map(|part| part.split(", "));
        let ids: Vec<&str> = parts.map(|id| id.trim_matches(['(', ')'])).collect();
        let named = self.checks.iter().filter(|check| ids.contains(&check.id));
        let named: Vec<Check> = named.cloned().collect();
        assert_eq!(named.len(), ids.len(), "{sql}: unknown check in \"{found_by}\"");
        let verdicts = self.verdicts(sql, &named)?;
        let found = |(_, verdict): &&(&str, Verdict)| matches!(verdict, Verdict::Violated { .. });
        let count = verdicts.iter().filter(found).count();
        let wanted = if found_by.contains(" or ") { 1 } else { ids.len() };
        assert!(count >= wanted, "{sql}: not noticed by {found_by}: {verdicts:?}");
        Ok(())
    }

    fn is_unnoticed(&mut self, changes: &[String]) -> Result<()> {
        let checks = self.checks.clone();
        for (check, verdict) in self.verdicts(&changes.join(";\n"), &checks)? {
            let violated = matches!(verdict, Verdict::Violated { .. });
            assert!(!violated, "{changes:?}: {check} notices one: {verdict:?}");
        }
        Ok(())
    }

    fn verdicts(&mut self, sql: &str, checks: &[Check]) -> Result<Vec<(&'static str, Verdict)>> {
        self.bench.wait(self.exchange.session().script(&format!("BEGIN;\n{sql}")))?;
        let found = self.bench.wait(run_checks(&mut self.exchange, &self.catalog, checks))?;
        self.bench.wait(self.exchange.session().script("ROLLBACK"))?;
        Ok(found.into_iter().map(|found| (found.check.id, found.verdict)).collect())
    }

    /// Fails if the condition selects no rows, because the test would then prove nothing.
    fn has_rows(&self, table: &str, rows: &str) -> Result<()> {
        let sql = format!(
            "-- name: counted() -> (found int)\nSELECT COUNT(*) FROM {table} WHERE {rows}\n"
        );
        let catalog = self.bench.catalog(&sql)?;
        let session = self.bench.session()?;
        let mut exchange = self.bench.wait(Exchange::new(session, catalog, Form::Sql))?;
        exchange.execute(StatementId(0));
        let found = self.bench.wait(exchange.send())?.one(0)?.number(0)?;
        assert!(found > 0, "{table} has no row with {rows}");
        self.bench.wait(exchange.into_session().close())
    }

    fn end(self) -> Result<()> {
        self.bench.wait(self.exchange.into_session().close())
    }
}

fn named<'a>(instance: &'a dyn Instance, tables: &[&str]) -> Vec<&'a Table> {
    let all = instance.schema().tables.iter();
    let found: Vec<&Table> = all.filter(|table| tables.contains(&table.name)).collect();
    assert_eq!(found.len(), tables.len(), "{tables:?}");
    found
}

/// Returns the rows of the table in the documentation that lists changes to columns.
pub fn listed_columns(docs: &str) -> Vec<Cells<'_>> {
    table_of(docs, COLUMNS).iter().map(|row| Cells::new(row)).collect()
}

/// Returns the documentation's list of deleted and added rows. Each entry contains the names of tables, and the checks
/// that detect the two changes in them.
pub fn listed_rows(docs: &str) -> Vec<Vec<&str>> {
    table_of(docs, ROWS)
}

/// Returns the column with this name. In the documentation, the name may also have the form `table.column`.
pub fn column_named<'a>(table: &'a Table, name: &str) -> Option<&'a Column> {
    let is_named =
        |known: &&Column| known.name == name || format!("{}.{}", table.name, known.name) == name;
    table.columns.iter().find(is_named)
}

/// Returns the expression for a column's value after a change. `values` has the form of [`Changes::values`].
///
/// # Panics
/// Panics if the change is not `any` and has no line in `values`.
pub fn new_value(table: &Table, column: &Column, change: &str, values: &str) -> String {
    let name = column.name;
    match (change, column.ty) {
        (ANY, Type::Char(_) | Type::Varchar(_)) => format!("'~' || SUBSTR({name}, 2)"),
        (ANY, _) if table.key.contains(&name) => format!("{name} + {FAR}"),
        (ANY, _) => format!("{name} + 1"),
        _ => {
            let start = format!("{name} | {change} | ");
            let value = values.lines().find_map(|line| line.strip_prefix(&*start));
            value.unwrap_or_else(|| panic!("{name}: no value for \"{change}\"")).to_owned()
        }
    }
}

impl<'a> Cells<'a> {
    fn new(row: &[&'a str]) -> Self {
        let columns = row[0].split(' ').map(|name| name.trim_matches('`')).collect();
        Self { columns, change: row[1], found_by: [row[2], row[3], row[4]] }
    }
}

/// Returns the rows of all tables that have this header on the page, split into cells.
fn table_of<'a>(docs: &'a str, header: &str) -> Vec<Vec<&'a str>> {
    let (mut rows, mut inside) = (Vec::new(), false);
    for line in docs.lines() {
        inside = line == header || inside && line.starts_with('|');
        if inside && line.starts_with("| `") {
            let cells = line.trim_matches('|').split('|').map(str::trim);
            rows.push(cells.collect::<Vec<&str>>());
        }
    }
    assert!(!rows.is_empty(), "the page has no table {header}");
    rows
}
