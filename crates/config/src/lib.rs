//! Merges the settings file, the environment and the flags into a typed plan, and records the origin of each value.
//!
//! The order of precedence, from lowest to highest, is: defaults, `tacho.toml`, `TACHO_*` variables, flags. This crate
//! does not read the environment itself.
//!
//! Start reading at [`SETTINGS`].

mod defaults;
mod file;
mod load;
pub mod pipeline;
mod plan;
mod resolve;
pub mod seconds;
mod settings;
mod steps;
mod sweep;
mod value;

pub use file::{ConfigFile, find_file};
pub use load::{
    Arrival, LoadPlan, OnDisconnect, OnHostLoss, RetryInput, RetryPolicy, Spacing, Stop,
};
pub use pipeline::{PipelineFile, PipelineGate, PipelineServer, PipelineWorkload};
pub use plan::{CheckWhen, DataPlan, JudgementPlan, LogPlan, Plan, Require, Verify};
pub use resolve::{Given, Origin, Resolved, Source, resolve};
pub use settings::{Command, Http, OPTIONS, SETTINGS, Setting, SettingView, setting};
pub use steps::{LoadSteps, Step};
pub use sweep::{Design, OnFailure, Order};
pub use value::pair;
