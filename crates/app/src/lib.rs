//! The use cases: prepare, run, check, clean. Front ends parse and print; all that a command does
//! is here.
//!
//! It never prints and parses no arguments: its input is a [`Resolved`](tacho_config::Resolved),
//! and it reports events to a `Listener`. Start reading at [`run()`] and [`prepare()`].

// Layer 1: words that every use case knows
mod clock;
mod difference;
mod exit;
mod files;
mod headroom;
mod recognition;
mod route;
mod trust;
mod workload_view;

// Layer 2: the world of a use case
mod context;
mod repair;

// Layer 3: the job, and how its database is reached
mod access;
mod job;
mod lock_watch;

// Layer 4: looks at a database, and its tables' owners
mod adopt;
mod commit_marks;
mod counter;
mod look;
mod ownership;
mod preparation;
mod settings;
mod settle;
mod text_session;

// Layer 5: work over many hosts
mod cluster;

// Layer 6: the data
mod build;
mod check;
mod clean;

// Layer 7: the data, from nothing to ready
mod generate;
mod prepare;

// Layer 8: the measurement
mod run;

// Layer 9: many measurements
mod agent;
mod sweep;

// Layer 10: measurements that were made
mod attribute;
mod compare;
mod doctor;
mod report;
mod saved_plan;
mod subject;
mod trend;

// Layer 11: everything together
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
pub use preparation::Preparation;
pub use prepare::{PrepareReport, conflicts, plan_prepare, prepare};
pub use repair::{end_limits, repair};
pub use report::{ReportRequest, report};
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
