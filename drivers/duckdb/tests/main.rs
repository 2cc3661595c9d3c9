//! All integration tests of this package, except tests that need a separate process.

mod conformance;
mod faults;
