//! A report to send: one run, several, a sweep, or runs against a baseline, as HTML, Markdown, CSV,
//! JSON or JUnit.
//!
//! It must never compute a figure that the record does not hold, but for sums and means over the
//! columns of a chart, which say so. Start reading at [`Report::render`].

mod charts;
mod csv;
mod document;
mod html;
mod junit;
mod markdown;
mod redact;
mod sections;

use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde_json::{Map, Value};
use tacho_core::Result;
use tacho_store::record::Record;

use crate::json::pretty;
use crate::{Comparison, Measurement, Side, SweepComparison, SweepSide, SweepView};
use document::Document;
use sections::runs::RunFacts;

pub use charts::compare::DRAWN_MAX;
pub use charts::shares_machine as server_is_here;
pub use csv::CsvTable;

/// What is reported, with all that was read of it.
#[derive(Debug)]
pub struct Report {
    /// The runs, in groups of repeated ones; none if sweeps are reported.
    pub sides: Vec<Side>,
    /// What they are held against.
    pub baseline: Option<Side>,
    /// Each of `sides` against the baseline; empty without one.
    pub comparisons: Vec<Comparison>,
    /// The sweeps, if such are reported; of several the first is what the others are held against.
    pub sweeps: Vec<SweepSide>,
    /// Each sweep but the first against it.
    pub sweep_comparisons: Vec<SweepComparison>,
    /// What the workload must say about itself.
    pub notice: String,
    /// Version of the program that makes the report.
    pub tool_version: String,
}

/// A form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One file for a browser, with all that it needs.
    Html,
    /// Text for a wiki or a change request.
    Markdown,
    /// One of its tables.
    Csv(CsvTable),
    /// The data of the charts, and the records.
    Json,
    /// Judgements as test cases.
    Junit,
}

/// Value of `format` of a report as JSON.
pub const REPORT_FORMAT: &str = "tacho-report";
/// Version of that format.
const VERSION: u32 = 1;

/// A report as JSON; it is also what a page carries.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Report")]
struct ReportJson<'a> {
    /// Always `tacho-report`.
    format: &'static str,
    /// Version of this format.
    version: u32,
    /// One entry for each run.
    runs: Vec<RunFacts>,
    /// The record of a run that is reported alone, and of a single run that it is held against.
    records: Vec<&'a Record>,
    /// Each of the runs against the baseline.
    comparisons: &'a [Comparison],
    /// How many of them a page leaves out, since there are too many to read; JSON has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    comparisons_left_out: Option<usize>,
    /// The sweep that is reported alone.
    sweep: Option<&'a SweepView>,
    /// Sweeps that are held against the first of them.
    sweeps: Vec<&'a SweepView>,
    /// Each sweep but the first against it.
    sweep_comparisons: &'a [SweepComparison],
    /// The data of the charts, by their ids. Their form follows the drawings and may change.
    charts: Map<String, Value>,
}

/// The names that [`schema`] knows.
pub const SCHEMAS: [&str; 2] = ["report", "doctor"];

/// The JSON schema of `report`: what [`Format::Json`] gives, and what a page carries; or of `doctor`,
/// a [`crate::Diagnosis`].
pub fn schema(name: &str) -> Option<Value> {
    match name {
        "report" => Some(schema_for!(ReportJson<'static>).to_value()),
        "doctor" => Some(schema_for!(crate::Diagnosis).to_value()),
        _ => None,
    }
}

impl Report {
    /// The report in a format.
    pub fn render(&self, format: Format) -> Result<String> {
        match format {
            Format::Html => {
                let document = sections::document(self);
                // Hundreds of comparisons are megabytes, and the page has a row for each.
                let told = if self.is_overview() { &[] } else { &self.comparisons[..] };
                html::page(&document, &self.data(&document, told)?)
            }
            Format::Markdown => Ok(markdown::text(&sections::document(self))),
            Format::Csv(table) => csv::text(self, table),
            Format::Json => pretty(&self.data(&sections::document(self), &self.comparisons)?),
            Format::Junit => Ok(junit::text(self)),
        }
    }

    /// Whether more is compared than anybody reads one by one.
    fn is_overview(&self) -> bool {
        self.comparisons.len() > DRAWN_MAX
    }

    fn data(&self, document: &Document, comparisons: &[Comparison]) -> Result<Value> {
        let left_out = self.comparisons.len() - comparisons.len();
        let data = ReportJson {
            format: REPORT_FORMAT,
            version: VERSION,
            runs: self.measurements().map(|run| RunFacts::of(&run.record)).collect(),
            records: self.in_full().map(|run| &run.record).collect(),
            comparisons,
            comparisons_left_out: Some(left_out).filter(|count| *count > 0),
            sweep: self.sweep().map(|side| &side.view),
            sweeps: self.compared_sweeps().iter().map(|side| &side.view).collect(),
            sweep_comparisons: &self.sweep_comparisons,
            charts: document.charts().map(|chart| (chart.id.clone(), chart.data.clone())).collect(),
        };
        serde_json::to_value(data).map_err(|error| {
            tacho_core::Error::new(tacho_core::ErrorKind::Other, "invalid JSON").source(error)
        })
    }

    /// All runs, the baseline first.
    pub fn measurements(&self) -> impl Iterator<Item = &Measurement> {
        let sides = self.baseline.iter().chain(&self.sides).flat_map(|side| &side.runs);
        sides.chain(self.sweeps.iter().flat_map(|side| side.runs.iter().flatten()))
    }

    /// The sweep that the report is about, if it is about one.
    fn sweep(&self) -> Option<&SweepSide> {
        self.sweeps.first().filter(|_| self.sweeps.len() == 1)
    }

    /// The sweeps that are held against each other, the baseline first.
    fn compared_sweeps(&self) -> &[SweepSide] {
        if self.sweeps.len() > 1 { &self.sweeps } else { &[] }
    }

    /// The one run that the report is about, if it is about one.
    fn single(&self) -> Option<&Measurement> {
        match &self.sides[..] {
            [side] => side.single(),
            _ => None,
        }
    }

    /// The runs whose whole record is part of the report.
    fn in_full(&self) -> impl Iterator<Item = &Measurement> {
        self.single().into_iter().chain(self.baseline.iter().filter_map(Side::single))
    }
}
