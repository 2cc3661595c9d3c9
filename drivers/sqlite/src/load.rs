//! Loads rows by running a prepared INSERT many times in one transaction. SQLite has no faster way.

use std::ops::Range;

use rusqlite::{Connection, Statement};
use tacho_core::{Result, Table};
use tacho_driver::{RowSource, Values, insert_sql, next_rows};

use crate::errors::native;
use crate::values::Bound;

/// Number of rows per INSERT. In measurements without a disk, INSERTs of 10 to 50 rows loaded a table of ten columns 20
/// to 40 % faster than INSERTs of a single row.
const GROUP_ROWS: usize = 16;

/// Inserts all rows in the open transaction. If none is open, starts one for the load.
pub fn load(
    connection: &Connection,
    table: &Table,
    rows: &mut dyn RowSource,
    batch: &mut Values,
) -> Result<u64> {
    if !connection.is_autocommit() {
        return insert(connection, table, rows, batch);
    }
    connection.execute_batch("BEGIN IMMEDIATE").map_err(native)?;
    let outcome = insert(connection, table, rows, batch)
        .and_then(|loaded| connection.execute_batch("COMMIT").map_err(native).map(|()| loaded));
    if outcome.is_err() && !connection.is_autocommit() {
        // Report the load error and not an error of the rollback, because SQLite completes the rollback when it next
        // opens the file.
        let _ = connection.execute_batch("ROLLBACK");
    }
    outcome
}

fn insert(
    connection: &Connection,
    table: &Table,
    rows: &mut dyn RowSource,
    batch: &mut Values,
) -> Result<u64> {
    let width = table.columns.len();
    let prepare = |rows| connection.prepare(&insert_sql(table, rows)).map_err(native);
    let (mut group, mut single) = (prepare(GROUP_ROWS)?, prepare(1)?);
    let mut loaded = 0;
    loop {
        let count = next_rows(rows, batch, table)?;
        if count == 0 {
            return Ok(loaded);
        }
        let grouped = count - count % GROUP_ROWS;
        loaded += run(&mut group, GROUP_ROWS * width, batch, 0..grouped * width)?;
        loaded += run(&mut single, width, batch, grouped * width..count * width)?;
    }
}

/// Runs a statement repeatedly, each time with the next `params` values. Returns the total number of rows written.
fn run(
    statement: &mut Statement<'_>,
    params: usize,
    batch: &Values,
    values: Range<usize>,
) -> Result<u64> {
    let mut written = 0;
    for first in values.step_by(params) {
        for param in 0..params {
            let value = Bound(batch.get(first + param));
            statement.raw_bind_parameter(param + 1, value).map_err(native)?;
        }
        written += statement.raw_execute().map_err(native)? as u64;
    }
    Ok(written)
}
