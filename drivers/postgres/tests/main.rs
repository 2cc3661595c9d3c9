//! Integration tests that can run in the same process.

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
