//! Drives a workload against a database: phases, arrivals, pacing, one session loop, one controller.
//!
//! It never prints, reads no file and no environment, and takes time only through
//! [`tacho_core::Clock`]. It knows drivers and workloads by their contracts alone. Start reading at
//! [`run`], then `user.rs` (the session loop) and `controller.rs` (the timeline).

mod arrival;
mod attempts;
mod batch;
mod connections;
mod control;
mod controller;
mod event_loop;
mod health;
mod lane;
mod link;
mod measurement;
mod pace;
mod probe;
mod query_log;
mod route;
mod rules;
mod session_kind;
mod session_pool;
mod session_slot;
mod share;
mod shutdown;
mod steps;
mod time;
mod user;
mod worker;

pub use arrival::Schedule;
pub use control::Interrupt;
pub use event_loop::EventLoop;
pub use health::Health;
pub use measurement::{
    Backlog, Collected, EndedBy, Interval, Measurement, Observer, Readings, SessionTimes, StepSeen,
};
pub use route::{Policy, Route, Routes};
pub use session_pool::{Setup, conduct, run};
pub use share::{Border, Closing, Gate, Hosts, LostShare, Presence, Share};
pub use tacho_config::{
    Arrival, LoadPlan, OnDisconnect, RetryInput, RetryPolicy, Spacing, Step, Stop,
};
pub use time::{BlockingClock, Signal, TaskClock, VirtualClock, block_on_virtual};
