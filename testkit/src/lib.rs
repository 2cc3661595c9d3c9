//! Shared test support for several crates: the drivers' conformance suite, clocks, and a counting allocator.
//!
//! This crate may only be a dev-dependency. The parts that start servers require Unix; the rest also tests programs on
//! Windows. Start reading at [`conformance::run`].

pub mod allocation;
pub mod clock;
pub mod conformance;
pub mod contract;
#[cfg(unix)]
pub mod data_source;
#[cfg(unix)]
pub mod derby;
pub mod early_commits;
pub mod library;
pub mod live;
pub mod permits;
#[cfg(unix)]
pub mod point_query;
pub mod postgres_stub;
#[cfg(unix)]
pub mod servers;
pub mod tds;
pub mod tns;
#[cfg(unix)]
pub mod virtuoso;
#[cfg(target_os = "linux")]
pub mod volatile_disk;
