//! All of this package's integration tests, except those that need a separate process.

mod columns;
mod common;
mod contract;
mod extended;
mod inputs;
mod population;
mod servers;
mod sqlite;
mod transactions;
