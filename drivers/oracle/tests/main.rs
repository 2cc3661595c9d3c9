//! What can be tested of the driver where there is no server, and the suite where there is one.

mod conformance;
mod faults;
