//! What loads of rows have in common, whatever the database.

use tacho_core::{Error, ErrorKind, Result, Table};

use crate::session::RowSource;
use crate::values::Values;

/// Puts the next rows for a table in the place of the last ones; returns how many, 0 at the end.
///
/// # Errors
/// Protocol, if they do not have the columns of the table.
pub fn next_rows(source: &mut dyn RowSource, rows: &mut Values, table: &Table) -> Result<usize> {
    rows.clear();
    let count = source.next_batch(rows);
    if rows.len() == count * table.columns.len() {
        return Ok(count);
    }
    Err(Error::new(ErrorKind::Protocol, "a batch of rows has wrong columns"))
}

/// `INSERT INTO t (a, b) VALUES (?, ?), (?, ?)` for so many rows.
pub fn insert_sql(table: &Table, rows: usize) -> String {
    let row = format!("({})", vec!["?"; table.columns.len()].join(", "));
    let rows = vec![row; rows].join(", ");
    format!("INSERT INTO {} ({}) VALUES {rows}", table.name, table.column_names())
}
