//! The use cases: prepare, run, check, clean. Front ends parse and print; all that a command does
//! is here.
//!
//! It never prints and parses no arguments: its input is a [`Resolved`](tacho_config::Resolved),
//! and it reports events to a `Listener`. Start reading at [`run()`] and [`prepare()`].

mod access;
mod adopt;
mod attribute;
mod build;
mod check;
mod clean;
mod cluster;
mod compare;
mod context;
mod counter;
mod difference;
mod doctor;
mod exit;
mod headroom;
mod job;
mod lock_watch;
mod look;
mod ownership;
mod pipeline;
mod prepare;
mod recognition;
mod recorded;
mod repair;
mod report;

mod run;
mod saved_plan;
mod settings;
mod settle;
mod subject;
mod sweep;
mod text_session;
mod trend;
mod trust;

pub use adopt::{Adopted, Theirs, adopt, recognise, remove_adopted};
pub use attribute::{AttributeRequest, Attributing};
pub use build::{
    FilesReport, FilesRequest, LoadedFiles, Portion, WrittenFile, generate, load_date,
};
pub use check::{CheckReport, TableRows, check, check_commits, check_foreign, count_foreign};
pub use clean::{CleanPlan, Removed, clean, plan_clean, remove_database};
pub use cluster::{AgentRequest, Wanted, agent};
pub use compare::{Comparisons, FailOn, compare, judge_trend};
pub use context::{Context, Reading};
pub use counter::TransactionCounter;
pub use difference::{Difference, scale_text};
pub use doctor::{DoctorRequest, doctor};
pub use exit::Exit;
pub use job::{Job, Request};
pub use look::{Holding, look};
pub use pipeline::{Pipeline, PipelineRequest, PipelineStage};
pub use prepare::{Preparation, PrepareReport, conflicts, plan_prepare, prepare};
pub use repair::{end_limits, repair};
pub use report::{ReportRequest, report};
pub use run::{Followed, HostSource, RunReport, dry_run, exit_of, import, own_host, run};
pub use saved_plan::saved_plan;
pub use settings::{KeptChange, Restored, restore};
pub use settle::{Settled, settle};
pub use subject::{Chosen, chosen, named_sweep, runs_of};
pub use sweep::{Order, Sweep, SweepRequest};
pub use text_session::{TextRows, TextSession};
pub use trend::trend;
pub use trust::{Program, Trust, allowable, program_in, programs};
