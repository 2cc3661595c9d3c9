//! What tests of several crates share: the conformance suite of the drivers, clocks and an
//! allocator for tests.
//!
//! It is only ever a dev-dependency. What starts servers is for Unix; the rest also tests programs of Windows. Start reading at [`conformance::run`].

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
