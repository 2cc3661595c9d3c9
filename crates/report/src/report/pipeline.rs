//! The report on a pipeline: an overview of all workloads, followed by a report on each.
//!
//! The part about a workload has the same content as a separate report on the sweeps of that workload.
//!
//! Start reading at [`render_pipeline`].

use serde_json::{Map, Value, json};
use tacho_analysis::{MetricRow, Overall, Reported, SweepComparison, clean, over_workloads};
use tacho_core::Result;
use tacho_core::units::counted;
use tacho_metrics::Verdict as MetricVerdict;

use super::sections::{self, reading};
use super::{Format, data, html, junit, markdown};
use crate::answer;
use crate::compare::{interval, overall_word};
use crate::document::{Block, Document, Fact, Remark, Section, Tone, Verdict};
use crate::json::json as written;
use crate::sweep_compare;
use crate::table::{Column, Table};
use crate::words::relative_change;

/// The value of the `format` field in a pipeline's JSON report.
pub const PIPELINE_FORMAT: &str = "tacho-pipeline-report";
/// The version of that format.
const VERSION: u32 = 1;

/// A pipeline's results, with its name and a report for each workload.
#[derive(Debug)]
pub struct PipelineReport {
    /// Name of the pipeline. Empty if the sweeps were not run by a pipeline.
    pub name: String,
    /// The workloads' names and reports.
    pub workloads: Vec<(String, Reported)>,
    /// The error that ended the pipeline or prevented a comparison, if any.
    pub error: Option<String>,
}

impl PipelineReport {
    fn title(&self) -> String {
        match self.name.as_str() {
            "" => "Sweeps of several workloads".into(),
            name => format!("Pipeline {}", clean(name)),
        }
    }

    /// Returns each server's mean change from the baseline over all workloads, if there are several workloads.
    fn over_all(&self) -> Vec<OverAll> {
        // In a redacted report, several servers may have the same name. Therefore, the key also contains the server's
        // position in the list.
        let key = |(place, one): &(usize, &SweepComparison)| {
            (*place, [&one.run, &one.baseline].map(|side| clean(&side.target_name)))
        };
        let all = || {
            let each = self.workloads.iter();
            each.flat_map(|(_, workload)| workload.sweep_comparisons.iter().enumerate())
        };
        let mut keys: Vec<(usize, [String; 2])> = Vec::new();
        for key in all().map(|numbered| key(&numbered)) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let over = keys.iter().filter_map(|wanted| {
            let same = all().filter(|numbered| key(numbered) == *wanted).map(|(_, one)| one);
            let same: Vec<&SweepComparison> = same.collect();
            let row = over_workloads(&same)?;
            let points = same.iter().map(|one| one.points.len() as u64).sum();
            Some(OverAll { servers: wanted.1.join(" against "), row, points })
        });
        over.collect()
    }

    /// Describes how each server's throughput differs from the baseline, as a mean over all
    /// workloads.
    pub fn over_all_words(&self) -> Vec<String> {
        let words = |over: &OverAll| format!("all workloads, {}: {}", over.servers, over.words());
        self.over_all().iter().map(words).collect()
    }

    fn error_remark(&self) -> Option<Remark> {
        let text = format!("INCOMPLETE: {}", clean(self.error.as_deref()?));
        Some(Remark { tone: Tone::Bad, text, hint: String::new() })
    }
}

/// The change in a server's throughput from the baseline, as a mean over all workloads.
struct OverAll {
    /// The server and its baseline.
    servers: String,
    row: MetricRow,
    points: u64,
}

impl OverAll {
    fn words(&self) -> String {
        let word = overall_word(match self.row.verdict {
            MetricVerdict::Better => Overall::Better,
            MetricVerdict::Worse => Overall::Worse,
            MetricVerdict::Unclear => Overall::Unclear,
            MetricVerdict::NoDifference => Overall::NoDifference,
            MetricVerdict::NotEnoughData | MetricVerdict::Unstable => Overall::NoWinner,
        });
        let Some(change) = self.row.change else { return format!("{word}: not enough data") };
        format!(
            "{word}: {} {} over {} ({})",
            self.row.name,
            relative_change(change.value),
            counted(self.points, "point"),
            interval(change)
        )
    }
}

/// Renders the report on a pipeline. Returns HTML instead of CSV, because the workloads have different tables.
pub fn render_pipeline(report: &PipelineReport, format: Format) -> Result<String> {
    match format {
        Format::Junit => Ok(junit::text_of(
            report.workloads.iter().map(|(name, workload)| (name.as_str(), workload)),
            report.error.as_deref(),
        )),
        Format::Json => written(&as_json(report, &document(report))?),
        Format::Markdown => Ok(markdown::text(&document(report))),
        Format::Html | Format::Csv(_) => {
            let document = document(report);
            html::page(&document, &as_json(report, &document)?)
        }
    }
}

/// Returns each workload's data by workload name, and the chart data by chart ID.
fn as_json(report: &PipelineReport, document: &Document) -> Result<Value> {
    let mut workloads = Map::new();
    for (name, workload) in &report.workloads {
        // Leave out the sections here, because the charts of all workloads are collected in a single map below.
        let none = Document { sections: Vec::new(), ..sections::document(workload) };
        workloads.insert(name.clone(), data(workload, &none, &workload.comparisons)?);
    }
    let charts = document.charts().map(|chart| (chart.id.clone(), chart.data.clone()));
    let over_all = report.over_all().into_iter().map(
        |over| json!({ "servers": over.servers, "points": over.points, "throughput": over.row }),
    );
    Ok(json!({
        "format": PIPELINE_FORMAT,
        "version": VERSION,
        "name": report.name,
        "error": report.error,
        "workloads": workloads,
        "over_all_workloads": over_all.collect::<Vec<_>>(),
        "charts": charts.collect::<Map<_, _>>(),
    }))
}

fn document(report: &PipelineReport) -> Document {
    let mut parts: Vec<(&str, Document)> = report
        .workloads
        .iter()
        .map(|(name, workload)| (name.as_str(), sections::document(workload)))
        .collect();
    let compared =
        report.workloads.iter().map(|(_, workload)| workload.sweep_comparisons.len()).max();
    if let ([_], Some(0 | 1)) = (&parts[..], compared) {
        let (_, mut only) = parts.remove(0);
        only.subtitle.insert(0, format!("pipeline {}", clean(&report.name)));
        only.remarks.splice(0..0, report.error_remark());
        return only;
    }
    let glossary =
        reading::section(parts.iter().any(|(_, document)| document.charts().next().is_some()));
    let first = overview(report, &parts);
    let is_there = |document: &&Document| !document.disclaimer.is_empty();
    let disclaimers: Vec<&str> = parts
        .iter()
        .map(|(_, document)| document)
        .filter(is_there)
        .map(|document| document.disclaimer.as_str())
        .collect();
    let mut disclaimer: Vec<&str> = Vec::new();
    for text in disclaimers {
        if !disclaimer.contains(&text) {
            disclaimer.push(text);
        }
    }
    let (disclaimer, made_by) = (
        disclaimer.join(" "),
        parts.first().map_or_else(String::new, |(_, document)| document.made_by.clone()),
    );
    let of_parts = parts.iter().flat_map(|(name, document)| remarks(name, document));
    let remarks = report.error_remark().into_iter().chain(of_parts).collect();
    let figures =
        parts.iter().flat_map(|(_, document)| document.figures.iter().take(1).cloned()).collect();
    let verdict = verdict(report, &parts);
    let sections = parts.into_iter().flat_map(|(name, document)| of_workload(name, document));
    Document {
        title: report.title(),
        subtitle: subtitle(report),
        verdict,
        figures,
        answer: answer(report),
        remarks,
        sections: first.into_iter().chain(sections).chain([glossary]).collect(),
        disclaimer,
        made_by,
        ..Document::default()
    }
}

/// Describes how the servers compare, in one paragraph per comparison.
fn answer(report: &PipelineReport) -> Vec<Fact> {
    let each = report.workloads.iter().flat_map(|(name, workload)| {
        workload.sweep_comparisons.iter().map(move |one| {
            let [run, baseline] = [&one.run, &one.baseline].map(|side| clean(&side.target_name));
            let headline = sweep_compare::headline(one);
            format!("{}, {run} against {baseline}: {headline}", clean(name))
        })
    });
    let each = report.over_all_words().into_iter().chain(each);
    let question = format!("How do the servers of pipeline {} compare?", clean(&report.name));
    answer::of_pipeline(question, each.collect())
}

fn subtitle(report: &PipelineReport) -> Vec<String> {
    let servers =
        report.workloads.iter().map(|(_, workload)| workload.sweeps.len()).max().unwrap_or(0);
    let runs: u64 = report
        .workloads
        .iter()
        .flat_map(|(_, workload)| &workload.sweeps)
        .map(|side| side.view.runs())
        .sum();
    vec![
        counted(report.workloads.len() as u64, "workload"),
        counted(servers as u64, "server"),
        counted(runs, "run"),
    ]
}

/// Returns the worst verdict, followed by the verdict on each workload.
fn verdict(report: &PipelineReport, parts: &[(&str, Document)]) -> Verdict {
    let rank = |tone: Tone| match tone {
        Tone::Bad => 2,
        Tone::Warn => 1,
        Tone::Good => 0,
    };
    let tone =
        parts.iter().map(|(_, document)| document.verdict.tone).max_by_key(|tone| rank(*tone));
    let comparisons = report.workloads.iter().flat_map(|(_, workload)| &workload.sweep_comparisons);
    let worse = comparisons
        .clone()
        .any(|comparison| comparison.gate().any(|is| is == MetricVerdict::Worse));
    let texts =
        parts.iter().map(|(name, document)| format!("{}: {}", clean(name), document.verdict.text));
    let text = report.over_all_words().into_iter().chain(texts).collect::<Vec<_>>().join(" · ");
    let is_bad = worse || report.error.is_some();
    let tone = if is_bad { Tone::Bad } else { tone.unwrap_or(Tone::Warn) };
    Verdict { tone, text: if worse { format!("WORSE than the baseline · {text}") } else { text } }
}

fn remarks(name: &str, document: &Document) -> Vec<Remark> {
    let of = |remark: &Remark| Remark {
        text: format!("{}: {}", clean(name), remark.text),
        ..remark.clone()
    };
    document.remarks.iter().map(of).collect()
}

/// Returns a table with a row for each comparison. A workload without comparisons has one row for its verdict.
fn overview(report: &PipelineReport, parts: &[(&str, Document)]) -> Option<Section> {
    let over_all = report.over_all().into_iter();
    let over_all = over_all.map(|over| ["all".into(), over.servers.clone(), over.words()]);
    let mut rows: Vec<[String; 3]> = over_all.collect();
    for ((name, workload), (_, part)) in report.workloads.iter().zip(parts) {
        let name = clean(name);
        let against = |one: &SweepComparison| {
            format!("{} against {}", clean(&one.run.target_name), clean(&one.baseline.target_name))
        };
        rows.extend(
            workload
                .sweep_comparisons
                .iter()
                .map(|one| [name.clone(), against(one), sweep_compare::headline(one)]),
        );
        if workload.sweep_comparisons.is_empty() {
            rows.push([name, "no comparison".into(), part.verdict.text.clone()]);
        }
    }
    let column = |at: usize, title: &str| {
        Column::left(title, rows.iter().map(|row| row[at].clone()).collect::<Vec<_>>())
    };
    let columns = vec![column(0, "workload"), column(1, "servers"), column(2, "outcome")];
    let table = Table::new(columns).filled()?;
    Section::of("outcome", "Outcome", vec![Block::table("Every workload", table)])
}

/// Returns a workload's sections. Each ID and title includes the workload's name.
fn of_workload(name: &str, document: Document) -> Vec<Section> {
    let sections = document.sections.into_iter().filter(|section| section.id != reading::ID);
    let renamed = |mut section: Section| {
        section.id = format!("{name}-{}", section.id).into();
        section.title = format!("{}: {}", clean(name), section.title).into();
        for block in &mut section.blocks {
            if let Block::Chart(chart) = block {
                chart.id = format!("{name}-{}", chart.id);
            }
        }
        section
    };
    sections.map(renamed).collect()
}
