//! This package's integration tests that can share a process.

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
