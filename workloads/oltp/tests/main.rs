//! All integration tests of this package but those that need a process of their own.

mod columns;
mod common;
mod contract;
mod extended;
mod postgres;
mod sqlite;
mod statements;
