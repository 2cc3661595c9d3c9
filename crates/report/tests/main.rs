//! All integration tests of this package but those that need a process of their own.

mod common;
mod lists;
mod palette;
mod queries;
mod report;
mod streams;
mod summary;
mod timing;
mod trend;
mod verdicts;
