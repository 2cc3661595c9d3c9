//! The tests that need no server, and the shared suite for a server that the user names.

mod conformance;
mod faults;
