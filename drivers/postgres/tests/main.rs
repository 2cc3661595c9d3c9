//! All integration tests of this package, except tests that need a separate process.

mod collect;
mod common;
mod conformance;
mod data;
mod deferred;
mod errors;
mod faults;
mod login;
mod messages;
mod simple;
mod tls;
