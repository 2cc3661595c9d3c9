//! Functions that help drivers to load rows.

use tacho_core::{Error, ErrorKind, Result, Table};

use crate::session::RowSource;
use crate::values::Values;

/// Replaces the buffer's contents with the next rows of a table. Returns the number of rows, or 0 if there are no more.
///
/// # Errors
/// Returns an [`ErrorKind::Protocol`] error if the rows do not match the table's columns.
pub fn next_rows(source: &mut dyn RowSource, rows: &mut Values, table: &Table) -> Result<usize> {
    rows.clear();
    let count = source.next_batch(rows);
    if rows.len() == count * table.columns.len() {
        return Ok(count);
    }
    Err(Error::new(ErrorKind::Protocol, "a batch of rows does not have the expected columns"))
}

/// Returns an INSERT statement for this many rows: `INSERT INTO t (a, b) VALUES (?, ?), (?, ?)`.
pub fn insert_sql(table: &Table, rows: usize) -> String {
    let row = format!("({})", vec!["?"; table.columns.len()].join(", "));
    let rows = vec![row; rows].join(", ");
    format!("INSERT INTO {} ({}) VALUES {rows}", table.name, table.column_names())
}
