//! Operations outside the hot path. Statements and rows are transferred as text.

use std::future::poll_fn;

use tacho_core::{Error, Result};
use tacho_driver::TextRows;
use tacho_driver::lexer::{self, Lexeme, Syntax, Token};
use tacho_net::is_last;
pub use tacho_net::{TextRow, number};

use crate::answer::{Answer, End, Event};
use crate::bytes::Bytes;
use crate::link::Link;
use crate::wire::packet;

const LEFT: &str = include_str!("../sql/left.sql");
/// The command that closes a connection (`COM_QUIT`).
const QUIT: u8 = 0x01;

/// Runs statements and discards their results. Returns the last result's end marker.
pub async fn run(link: &mut Link, sql: &str) -> Result<End> {
    collect(link, sql, |_| Ok(())).await
}

/// Runs a script. A script that consists only of comments is not sent.
pub async fn script(link: &mut Link, sql: &str) -> Result<()> {
    match statements(sql) {
        "" => Ok(()),
        sql => run(link, sql).await.map(|_| ()),
    }
}

/// Returns the script without trailing comments, which the server would treat as an empty statement.
fn statements(sql: &str) -> &str {
    let mut end = 0;
    for Lexeme { token, range, .. } in lexer::tokens(sql, Syntax::BACKSLASH) {
        match token {
            Token::Blank | Token::Comment => {}
            Token::Sign(b';') => end = range.end,
            _ => end = sql.len(),
        }
    }
    &sql[..end]
}

/// Drops the session's database if it is empty. Returns true if it was dropped.
pub async fn drop_database(link: &mut Link) -> Result<bool> {
    let left = rows(link, LEFT).await?.into_iter().next().unwrap_or_default();
    let Some(Some(name)) = left.first() else { return Ok(false) };
    if number(&left, 1)? > 0 {
        return Ok(false);
    }
    run(link, &format!("DROP DATABASE `{}`", name.replace('`', "``"))).await.map(|_| true)
}

/// Runs one statement and returns its rows.
pub async fn rows(link: &mut Link, sql: &str) -> Result<Vec<TextRow>> {
    let mut rows = Vec::new();
    collect(link, sql, |body| {
        rows.push(text_row(body)?);
        Ok(())
    })
    .await?;
    Ok(rows)
}

/// Runs one statement and returns its rows, without the column names.
pub async fn text_rows(link: &mut Link, sql: &str) -> Result<TextRows> {
    let mut found = TextRows::default();
    let rows = &mut found.rows;
    let end = collect(link, sql, |body| {
        rows.push(text_row(body)?);
        Ok(())
    })
    .await?;
    found.changed = end.affected;
    Ok(found)
}

/// Runs statements and passes each row to `take`.
async fn collect(
    link: &mut Link,
    sql: &str,
    take: impl FnMut(&[u8]) -> Result<()> + Send,
) -> Result<End> {
    let mut answer = link.query(sql.as_bytes())?;
    finish(link, &mut answer, take).await
}

/// Reads a response to its end and passes each row to `take`. If `take` returns an error, the remaining rows are
/// discarded.
pub async fn finish(
    link: &mut Link,
    answer: &mut Answer,
    mut take: impl FnMut(&[u8]) -> Result<()> + Send,
) -> Result<End> {
    let mut outcome = Ok(());
    loop {
        let (event, message) = match link.event(answer).await {
            Ok(found) => found,
            Err(error) => {
                settle(link, &error);
                return Err(outcome.err().unwrap_or(error));
            }
        };
        match event {
            Event::Row if outcome.is_ok() => outcome = take(link.wire.body(&message)),
            // With `LOAD DATA LOCAL`, the server requests a local file. Send an empty packet, so that the server loads
            // no rows.
            Event::WantsRows => {
                let error = Error::usage("a script returns no rows");
                outcome = Err(error.hint("to load rows, use the command that prepares the data"));
                packet(message.tag.wrapping_add(1), &mut link.wire.out, |_| Ok(()))?;
            }
            Event::End(end) if end.is_last() => {
                link.wire.done();
                return outcome.map(|()| end);
            }
            _ => {}
        }
    }
}

/// Handles an error that ended a response. Closes the connection if the server is about to close it.
pub fn settle(link: &mut Link, error: &Error) {
    if is_last(error) {
        link.wire.give_up();
    } else {
        link.wire.done();
    }
}

/// Tells the server that the client is closing the connection. If this fails, the server notices the closed socket.
pub async fn quit(link: &mut Link) {
    let wire = &mut link.wire;
    if wire.is_idle() && wire.begin().is_ok() {
        let written = packet(0, &mut wire.out, |out| {
            out.push(QUIT);
            Ok(())
        });
        if written.is_ok() {
            poll_fn(|context| wire.poll_send(context)).await;
        }
        wire.give_up();
    }
}

fn text_row(body: &[u8]) -> Result<TextRow> {
    let mut bytes = Bytes(body);
    let mut row = TextRow::new();
    while !bytes.0.is_empty() {
        let text = bytes.maybe_text()?;
        row.push(text.map(|text| String::from_utf8_lossy(text).into_owned()));
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_at_the_end_are_left_out() {
        let table = [
            ("", ""),
            ("\n-- a\n", ""),
            ("-- a", ""),
            ("A;\n  -- b\n\n-- c", "A;"),
            ("A -- b", "A -- b"),
            ("A 'it\\'s;\n-- b' # c", "A 'it\\'s;\n-- b' # c"),
            ("-- a\nB;\n", "-- a\nB;"),
            ("A /*!80000 B */", "A /*!80000 B */"),
            ("A /*M!100000 B */ /*!80000 C */ ; /* D */ # E", "A /*M!100000 B */ /*!80000 C */ ;"),
            ("/*! A; */\n-- b", "/*! A; */\n-- b"),
            ("A; /*+ B; */ C /* d */", "A; /*+ B; */ C /* d */"),
        ];
        for (sql, expected) in table {
            assert_eq!(statements(sql), expected, "{sql}");
        }
    }

    #[test]
    fn rows_are_read_as_text() -> Result<()> {
        let row = text_row(b"\x02ab\xFB\0\x015")?;
        assert_eq!(row, [Some("ab".into()), None, Some(String::new()), Some("5".into())]);
        assert_eq!((number(&row, 3)?, number(&row, 1)?), (5, 0));
        assert!(number(&row, 0).is_err() && text_row(b"\x09ab").is_err());
        Ok(())
    }
}
