//! All of this package's integration tests, except tests that need a separate process.

mod columns;
mod common;
mod contract;
mod extended;
mod inputs;
mod population;
mod servers;
mod sqlite;
mod transactions;
