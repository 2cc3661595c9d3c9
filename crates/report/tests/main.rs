//! The integration tests of this package, except for tests that need a separate process.

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
