//! Integration tests that can run in the same process.

mod conformance;
mod text;
