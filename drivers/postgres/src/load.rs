//! The bulk-load path, which uses binary COPY with named columns.
//!
//! Encodes rows in the send buffer and sends them in chunks of 64 KiB. Reads at the same time, because an error from
//! the server ends the load.

use std::future::poll_fn;
use std::task::{Context, Poll};

use tacho_core::{Column, Result, Table, Type};
use tacho_driver::{RowSource, Values, next_rows};
use tacho_net::{is_last, unexpected};

use crate::admin::{answers, rows_written};
use crate::errors::server;
use crate::request::{self, COPY_DONE};
use crate::types::WireType;
use crate::values;
use crate::wire::Wire;

/// Number of bytes per `CopyData` message. With 64 KiB, a system call already costs only 0.1 µs per row, so larger
/// messages would gain nothing.
const PIECE_BYTES: usize = 64 * 1024;
/// The signature of binary COPY, no flags, and no header extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
const END: [u8; 2] = (-1_i16).to_be_bytes();

/// Loads all rows or none. Uses the open transaction, if there is one.
pub async fn load(wire: &mut Wire, table: &Table, source: &mut dyn RowSource) -> Result<u64> {
    wire.begin()?;
    request::query(&copy_sql(table), &mut wire.out);
    begun(wire).await?;
    let failed = match send_all(wire, table, source).await {
        Ok(()) => {
            wire.out.extend_from_slice(&COPY_DONE);
            None
        }
        Err(error) if is_last(&error) => {
            wire.give_up();
            return Err(error);
        }
        Err(error) => {
            // If the server has already reported an error, it ignores `CopyFail`, so sending it here does no harm.
            request::copy_fail("the rows could not be generated", &mut wire.out);
            Some(error)
        }
    };
    let mut loaded = 0;
    let ended = answers(wire, |tag, body| {
        if tag == b'C' {
            loaded = rows_written(body);
        }
        Ok(())
    })
    .await;
    failed.map_or(ended, Err).map(|()| loaded)
}

/// Waits until the server is ready to receive rows.
async fn begun(wire: &mut Wire) -> Result<()> {
    loop {
        let message = wire.message().await?;
        let error = match message.tag {
            b'G' => return Ok(()),
            b'E' => server(wire.body(&message)),
            b'N' | b'S' | b'A' => continue,
            _ => unexpected("the server is not ready to receive rows"),
        };
        if is_last(&error) {
            wire.give_up();
            return Err(error);
        }
        answers(wire, |_, _| Ok(())).await?;
        return Err(error);
    }
}

/// Sends all rows except for the message that marks their end.
async fn send_all(wire: &mut Wire, table: &Table, source: &mut dyn RowSource) -> Result<()> {
    let columns: Vec<WireColumn> = table.columns.iter().map(wire_column).collect();
    let mut batch = Values::default();
    let mut at = begin_piece(&mut wire.out);
    wire.out.extend_from_slice(HEADER);
    loop {
        let count = next_rows(source, &mut batch, table).inspect_err(|_| wire.out.truncate(at))?;
        if count == 0 {
            break;
        }
        for row in 0..count {
            if let Err(error) = encode_row(&batch, row, &columns, &mut wire.out) {
                wire.out.truncate(at);
                return Err(error);
            }
            if wire.out.len() - at >= PIECE_BYTES {
                end_piece(at, &mut wire.out);
                poll_fn(|context| poll_flush(wire, context)).await?;
                at = begin_piece(&mut wire.out);
            }
        }
    }
    wire.out.extend_from_slice(&END);
    end_piece(at, &mut wire.out);
    Ok(())
}

#[inline]
fn encode_row(batch: &Values, row: usize, columns: &[WireColumn], out: &mut Vec<u8>) -> Result<()> {
    out.extend_from_slice(&(columns.len() as u16).to_be_bytes());
    for (at, WireColumn { ty, scale }) in columns.iter().enumerate() {
        values::encode(batch.get(row * columns.len() + at), *ty, *scale, out)?;
    }
    Ok(())
}

/// Starts a `CopyData` message and returns its position.
fn begin_piece(out: &mut Vec<u8>) -> usize {
    let at = out.len();
    out.extend_from_slice(&[b'd', 0, 0, 0, 0]);
    at
}

fn end_piece(at: usize, out: &mut [u8]) {
    let length = (out.len() - at - 1) as u32;
    out[at + 1..at + 5].copy_from_slice(&length.to_be_bytes());
}

/// Sends the pending bytes and checks for an error from the server, which ends the load.
fn poll_flush(wire: &mut Wire, context: &mut Context<'_>) -> Poll<Result<()>> {
    loop {
        let sent = wire.poll_send(context);
        let read = wire.poll_fill(context)?;
        while let Some(message) = wire.arrived()? {
            if message.tag == b'E' {
                return Poll::Ready(Err(server(wire.body(&message))));
            }
        }
        match (sent, read) {
            (Poll::Ready(()), _) => return Poll::Ready(Ok(())),
            (Poll::Pending, Poll::Pending) => return Poll::Pending,
            (Poll::Pending, Poll::Ready(())) => {}
        }
    }
}

fn copy_sql(table: &Table) -> String {
    format!("COPY {} ({}) FROM STDIN WITH (FORMAT binary)", table.name, table.column_names())
}

/// A column, as declared by the dialect.
struct WireColumn {
    ty: WireType,
    /// For a decimal column, the number of digits after the decimal point.
    scale: u8,
}

fn wire_column(column: &Column) -> WireColumn {
    let scale = if let Type::Decimal { scale, .. } = column.ty { scale } else { 0 };
    let ty = match (column.declared.and_then(|words| words.split('(').next()), column.ty) {
        (Some("BIGINT"), _) => WireType::Int8,
        (Some("DECIMAL" | "NUMERIC"), _) | (_, Type::Decimal { .. }) => WireType::Numeric,
        (_, Type::BigInt) => WireType::Int8,
        (_, Type::SmallInt) => WireType::Int2,
        (_, Type::Int) => WireType::Int4,
        (_, Type::Char(_) | Type::Varchar(_)) => WireType::Text,
        (_, Type::Timestamp) => WireType::Timestamp,
        (_, Type::Date) => WireType::Date,
    };
    WireColumn { ty, scale }
}
