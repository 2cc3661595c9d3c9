//! Tests of the extended tier: what the other tests cover, on one more database.
//!
//! Only `cargo xtask test --all` runs them.

mod columns;
mod engines;
mod sqlite;
