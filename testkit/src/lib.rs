//! What tests of several crates share: the conformance suite of the drivers, clocks and an
//! allocator for tests.
//!
//! It is only ever a dev-dependency. Start reading at [`conformance::run`].

pub mod allocation;
pub mod clock;
pub mod conformance;
pub mod contract;
pub mod data_source;
pub mod derby;
pub mod early_commits;
pub mod library;
pub mod live;
pub mod permits;
pub mod point_query;
pub mod postgres_stub;
pub mod servers;
pub mod tds;
pub mod tns;
pub mod virtuoso;
#[cfg(target_os = "linux")]
pub mod volatile_disk;
