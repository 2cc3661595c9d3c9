//! Integration tests of this package that can run in the same process.

mod common;
mod contract;
mod extended;
