#![doc = include_str!("../docs.md")]
//!
//! ## The code
//!
//! Three languages are compiled to programs of one machine: `toml` reads the folder of a workload, `pgbench` its
//! scripts, and `replay` the logs of servers, whose statements need no program. `vm` evaluates expressions and runs
//! transactions, and knows none of them. It must never name a database, take time, or print. Start reading at
//! [`read`], then `toml/compile/` for what names mean and `vm/execute.rs` for how a transaction runs.

mod pgbench;
mod replay;
mod toml;
mod vm;

pub use self::toml::{FILE, SCHEMA, Template, functions, read, template};
pub use pgbench::{PREFIX as PGBENCH, family as pgbench_family, read as pgbench};
pub use replay::{PREFIX as REPLAY, family as replay_family, read as replay};
