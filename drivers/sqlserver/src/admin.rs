//! Requests that are not on the hot path. They send statements as text and receive rows as text.

use tacho_core::Result;
use tacho_driver::TextRows;
use tacho_net::is_last;
pub use tacho_net::{TextRow, number};

use crate::bytes::{Bytes, string};
use crate::link::Link;
use crate::tokens::{Event, read_columns};
use crate::values::shown;

const LEFT: &str = include_str!("../sql/left.sql");
/// Statement that makes the server stop a batch at its first error. By default, the server would continue with the next
/// statement.
const STOPS: &str = "SET XACT_ABORT ON";
const GOES_ON: &str = "SET XACT_ABORT OFF";

/// Runs a batch and discards its results. An empty batch is not sent.
pub async fn run(link: &mut Link, sql: &str) -> Result<()> {
    if sql.is_empty() {
        return Ok(());
    }
    link.batch(sql)?;
    link.answer(|_| Ok(())).await
}

/// Runs a script, stopping at the first error.
pub async fn script(link: &mut Link, sql: &str) -> Result<()> {
    run(link, STOPS).await?;
    let outcome = run(link, sql).await;
    match &outcome {
        Err(error) if is_last(error) => outcome,
        _ => {
            let ended = run(link, GOES_ON).await;
            outcome.and(ended)
        }
    }
}

/// Runs one statement and returns its rows.
pub async fn rows(link: &mut Link, sql: &str) -> Result<Vec<TextRow>> {
    Ok(text_rows(link, sql).await?.rows)
}

/// Returns the rows of a query, or `None` if the server does not support the query or the login may not run it.
pub async fn asked(link: &mut Link, sql: &str) -> Result<Option<Vec<TextRow>>> {
    Ok(asked_table(link, sql).await?.map(|found| found.rows))
}

/// Like [`asked`], but also returns the column names.
pub async fn asked_table(link: &mut Link, sql: &str) -> Result<Option<TextRows>> {
    match text_rows(link, sql).await {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_last(&error) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Runs one statement and returns its rows, together with the column names.
pub async fn text_rows(link: &mut Link, sql: &str) -> Result<TextRows> {
    link.batch(sql)?;
    let mut found = TextRows::default();
    link.answer(|event| {
        match event {
            Event::Columns(_, body) => {
                found = TextRows { changed: found.changed, ..TextRows::default() };
                let name = |_, name: &[u8]| found.columns.push(string(name));
                read_columns(&mut Bytes(body), name)?;
            }
            Event::Row(row) => {
                let mut texts = TextRow::new();
                row.each(|_, column, value| {
                    texts.push(value.map(|value| shown(column, value)).transpose()?);
                    Ok(())
                })?;
                found.rows.push(texts);
            }
            Event::Done(changed) => found.changed += changed,
            _ => {}
        }
        Ok(())
    })
    .await?;
    Ok(found)
}

/// Drops the session's database if it is empty. The session then uses another database. Returns true if the database
/// was dropped.
pub async fn drop_own_database(link: &mut Link) -> Result<bool> {
    let left = rows(link, LEFT).await?.into_iter().next().unwrap_or_default();
    let Some(Some(name)) = left.first() else { return Ok(false) };
    if number(&left, 1)? > 0 {
        return Ok(false);
    }
    run(link, "USE master").await?;
    run(link, &format!("DROP DATABASE {}", bracketed(name))).await?;
    Ok(true)
}

/// Returns a name in brackets.
pub fn bracketed(name: &str) -> String {
    format!("[{}]", name.replace(']', "]]"))
}
