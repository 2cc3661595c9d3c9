//! Counters that prove commits: sums in the database that grow with the commits of one transaction type, and that the
//! client can also compute itself.
//!
//! The counters reveal commits that were confirmed to a client but are missing from the database, even if other clients
//! work at the same time, as long as the summed values differ between transactions.

use tacho_driver::StatementId;

/// A sum in the database that transactions of one type change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Transaction whose commits change the sum, as an index into [`crate::Instance::transactions`].
    pub transaction: usize,
    /// Name of the summed column, such as `w_ytd`.
    pub name: &'static str,
    /// Statement that reads the sum; it returns one row. Several counters may share a statement.
    pub statement: StatementId,
    /// Column of the sum in that row; an integer or a decimal.
    pub column: usize,
    /// Digits after the decimal point.
    pub digits: u8,
    /// Smallest and largest change by one transaction.
    pub step: (i64, i64),
}
