#![doc = include_str!("../docs.md")]
//!
//! ## The code
//!
//! There are three kinds of input, which are all compiled for one virtual machine: workload folders
//! (`toml`), pgbench scripts (`pgbench`) and server logs (`replay`).
//!
//! `vm` evaluates expressions and runs transactions. It must not depend on the languages of the inputs.
//!
//! The code must not mention any database by name, read the clock, or print.
//!
//! Start reading at [`read`]. `toml/compile/` resolves names, and `vm/execute.rs` runs transactions.

mod pgbench;
mod replay;
mod toml;
mod vm;

pub use self::toml::{FILE, SCHEMA, Template, functions, read, template};
pub use pgbench::{PREFIX as PGBENCH, family as pgbench_family, read as pgbench};
pub use replay::{PREFIX as REPLAY, family as replay_family, read as replay};
