//! All of this package's integration tests, except those that need a separate process.

mod bad_input;
mod common;
mod contract;
mod files;
mod steps;
