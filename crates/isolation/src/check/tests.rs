//! Planted anomalies, and random histories that a second implementation checks as well.

mod brute_force;
mod planted;
mod random;

use tacho_core::{AttemptOutcome as Outcome, Result};

use crate::history::History;

/// An operation of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Op {
    Append(u64, u64),
    Replace(u64, u64),
    Read(u64, Vec<u64>),
}

/// A transaction of a test.
#[derive(Clone, Debug)]
struct Txn {
    session: u32,
    outcome: Outcome,
    times: (u64, u64),
    ops: Vec<Op>,
}

/// Returns a transaction that committed.
fn txn(session: u32, times: (u64, u64), ops: &[Op]) -> Txn {
    Txn { session, outcome: Outcome::Committed, times, ops: ops.to_vec() }
}

fn append(key: u64, value: u64) -> Op {
    Op::Append(key, value)
}

fn replace(key: u64, value: u64) -> Op {
    Op::Replace(key, value)
}

fn read(key: u64, list: &[u64]) -> Op {
    Op::Read(key, list.to_vec())
}

fn history(txns: &[Txn]) -> Result<History> {
    let mut history = History::default();
    for Txn { session, outcome, times, ops } in txns {
        history.begin(*session, *outcome, times.0, times.1)?;
        for op in ops {
            match op {
                Op::Append(key, value) => history.append(*key, *value)?,
                Op::Replace(key, value) => history.replace(*key, *value)?,
                Op::Read(key, list) => history.read(*key, list.iter().copied())?,
            }
        }
    }
    Ok(history)
}
