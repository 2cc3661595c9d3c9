//! This package's integration tests that can share a process.

mod common;
mod contract;
mod extended;
