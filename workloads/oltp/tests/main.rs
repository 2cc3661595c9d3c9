//! Integration tests of this package that can run in the same process.

mod columns;
mod common;
mod contract;
mod extended;
mod postgres;
mod sqlite;
mod statements;
