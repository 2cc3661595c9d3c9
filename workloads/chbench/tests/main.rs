//! All of this package's integration tests, except those that need a separate process.

mod common;
mod contract;
mod extended;
