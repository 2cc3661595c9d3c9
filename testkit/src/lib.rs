//! What tests of several crates share: the conformance suite of the drivers, and clocks for tests.
//!
//! It is only ever a dev-dependency. Start reading at [`conformance::run`].

pub mod clock;
pub mod conformance;
pub mod contract;
pub mod postgres_stub;
pub mod servers;
