//! The transactions of both mixes, and the buffers that they share.
//!
//! Start reading at [`append::run`].

pub mod append;
pub mod read_write;

use std::sync::atomic::Ordering;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Operation, Operations, Reply, Value, parse_list};

use crate::setup::Setup;
use crate::statements::Statement;

/// Number of bits for the session number in a value.
const SESSION_BITS: u32 = 17;

/// The buffers for an attempt to run a transaction. All attempts of a session reuse their memory.
#[derive(Debug)]
pub struct Attempt {
    /// The operations of the attempt. Until the results arrive, these are only the writes.
    pub operations: Operations,
    /// The operations with their results, while they are being processed.
    complete: Operations,
    /// Session number. It is part of each value, so that no two sessions write the same value.
    session: u64,
    /// Number of values that the session has appended in all attempts.
    appended: u64,
    /// Keys of the operations, and the values of those that append.
    steps: Vec<(u64, Option<u64>)>,
    text: Vec<u8>,
    list: Vec<u64>,
}

impl Attempt {
    /// Returns the buffers of a session.
    pub fn of(session: u32) -> Self {
        Self {
            operations: Operations::default(),
            complete: Operations::default(),
            session: u64::from(session),
            appended: 0,
            steps: Vec::new(),
            text: Vec::new(),
            list: Vec::new(),
        }
    }

    /// Starts an attempt.
    pub fn start(&mut self) {
        self.operations.clear();
        self.complete.clear();
        self.steps.clear();
    }

    /// Returns a value that nobody has appended before.
    #[inline]
    fn new_value(&mut self) -> u64 {
        self.appended += 1;
        self.appended << SESSION_BITS | self.session
    }

    /// Appends a value in decimal digits and a comma to the text buffer.
    #[inline]
    fn write_value(&mut self, value: u64) {
        use std::io::Write;
        // Writing to a vector cannot fail.
        let _ = write!(self.text, "{value},");
    }

    /// Adds a read to the complete operations.
    fn read(&mut self, setup: &Setup, key: u64, reply: &Reply, set: usize) -> Result<()> {
        let text = list_text(reply, set, key)?;
        if setup.has_lists.load(Ordering::Relaxed) {
            parse_list(text, &mut self.list)?;
        }
        self.complete.add(Operation::Read { key, list: &self.list });
        Ok(())
    }
}

/// Returns the text of a list that was read.
#[inline]
fn list_text(reply: &Reply, set: usize, key: u64) -> Result<&[u8]> {
    let row = reply.get(set, 0).ok_or_else(|| missing(key))?;
    match row.get(0) {
        Value::Null => Ok(b""),
        _ => row.text(0),
    }
}

/// Fails unless statement `set` wrote exactly one row.
#[inline]
fn wrote_one(reply: &Reply, set: usize, statement: Statement) -> Result<()> {
    match reply.affected(set) {
        1 => Ok(()),
        rows => Err(wrote(rows, statement)),
    }
}

#[cold]
fn wrote(rows: u64, statement: Statement) -> Error {
    let text = format!("statement {} wrote {rows} rows instead of one", statement.name());
    Error::new(ErrorKind::Missing, text).hint("to rebuild the data, use tacho prepare")
}

#[cold]
fn missing(key: u64) -> Error {
    Error::new(ErrorKind::Missing, format!("key {key} does not exist"))
        .hint("to rebuild the data, use tacho prepare")
}

#[cold]
fn used_up() -> Error {
    Error::new(ErrorKind::Resource, "all keys of the data have been used")
        .hint("use a shorter --duration, or prepare the data with a larger --scale")
}
