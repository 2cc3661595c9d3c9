//! All integration tests of this package but those that need a process of their own.

mod common;
mod contract;
mod inputs;
mod mysql;
mod population;
mod postgres;
mod sqlite;
mod transactions;
