//! The list of runs, with one row per run. It includes damaged runs.
//!
//! Start reading at [`runs_table`].

use schemars::JsonSchema;
use serde::Serialize;
use tacho_analysis::clean;
use tacho_core::Result;
use tacho_core::units::{Amount, grouped, significant};
use tacho_store::record::ResultRecord;
use tacho_store::{Broken, Entry, Run};

use crate::document::{Block, Remark, Tone};
use crate::headline::{short_verdict, verdict_in_list};
use crate::json::json;
use crate::layout::{TextOptions, page};
use crate::padding::cut;
use crate::table::{Column, Table};
use crate::words::{ABSENT, maybe_micros, minute};

const TARGET_CHARS_MAX: usize = 16;
const TAGS_CHARS_MIN: usize = 8;
const NOTICES_CHARS_MAX: usize = 12;

/// A run in the list. A damaged run has only its ID, verdict, path and error.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "RunRow")]
pub struct RunRow {
    /// Run ID.
    pub id: String,
    /// Start of the run in RFC 3339.
    pub started_at: Option<String>,
    /// Workload name.
    pub workload: Option<String>,
    /// Target name as specified by the user.
    pub target: Option<String>,
    /// Scale of the data.
    #[schemars(with = "Option<f64>")]
    pub scale: Option<Amount>,
    /// Number of virtual users.
    pub sessions: Option<u32>,
    /// Name of the workload's main metric, such as NOPM.
    pub headline_name: Option<String>,
    /// Value of the workload's main metric.
    pub headline_per_minute: Option<f64>,
    /// Transactions per second.
    pub throughput_per_s: Option<f64>,
    /// 95th percentile of the latency over all transactions.
    pub latency_p95_us: Option<f64>,
    /// `VALID`, `THRESHOLD FAILED`, `UNSTABLE`, `TOO SHORT`, `INVALID`, `running`, `incomplete` or `unreadable`.
    pub verdict: &'static str,
    /// Thresholds that were exceeded or had no data.
    pub failed_thresholds: Vec<String>,
    /// IDs of the warnings, and of the reasons for the verdict INVALID.
    pub notices: Vec<String>,
    /// Labels given by the user.
    pub tags: Vec<String>,
    /// Note given by the user.
    pub note: Option<String>,
    /// Path of the run's folder.
    pub path: String,
    /// The error that prevented the run from being read.
    pub error: Option<String>,
}

/// Returns the list as a JSON array, in the order of the entries.
pub fn runs_json(entries: &[Entry]) -> Result<String> {
    json(&rows(entries))
}

/// Returns the list as a table, followed by the errors of any damaged runs.
pub fn runs_table(entries: &[Entry], options: &TextOptions) -> String {
    if entries.is_empty() {
        return page([Block::text("No runs yet. Use tacho run to start one.")], options);
    }
    let broken = entries.iter().filter_map(|entry| match entry {
        Entry::Broken(broken) => Some(remark(broken)),
        Entry::Loaded(_) => None,
    });
    let table = Block::Table(table(&rows(entries)));
    page(std::iter::once(table).chain(Block::remarks(broken)), options)
}

fn remark(broken: &Broken) -> Remark {
    Remark {
        tone: Tone::Warn,
        text: format!("{}: {}", broken.id, clean(&broken.reason.to_string())),
        hint: broken.reason.hints().join("; "),
    }
}

/// Returns the row for a list entry.
pub fn run_row(entry: &Entry) -> RunRow {
    match entry {
        Entry::Loaded(run) => loaded(run),
        Entry::Broken(broken) => unreadable(broken),
    }
}

fn rows(entries: &[Entry]) -> Vec<RunRow> {
    entries.iter().map(run_row).collect()
}

fn loaded(run: &Run) -> RunRow {
    let record = &run.record;
    let result = record.result.as_ref();
    let headline = result.and_then(ResultRecord::stated_headline);
    RunRow {
        id: record.id.clone(),
        started_at: Some(record.started_at.clone()),
        workload: Some(record.plan.workload.clone()),
        target: Some(record.plan.target_name.clone()),
        scale: Some(record.plan.scale),
        sessions: Some(record.plan.load.sessions),
        headline_name: headline.map(|headline| headline.name.clone()),
        headline_per_minute: headline.map(|headline| headline.per_minute),
        throughput_per_s: result.map(|result| result.throughput_per_s),
        latency_p95_us: result.and_then(p95_us),
        verdict: result.map_or_else(|| run.state(), short_verdict),
        failed_thresholds: result.map_or(Vec::new(), crossed),
        notices: result.map_or(Vec::new(), notices),
        tags: record.tags.clone(),
        note: record.note.clone(),
        path: run.path.display().to_string(),
        error: None,
    }
}

fn crossed(result: &ResultRecord) -> Vec<String> {
    let failed = result.thresholds.iter().filter(|threshold| !threshold.passed);
    failed.map(|threshold| threshold.expression.clone()).collect()
}

fn p95_us(result: &ResultRecord) -> Option<f64> {
    result.transactions.last().and_then(|all| all.latency.p95_us)
}

fn unreadable(broken: &Broken) -> RunRow {
    RunRow {
        id: broken.id.clone(),
        verdict: "unreadable",
        path: broken.path.display().to_string(),
        error: Some(broken.reason.to_string()),
        ..RunRow::default()
    }
}

fn table(rows: &[RunRow]) -> Table {
    let each = |cell: fn(&RunRow) -> String| rows.iter().map(cell);
    let columns = vec![
        Column::left("id", each(|row| row.id.clone())),
        Column::left("when", each(|row| row.started_at.as_deref().map_or(ABSENT.into(), minute))),
        Column::left("workload", each(|row| word(row.workload.as_ref()))).dropped(3),
        Column::left("target", each(|row| cut(&word(row.target.as_ref()), TARGET_CHARS_MAX))),
        Column::right("sessions", each(|row| row.sessions.map_or(ABSENT.into(), grouped)))
            .dropped(1),
        Column::right("headline", each(headline)),
        Column::right("p95", each(|row| maybe_micros(row.latency_p95_us))).dropped(2),
        Column::left(
            "verdict",
            each(|row| verdict_in_list(row.verdict, !row.failed_thresholds.is_empty())),
        ),
        Column::left("warnings", each(|row| noticed(&row.notices))),
        Column::left("tags", each(|row| row.tags.join(", "))).cut(TAGS_CHARS_MIN),
    ];
    Table::new(columns).flush()
}

/// Returns the IDs of a run's notices, without duplicates.
fn notices(result: &ResultRecord) -> Vec<String> {
    let mut ids: Vec<String> = result.notices.iter().map(|notice| notice.id.clone()).collect();
    ids.sort();
    ids.dedup();
    ids
}

/// Formats notice IDs, such as `W02 W14`, or a dash if there are none.
pub(crate) fn noticed(ids: &[String]) -> String {
    if ids.is_empty() { ABSENT.into() } else { cut(&clean(&ids.join(" ")), NOTICES_CHARS_MAX) }
}

fn word(word: Option<&String>) -> String {
    word.map_or_else(|| ABSENT.into(), |word| clean(word))
}

fn headline(row: &RunRow) -> String {
    match (row.headline_per_minute, &row.headline_name, row.throughput_per_s) {
        (Some(figure), Some(name), _) => format!("{} {name}", significant(figure)),
        (_, _, Some(rate)) => format!("{} tps", significant(rate)),
        _ => ABSENT.into(),
    }
}
