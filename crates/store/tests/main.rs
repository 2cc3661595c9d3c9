//! All integration tests of this package but those that need a process of their own.

mod common;
mod pruning;
mod reading;
mod standard_log;
mod writing;
