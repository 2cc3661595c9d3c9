//! All of this package's integration tests, except tests that need a separate process.

mod common;
mod contract;
mod extended;
