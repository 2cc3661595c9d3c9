//! Whether a connection pooler, such as pgbouncer, stands between us and the server.
//!
//! At the login a server names its process, with which the session's work can be cancelled. A pooler names one of
//! its own making, and any process of the server may answer. What is true of a server's process then holds for
//! one transaction: prepared statements and settings may be another session's, and the number of sessions is not
//! limited by `max_connections`.

use tacho_core::Result;
use tacho_driver::Advice;

use crate::admin::{number, rows};
use crate::cancel::Key;
use crate::wire::Wire;

const PROCESS: &str = include_str!("../sql/process.sql");

/// Whether another process answers than the one that the login named.
pub async fn is_between(wire: &mut Wire, key: Option<Key>) -> Result<bool> {
    let Some([a, b, c, d, ..]) = key else { return Ok(false) };
    let named = u64::from(u32::from_be_bytes([a, b, c, d]));
    let found = rows(wire, PROCESS).await?;
    match found.first() {
        Some(row) => Ok(number(row, 0)? != named),
        None => Ok(false),
    }
}

/// What a user should know of it.
pub fn advice() -> Advice {
    Advice {
        text: "the sessions go through a connection pooler, which limits how many work at once"
            .into(),
        hint: "state its pool mode and size with the result; in transaction mode use --form simple"
            .into(),
    }
}
