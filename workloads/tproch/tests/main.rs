//! All integration tests of this package but those that need a process of their own.

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
