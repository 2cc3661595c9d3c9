//! The interface of a workload: schema, rows, transactions and checks.
//!
//! A workload's code is the same for all databases; only its SQL override files depend on a
//! particular one. A workload must neither read the time nor print anything.
//!
//! Start reading at [`Workload`], [`Instance`] and [`Client`].

mod audit;
mod check;
mod client;
mod commit_marks;
mod contract;
mod counter;
mod draws;
mod judge;
mod layer;
mod limits;
mod marker;
mod options;
pub mod random;
mod recorded;
mod sample;
mod scale;
mod sequence;
mod sql_files;
mod written;

pub use audit::{AuditRule, Tally};
pub use check::{Check, Finding, Question, Verdict, questions, run_checks};
pub use client::{Client, Outcome, Run, Ticket, boxed};
pub use commit_marks::{CommitMarks, Marks, mark_statements};
pub use contract::{
    Headline, Instance, Manifest, Purpose, Quirk, Routines, Slice, Stated, Streams, Terminals,
    Transaction, Unit, Workload,
};
pub use counter::Counter;
pub use draws::Draws;
pub use judge::{Comparison, Judge, Violations};
pub use layer::InstanceLayer;
pub use limits::{PARALLEL_DEGREE, STATEMENT_TIMEOUT, bound_queries, session_script};
pub use marker::{Marker, MarkerState, MarkerStore, Noted, Recognized};
pub use options::{Choices, Options, Profile, STORAGE, STORAGE_HELP, STORAGE_PARAMETER};
pub use recorded::{ComparedKind, Difference, LogComparison, Recorded};
pub use sample::{Gone, Loaded, LoadedRow, RowRule, Sample, made};
pub use sequence::{PlaceInSet, Sequence};
pub use sql_files::SqlFiles;
pub use written::{written, written_as_is};
