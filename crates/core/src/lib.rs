//! Types that all other crates use: seeds, clocks, units, errors and schemas.
//!
//! This crate must not know about databases, workloads or terminals. The only I/O that it does is to open and replace
//! files.
//!
//! Start reading at [`Error`] and [`Seed`].

// `choice!` generates code that refers to this crate as `tacho_core`, even within the crate itself.
extern crate self as tacho_core;

mod choice;
mod clock;
mod error;
pub mod file;
mod form;
mod isolation_level;
mod parameter;
mod query_stats;
mod replace;
mod schema;
mod seed;
mod shell;
mod system;
pub mod units;
mod visible;
mod wait_kind;

pub use clock::{Clock, Instant, Timer};
pub use error::{Error, ErrorKind, Result, Retry};
pub use form::Form;
pub use isolation_level::{AttemptOutcome, IsolationLevel};
pub use parameter::{Parameter, ParameterKind, nearest, similar, suggestion};
pub use query_stats::QueryStats;
pub use replace::replace_file;
pub use schema::{
    Column, Distribution, HashPartitions, Index, Reference, Schema, Storage, StorageOption, Table,
    Type,
};
pub use seed::{Rng, Seed};
pub use shell::shell_word;
pub use system::{c_library, loads_libraries};
pub use visible::{MASK, is_secret, is_unsafe, masked, masked_target, visible};
pub use wait_kind::WaitKind;

// Needed by the code that `choice!` generates in other crates.
#[doc(hidden)]
pub use serde;
