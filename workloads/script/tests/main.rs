//! All of this package's integration tests, except tests that need a separate process.

mod bad_input;
mod common;
mod contract;
mod files;
mod steps;
