//! Integration tests that can run in the same process.

mod behaviour;
mod conformance;
