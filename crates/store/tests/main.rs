//! All integration tests of this package but those that need a process of their own.

mod archives;
mod common;
mod editing;
mod pruning;
mod reading;
mod repairing;
mod standard_log;
mod writing;
