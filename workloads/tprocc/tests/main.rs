//! Integration tests of this package that can run in the same process.

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
