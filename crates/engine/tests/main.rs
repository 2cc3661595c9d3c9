//! All integration tests of this package that can run in the same process.

mod common;
mod hosts;
mod marks;
mod outage;
mod steps;
mod streams;
mod terminals;
mod virtual_time;
