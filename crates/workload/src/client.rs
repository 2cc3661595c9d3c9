//! The client side of a workload, which is a single virtual user.

use std::future::Future;
use std::time::Duration;

use stackfuture::StackFuture;
use tacho_core::Result;
use tacho_driver::{Exchange, StatementId, Values};

use crate::Tally;

/// The next transaction, with times that determine when its user is ready for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Index of the transaction in [`crate::Instance::transactions`].
    pub transaction: usize,
    /// Time for entering the input or, in a [recorded](crate::Instance::recorded) load, the due time.
    pub keying: Duration,
    /// Time that the user spends thinking about the result.
    pub think: Duration,
}

/// Outcome of a transaction that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The transaction committed.
    Committed,
    /// The transaction was rolled back, as the workload requires.
    RolledBack,
}

/// A running transaction. It is stored without a heap allocation, so the compiler limits its state to 3 KiB.
pub type Run<'a> = StackFuture<'a, Result<Outcome>, 3072>;

/// Wraps a transaction's future.
pub fn boxed<'a>(future: impl Future<Output = Result<Outcome>> + Send + 'a) -> Run<'a> {
    StackFuture::from(future)
}

/// The state of one virtual user.
pub trait Client: Send {
    /// Returns true if the client has finished its work. This happens only if the instance
    /// [ends](crate::Instance::ends).
    fn ended(&self) -> bool {
        false
    }

    /// Returns the number of transactions left, including the one just drawn. `None` means unknown or unlimited.
    fn left(&self) -> Option<u64> {
        None
    }

    /// Draws the next transaction and its input, based only on the seed, the session and the sequence number.
    fn next(&mut self) -> Ticket;

    /// Draws a new input for the last transaction. Some retries need one.
    fn redraw(&mut self);

    /// Runs the transaction that was drawn last. After a failure, this runs it again with the same input.
    fn run<'a>(&'a mut self, exchange: &'a mut Exchange) -> Run<'a>;

    /// Returns true if the next transaction needs a new connection. Called once after each transaction.
    fn renews_connection(&mut self) -> bool {
        false
    }

    /// Checks the result of the last transaction after the time measurement. An error makes the transaction count as
    /// failed.
    fn verify(&self, _: &Exchange) -> Result<()> {
        Ok(())
    }

    /// Returns the number of rows that the last transaction returned, if the workload counts them.
    fn rows(&self) -> Option<u64> {
        None
    }

    /// Writes the amount by which the last transaction increased each [counter](crate::Instance::counters), or the
    /// maximum amount if this is unknown.
    fn growth(&self, _: &mut [i64]) {}

    /// Returns true if the last transaction consists of several database transactions, some of which may be committed
    /// despite a failure.
    fn commits_in_parts(&self) -> bool {
        false
    }

    /// Returns the last query drawn and its parameter values, if its plan is of interest.
    fn question(&self) -> Option<(StatementId, &Values)> {
        None
    }

    /// Adds the work that this user has submitted to the audit.
    fn audit(&self, tally: &mut Tally);
}
