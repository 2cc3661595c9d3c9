//! All integration tests of this package but those that need a process of their own.

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
