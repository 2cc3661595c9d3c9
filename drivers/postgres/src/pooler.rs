//! Detects whether Tacho is connected to the server through a connection pooler, such as pgbouncer.
//!
//! A pooler may send each transaction to a different server process, which may lack the session's prepared statements
//! and settings.
//!
//! Behind a pooler, the number of sessions is not limited by `max_connections`.
//!
//! The process ID that a pooler reports at login is made up. It therefore cannot be used to cancel a session's work.

use tacho_core::Result;
use tacho_driver::Advice;

use crate::admin::{number, rows};
use crate::cancel::Key;
use crate::wire::Wire;

const PROCESS: &str = include_str!("../sql/process.sql");

/// Returns true if the server process that handles this request has a different ID from the one that was reported at
/// login.
pub async fn is_between(wire: &mut Wire, key: Option<Key>) -> Result<bool> {
    let Some([a, b, c, d, ..]) = key else { return Ok(false) };
    let named = u64::from(u32::from_be_bytes([a, b, c, d]));
    let found = rows(wire, PROCESS).await?;
    match found.first() {
        Some(row) => Ok(number(row, 0)? != named),
        None => Ok(false),
    }
}

/// Returns the advice for users whose sessions go through a connection pooler.
pub fn advice() -> Advice {
    Advice {
        text: "sessions connect through a connection pooler, which limits how many sessions can be active at once"
            .into(),
        hint: "publish the pool mode and pool size with the result; in transaction mode, use --form simple, which sends \
               statements as text and can halve the throughput of short statements"
            .into(),
    }
}
