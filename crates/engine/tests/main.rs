//! All integration tests of this package that need no separate process.

mod common;
mod hosts;
mod marks;
mod outage;
mod steps;
mod streams;
mod virtual_time;
