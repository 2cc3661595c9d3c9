//! The client side of a workload, which is a single virtual user.

use std::future::Future;
use std::time::Duration;

use stackfuture::StackFuture;
use tacho_core::Result;
use tacho_driver::{Exchange, StatementId, Values};

use crate::Tally;

/// The next transaction, with the times that determine when its user is ready for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Index of the transaction in [`crate::Instance::transactions`].
    pub transaction: usize,
    /// Time that the user needs for input before the transaction is due. In a [recorded](crate::Instance::recorded)
    /// load, the transaction's due time after the start of the load.
    pub keying: Duration,
    /// Time that the user spends thinking about the result.
    pub think: Duration,
}

/// Outcome of a transaction that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The transaction committed.
    Committed,
    /// The transaction rolled back because the workload requires it.
    RolledBack,
}

/// A running transaction. The future is stored without a heap allocation, and the compiler limits its state to 3 KiB.
pub type Run<'a> = StackFuture<'a, Result<Outcome>, 3072>;

/// Wraps a transaction's future.
pub fn boxed<'a>(future: impl Future<Output = Result<Outcome>> + Send + 'a) -> Run<'a> {
    StackFuture::from(future)
}

/// The state of one virtual user.
pub trait Client: Send {
    /// Returns true if the client has finished all its work. This happens only in instances that
    /// [end](crate::Instance::ends).
    fn ended(&self) -> bool {
        false
    }

    /// Returns the number of remaining transactions, including the last one drawn, or `None` if it is unknown or
    /// unlimited.
    fn left(&self) -> Option<u64> {
        None
    }

    /// Draws the next transaction and its input, which depend only on the seed, the session and the sequence number.
    fn next(&mut self) -> Ticket;

    /// Draws a new input for the last transaction drawn, as some retries need.
    fn redraw(&mut self);

    /// Runs the last transaction drawn. After a failure, runs it again with the same input.
    fn run<'a>(&'a mut self, exchange: &'a mut Exchange) -> Run<'a>;

    /// Returns true if the next transaction needs a new connection, like that of a different program. Called once after
    /// each transaction.
    fn renews_connection(&mut self) -> bool {
        false
    }

    /// Checks the last transaction's result, which is still in the exchange, after the transaction was timed. An error
    /// makes the transaction count as failed.
    fn verify(&self, _: &Exchange) -> Result<()> {
        Ok(())
    }

    /// Returns the number of rows that the last transaction returned, if the workload counts them.
    fn rows(&self) -> Option<u64> {
        None
    }

    /// Writes the amount that the last transaction adds to each of the [`crate::Instance::counters`] if it commits.
    /// Writes the maximum if the response did not arrive and the amount is unknown.
    fn growth(&self, _: &mut [i64]) {}

    /// Returns true if the last transaction consists of several database transactions, so that some of its work may be
    /// committed even if it failed.
    fn commits_in_parts(&self) -> bool {
        false
    }

    /// Returns the last query drawn and its parameter values, if the transaction is a single query whose plan may be of
    /// interest.
    fn question(&self) -> Option<(StatementId, &Values)> {
        None
    }

    /// Adds the work that this user has submitted to the audit.
    fn audit(&self, tally: &mut Tally);
}
