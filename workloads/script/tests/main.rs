//! All integration tests of this package but those that need a process of their own.

mod bad_input;
mod common;
mod contract;
mod files;
mod steps;
