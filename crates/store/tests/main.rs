//! All integration tests of this package, except tests that need a separate process.

mod archives;
mod common;
mod editing;
mod pruning;
mod reading;
mod repairing;
mod standard_log;
mod writing;
