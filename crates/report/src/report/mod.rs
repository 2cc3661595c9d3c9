//! A report on runs, a sweep, or a comparison with a baseline, as HTML, Markdown, CSV, JSON or JUnit.
//!
//! This module computes no numbers that are not in the record, except sums and means over chart columns.
//!
//! Start reading at [`render`].

mod attribution;
mod charts;
mod csv;
mod html;
mod junit;
mod markdown;
mod pipeline;
mod sections;
mod summary;

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

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A single, self-contained HTML file.
    Html,
    /// Text for a wiki or a change request.
    Markdown,
    /// A table of the report.
    Csv(CsvTable),
    /// The records and the chart data.
    Json,
    /// The verdicts as test cases.
    Junit,
}

/// The value of the `format` field in a JSON report.
pub const REPORT_FORMAT: &str = "tacho-report";
/// The version of that format.
const VERSION: u32 = 1;

/// A JSON report, which is also embedded in the HTML page.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Report")]
pub struct ReportJson<'a> {
    /// Always `tacho-report`.
    format: &'static str,
    /// Version of the report format.
    version: u32,
    /// One entry per run.
    runs: Vec<RunFacts>,
    /// The records of the run and of the run that it is compared with. Empty if the report covers
    /// several runs.
    records: Vec<&'a Record>,
    /// The comparisons with the baseline.
    comparisons: &'a [Comparison],
    /// Number of comparisons that the HTML page omits to remain readable. JSON contains all comparisons.
    #[serde(skip_serializing_if = "Option::is_none")]
    comparisons_left_out: Option<usize>,
    /// The sweep, if the report covers a single sweep.
    sweep: Option<&'a SweepView>,
    /// The sweeps to compare. The first one is the baseline.
    sweeps: Vec<&'a SweepView>,
    /// Comparisons of all other sweeps with the first one.
    sweep_comparisons: &'a [SweepComparison],
    /// The chart data by chart ID. Only Tacho's own drawing code reads it, so its structure may change at any time.
    charts: Map<String, Value>,
}

/// Names accepted by [`schema`].
pub const SCHEMAS: [&str; 2] = ["report", "doctor"];

/// Returns a JSON schema by name: `report` for the output of [`Format::Json`], or `doctor` for a
/// [`tacho_analysis::Diagnosis`].
pub fn schema(name: &str) -> Option<Value> {
    match name {
        "report" => Some(schema_for!(ReportJson<'static>).to_value()),
        "doctor" => Some(schema_for!(tacho_analysis::Diagnosis).to_value()),
        _ => None,
    }
}

/// A report as the body of a page on a site. The page must load [`ASSETS`].
#[derive(Clone, Debug)]
pub struct Body {
    /// The report's subject and its verdict, for the page's title.
    pub title: String,
    /// The body as HTML.
    pub html: String,
}

/// Renders the report as the body of a web page.
pub fn body(report: &Reported) -> Result<Body> {
    let mut document = sections::document(report);
    // Omit sentences that apply only to a self-contained file.
    for section in &mut document.sections {
        section.blocks.retain(|block| !sections::reading::is_of_a_file(block));
    }
    let title = format!("{}: {}", document.title, document.verdict.text);
    Ok(Body { title, html: html::body(&document, &page_data(report, &document)?)? })
}

/// Returns charts over time for a run in progress. `charts.js` draws the `data` of each chart. The
/// other fields are `id`, `kind`, `title`, `reading` and `note`.
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

/// Renders the report in the given format.
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
    // The details of hundreds of comparisons would take megabytes. In that case, the page shows only a table with one
    // row for each comparison.
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
