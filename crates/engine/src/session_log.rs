//! Logs the transactions of a session for [`crate::Observer::logged_share`].

use std::time::Duration;

use tacho_core::{Instant, Seed};
use tacho_metrics::{Ending, LoggedOutcome, LoggedTransaction};

/// Selects the transactions that are logged. The selection depends only on the seed, the session and the number.
#[derive(Clone, Copy)]
pub(crate) struct Sample {
    seed: Seed,
    /// A transaction is logged if its random number is at most this large.
    most: u64,
}

impl Sample {
    /// Selects this share of the transactions, from 0 to 1.
    pub(crate) fn new(seed: Seed, share: f64) -> Self {
        Self { seed: seed.child("log"), most: (share * u64::MAX as f64) as u64 }
    }
}

/// A session's position in the log.
pub(crate) struct SessionLog {
    seed: Seed,
    most: u64,
    session: u32,
    /// Number of transactions so far.
    number: u64,
    /// Number of attempts after the first one of the current transaction.
    pub(crate) retries: u32,
}

impl SessionLog {
    /// Starts the log of a session.
    pub(crate) fn new(sample: Sample, session: u32) -> Self {
        let Sample { seed, most } = sample;
        Self { seed: seed.nth(session.into()), most, session, number: 0, retries: 0 }
    }

    /// Counts a transaction. Returns its line if it is selected.
    pub(crate) fn line(
        &mut self,
        transaction: usize,
        at: Instant,
        [latency, lag]: [Duration; 2],
        outcome: LoggedOutcome,
    ) -> Option<LoggedTransaction> {
        self.number += 1;
        let (session, number) = (self.session, self.number);
        let retries = std::mem::take(&mut self.retries);
        let line =
            LoggedTransaction { session, number, transaction, at, latency, lag, retries, outcome };
        (self.seed.nth(number).0 <= self.most).then_some(line)
    }
}

/// Returns the outcome of a transaction that was started.
pub(crate) fn outcome(ending: Ending) -> LoggedOutcome {
    match ending {
        Ending::Committed | Ending::RolledBack => LoggedOutcome::Good,
        Ending::Failed(kind) => LoggedOutcome::Failed(kind),
    }
}
