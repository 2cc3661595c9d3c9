//! File, environment and flags to one set of values, each with its origin.
//!
//! Precedence, and only this: defaults < `tacho.toml` < `TACHO_*` < flags. The crate reads the one
//! file it is told; it never reads the environment itself. Start reading at [`SETTINGS`].

mod file;
mod resolve;
mod settings;

pub use file::{ConfigFile, find_file};
pub use resolve::{Given, Origin, Resolved, Source, resolve};
pub use settings::{SETTINGS, Scope, Setting, setting};
