//! A run as text, JSON and spreadsheet: what `run`, `show`, `timing` and `runs list` print.
//!
//! It must never print itself, take the time, or compute a figure that the record does not hold:
//! every surface shows the same numbers. Start reading at [`summary`].

mod accounting;
mod analytics;
mod calibration;
mod color;
mod compare;
mod conditions;
mod contrast;
mod doctor;
mod headline;
mod interval_lines;
mod json;
mod judgements;
mod layout;
mod notices;
mod outages;
mod outcome;
mod report;
mod runs_list;
mod server_conditions;
mod server_load;
mod settled;
mod show;
mod streams;
mod summary;
mod sweep;
mod sweep_compare;
mod sweeps_list;
mod table;
mod timing;
mod transactions;
mod trend;
mod wait_look;
mod words;

pub use calibration::Calibration;
pub use compare::{
    Baseline, Basis, Comparison, Difference, Measurement, MetricRow, Observation, Observed,
    Overall, Side, SideFacts,
};
pub use doctor::{Diagnosis, Finding, Health, TargetDiagnosis};
pub use interval_lines::{interval_header, interval_json, interval_line};
pub use json::record_json;
pub use layout::TextOptions;
pub use report::{
    CsvTable, DRAWN_MAX, Format, REPORT_FORMAT, Report, SCHEMAS, schema, server_is_here,
};
pub use runs_list::{runs_json, runs_table};
pub use server_conditions::conditions;
pub use server_load::server;
pub use show::{audit, checks, errors, plan, timeline, transactions};
pub use summary::{Footer, summary};
pub use sweep::{RowNotice, SweepRow, SweepView};
pub use sweep_compare::{
    Families, Ladder, Mark, Marks, PointComparison, SweepComparison, SweepDifference, SweepFacts,
    SweepSide, Unmatched,
};
pub use sweeps_list::{sweeps_json, sweeps_table};
pub use timing::{Figures, ProcedureTiming, SpanTiming, Timing};
pub use trend::{LeftOut, Level, Trend, TrendChange, TrendRun};
pub use wait_look::{OTHER, TEXTURES, WaitLook, is_for_the_client, is_running};
