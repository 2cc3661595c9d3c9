//! All of this package's integration tests, except those that need a separate process.

mod common;
mod hosts;
mod marks;
mod outage;
mod steps;
mod streams;
mod virtual_time;
