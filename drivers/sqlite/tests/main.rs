//! This package's integration tests that can share a process.

mod conformance;
mod faults;
