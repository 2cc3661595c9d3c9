//! Loads rows with `INSERT BULK`, or with multi-row `INSERT` if the server does not support it.
//!
//! Rows are encoded directly in the send buffer, and are sent in chunks of 64 KiB.
//!
//! The first batch of each table is a separate message. If the server rejects it, its rows are still available and are
//! sent with `INSERT`.
//!
//! Start reading at [`Loader::load`].

use std::future::poll_fn;
use std::task::{Context, Poll};

use tacho_core::{Error, ErrorKind, Result, Retry, Table};
use tacho_driver::RowSource;

use crate::admin::run;
use crate::batch::Rows;
use crate::bulk::{self, Shape};
use crate::bytes::Bytes;
use crate::insert::Inserter;
use crate::link::Link;
use crate::request;
use crate::tokens::{Event, read_columns};
use crate::wire::{BULK_LOAD, begin, seal};

/// Number of bytes per chunk. Larger chunks would gain nothing, because system calls already cost only 0.1 µs per row.
const PIECE_BYTES: usize = 64 * 1024;
const REFUSED: &str = "rows were loaded by INSERT, which takes longer: the server refused INSERT BULK; to find out why, see the server's log, or try a bulk load with another client";
const BROKEN: &str = "if the server does not support bulk loading, add load=insert to the target";
const ASKED: &str = "rows were loaded by INSERT, which takes longer: the target says load=insert";

/// A loader for tables. It first tries the method that worked last time.
pub struct Loader {
    /// The reason why rows are loaded with `INSERT`, or `None` if they are loaded in bulk.
    inserts: Option<&'static str>,
}

impl Loader {
    pub fn new(inserts: bool) -> Self {
        Self { inserts: inserts.then_some(ASKED) }
    }

    /// Returns a notice if rows are loaded with `INSERT`.
    pub fn slow(&self) -> Option<&'static str> {
        self.inserts
    }

    /// Loads all rows or none. If a transaction is open, uses this transaction.
    pub async fn load(
        &mut self,
        link: &mut Link,
        table: &Table,
        source: &mut dyn RowSource,
    ) -> Result<u64> {
        let is_ours = !link.in_transaction();
        if is_ours {
            transaction(link, request::begin_transaction).await?;
        }
        let mut rows = Rows::of(table, source);
        let loaded = self.load_within(link, table, &mut rows, is_ours).await;
        if !is_ours {
            return loaded;
        }
        match loaded {
            Ok(loaded) => transaction(link, request::commit).await.map(|()| loaded),
            Err(error) => {
                if link.in_transaction() && link.wire.is_idle() {
                    // Report the load error, because it says more than an error of the rollback.
                    let _ = transaction(link, request::rollback).await;
                }
                Err(error)
            }
        }
    }

    async fn load_within(
        &mut self,
        link: &mut Link,
        table: &Table,
        rows: &mut Rows<'_>,
        is_ours: bool,
    ) -> Result<u64> {
        if !rows.next()? {
            return Ok(0);
        }
        if self.inserts.is_none() {
            match first_batch(link, table, rows).await {
                Ok((shape, loaded)) => return Ok(loaded + rest(link, &shape, rows).await?),
                Err(error) if error.retry_class() == Retry::NewConnection => {
                    return Err(error.hint(BROKEN));
                }
                Err(error) if !is_refusal(&error) => return Err(error),
                Err(error) => {
                    if !link.in_transaction() {
                        if !is_ours {
                            return Err(error.hint("connect with load=insert"));
                        }
                        transaction(link, request::begin_transaction).await?;
                    }
                    self.inserts = Some(REFUSED);
                }
            }
        }
        let mut inserter = Inserter::new(table);
        let mut loaded = 0;
        loop {
            loaded += inserter.push(link, &rows.batch).await?;
            if !rows.next()? {
                return Ok(loaded + inserter.send(link).await?);
            }
        }
    }
}

/// Returns true if the error was caused by the loading method. Errors caused by the rows, by locks or by the connection
/// do not count.
fn is_refusal(error: &Error) -> bool {
    let of_the_rows = matches!(
        error.kind(),
        ErrorKind::UniqueViolation | ErrorKind::Missing | ErrorKind::Resource | ErrorKind::Usage
    );
    !of_the_rows && error.retry_class() == Retry::Never
}

/// Queries the columns of the table and sends the first batch.
async fn first_batch(link: &mut Link, table: &Table, rows: &mut Rows<'_>) -> Result<(Shape, u64)> {
    link.batch(&format!("SELECT TOP 0 {} FROM {}", table.column_names(), table.name))?;
    let mut found = Vec::new();
    link.answer(|event| {
        if let Event::Columns(_, body) = event {
            read_columns(&mut Bytes(body), |column, name| found.push((column, name.to_vec())))?;
        }
        Ok(())
    })
    .await?;
    let odd = || {
        Error::new(ErrorKind::Unsupported, "the table has a column type that cannot be bulk-loaded")
    };
    let shape = Shape::of(table, &found).ok_or_else(odd)?;
    // Encode all rows of the first batch before sending anything, so that the connection remains usable if a value does
    // not fit.
    let mut body = Vec::new();
    (0..rows.count()).try_for_each(|row| shape.row(&rows.batch, row, &mut body))?;
    run(link, &shape.sql).await?;
    let sender = Sender::begin(link, &shape)?;
    sender.link.wire.out.extend_from_slice(&body);
    let loaded = sender.end().await?;
    counted(rows.count() as u64, loaded)?;
    Ok((shape, loaded))
}

/// Loads all further batches in one message.
async fn rest(link: &mut Link, shape: &Shape, rows: &mut Rows<'_>) -> Result<u64> {
    if !rows.next()? {
        return Ok(0);
    }
    run(link, &shape.sql).await?;
    let mut sender = Sender::begin(link, shape)?;
    let sent = sender.send(shape, rows).await;
    if let Err(error) = sent {
        // Close the connection, because the server is waiting for the rest of a message that will never come.
        link.wire.give_up();
        return Err(error);
    }
    let sent = sent?;
    let loaded = sender.end().await?;
    counted(sent, loaded)
}

fn counted(sent: u64, loaded: u64) -> Result<u64> {
    if sent == loaded {
        return Ok(loaded);
    }
    let text =
        format!("the server loaded only {loaded} of {sent} rows and did not report an error");
    Err(Error::new(ErrorKind::Protocol, text))
}

/// A load in progress.
struct Sender<'a> {
    link: &'a mut Link,
    writing: crate::wire::Writing,
    /// True if the server has responded before all rows were sent, which means that it has rejected them.
    is_answered: bool,
}

impl<'a> Sender<'a> {
    fn begin(link: &'a mut Link, shape: &Shape) -> Result<Self> {
        link.wire.begin()?;
        let writing = begin(BULK_LOAD, &mut link.wire.out);
        shape.describe(&mut link.wire.out);
        Ok(Self { link, writing, is_answered: false })
    }

    /// Sends all rows and returns their number.
    async fn send(&mut self, shape: &Shape, rows: &mut Rows<'_>) -> Result<u64> {
        let mut sent = 0;
        loop {
            for row in 0..rows.count() {
                shape.row(&rows.batch, row, &mut self.link.wire.out)?;
                if self.link.wire.out.len() - self.writing.at >= PIECE_BYTES {
                    self.flush().await?;
                }
            }
            sent += rows.count() as u64;
            if self.is_answered || !rows.next()? {
                return Ok(sent);
            }
        }
    }

    /// Sends all full packets, and keeps the bytes of the incomplete one.
    async fn flush(&mut self) -> Result<()> {
        let size = self.link.tokens.environment.packet_bytes;
        seal(&mut self.writing, size, false, &mut self.link.wire.out);
        let kept = self.link.wire.out.split_off(self.writing.at);
        poll_fn(|context| self.poll_flush(context)).await?;
        self.writing.at = 0;
        self.link.wire.out = kept;
        Ok(())
    }

    /// Sends the pending bytes and reads at the same time, because a server that rejects rows may stop receiving until
    /// its message has been read.
    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        let wire = &mut self.link.wire;
        loop {
            if wire.poll_send(context).is_ready() {
                return Poll::Ready(Ok(()));
            }
            match wire.poll_fill(context)? {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(()) => self.is_answered = true,
            }
        }
    }

    /// Ends the message and reads the response. Returns the number of rows loaded.
    async fn end(mut self) -> Result<u64> {
        bulk::end(&mut self.link.wire.out);
        let size = self.link.tokens.environment.packet_bytes;
        seal(&mut self.writing, size, true, &mut self.link.wire.out);
        let mut loaded = 0;
        self.link
            .answer(|event| {
                if let Event::Done(count) = event {
                    loaded += count;
                }
                Ok(())
            })
            .await?;
        Ok(loaded)
    }
}

async fn transaction(
    link: &mut Link,
    ask: fn(&crate::tokens::Environment, &mut Vec<u8>),
) -> Result<()> {
    link.request(|environment, out| {
        ask(environment, out);
        Ok(())
    })?;
    link.answer(|_| Ok(())).await
}
