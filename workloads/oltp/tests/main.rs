//! This package's integration tests that can share a process.

mod columns;
mod common;
mod contract;
mod extended;
mod postgres;
mod sqlite;
mod statements;
