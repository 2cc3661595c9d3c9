//! A log of individual transactions, which is written to a file and not kept.

use std::time::Duration;

use tacho_core::{ErrorKind, Instant};

/// A transaction in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedTransaction {
    /// Session number, starting at 0.
    pub session: u32,
    /// The transaction's number within its session, starting at 1.
    pub number: u64,
    /// Index of the transaction type.
    pub transaction: usize,
    /// Time at which the transaction ended or was skipped.
    pub at: Instant,
    /// Latency (end − due).
    pub latency: Duration,
    /// Delay of the start (sent − due).
    pub lag: Duration,
    /// Number of attempts after the first one.
    pub retries: u32,
    /// Outcome of the transaction.
    pub outcome: LoggedOutcome,
}

/// The outcome of a transaction in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoggedOutcome {
    /// It committed or was rolled back as intended.
    Good,
    /// It failed.
    Failed(ErrorKind),
    /// It was due but was not started.
    Skipped,
}

/// The transactions that a recorder has logged since the last collection.
#[derive(Clone, Debug, Default)]
pub struct TransactionLog {
    /// The transactions, in the order in which they ended.
    pub lines: Vec<LoggedTransaction>,
    /// Number of further transactions for which there was no space.
    pub dropped: u64,
}

impl TransactionLog {
    /// Maximum number of transactions between two collections. They take 75 MiB.
    pub const LINES_MAX: usize = 1 << 20;

    /// Adds a transaction, or counts it as dropped.
    pub fn push(&mut self, line: LoggedTransaction) {
        if self.lines.len() < Self::LINES_MAX {
            self.lines.push(line);
        } else {
            self.dropped += 1;
        }
    }

    /// Moves all transactions from another log to this one.
    pub fn take(&mut self, other: &mut Self) {
        self.lines.append(&mut other.lines);
        self.dropped += std::mem::take(&mut other.dropped);
    }

    /// Removes all transactions without freeing memory.
    pub(crate) fn clear(&mut self) {
        self.lines.clear();
        self.dropped = 0;
    }
}
