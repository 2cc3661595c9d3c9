//! Tests of the driver with the test kit's scripted server.

mod collect;
mod common;
mod conformance;
mod data;
mod differential;
mod faults;
mod memory;
mod settings;
mod tls;
