//! The client side of a workload. Each client is one virtual user.

use std::future::Future;
use std::time::Duration;

use stackfuture::StackFuture;
use tacho_core::Result;
use tacho_driver::{Exchange, Operations, StatementId, Values};

use crate::Tally;

/// The next transaction of a virtual user, with the times for which the user waits before and after
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Index of the transaction in [`crate::Instance::transactions`].
    pub transaction: usize,
    /// Keying time: how long the user takes to enter the input. In a
    /// [recorded](crate::Instance::recorded) load, the time at which the transaction is due.
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

/// A transaction in progress. It is stored inline to avoid heap allocations, and the compiler
/// rejects a transaction whose state exceeds 3 KiB.
pub type Run<'a> = StackFuture<'a, Result<Outcome>, 3072>;

/// Wraps a transaction's future.
pub fn boxed<'a>(future: impl Future<Output = Result<Outcome>> + Send + 'a) -> Run<'a> {
    StackFuture::from(future)
}

/// The state of one virtual user.
pub trait Client: Send {
    /// Returns true if the client has finished its work. Most clients never finish; they only do so
    /// if their instance [ends](crate::Instance::ends).
    fn ended(&self) -> bool {
        false
    }

    /// Returns the number of transactions left, including the current one. `None` means that it is
    /// unknown or unlimited.
    fn left(&self) -> Option<u64> {
        None
    }

    /// Makes the client act as terminal `terminal`, whose next transaction is number `sequence`. Called only if the
    /// instance has [terminals](crate::Instance::terminals).
    ///
    /// The result of the following [`Client::next`] must not depend on the terminals for which the client acted before.
    fn seat(&mut self, _terminal: u32, _sequence: u64) {}

    /// Draws the next transaction and its input, based only on the seed, the session and the sequence number.
    fn next(&mut self) -> Ticket;

    /// Replaces the input of the last transaction with a new one. Some transactions need a new
    /// input when they are retried.
    fn redraw(&mut self);

    /// Runs the transaction that was drawn last. When called again after a failure, uses the same
    /// input.
    fn run<'a>(&'a mut self, exchange: &'a mut Exchange) -> Run<'a>;

    /// Returns true if the client must reconnect before its next transaction. Called once after
    /// each transaction.
    fn renews_connection(&mut self) -> bool {
        false
    }

    /// Checks the result of the last transaction. The time for this check is not measured. If the
    /// check returns an error, the transaction counts as failed.
    fn verify(&self, _: &Exchange) -> Result<()> {
        Ok(())
    }

    /// Returns the number of rows that the last transaction returned, if the workload counts them.
    fn rows(&self) -> Option<u64> {
        None
    }

    /// For each [counter](crate::Instance::counters), writes the amount that the last transaction
    /// added to it. If the amount is unknown, writes the largest possible one.
    fn growth(&self, _: &mut [i64]) {}

    /// Returns true if the last transaction consisted of several database transactions. Even if it
    /// failed, some of them may have been committed.
    fn commits_in_parts(&self) -> bool {
        false
    }

    /// Returns the operations of the last attempt if the instance [has a history](crate::Instance::has_history).
    ///
    /// For an attempt that did not commit, the operations include every write that may have been sent.
    fn operations(&self) -> Option<&Operations> {
        None
    }

    /// Returns the last query and its parameter values, so that its execution plan can be recorded. Returns `None` if
    /// the plan is of no interest.
    fn question(&self) -> Option<(StatementId, &Values)> {
        None
    }

    /// Adds the inputs that this user has sent to the totals of the generator audit.
    fn audit(&self, tally: &mut Tally);
}
