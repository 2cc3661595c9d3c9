//! A sweep as text, with a table for a terminal and the findings in sentences.

mod answer;
mod factors;
mod notices;
mod search;

pub(crate) use answer::{answer, at, marked, place};
pub(crate) use factors::effects;
pub(crate) use search::{interval_words, name, rates};

use tacho_analysis::{DataGrowth, Lead, QUERIES_PER_HOUR, SweepRow, SweepView, clean};
use tacho_core::units::{bytes, counted, grouped, percent};
use tacho_metrics::Verdict;
use tacho_store::record::{RunState, RunVerdict};
use tacho_store::sweep::Outcome;

use crate::answer::ended;
use crate::calibration;
use crate::document::Block;
use crate::layout::{Text, TextOptions};
use crate::limit::brief;
use crate::padding::{cut, width};
use crate::table::{Column, Table};
use crate::words::{ABSENT, change, maybe_micros, relative};

/// Maximum length of the reason why a row has no result. A longer reason is truncated, and printed
/// in full below the table.
const WHY_CHARS_MAX: usize = 120;

impl Text for SweepView {
    fn text(&self, options: &TextOptions) -> String {
        let heading = format!(
            "sweep {} · {} on {} · {}",
            self.sweep.id,
            self.sweep.workload,
            clean(&self.sweep.target_name),
            runs(self)
        );
        let said = sentences(self).into_iter().chain(notices::sentences(self)).map(Block::text);
        let effects = effects(self).map(|table| Block::table("Effects", table));
        let rates = rates(self).map(|table| Block::table("Highest rates", table));
        let blocks =
            [Block::Table(table(self))].into_iter().chain(rates).chain(effects).chain(said);
        ended(&heading, blocks.collect(), answer(self), options)
    }
}

/// Describes the number of runs. If the sweep is a search that has not started yet, describes the
/// goal of the search instead.
fn runs(view: &SweepView) -> String {
    let points = &view.sweep.points;
    let is_started = points.iter().any(|point| point.outcome != Outcome::Pending);
    match view.sweep.searched().filter(|_| !is_started) {
        Some(limit) => {
            let fixed = view.sweep.vary.iter().take(view.sweep.fixed());
            let count: usize = fixed.map(|varied| varied.values.len()).product();
            let each = if count > 1 { format!(", {count} times") } else { String::new() };
            format!("search for the highest rate with {}{each}", clean(limit))
        }
        None if is_started => counted(view.runs(), "run"),
        None => format!("{} planned", counted(points.len() as u64, "run")),
    }
}

/// Returns the rows as a table.
pub(crate) fn table(view: &SweepView) -> Table {
    let cells =
        |cell: &dyn Fn(&SweepRow) -> String| view.rows.iter().map(cell).collect::<Vec<String>>();
    let mut columns: Vec<Column> = view
        .sweep
        .vary
        .iter()
        .enumerate()
        .map(|(at, varied)| {
            let value = |row: &SweepRow| row.values.get(at).map_or("closed".into(), |v| clean(v));
            Column::right(&varied.key, cells(&value))
        })
        .collect();
    columns.extend([
        Column::right(&view.metric.to_lowercase(), cells(&|row| figure(row.throughput))),
        Column::right("±95 %", cells(&spread_words)),
    ]);
    if view.is_frontier() {
        let mean = |row: &SweepRow| maybe_micros(row.queries_mean_s.map(|seconds| seconds * 1e6));
        columns.extend([
            Column::right(QUERIES_PER_HOUR, cells(&|row| figure(row.queries_per_hour))),
            Column::right("geometric mean", cells(&mean)),
        ]);
    }
    columns.extend([
        Column::right("p95", cells(&|row| maybe_micros(row.p95_us))),
        Column::right("p99", cells(&|row| maybe_micros(row.p99_us))),
        Column::right("failed", cells(&|row| grouped(row.failed))),
    ]);
    if view.rows.iter().any(|row| row.limit.is_some()) {
        let limit = |row: &SweepRow| row.limit.as_ref().map_or(ABSENT.into(), brief);
        columns.push(Column::left("limit", cells(&limit)));
    } else if view.rows.iter().any(|row| row.wait.is_some()) {
        columns.push(Column::left("busiest wait", cells(&wait)));
    }
    columns.extend(search::column(view));
    let is_search = view.sweep.searched().is_some();
    columns.push(Column::left("note", cells(&|row| note(row, is_search))));
    Table::new(columns)
}

/// Returns the full text of each reason that is too long for the table.
fn reasons_in_full(view: &SweepView) -> impl Iterator<Item = String> {
    let long = view.rows.iter().filter_map(|row| {
        let why = row.missing.as_deref()?;
        (width(why) > WHY_CHARS_MAX).then(|| format!("{}: {why}", row.values.join(", ")))
    });
    long.map(|reason| clean(&reason))
}

/// Describes what the sweep found and what is missing from it.
pub(crate) fn sentences(view: &SweepView) -> Vec<String> {
    let mut sentences = Vec::new();
    if view.is_frontier() {
        sentences.push(format!(
            "Each row is a pair: {} of the sessions, and {} of the streams. For each row below the frontier, \
             another row has more of both.",
            view.metric, QUERIES_PER_HOUR
        ));
    }
    if view.rows.iter().any(|row| row.runs.len() > 1) {
        sentences.push(
            "Each row shows its median run; ±95 % is the confidence interval of the mean of all its runs."
                .into(),
        );
    }
    if view.rows.iter().any(|row| row.change.is_some()) {
        sentences.push(
            "Changes are relative to the first row; their 95 % confidence intervals come from the spread \
             between repeated runs, and the rows are evaluated as a family at a level of 1 %."
                .into(),
        );
    }
    sentences.extend(factors::sentences(view));
    if let Some(calibration) = &view.calibration {
        sentences.extend(calibration::sentences(calibration, view.repeats()));
    }
    sentences.extend(view.growth.iter().map(|growth| grown(view, growth)));
    sentences.extend(reasons_in_full(view));
    if view.sweep.state == RunState::Incomplete {
        let with = |outcome| view.sweep.points.iter().filter(move |point| point.outcome == outcome);
        let left = [(Outcome::Pending, "left"), (Outcome::Failed, "failed")]
            .map(|(outcome, word)| (with(outcome).count() as u64, word));
        let left = left.into_iter().filter(|(count, _)| *count > 0);
        let left = left.map(|(count, word)| format!("{} {word}", counted(count, "run")));
        sentences.push(format!("Not complete: {}.", left.collect::<Vec<_>>().join(", ")));
    }
    sentences
}

/// Describes how much the data grew over the sweep, because it was not restored between the runs.
fn grown(view: &SweepView, growth: &DataGrowth) -> String {
    let DataGrowth { before_bytes, after_bytes, .. } = *growth;
    let share = change(after_bytes as f64 / before_bytes as f64 - 1.0);
    let several = view.growth.len() > 1;
    let of = if several { format!(" of {}", clean(&growth.target_name)) } else { String::new() };
    let table = growth.table.as_ref().map_or_else(String::new, |table| {
        let rows =
            table.rows.map_or_else(String::new, |rows| format!(" and {}", counted(rows, "row")));
        format!("; table {} grew the most, by {}{rows}", clean(&table.name), bytes(table.bytes))
    });
    format!(
        "The data{of} was not restored between the {}: it grew from {} to {} ({share}){table}.",
        counted(growth.runs, "run"),
        bytes(before_bytes),
        bytes(after_bytes),
    )
}

/// Returns half the width of a point's confidence interval, such as `±0.8 %`.
pub(crate) fn spread_words(row: &SweepRow) -> String {
    match (row.throughput, row.low, row.high) {
        (Some(value), Some(low), Some(high)) if value > 0.0 => relative(value, low, high),
        _ => ABSENT.into(),
    }
}

fn figure(value: Option<f64>) -> String {
    value.map_or(ABSENT.into(), |value| grouped(value.round() as i64))
}

/// Returns the verdict on a measured point, unless the verdict is VALID.
fn unsettled(row: &SweepRow) -> Option<String> {
    let stated = row.throughput.is_some() && row.run_verdict != RunVerdict::Valid;
    stated.then(|| row.run_verdict.word().to_owned())
}

fn wait(row: &SweepRow) -> String {
    row.wait.as_ref().map_or(ABSENT.into(), |wait| {
        let event = if wait.event.is_empty() { &wait.class } else { &wait.event };
        format!("{} {}", clean(event), percent(wait.share))
    })
}

/// Returns the note in a row of the table. A search deliberately measures some points that miss the
/// threshold, so its notes do not mention missed thresholds.
fn note(row: &SweepRow, is_search: bool) -> String {
    let mut parts = Vec::new();
    parts.extend(row.missing.as_deref().map(|why| cut(why, WHY_CHARS_MAX)));
    parts.extend(notices::invalid(row).or_else(|| unsettled(row)));
    if !is_search {
        let failed = row.failed_thresholds.iter();
        parts.extend(failed.map(|threshold| format!("threshold failed: {}", clean(threshold))));
    }
    if row.headroom {
        parts.push("60 % of the highest rate".into());
    }
    if row.below_frontier {
        parts.push("below the frontier".into());
    }
    if row.knee && row.peak {
        parts.push("← knee and peak".into());
    } else if row.knee {
        parts.push("← knee (95 % of the peak)".into());
    } else if row.peak {
        parts.push("← peak".into());
    }
    parts.extend(row.best.map(|lead| match lead {
        Lead::Clear => "← best".to_owned(),
        Lead::Overlapping => "← best, but confidence intervals overlap".to_owned(),
    }));
    if let (Some(effect), Some(verdict)) = (row.change, row.verdict) {
        let word = match verdict {
            Verdict::Better => "better",
            Verdict::Worse => "WORSE",
            Verdict::Unclear => "unclear",
            Verdict::NoDifference | Verdict::NotEnoughData => "no difference",
            Verdict::Unstable => "not judged: UNSTABLE",
        };
        parts.push(format!(
            "{} ({} … {}) {word}",
            change(effect.value),
            change(effect.low),
            change(effect.high)
        ));
    }
    parts.join(", ")
}
