//! This package's integration tests that can share a process.

mod columns;
mod common;
mod contract;
mod extended;
mod inputs;
mod population;
mod servers;
mod sqlite;
mod transactions;
