//! All integration tests of this package but those that need a process of their own.

mod cloud;
mod columns;
mod common;
mod contract;
mod hammerdb;
mod mysql;
mod population;
mod postgres;
mod refresh;
mod sqlite;
