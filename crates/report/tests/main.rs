//! All integration tests of this package that need no separate process.

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
