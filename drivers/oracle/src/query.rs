//! Queries and commands outside the hot path. Their rows are returned as text.

use oracledb::Connection;
use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{TextRows, lexer};
use tacho_net::{TextRow, is_last};

use crate::binds::shown;
use crate::dialect::SYNTAX;
use crate::errors::of_client;

const FAULTS: &str = include_str!("../sql/faults.sql");
/// Number of rows per fetch.
const BLOCK: u32 = 500;

/// Runs a statement and discards its results. If the statement creates a routine that does not compile, the server
/// sends only a warning, which is returned as an error.
pub fn run(connection: &Connection, sql: &str) -> Result<()> {
    let client = |error: oracledb::Error| of_client(&error);
    connection.execute(sql, &[]).map_err(client)?;
    let warned = connection.last_warning().map_err(client)?.is_some();
    let creates = lexer::words(sql, SYNTAX, 1) == ["create"];
    if !creates || !warned {
        return Ok(());
    }
    let faults = rows(connection, FAULTS)?;
    let shown = |row: TextRow| row.into_iter().flatten().collect::<Vec<String>>().join(" ");
    let first = faults.into_iter().next().map(shown).unwrap_or_default();
    Err(Error::new(ErrorKind::Syntax, format!("the routine does not compile: {first}"))
        .code("ORA-24344"))
}

/// Runs one statement and returns its rows, together with the column names.
pub fn table(connection: &Connection, sql: &str) -> Result<TextRows> {
    let client = |error: oracledb::Error| of_client(&error);
    let builder = connection.statement(sql).map_err(client)?;
    let mut statement =
        builder.prefetch_rows(BLOCK).fetch_array_size(BLOCK).build().map_err(client)?;
    if !statement.is_query() {
        let result = statement.execute(&[]).map_err(client)?;
        return Ok(TextRows { changed: result.rows_affected(), ..TextRows::default() });
    }
    let cursor = statement.query(&[]).map_err(client)?;
    let columns: Vec<String> = cursor.columns().iter().map(|it| it.name().to_lowercase()).collect();
    let mut found = TextRows { columns, ..TextRows::default() };
    for row in cursor {
        let row = row.map_err(client)?;
        let values = (0..found.columns.len()).map(|column| shown(&row, column));
        found.rows.push(values.collect::<Result<_>>()?);
    }
    Ok(found)
}

/// Runs one statement and returns its rows.
pub fn rows(connection: &Connection, sql: &str) -> Result<Vec<TextRow>> {
    Ok(table(connection, sql)?.rows)
}

/// Returns the rows of a view, or `None` if this user is not allowed to read it.
pub fn asked(connection: &Connection, sql: &str) -> Result<Option<Vec<TextRow>>> {
    match rows(connection, sql) {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_last(&error) => Err(error),
        Err(_) => Ok(None),
    }
}
