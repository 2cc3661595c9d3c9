//! The bulk path: COPY in binary, with the columns named.
//!
//! Rows are encoded straight into the send buffer, which leaves in pieces of 64 KiB. The server is
//! heard while we send: its first error ends the load.

use std::future::poll_fn;
use std::task::Poll;

use tacho_core::{Column, Error, ErrorKind, Result, Table, Type};
use tacho_driver::{RowSource, Values};

use crate::admin::{answers, rows_written};
use crate::errors::{is_last, server, unexpected};
use crate::request::{self, COPY_DONE};
use crate::types::WireType;
use crate::values;
use crate::wire::Wire;

/// Bytes of one `CopyData`. Measured: from 64 KiB on, larger pieces load no faster.
const PIECE_BYTES: usize = 64 * 1024;
/// The signature, no flags, no extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
const END: [u8; 2] = (-1_i16).to_be_bytes();

/// Loads all rows, in the open transaction if there is one; all or nothing in any case.
pub async fn load(wire: &mut Wire, table: &Table, source: &mut dyn RowSource) -> Result<u64> {
    wire.begin()?;
    request::query(&copy_sql(table), &mut wire.out);
    if !begun(wire).await? {
        return Err(unexpected("no readiness for rows"));
    }
    let sent = send_all(wire, table, source).await;
    match &sent {
        Ok(()) => wire.out.extend_from_slice(&COPY_DONE),
        // Its last words: there is nobody to hear more.
        Err(error) if is_last(error) => {
            wire.give_up();
            return Err(sent.err().unwrap_or_else(|| unexpected("")));
        }
        Err(_) => request::copy_fail("the rows could not be made", &mut wire.out),
    }
    let mut loaded = 0;
    let ended = answers(wire, |tag, body| {
        if tag == b'C' {
            loaded = rows_written(body);
        }
        Ok(())
    })
    .await;
    sent.and(ended).map(|()| loaded)
}
