//! Detects a connection pooler, such as pgbouncer, between Tacho and the server.
//!
//! At login, a server reports its process ID, which is needed to cancel the session's work. A pooler invents this ID,
//! and later requests may be handled by any of the server's processes. The properties of a server process then apply
//! only to a single transaction: prepared statements and settings may belong to another session, and the number of
//! sessions is not limited by `max_connections`.

use tacho_core::Result;
use tacho_driver::Advice;

use crate::admin::{number, rows};
use crate::cancel::Key;
use crate::wire::Wire;

const PROCESS: &str = include_str!("../sql/process.sql");

/// Returns true if the process that handles this request is not the one reported at login.
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
