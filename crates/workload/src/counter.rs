//! Counters for detecting lost commits. Each counter is a sum in the database that grows with every
//! commit of a certain transaction type.
//!
//! Each transaction should add a different amount to the counter, so that lost commits are detected even while other
//! clients are active.

use tacho_driver::StatementId;

/// A sum in the database that is changed by all transactions of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Transaction whose commits change the sum, as an index into [`crate::Instance::transactions`].
    pub transaction: usize,
    /// Name of the summed column, such as `w_ytd`.
    pub name: &'static str,
    /// Statement that reads the sum and returns one row. Several counters may have the same statement.
    pub statement: StatementId,
    /// Column of the result that contains the sum, as an integer or a decimal.
    pub column: usize,
    /// Number of digits after the decimal point.
    pub digits: u8,
    /// Minimum and maximum amount by which one transaction changes the sum.
    pub step: (i64, i64),
}
