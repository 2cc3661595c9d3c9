//! IDs of the suite's statements, in the order of `sql/conformance.sql`.

use tacho_driver::StatementId;

/// Inserts one row.
pub const INSERT: StatementId = StatementId(0);
/// Reads one row.
pub const READ: StatementId = StatementId(1);
/// Reads all keys.
pub const IDS: StatementId = StatementId(2);
/// Updates all rows whose key is at least a given value.
pub const CHANGE: StatementId = StatementId(3);
/// Uses its parameter twice.
pub const EITHER: StatementId = StatementId(4);
/// Counts the rows and adds up their decimals.
pub const TOTALS: StatementId = StatementId(5);
/// Inserts a row into the second table. The order of the parameters in the signature differs from that in the text.
pub const PAIR: StatementId = StatementId(6);
/// Counts the rows in the second table.
pub const PAIRS: StatementId = StatementId(7);
/// Inserts a date.
pub const DAY: StatementId = StatementId(8);
/// Reads the dates in a half-open range.
pub const DAYS_BETWEEN: StatementId = StatementId(9);
