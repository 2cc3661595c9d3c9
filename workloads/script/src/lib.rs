#![doc = include_str!("../docs.md")]
//!
//! ## The code
//!
//! Three languages are compiled for one virtual machine: `toml` reads workload folders, `pgbench` reads pgbench
//! scripts, and `replay` reads server logs.
//!
//! `vm` evaluates expressions and runs transactions, and knows none of these languages.
//!
//! The code must not name a database, read the time, or print.
//!
//! Start reading at [`read`]. `toml/compile/` resolves names, and `vm/execute.rs` runs transactions.

mod pgbench;
mod replay;
mod toml;
mod vm;

pub use self::toml::{FILE, SCHEMA, Template, functions, read, template};
pub use pgbench::{PREFIX as PGBENCH, family as pgbench_family, read as pgbench};
pub use replay::{PREFIX as REPLAY, family as replay_family, read as replay};
