//! Loads rows with `LOAD DATA LOCAL INFILE` or, if the server does not allow this, with a multi-row `INSERT`.
//!
//! Rows are sent in chunks of 64 KiB. Warnings are treated as errors, because with `LOCAL`, the server skips invalid
//! rows and only sends a warning.
//!
//! A load outside a transaction starts its own transaction, so that a failed load can be rolled back.
//!
//! Start reading at [`Loader::load`].

use std::future::poll_fn;
use std::task::{Context, Poll};

use tacho_core::{Error, ErrorKind, Result, Table};
use tacho_driver::text::{self, Moment};
use tacho_driver::{RowSource, Value, ValueKind, Values, next_rows};
use tacho_net::{Message, is_last, unexpected};

use crate::admin::{self, rows, run, settle};
use crate::answer::{Answer, Event};
use crate::errors::{is, numbered};
use crate::insert;
use crate::link::Link;
use crate::wire::{begin, end, packet};

/// Number of bytes per packet. With 64 KiB, a system call already costs only 0.1 µs per row, so larger packets would
/// hardly be faster.
const PIECE_BYTES: usize = 64 * 1024;
/// Error numbers of MariaDB and MySQL for a server that does not accept rows from clients.
const FORBIDDEN: [&str; 3] = ["1148", "3948", "4166"];

/// Loads tables, starting with the method that worked last time.
#[derive(Debug, Default)]
pub struct Loader {
    /// True if the server does not accept rows from clients.
    forbidden: bool,
}

impl Loader {
    /// Returns a notice if rows are loaded with `INSERT`.
    pub fn slow(&self) -> Option<&'static str> {
        self.forbidden.then_some(
            "rows were loaded by INSERT, which takes longer: set local_infile=ON in the server",
        )
    }

    /// Loads all rows or none. Uses the open transaction, if there is one.
    pub async fn load(
        &mut self,
        link: &mut Link,
        table: &Table,
        source: &mut dyn RowSource,
    ) -> Result<u64> {
        if run(link, "DO 0").await?.in_transaction() {
            return self.load_within(link, table, source).await;
        }
        run(link, "BEGIN").await?;
        match self.load_within(link, table, source).await {
            Ok(loaded) => run(link, "COMMIT").await.map(|_| loaded),
            Err(error) => {
                // Report the load error, because it is more informative than an error of the rollback.
                let _ = run(link, "ROLLBACK").await;
                Err(error)
            }
        }
    }

    async fn load_within(
        &mut self,
        link: &mut Link,
        table: &Table,
        source: &mut dyn RowSource,
    ) -> Result<u64> {
        if !self.forbidden {
            match load_file(link, table, source).await {
                // The server rejects the statement before any row has been read from the source, so all rows can still
                // be inserted.
                Err(error) if is(&error, &FORBIDDEN) => self.forbidden = true,
                outcome => return outcome,
            }
        }
        insert::insert(link, table, source).await
    }
}

async fn load_file(link: &mut Link, table: &Table, source: &mut dyn RowSource) -> Result<u64> {
    let mut answer = link.query(load_sql(table).as_bytes())?;
    let message = match link.event(&mut answer).await {
        Ok((Event::WantsRows, message)) => message,
        Ok(_) => {
            link.wire.give_up();
            return Err(unexpected("no request for rows"));
        }
        Err(error) => {
            settle(link, &error);
            return Err(error);
        }
    };
    let mut sender = Sender { link, answer, number: message.tag };
    let sent = sender.send_all(table, source).await;
    if let Err(error) = &sent
        && is_last(error)
    {
        link.wire.give_up();
        return sent;
    }
    let mut answer = sender.answer;
    packet(sender.number.wrapping_add(1), &mut sender.link.wire.out, |_| Ok(()))?;
    let ended = admin::finish(link, &mut answer, |_| Ok(())).await?;
    let sent = sent?;
    if ended.warnings > 0 || ended.affected != sent {
        return Err(objection(link, sent, ended.affected).await?);
    }
    Ok(sent)
}

/// Returns the server's first warning about the rows.
async fn objection(link: &mut Link, sent: u64, taken: u64) -> Result<Error> {
    let warnings = rows(link, "SHOW WARNINGS LIMIT 1").await?;
    let Some([_, Some(code), Some(text)]) = warnings.first().map(Vec::as_slice) else {
        let text =
            format!("the server loaded only {taken} of {sent} rows and did not report an error");
        return Ok(Error::new(ErrorKind::Protocol, text));
    };
    Ok(numbered(code.parse().unwrap_or_default(), text))
}

/// Sends rows to the server and returns its final response.
struct Sender<'a> {
    link: &'a mut Link,
    answer: Answer,
    /// Sequence number of the last packet.
    number: u8,
}

impl Sender<'_> {
    /// Sends all rows, but not the packet that marks their end. Returns the number of rows.
    async fn send_all(&mut self, table: &Table, source: &mut dyn RowSource) -> Result<u64> {
        let kinds: Vec<ValueKind> =
            table.columns.iter().map(|column| ValueKind::of(column.ty)).collect();
        let mut batch = Values::default();
        let mut sent = 0;
        let mut at = self.begin_piece();
        loop {
            let count = next_rows(source, &mut batch, table)?;
            if count == 0 {
                break;
            }
            for row in 0..count {
                let written = write_row(&batch, row, &kinds, &mut self.link.wire.out);
                if let Err(error) = written {
                    self.link.wire.out.truncate(at);
                    return Err(error);
                }
                if self.link.wire.out.len() - at >= PIECE_BYTES {
                    self.end_piece(at)?;
                    poll_fn(|context| self.poll_flush(context)).await?;
                    at = self.begin_piece();
                }
            }
            sent += count as u64;
        }
        self.end_piece(at)?;
        Ok(sent)
    }

    fn begin_piece(&mut self) -> usize {
        begin(self.number.wrapping_add(1), &mut self.link.wire.out)
    }

    /// Ends a chunk. Removes an empty chunk, because an empty packet would mark the end of the rows.
    fn end_piece(&mut self, at: usize) -> Result<()> {
        let out = &mut self.link.wire.out;
        if out[at..].len() <= crate::wire::HEADER_BYTES {
            out.truncate(at);
            return Ok(());
        }
        self.number = self.number.wrapping_add(1);
        end(at, out)
    }

    /// Sends the pending bytes. Also checks for a response, because the server responds early only if the load has
    /// failed.
    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        let wire = &mut self.link.wire;
        loop {
            let sent = wire.poll_send(context);
            let read = wire.poll_fill(context)?;
            if let Some(Message { body, .. }) = wire.arrived()? {
                let said = self.answer.take(wire.body(&Message { tag: 0, body }));
                return Poll::Ready(Err(said
                    .err()
                    .unwrap_or_else(|| unexpected("the load ended early"))
                    .retry(tacho_core::Retry::NewConnection)));
            }
            match (sent, read) {
                (Poll::Ready(()), _) => return Poll::Ready(Ok(())),
                (Poll::Pending, Poll::Pending) => return Poll::Pending,
                (Poll::Pending, Poll::Ready(())) => {}
            }
        }
    }
}

/// Appends one row: its values separated by tabs, followed by a newline.
#[inline]
fn write_row(batch: &Values, row: usize, kinds: &[ValueKind], out: &mut Vec<u8>) -> Result<()> {
    for (column, kind) in kinds.iter().enumerate() {
        if column > 0 {
            out.push(b'\t');
        }
        match (batch.get(row * kinds.len() + column), kind) {
            (Value::Null, _) => out.extend_from_slice(b"\\N"),
            (Value::Int(number), _) => text::whole(number, out),
            (Value::Decimal(unscaled), ValueKind::Decimal(scale)) => {
                text::decimal(unscaled, *scale, out);
            }
            (Value::Time(micros), ValueKind::Time) => {
                Moment::of(micros)?.write(out);
            }
            (Value::Text(text), ValueKind::Text) => escape(text, out),
            (value, kind) => {
                return Err(Error::usage(format!(
                    "a row contains {value:?} in a column of type {kind:?}"
                )));
            }
        }
    }
    out.push(b'\n');
    Ok(())
}

/// Appends a string with a backslash before each special character.
#[inline]
fn escape(text: &[u8], out: &mut Vec<u8>) {
    let special = |byte: &u8| matches!(byte, b'\\' | b'\t' | b'\n' | 0);
    if !text.iter().any(special) {
        out.extend_from_slice(text);
        return;
    }
    for byte in text {
        match byte {
            b'\\' | b'\t' | b'\n' => out.extend_from_slice(&[b'\\', *byte]),
            0 => out.extend_from_slice(b"\\0"),
            other => out.push(*other),
        }
    }
}

/// Returns the load statement. Delimiters are written as numbers, because settings can change the meaning of a
/// backslash.
fn load_sql(table: &Table) -> String {
    let marks = "FIELDS TERMINATED BY 0x09 ESCAPED BY 0x5C LINES TERMINATED BY 0x0A";
    let into = format!("LOAD DATA LOCAL INFILE 'rows' INTO TABLE {}", table.name);
    format!("{into} CHARACTER SET utf8mb4 {marks} ({})", table.column_names())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_written_so_that_nothing_ends_too_early() -> Result<()> {
        let mut batch = Values::default();
        batch.int(-7);
        batch.decimal(-5);
        batch.text(b"a\tb\\N\nc\0");
        batch.time(0);
        batch.null();
        let kinds = [
            ValueKind::Int,
            ValueKind::Decimal(2),
            ValueKind::Text,
            ValueKind::Time,
            ValueKind::Text,
        ];
        let mut out = Vec::new();
        write_row(&batch, 0, &kinds, &mut out)?;
        let expected = "-7\t-0.05\ta\\\tb\\\\N\\\nc\\0\t1970-01-01\t\\N\n";
        assert_eq!(String::from_utf8_lossy(&out), expected);
        assert!(write_row(&batch, 0, &[ValueKind::Int, ValueKind::Text], &mut out).is_err());
        Ok(())
    }
}
