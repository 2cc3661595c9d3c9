//! The tests that do not need a server, and the shared test suite for a server that the user specifies.

mod conformance;
mod faults;
