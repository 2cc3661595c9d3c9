//! Extended tests, which repeat other tests on more databases.
//!
//! Only `cargo xtask test --all` runs them.

mod columns;
mod deliveries;
mod inputs;
mod mysql;
mod postgres;
mod profiles;
mod sqlserver;
