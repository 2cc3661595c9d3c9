//! All integration tests of this package but those that need a process of their own.

mod common;
mod contract;
mod extended;
