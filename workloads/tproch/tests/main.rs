//! Integration tests of this package that can run in the same process.

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
