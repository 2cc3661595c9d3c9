//! Rows as text, for questions off the hot path.

use tacho_core::Result;
use tacho_driver::TextRows;

use crate::buffers::text_of;
use crate::handles::{Connection, Statement, wide};
use crate::library::Length;

/// Runs a statement and reads its rows as text.
pub fn query<L: Length>(connection: &Connection<L>, sql: &str) -> Result<TextRows> {
    let statement = connection.statement()?;
    statement.run(&wide(sql))?;
    read(&statement)
}

/// The rows of a statement that has run.
pub fn read<L: Length>(statement: &Statement<L>) -> Result<TextRows> {
    let count = statement.columns()?;
    if count == 0 {
        return Ok(TextRows { changed: statement.changed()?, ..TextRows::default() });
    }
    let columns: Result<Vec<String>> =
        (1..=count).map(|number| Ok(statement.column(number)?.0)).collect();
    let mut rows = Vec::new();
    let mut piece = Vec::new();
    while statement.fetch()? {
        let mut row = Vec::with_capacity(count);
        for number in 1..=count {
            row.push(text_of(statement, number as u16, &mut piece)?);
        }
        rows.push(row);
    }
    Ok(TextRows { columns: columns?, rows, changed: 0 })
}
