//! All of this package's integration tests, except tests that need a separate process.

mod columns;
mod common;
mod contract;
mod extended;
mod postgres;
mod sqlite;
mod statements;
