//! Compares Tacho with another client on a private PostgreSQL server. The two clients take turns (A, B, A, B).
//!
//! Both clients use one thread and the Unix socket. CPU time per transaction includes connecting.

#![expect(clippy::print_stdout, reason = "the results are the output")]

pub(crate) mod calls;
pub(crate) mod checks;
pub(crate) mod forms;
pub(crate) mod load;
mod pgbench;
pub(crate) mod tpcb;

use tacho_core::Result;
use tacho_testkit::servers::{Options, Postgres};

pub(crate) use crate::load::{Load, Took, job, ours, prepare, print_pairs, setup};

/// Settings for ten warehouses, and for 64 sessions in addition to administrative ones.
const SETTINGS: [(&str, &str); 3] =
    [("shared_buffers", "2GB"), ("max_connections", "100"), ("max_wal_size", "16GB")];

pub(crate) fn server(settings: &[(&str, &str)]) -> Result<Postgres> {
    let settings: Vec<(&str, &str)> = SETTINGS.iter().chain(settings).copied().collect();
    let shown: Vec<String> =
        settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let fsync = if settings.iter().any(|(name, _)| *name == "fsync") { "" } else { "fsync=off " };
    println!("server: {fsync}{}", shown.join(" "));
    Postgres::start_with(Options { settings: &settings, ..Options::default() })
}
