//! All integration tests of this package that can run in the same process.

mod common;
mod lists;
mod palette;
mod queries;
mod report;
mod run_answers;
mod streams;
mod summary;
mod timing;
mod trend;
mod verdicts;
