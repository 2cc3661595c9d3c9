//! A report to send: one run, several, a sweep, or runs against a baseline, as HTML, Markdown, CSV,
//! JSON or JUnit.
//!
//! It must never compute a figure that the record does not hold, but for sums and means over the
//! columns of a chart, which say so. Start reading at [`render`].

mod attribution;
mod charts;
mod csv;
mod html;
mod junit;
mod markdown;
mod pipeline;
mod sections;

use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde_json::{Map, Value};
use tacho_analysis::{Comparison, Measurement, Reported, SweepComparison, SweepView};
use tacho_core::Result;
use tacho_store::record::Record;

use crate::document::{Chart, Document};
use crate::json::json;
use sections::runs::RunFacts;

pub(crate) use sections::facts;

pub use attribution::{ATTRIBUTION_FORMAT, AttributionReport, render_attribution};
pub use csv::CsvTable;
pub use html::ASSETS;
pub use pipeline::{PIPELINE_FORMAT, PipelineReport, render_pipeline};
pub use sections::reading::TERMS;

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
pub struct ReportJson<'a> {
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
/// a [`tacho_analysis::Diagnosis`].
pub fn schema(name: &str) -> Option<Value> {
    match name {
        "report" => Some(schema_for!(ReportJson<'static>).to_value()),
        "doctor" => Some(schema_for!(tacho_analysis::Diagnosis).to_value()),
        _ => None,
    }
}

/// A report as the body of a page of a site, which loads [`ASSETS`].
#[derive(Clone, Debug)]
pub struct Body {
    /// What ran on what, and the verdict.
    pub title: String,
    /// HTML.
    pub html: String,
}

/// The report as the body of a page.
pub fn body(report: &Reported) -> Result<Body> {
    let mut document = sections::document(report);
    // What a file says of itself is not true of a page of a site.
    for section in &mut document.sections {
        section.blocks.retain(|block| !sections::reading::is_of_a_file(block));
    }
    let title = format!("{}: {}", document.title, document.verdict.text);
    Ok(Body { title, html: html::body(&document, &page_data(report, &document)?)? })
}

/// The charts over time of a run that has not ended, in their order: `id`, `kind`, `title`, `reading`, `note`
/// and `data` as `charts.js` draws it.
pub fn live_charts(run: &Measurement) -> Vec<Value> {
    use charts::{timeline, waits};
    let charts = [
        timeline::throughput(run),
        timeline::backlog(run),
        timeline::failures(run),
        timeline::latency(run),
        waits::waits(run),
    ];
    let value = |chart: Chart| {
        let mut value = serde_json::to_value(&chart).unwrap_or_default();
        value["data"] = chart.data;
        value
    };
    charts.into_iter().flatten().map(value).collect()
}

/// The report in a format.
pub fn render(report: &Reported, format: Format) -> Result<String> {
    let document = || sections::document(report);
    match format {
        Format::Html => {
            let document = document();
            html::page(&document, &page_data(report, &document)?)
        }
        Format::Markdown => Ok(markdown::text(&document())),
        Format::Csv(table) => csv::text(report, table),
        Format::Json => json(&data(report, &document(), &report.comparisons)?),
        Format::Junit => Ok(junit::text(report)),
    }
}

fn page_data(report: &Reported, document: &Document) -> Result<Value> {
    // Hundreds of comparisons are megabytes, and the page has a row for each.
    let shown = if report.is_overview() { &[] } else { &report.comparisons[..] };
    data(report, document, shown)
}

fn data(report: &Reported, document: &Document, comparisons: &[Comparison]) -> Result<Value> {
    let left_out = report.comparisons.len() - comparisons.len();
    let data = ReportJson {
        format: REPORT_FORMAT,
        version: VERSION,
        runs: report.measurements().map(|run| RunFacts::of(&run.record)).collect(),
        records: report.in_full().map(|run| &run.record).collect(),
        comparisons,
        comparisons_left_out: Some(left_out).filter(|count| *count > 0),
        sweep: report.sweep().map(|side| &side.view),
        sweeps: report.compared_sweeps().iter().map(|side| &side.view).collect(),
        sweep_comparisons: &report.sweep_comparisons,
        charts: document.charts().map(|chart| (chart.id.clone(), chart.data.clone())).collect(),
    };
    serde_json::to_value(data).map_err(|error| {
        tacho_core::Error::new(tacho_core::ErrorKind::Other, "invalid JSON").source(error)
    })
}
