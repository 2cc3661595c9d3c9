//! Ids of the suite's statements, which are in `sql/conformance.sql` in this order.

use tacho_driver::StatementId;

/// Inserts one row.
pub const INSERT: StatementId = StatementId(0);
/// Reads one row.
pub const READ: StatementId = StatementId(1);
/// Reads all keys.
pub const IDS: StatementId = StatementId(2);
/// Writes all rows from a key on.
pub const CHANGE: StatementId = StatementId(3);
/// Uses its parameter twice.
pub const EITHER: StatementId = StatementId(4);
/// Counts rows and adds their decimals.
pub const TOTALS: StatementId = StatementId(5);
/// Inserts into the second table; its signature has another order than its text.
pub const PAIR: StatementId = StatementId(6);
/// Counts the rows of the second table.
pub const PAIRS: StatementId = StatementId(7);
/// Inserts a day.
pub const DAY: StatementId = StatementId(8);
/// Reads the days from one on and before another.
pub const DAYS_BETWEEN: StatementId = StatementId(9);
