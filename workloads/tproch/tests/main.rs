//! All of this package's integration tests, except tests that need a separate process.

mod cloud;
mod columns;
mod common;
mod contract;
mod extended;
mod hammerdb;
mod population;
mod postgres;
mod refresh;
mod sqlite;
