//! All of this package's integration tests, except tests that need a separate process.

mod acceptance;
mod common;
mod contract;
mod deliveries;
mod extended;
mod inputs;
mod layout;
mod mysql;
mod population;
mod postgres;
mod sqlite;
mod transactions;
