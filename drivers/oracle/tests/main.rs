//! Tests that need no server, and the shared test suite for the user's server.

mod conformance;
mod faults;
