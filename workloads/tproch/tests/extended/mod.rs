//! Extended tests, which repeat other tests on more databases.
//!
//! Only `cargo xtask test --all` runs them.

mod hammerdb;
mod mysql;
