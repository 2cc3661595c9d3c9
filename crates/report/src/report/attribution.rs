//! A report in Markdown, JSON or HTML that attributes a change in performance to groups of parameters. It states how
//! much each group contributed.
//!
//! The report makes only claims that the terminal output also makes.
//!
//! Start reading at [`render_attribution`].

use serde_json::{Map, Value, json};
use tacho_analysis::Attribution;
use tacho_core::Result;
use tacho_core::units::grouped;

use super::charts::compare::groups_chart;
use super::sections::reading;
use super::{Format, html, markdown};
use crate::answer;
use crate::attribution as words;
use crate::document::{Block, Document, Figure, Section, Tone, Verdict};
use crate::json::json as written;
use crate::words::change;

/// The value of the `format` field in the page's data.
pub const ATTRIBUTION_FORMAT: &str = "tacho-attribution";
/// The version of that format.
const VERSION: u32 = 1;

/// An attribution, with additional text for its report.
#[derive(Debug)]
pub struct AttributionReport<'a> {
    /// The attribution.
    pub attribution: &'a Attribution,
    /// The workload's disclaimer.
    pub notice: &'a str,
    /// Version of Tacho.
    pub tool_version: &'a str,
}

/// Renders the report. For the formats CSV and JUnit, returns the web page, because there are no such reports for an
/// attribution.
pub fn render_attribution(report: &AttributionReport<'_>, format: Format) -> Result<String> {
    match format {
        Format::Json => written(report.attribution),
        Format::Markdown => Ok(markdown::text(&document(report))),
        Format::Html | Format::Csv(_) | Format::Junit => {
            let document = document(report);
            html::page(&document, &data(report, &document))
        }
    }
}

fn data(report: &AttributionReport<'_>, document: &Document) -> Value {
    let charts = document.charts().map(|chart| (chart.id.clone(), chart.data.clone()));
    json!({
        "format": ATTRIBUTION_FORMAT,
        "version": VERSION,
        "attribution": report.attribution,
        "charts": charts.collect::<Map<_, _>>(),
    })
}

fn document(report: &AttributionReport<'_>) -> Document {
    let attribution = report.attribution;
    let chart = groups_chart(attribution);
    let glossary = reading::section(chart.is_some());
    let blocks = chart.map(Block::Chart).into_iter().chain(words::outcome(attribution)).collect();
    let groups = Section::of("groups", "Cost of each group", blocks);
    let parameters = words::changed(attribution).into_iter().collect();
    let changes = Section::of("changes", "Changes in each group", parameters);
    let orders = if attribution.second_order.is_empty() { "one order" } else { "two orders" };
    Document {
        title: words::heading(attribution),
        subtitle: vec![
            format!("{} of {} rounds", attribution.rounds, attribution.rounds_measured),
            orders.to_owned(),
        ],
        verdict: verdict(attribution),
        figures: figures(attribution),
        answer: answer::of_attribution(attribution),
        sections: [groups, changes, Some(glossary)].into_iter().flatten().collect(),
        disclaimer: report.notice.to_owned(),
        made_by: format!("tacho {}", report.tool_version),
        ..Document::default()
    }
}

/// Minimum share of the change that must be explained for a good verdict.
const MOSTLY: f64 = 0.9;

fn verdict(attribution: &Attribution) -> Verdict {
    if attribution.whole.is_none() {
        return Verdict { tone: Tone::Bad, text: "NOT ENOUGH DATA".into() };
    }
    let tone = if attribution.explained >= MOSTLY { Tone::Good } else { Tone::Warn };
    Verdict { tone, text: format!("{} explained", words::percent(attribution.explained)) }
}

fn figures(attribution: &Attribution) -> Vec<Figure> {
    let Some(whole) = &attribution.whole else { return Vec::new() };
    let figure =
        |value: String, name: &str, detail: String| Figure { value, name: name.to_owned(), detail };
    let rate = |per_s: f64| grouped(per_s.round() as i64);
    let interval = format!("95 % CI {} … {}", change(whole.low), change(whole.high));
    vec![
        figure(change(whole.value), "throughput", interval),
        figure(rate(attribution.from_per_s), "transactions/s", attribution.from.clone()),
        figure(rate(attribution.to_per_s), "transactions/s", attribution.to.clone()),
    ]
}
