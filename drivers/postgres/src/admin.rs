//! Operations outside the hot path. They use the simple query protocol, which transfers values as text.

use std::future::poll_fn;

use tacho_core::Result;
use tacho_driver::TextRows;
pub use tacho_net::{TextRow, number};
use tacho_net::{is_last, unexpected};

use crate::errors::server;
use crate::request::{self, TERMINATE};
use crate::wire::{Wire, answered};

/// Sends the request and passes each message of the response to `take`. Returns the first error.
pub async fn answers(
    wire: &mut Wire,
    mut take: impl FnMut(u8, &[u8]) -> Result<()> + Send,
) -> Result<()> {
    let mut outcome = Ok(());
    loop {
        let message = wire.message().await?;
        let taken = match message.tag {
            b'Z' => {
                answered(wire, &message);
                return outcome;
            }
            b'E' => Err(server(wire.body(&message))),
            b'G' => {
                // Tell the server that there are no rows. It is waiting for them because the script contains `COPY FROM
                // STDIN`.
                request::copy_fail("a script returns no rows", &mut wire.out);
                Ok(())
            }
            _ if outcome.is_ok() => take(message.tag, wire.body(&message)),
            _ => Ok(()),
        };
        if let Err(error) = taken {
            if is_last(&error) {
                wire.give_up();
                return Err(error);
            }
            outcome = outcome.and(Err(error));
        }
    }
}

/// Runs statements and discards their results.
pub async fn run(wire: &mut Wire, sql: &str) -> Result<()> {
    wire.begin()?;
    request::query(sql, &mut wire.out);
    answers(wire, |_, _| Ok(())).await
}

/// Runs one statement and returns its rows.
pub async fn rows(wire: &mut Wire, sql: &str) -> Result<Vec<TextRow>> {
    wire.begin()?;
    request::query(sql, &mut wire.out);
    let mut rows = Vec::new();
    answers(wire, |tag, body| {
        if tag == b'D' {
            rows.push(text_row(body).ok_or_else(|| unexpected("an invalid row"))?);
        }
        Ok(())
    })
    .await?;
    Ok(rows)
}

/// Runs one statement and returns its rows, together with the column names.
pub async fn text_rows(wire: &mut Wire, sql: &str) -> Result<TextRows> {
    wire.begin()?;
    request::query(sql, &mut wire.out);
    let mut found = TextRows::default();
    answers(wire, |tag, body| {
        match tag {
            b'T' => found.columns = columns(body),
            b'D' => found.rows.push(text_row(body).ok_or_else(|| unexpected("an invalid row"))?),
            b'C' => found.changed = rows_written(body),
            _ => {}
        }
        Ok(())
    })
    .await?;
    Ok(found)
}

/// Returns the column names. Each name ends with a zero byte and is followed by 18 bytes that describe the column.
fn columns(body: &[u8]) -> Vec<String> {
    let mut rest = body.get(2..).unwrap_or_default();
    let mut names = Vec::new();
    while let Some(end) = rest.iter().position(|byte| *byte == 0) {
        names.push(String::from_utf8_lossy(&rest[..end]).into_owned());
        rest = rest.get(end + 1 + 18..).unwrap_or_default();
    }
    names
}

/// Tells the server that the client is closing the connection. If this fails, the server notices the closed socket.
pub async fn terminate(wire: &mut Wire) {
    if wire.is_idle() && wire.begin().is_ok() {
        wire.out.extend_from_slice(&TERMINATE);
        poll_fn(|context| wire.poll_send(context)).await;
        wire.give_up();
    }
}

/// Returns the number of rows that a statement has written. The server sends it in a `CommandComplete` tag such as
/// `INSERT 0 5`.
#[inline]
pub fn rows_written(tag: &[u8]) -> u64 {
    if matches!(tag.first(), Some(b'I' | b'U' | b'D' | b'M' | b'C')) { tag_rows(tag) } else { 0 }
}

/// Returns the number at the end of a tag, such as the row count in `SELECT 5`, or 0 if there is none.
#[inline]
pub fn tag_rows(tag: &[u8]) -> u64 {
    let tag = tag.strip_suffix(b"\0").unwrap_or(tag);
    let digits = tag.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |last| last + 1);
    tag[digits..].iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))
}

fn text_row(body: &[u8]) -> Option<TextRow> {
    let (_, mut rest) = body.split_first_chunk::<2>()?;
    let mut row = TextRow::new();
    while let Some((length, after)) = rest.split_first_chunk() {
        rest = after;
        row.push(match usize::try_from(i32::from_be_bytes(*length)) {
            Err(_) => None,
            Ok(length) => {
                let (text, after) = rest.split_at_checked(length)?;
                rest = after;
                Some(String::from_utf8_lossy(text).into_owned())
            }
        });
    }
    Some(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_count_rows_written() {
        let table: [(&[u8], u64); 9] = [
            (b"INSERT 0 5\0", 5),
            (b"UPDATE 1234567\0", 1_234_567),
            (b"DELETE 0\0", 0),
            (b"MERGE 3\0", 3),
            (b"COPY 100\0", 100),
            (b"SELECT 9\0", 0),
            (b"CREATE TABLE\0", 0),
            (b"CALL\0", 0),
            (b"", 0),
        ];
        for (tag, rows) in table {
            assert_eq!(rows_written(tag), rows, "{}", String::from_utf8_lossy(tag));
        }
    }

    #[test]
    fn rows_are_read_as_text() {
        let body = b"\0\x03\0\0\0\x02ab\xff\xff\xff\xff\0\0\0\0";
        let row = text_row(body).expect("a row");
        assert_eq!(row, [Some("ab".into()), None, Some(String::new())]);
        assert_eq!(text_row(b"\0\x01\0\0\0\x09ab"), None);
    }
}
