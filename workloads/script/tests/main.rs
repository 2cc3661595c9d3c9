//! This package's integration tests that can share a process.

mod bad_input;
mod common;
mod contract;
mod files;
mod steps;
