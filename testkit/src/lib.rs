//! Helpers for the tests of several crates: the driver conformance suite, clocks, and an allocator that counts
//! allocations.
//!
//! Use this crate only as a dev-dependency. Only the modules that start servers require Unix.
//!
//! Start reading at [`conformance::run`].

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
