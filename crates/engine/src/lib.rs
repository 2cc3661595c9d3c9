//! Drives a workload against a database: phases, arrivals, pacing, one session loop, one controller.
//!
//! It never prints, reads no file and no environment, and takes time only through
//! [`tacho_core::Clock`]. It knows drivers and workloads by their contracts alone. Start reading at
//! [`run`], then `user.rs` (the session loop) and `controller.rs` (the timeline).

mod arrival;
mod control;
mod controller;
mod crew;
mod dismissal;
mod event_loop;
mod lane;
mod link;
mod measurement;
mod plan;
mod probe;
mod route;
mod seat;
mod time;
mod user;

pub use arrival::Schedule;
pub use control::Interrupt;
pub use crew::{Setup, run};
pub use event_loop::EventLoop;
pub use measurement::{Backlog, EndedBy, Interval, Measurement, Observer, Readings, SessionTimes};
pub use plan::{Arrival, LoadPlan, OnDisconnect, RetryInput, RetryPolicy, Spacing, Stop};
pub use route::{Policy, Route, Routes};
pub use time::{BlockingClock, Signal, TaskClock, VirtualClock, block_on_virtual};
