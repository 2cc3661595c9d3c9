//! All integration tests of this package, except tests that need a separate process.

mod collect;
mod common;
mod conformance;
mod data;
mod faults;
mod login;
mod simple;
mod tls;
