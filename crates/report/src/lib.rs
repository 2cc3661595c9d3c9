//! Formats run records and analysis results for all commands, as text, JSON, pages and spreadsheets.
//!
//! This crate only formats results. It never prints them, reads the clock, or computes numbers that are not in the
//! record.
//!
//! Start reading at [`summary`].

mod accounting;
mod acknowledged;
mod analytics;
mod answer;
mod attribution;
mod calibration;
mod color;
mod compare;
mod conditions;
mod csv;
mod data;
mod disturbance;
mod doctor;
mod document;
mod gate;
mod headline;
mod interval_lines;
mod isolation;
mod json;
mod judgements;
mod layout;
mod limit;
mod notices;
mod observed;
mod outages;
mod outcome;
mod padding;
mod power;
mod replay;
mod report;
mod run_answer;
mod run_history;
mod runs_list;
mod server_conditions;
mod server_load;
mod settings;
mod settled;
mod show;
mod statements;
mod steps;
mod streams;
mod summary;
mod sweep;
mod sweep_compare;
mod sweeps_list;
mod table;
mod terminals;
mod timing;
mod transactions;
mod trend;
mod wait_look;
mod words;

pub use calibration::sentences as calibration_sentences;
pub use data::{Built, FileSize, Planned, acknowledged_commits, built, checked, planned};
pub use disturbance::coincided;
pub use document::{Block, Line};
pub use headline::run_in_brief;
pub use interval_lines::{interval_header, interval_line};
pub use json::json;
pub use layout::{Text, TextOptions, page};
pub use power::{after as power_after, before as power_before};
pub use report::{
    ASSETS, ATTRIBUTION_FORMAT, AttributionReport, Body, CsvTable, Format, PIPELINE_FORMAT,
    PipelineReport, REPORT_FORMAT, ReportJson, SCHEMAS, TERMS, body, live_charts, render,
    render_attribution, render_pipeline, schema,
};
pub use run_history::{ALL, ChartPoint, Latency, RunHistory, SeenWait, Timeline, throughput};
pub use runs_list::{RunRow, run_row, runs_json, runs_table};
pub use server_conditions::conditions;
pub use server_load::server;
pub use show::{audit, checks, errors, plan, timeline, transactions};
pub use summary::{Footer, summary};
pub use sweeps_list::{SweepRow, sweep_rows, sweeps_table};
pub use table::Table;
pub use timing::{timing_csv, timing_xlsx};
pub use wait_look::{OTHER, TEXTURES, WaitLook};
