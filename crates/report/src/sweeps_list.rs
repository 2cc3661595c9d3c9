//! The list of sweeps, with one row per sweep. It includes damaged sweeps.
//!
//! Start reading at [`sweeps_table`].

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;
use tacho_analysis::clean;
use tacho_core::units::counted;
use tacho_store::record::{ResultRecord, RunState, RunVerdict};
use tacho_store::sweep::{Outcome, SweepRecord};
use tacho_store::{Entry, SweepEntry};

use crate::document::{Block, Remark, Tone};
use crate::layout::{TextOptions, page};
use crate::padding::cut;
use crate::runs_list::noticed;
use crate::table::{Column, Table};
use crate::words::{ABSENT, minute};

const TARGET_CHARS_MAX: usize = 16;
const VARIES_CHARS_MIN: usize = 12;

/// A sweep in the list. A damaged sweep has only its ID, verdict, path and error.
#[derive(Default, Serialize, JsonSchema)]
pub struct SweepRow {
    id: String,
    started_at: Option<String>,
    workload: Option<String>,
    target: Option<String>,
    /// The setting that varies, with its values, such as `sessions 1,2,4`.
    varies: Option<String>,
    /// Number of points that were measured.
    measured: usize,
    points: usize,
    /// The most severe verdict of the sweep's runs, or `incomplete`, `RUNS MISSING` or `unreadable`.
    verdict: &'static str,
    /// IDs of the reasons for INVALID and of the warnings in the sweep's runs.
    notices: Vec<String>,
    /// IDs of runs that could not be found or read.
    missing: Vec<String>,
    path: String,
    error: Option<String>,
}

/// Returns the list as a table, followed by the errors of any damaged sweeps.
pub fn sweeps_table(sweeps: &[SweepEntry], runs: &[Entry], options: &TextOptions) -> String {
    let rows = sweep_rows(sweeps, runs);
    let table = Block::Table(table(&rows));
    page(std::iter::once(table).chain(Block::remarks(rows.iter().filter_map(remark))), options)
}

/// Describes how a sweep is damaged, or returns `None` if it is intact.
fn remark(row: &SweepRow) -> Option<Remark> {
    let remark = |what: String, hint: String| {
        Some(Remark { tone: Tone::Warn, text: format!("{}: {what}", row.id), hint })
    };
    match (&row.error, row.missing.len() as u64) {
        (Some(error), _) => remark(clean(error), String::new()),
        (None, 0) => None,
        (None, count) => remark(
            format!("{} missing: {}", counted(count, "run"), row.missing.join(", ")),
            format!("to measure them again, use tacho sweep --resume {}", row.id),
        ),
    }
}

/// Returns a row for each sweep, in the given order. `runs` contains all runs in the store.
pub fn sweep_rows(sweeps: &[SweepEntry], runs: &[Entry]) -> Vec<SweepRow> {
    let loaded = runs.iter().filter_map(|entry| match entry {
        Entry::Loaded(run) => Some((entry.id(), run.record.result.as_ref())),
        Entry::Broken(_) => None,
    });
    let runs: HashMap<&str, Option<&ResultRecord>> = loaded.collect();
    sweeps.iter().map(|sweep| row(sweep, &runs)).collect()
}

fn row(sweep: &SweepEntry, runs: &HashMap<&str, Option<&ResultRecord>>) -> SweepRow {
    let path = sweep.path.display().to_string();
    let record = match &sweep.record {
        Ok(record) => record,
        Err(error) => {
            let (id, error) = (sweep.id.clone(), Some(error.to_string()));
            return SweepRow { id, verdict: "unreadable", path, error, ..SweepRow::default() };
        }
    };
    let results: Vec<&ResultRecord> = record.runs().filter_map(|id| *runs.get(id)?).collect();
    let mut notices: Vec<String> =
        results.iter().flat_map(|result| &result.notices).map(|notice| notice.id.clone()).collect();
    notices.sort();
    notices.dedup();
    let missing: Vec<String> =
        record.runs().filter(|id| !runs.contains_key(id)).map(str::to_owned).collect();
    let measured = record.points.iter().filter(|point| point.outcome == Outcome::Measured).count();
    SweepRow {
        id: record.id.clone(),
        started_at: Some(record.started_at.clone()),
        workload: Some(record.workload.clone()),
        target: Some(record.target_name.clone()),
        varies: Some(varies(record)),
        measured,
        points: record.points.len(),
        verdict: verdict(record, &missing, &results),
        notices,
        missing,
        path,
        error: None,
    }
}

fn verdict(record: &SweepRecord, missing: &[String], results: &[&ResultRecord]) -> &'static str {
    if !missing.is_empty() {
        return "RUNS MISSING";
    }
    let gravest = results.iter().map(|result| result.verdict()).max();
    match (record.state, gravest) {
        (RunState::Incomplete, _) => "incomplete",
        (RunState::Complete, Some(verdict)) => verdict.word(),
        (RunState::Complete, None) => RunVerdict::Invalid.word(),
    }
}

fn varies(record: &SweepRecord) -> String {
    let rate = record.searched().map(|limit| format!("rate for {limit}"));
    let fixed = record.vary.iter().take(record.fixed());
    let each = fixed.map(|axis| format!("{} {}", axis.key, axis.values.join(",")));
    clean(&rate.into_iter().chain(each).collect::<Vec<_>>().join(", "))
}

fn table(rows: &[SweepRow]) -> Table {
    let each = |cell: &dyn Fn(&SweepRow) -> String| rows.iter().map(cell).collect::<Vec<String>>();
    let word = |text: &Option<String>| text.as_deref().map_or(ABSENT.into(), clean);
    let points = |row: &SweepRow| match row.error {
        Some(_) => ABSENT.into(),
        None => format!("{} of {}", row.measured, row.points),
    };
    let columns = vec![
        Column::left("id", each(&|row| row.id.clone())),
        Column::left("when", each(&|row| row.started_at.as_deref().map_or(ABSENT.into(), minute))),
        Column::left("workload", each(&|row| word(&row.workload))),
        Column::left("target", each(&|row| cut(&word(&row.target), TARGET_CHARS_MAX))),
        Column::right("points", each(&points)),
        Column::left("verdict", each(&|row| row.verdict.into())),
        Column::left("warnings", each(&|row| noticed(&row.notices))),
        Column::left("varies", each(&|row| word(&row.varies))).cut(VARIES_CHARS_MIN),
    ];
    Table::new(columns).flush()
}
