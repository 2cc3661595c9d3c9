//! Counters that prove commits: sums in the database that grow with the commits of one kind of
//! transaction, and that the client can add up by itself.
//!
//! Commits that were confirmed to a client and that are not in the database show here, whatever other clients
//! do meanwhile, as long as the sums are of values that differ from transaction to transaction.

use tacho_driver::StatementId;

/// A sum in the database that transactions of one kind move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The transaction whose commits move it, as an index of [`crate::Instance::transactions`].
    pub transaction: usize,
    /// What it is a sum of, such as `w_ytd`.
    pub name: &'static str,
    /// The statement that reads it: one row. Several counters may share one.
    pub statement: StatementId,
    /// Its column in that row, a whole number or a decimal.
    pub column: usize,
    /// Digits after the decimal point.
    pub digits: u8,
    /// The least and the most by which one transaction moves it.
    pub step: (i64, i64),
}
