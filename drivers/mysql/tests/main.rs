//! This package's integration tests that can share a process.

mod collect;
mod common;
mod conformance;
mod data;
mod faults;
mod login;
mod simple;
mod tls;
