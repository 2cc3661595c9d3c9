//! Integration tests of this package that can run in the same process.

mod bad_input;
mod common;
mod contract;
mod files;
mod steps;
