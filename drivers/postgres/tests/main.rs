//! This package's integration tests that can share a process.

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
