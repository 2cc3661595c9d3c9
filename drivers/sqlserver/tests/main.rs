//! Tests of the driver with the scripted server of the test kit.

mod collect;
mod common;
mod conformance;
mod data;
mod differential;
mod faults;
mod memory;
mod settings;
mod tls;
