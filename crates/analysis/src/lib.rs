//! Analyses of run records: comparisons, sweeps, trends, time profiles and diagnoses.
//!
//! This crate calculates numbers and must not depend on how they are displayed.
//!
//! Start reading at [`Comparison::of`].

mod analytics;
mod attribution;
mod calibration;
mod compare;
mod condition;
pub mod contrast;
mod doctor;
mod gate;
mod limit;
mod machine;
mod metric;
mod noise;
mod redact;
mod reported;
mod streams;
mod sweep;
mod sweep_compare;
mod timing;
mod trend;
mod waits;
mod words;

pub use analytics::{QUERIES_PER_HOUR, in_order};
pub use attribution::{Attribution, GroupChange, GroupEffect, Path, Sides, attribute};
pub use calibration::Calibration;
pub use compare::{
    Baseline, Basis, Comparison, Difference, Measurement, MetricRow, Observation, Observed,
    Overall, Replayed, Side, SideFacts, StatementDifference, condition_values, differences,
    may_be_a_cause, median_run,
};
pub use condition::{GateOutcome, GateVerdict};
pub use doctor::{Diagnosis, Finding, Health, TargetDiagnosis};
pub use gate::Gate;
pub use limit::{Limit, MachineCpu, Resource, TimeShare};
pub use machine::shares_machine;
pub use noise::{KnownNoise, known_noise};
pub use redact::redact_lists;
pub use reported::{DRAWN_MAX, Reported};
pub use streams::{Kind, Name, kinds, overall_mean, short_hash, slowest_us};
pub use sweep::{
    BrokenWindow, ChosenSessions, DataGrowth, HeadroomWindow, Lead, LevelChange, RowNotice, Search,
    SettingEffect, SweepRow, SweepView, TableGrowth, label, warned,
};
pub use sweep_compare::{
    Families, Ladder, Mark, Marks, PointComparison, SweepComparison, SweepDifference, SweepFacts,
    SweepSide, Unmatched, over_workloads,
};
pub use timing::{Figures, ProcedureTiming, SpanTiming, SpanTransaction, Timing};
pub use trend::{LeftOut, Level, RUNS_MIN, Trend, TrendChange, TrendRun};
pub use waits::{busiest_of_server, is_for_the_client, is_running, sessions_by_place, wait_kind};
pub use words::clean;
