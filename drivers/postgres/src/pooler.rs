//! Detects a connection pooler, such as pgbouncer, between Tacho and the server.
//!
//! A pooler may pass each transaction to another process, with the prepared statements and settings of other sessions.
//!
//! Behind a pooler, `max_connections` does not limit the number of sessions.
//!
//! A pooler invents the process ID that it reports at login, so it cannot be used for cancelling.

use tacho_core::Result;
use tacho_driver::Advice;

use crate::admin::{number, rows};
use crate::cancel::Key;
use crate::wire::Wire;

const PROCESS: &str = include_str!("../sql/process.sql");

/// Returns true if the process that handles this request is not the one that was reported at login.
pub async fn is_between(wire: &mut Wire, key: Option<Key>) -> Result<bool> {
    let Some([a, b, c, d, ..]) = key else { return Ok(false) };
    let named = u64::from(u32::from_be_bytes([a, b, c, d]));
    let found = rows(wire, PROCESS).await?;
    match found.first() {
        Some(row) => Ok(number(row, 0)? != named),
        None => Ok(false),
    }
}

/// Returns advice for a user whose sessions go through a connection pooler.
pub fn advice() -> Advice {
    Advice {
        text: "sessions connect through a connection pooler, which limits how many sessions can be active at once"
            .into(),
        hint: "publish the pool mode and pool size with the result; in transaction mode, use --form simple, which sends \
               statements as text and can halve the throughput of short statements"
            .into(),
    }
}
