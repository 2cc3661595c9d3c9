//! Implements the use cases, such as preparing data, running a load, checking and cleaning. Front ends only parse
//! arguments and print output.
//!
//! This crate never prints output or parses arguments. It takes a [`Resolved`](tacho_config::Resolved) and reports
//! events to a `Listener`.
//!
//! Start reading at [`run()`] and [`prepare()`].

// Layer 1: concepts shared by all use cases
mod clock;
mod difference;
mod exit;
mod files;
mod headroom;
mod recognition;
mod route;
mod trust;
mod workload_view;

// Layer 2: the services available to a use case
mod context;
mod repair;

// Layer 3: the job, and access to its database
mod access;
mod job;
mod lock_watch;

// Layer 4: inspecting a database and recognizing the tables that Tacho created
mod adopt;
mod commit_marks;
mod counter;
mod look;
mod ownership;
mod preparation;
mod settings;
mod settle;
mod stored_routines;
mod text_session;

// Layer 5: work that is distributed over several hosts
mod cluster;

// Layer 6: data generation
mod build;
mod check;
mod clean;

// Layer 7: preparation of data, from the first to the last step
mod generate;
mod prepare;

// Layer 8: the measurement
mod run;

// Layer 9: series of measurements
mod agent;
mod sweep;

// Layer 10: saved measurements
mod attribute;
mod compare;
mod doctor;
mod power;
mod report;
mod saved_plan;
mod subject;
mod trend;

// Layer 11: use cases that combine the other layers
mod pipeline;

pub use adopt::{Theirs, adopt, recognise, remove_adopted};
pub use agent::{AgentRequest, agent};
pub use attribute::{AttributeRequest, Attributing};
pub use check::{CheckReport, TableRows, check, check_commits, check_foreign, count_foreign};
pub use clean::{CleanPlan, Removed, clean, plan_clean, remove_database};
pub use compare::{Comparisons, FailOn, compare, judge_trend};
pub use context::{Context, Reading};
pub use counter::TransactionCounter;
pub use difference::{Difference, scale_text};
pub use doctor::{DoctorRequest, doctor};
pub use exit::Exit;
pub use files::{LoadedFiles, Portion, WrittenFile};
pub use generate::{FilesReport, FilesRequest, generate, load_date};
pub use job::{Adopted, HostSource, Job, Request, Wanted};
pub use look::{Holding, look};
pub use pipeline::{Pipeline, PipelineRequest, PipelineStage};
pub use power::{Forecast, compared, noise};
pub use preparation::Preparation;
pub use prepare::{PrepareReport, conflicts, plan_prepare, prepare};
pub use repair::{end_limits, repair};
pub use report::{ReportRequest, report, reports_by_workload};
pub use run::{Followed, RunReport, dry_run, exit_of, import, own_host, run};
pub use saved_plan::saved_plan;
pub use settings::{KeptChange, Restored, restore};
pub use settle::{Settled, settle};
pub use subject::{Chosen, chosen, named_sweep, runs_of};
pub use sweep::{Sweep, SweepRequest};
pub use text_session::{TextRows, TextSession};
pub use trend::trend;
pub use trust::{Program, Trust, allowable, program_in, programs};
pub use workload_view::WorkloadView;
