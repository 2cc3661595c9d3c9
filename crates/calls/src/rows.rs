//! Runs queries and reads their rows as text. Such queries are not part of a measured load.

use tacho_core::{ErrorKind, Result};
use tacho_driver::{Counters, TextRows};

use crate::buffers::text_of;
use crate::handles::{Connection, Statement, wide};
use crate::library::Length;

/// Runs a statement and reads its rows as text.
pub fn query<L: Length>(connection: &Connection<L>, sql: &str) -> Result<TextRows> {
    let statement = connection.statement()?;
    statement.run(&wide(sql))?;
    read(&statement)
}

/// Returns the rows of a query. If the queried view does not exist or the user may not read it, there are no rows.
///
/// # Errors
/// Returns an error if the query fails for any other reason.
pub fn offered<L: Length>(
    connection: &Connection<L>,
    sql: &str,
) -> Result<Vec<Vec<Option<String>>>> {
    match query(connection, sql) {
        Ok(found) => Ok(found.rows),
        Err(error) => match error.kind() {
            ErrorKind::Missing | ErrorKind::Auth | ErrorKind::Syntax => Ok(Vec::new()),
            _ => Err(error),
        },
    }
}

/// Returns a value of a row without surrounding blanks, or an empty string for NULL.
pub fn text(row: &[Option<String>], at: usize) -> String {
    row.get(at).cloned().flatten().unwrap_or_default().trim().to_owned()
}

/// Returns the numbers of commits and rollbacks, which are in the first row of a query's result. Returns `None` if
/// the view is missing or not readable.
///
/// # Errors
/// Returns an error if the query fails for any other reason.
pub fn commits_and_rollbacks<L: Length>(
    connection: &Connection<L>,
    sql: &str,
) -> Result<Option<Counters>> {
    let rows = offered(connection, sql)?;
    let Some(row) = rows.first() else { return Ok(None) };
    let number = |at| text(row, at).parse::<u64>().ok();
    let counted = number(0).zip(number(1));
    Ok(counted.map(|(commits, rollbacks)| Counters {
        commits,
        rollbacks,
        rollbacks_here: None,
        rollbacks_pending: 0,
    }))
}

/// Reads the rows that an executed statement returned.
pub fn read<L: Length>(statement: &Statement<L>) -> Result<TextRows> {
    let count = statement.columns()?;
    if count == 0 {
        return Ok(TextRows { changed: statement.changed()?, ..TextRows::default() });
    }
    let columns: Result<Vec<String>> =
        (1..=count).map(|number| Ok(statement.column(number)?.name)).collect();
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
