//! All integration tests of this package but those that need a process of their own.

mod common;
mod hosts;
mod marks;
mod outage;
mod steps;
mod streams;
mod virtual_time;
