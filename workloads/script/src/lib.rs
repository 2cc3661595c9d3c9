#![doc = include_str!("../docs.md")]
//!
//! ## The code
//!
//! Three languages are compiled to programs for a single virtual machine: `toml` reads a workload folder, `pgbench`
//! reads pgbench scripts, and `replay` reads server logs, whose statements need no program. `vm` evaluates expressions
//! and runs transactions without knowing any of these languages. The code must not name a database, read the time, or
//! print. Start reading at [`read`]; then see `toml/compile/` for how names are resolved, and `vm/execute.rs` for how
//! transactions are executed.

mod pgbench;
mod replay;
mod toml;
mod vm;

pub use self::toml::{FILE, SCHEMA, Template, functions, read, template};
pub use pgbench::{PREFIX as PGBENCH, family as pgbench_family, read as pgbench};
pub use replay::{PREFIX as REPLAY, family as replay_family, read as replay};
