//! Tests that need no server, and the shared test suite, which runs on a server that the user specifies.

mod conformance;
mod faults;
