//! One virtual user's side of a workload.

use std::future::Future;
use std::time::Duration;

use stackfuture::StackFuture;
use tacho_core::Result;
use tacho_driver::{Exchange, StatementId, Values};

use crate::Tally;

/// What is to be done next, and when its user is ready for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Index of the transaction in [`crate::Instance::transactions`].
    pub transaction: usize,
    /// Time the user takes to key the input in, before the transaction is due; in a load that was
    /// [recorded](crate::Instance::recorded), the time from its begin at which the transaction is due.
    pub keying: Duration,
    /// Time the user thinks after the result.
    pub think: Duration,
}

/// How a transaction ended when nothing failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It committed.
    Committed,
    /// It rolled back because the workload wants so.
    RolledBack,
}

/// A running transaction. Held in place, without a heap allocation: transactions are at most 3 KiB
/// of state, which the compiler checks.
pub type Run<'a> = StackFuture<'a, Result<Outcome>, 3072>;

/// Wraps the future of a transaction.
pub fn boxed<'a>(future: impl Future<Output = Result<Outcome>> + Send + 'a) -> Run<'a> {
    StackFuture::from(future)
}

/// The state of one virtual user.
pub trait Client: Send {
    /// Whether it has done all its work: nothing more is drawn then. Only clients of an instance
    /// that [ends](crate::Instance::ends) ever do.
    fn ended(&self) -> bool {
        false
    }

    /// How many transactions it still has to do, the one drawn last included; `None` if it does not end
    /// or does not know.
    fn left(&self) -> Option<u64> {
        None
    }

    /// Draws the next transaction and its input: a function of seed, session and sequence only.
    fn next(&mut self) -> Ticket;

    /// Draws a new input for the transaction drawn last, for a retry that wants one.
    fn redraw(&mut self);

    /// Runs the transaction drawn last. Called again after a failure, it runs with the same input.
    fn run<'a>(&'a mut self, exchange: &'a mut Exchange) -> Run<'a>;

    /// Whether the connection is closed and another one opened before the next transaction, as if by another program.
    /// Asked once after each transaction.
    fn renews_connection(&mut self) -> bool {
        false
    }

    /// Judges the answer of the transaction that ran last, which is still in the exchange, after its
    /// time is taken: an error makes it a failed one.
    fn verify(&self, _: &Exchange) -> Result<()> {
        Ok(())
    }

    /// How many rows the transaction that ran last has brought back, if it is known for that.
    fn rows(&self) -> Option<u64> {
        None
    }

    /// Writes by how much the transaction that ran last moves each of [`crate::Instance::counters`] if it
    /// commits. What it cannot know, because the answer did not come, is the most that it may be.
    fn growth(&self, _: &mut [i64]) {}

    /// Whether the transaction that ran last consists of several of the database: one that failed may
    /// have committed a part of its work.
    fn commits_in_parts(&self) -> bool {
        false
    }

    /// The query drawn last and what it is asked with, where the transaction is one query whose plan may
    /// be of interest.
    fn question(&self) -> Option<(StatementId, &Values)> {
        None
    }

    /// Adds what this user has submitted to the audit.
    fn audit(&self, tally: &mut Tally);
}
