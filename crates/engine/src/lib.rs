//! Runs a workload on a database: phases, arrivals, pacing, the session loop and the controller.
//!
//! The engine does not print anything and does not read files or environment variables. It reads the time only through
//! [`tacho_core::Clock`].
//!
//! Start reading at [`run`], then at `user.rs` for the session loop and `controller.rs` for the timeline.

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
mod session_log;
mod setup;
mod share;
mod shutdown;
mod statement_times;
mod steps;
mod terminals;
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
pub use run::{catalog, conduct, run};
pub use setup::Setup;
pub use share::{Border, Closing, Gate, Hosts, LostShare, Presence, Share};
pub use statement_times::CONTROLS;
pub use tacho_config::{
    Arrival, LoadPlan, OnDisconnect, RetryInput, RetryPolicy, Spacing, Step, Stop,
};
pub use time::{BlockingClock, Signal, TaskClock, VirtualClock, block_on_virtual};
