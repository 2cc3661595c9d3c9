//! Reads the keys that earlier runs used, and all lists after the load.
//!
//! Start reading at [`final_reads`].

use std::sync::atomic::Ordering;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Exchange, Operation, Operations, Value, parse_list};

use crate::setup::Setup;
use crate::statements::Statement;

/// Number of keys that one request reads.
const REQUEST_KEYS: u64 = 1_000;
/// Number of keys in each transaction of the history. One request is recorded as several such transactions.
const TRANSACTION_KEYS: usize = 8;

/// Lets the keys of this run start after those of earlier runs.
///
/// # Errors
/// Returns [`ErrorKind::Resource`] if too few keys are left.
pub async fn start(setup: &Setup, exchange: &mut Exchange) -> Result<()> {
    exchange.execute(Statement::LastUsed);
    let used = exchange.send().await?.one(0)?.maybe_number(0)?.unwrap_or(0);
    setup.has_lists.store(true, Ordering::Relaxed);
    if setup.keys.start_after(used.max(0) as u64) {
        return Ok(());
    }
    let text = format!("{used} of {} keys have been used by earlier runs", setup.all_keys);
    Err(Error::new(ErrorKind::Resource, text).hint(
        "rebuild the data with tacho clean and tacho prepare; a larger --scale has more keys",
    ))
}

/// Reads all lists that clients may have changed.
pub async fn final_reads(setup: &Setup, exchange: &mut Exchange) -> Result<Vec<Operations>> {
    let used = setup.keys.used();
    let mut found = Vec::new();
    let mut values = Vec::new();
    for first in used.clone().step_by(REQUEST_KEYS as usize) {
        let last = (first + REQUEST_KEYS - 1).min(*used.end());
        exchange.execute(Statement::ListsBetween).int(first as i64).int(last as i64);
        let reply = exchange.send().await?;
        for row in 0..reply.rows(0) {
            if row % TRANSACTION_KEYS == 0 {
                found.push(Operations::default());
            }
            let (Some(row), Some(operations)) = (reply.get(0, row), found.last_mut()) else {
                continue;
            };
            let text = if matches!(row.get(1), Value::Null) { &[] } else { row.text(1)? };
            parse_list(text, &mut values)?;
            operations.add(Operation::Read { key: row.number(0)? as u64, list: &values });
        }
    }
    Ok(found)
}
