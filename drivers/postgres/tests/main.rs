//! All integration tests of this package but those that need a process of their own.

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
