//! Drives a workload against a database: phases, arrivals, pacing, one session loop, one controller.
//!
//! It never prints, reads no file and no environment, and takes time only through
//! [`tacho_core::Clock`]. It knows drivers and workloads by their contracts alone. Start reading at
//! [`run`], then `user.rs` (the session loop) and `controller.rs` (the timeline).

mod arrival;
mod attempts;
mod batch;
mod connections;
mod connector;
mod control;
mod controller;
mod event_loop;
mod executor;
mod gathered;
mod health;
mod lane;
mod measurement;
mod pace;
mod probe;
mod query_log;
mod route;
mod rules;
mod run;
mod session_kind;
mod setup;
mod share;
mod shutdown;
mod steps;
mod time;
mod user;
mod user_builder;
mod worker;

pub use arrival::Schedule;
pub use control::Interrupt;
pub use event_loop::EventLoop;
pub use gathered::{Gathered, SessionTimes};
pub use health::Health;
pub use measurement::{Backlog, Collected, Interval, Measurement, Observer, Readings, StepSeen};
pub use route::{Policy, Route, Routes};
pub use run::{conduct, run};
pub use setup::Setup;
pub use share::{Border, Closing, Gate, Hosts, LostShare, Presence, Share};
pub use tacho_config::{
    Arrival, LoadPlan, OnDisconnect, RetryInput, RetryPolicy, Spacing, Step, Stop,
};
pub use time::{BlockingClock, Signal, TaskClock, VirtualClock, block_on_virtual};
