//! Integration tests of this package that can run in the same process.

mod columns;
mod common;
mod contract;
mod extended;
mod inputs;
mod population;
mod servers;
mod sqlite;
mod transactions;
