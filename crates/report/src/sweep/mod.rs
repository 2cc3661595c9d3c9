//! A sweep as text, with a table for a terminal and the findings in sentences.

mod notices;

use tacho_analysis::{QUERIES_PER_HOUR, SweepRow, SweepView, clean};
use tacho_core::units::{counted, grouped, percent, significant};
use tacho_metrics::Verdict;
use tacho_store::record::{RunState, RunVerdict};
use tacho_store::sweep::{Outcome, Point};

use crate::calibration;
use crate::compare::claim;
use crate::document::Block;
use crate::layout::{Text, TextOptions, text};
use crate::limit::brief;
use crate::padding::{cut, width};
use crate::table::{Column, Table};
use crate::words::{ABSENT, change, maybe_micros, relative};

/// Maximum number of changes to describe in a sentence each. Any other changes appear only in the table.
const CLAIMS_MAX: usize = 3;
/// Maximum length, in characters, of the reason why a row has no result. Longer reasons, such as excerpts from a server
/// log, are printed below the table.
const WHY_CHARS_MAX: usize = 120;

impl Text for SweepView {
    fn text(&self, options: &TextOptions) -> String {
        let heading = format!(
            "sweep {} · {} on {} · {}",
            self.sweep.id,
            self.sweep.workload,
            clean(&self.sweep.target_name),
            counted(self.runs(), "run")
        );
        let said = sentences(self).into_iter().chain(notices::sentences(self)).map(Block::text);
        text(&heading, [Block::Table(table(self))].into_iter().chain(said).collect(), options)
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
    let is_search = view.sweep.found.is_some();
    columns.push(Column::left("note", cells(&|row| note(row, is_search))));
    Table::new(columns)
}

/// Returns the full text of the reasons that are truncated in the table.
fn reasons_in_full(view: &SweepView) -> impl Iterator<Item = String> {
    let long = view.rows.iter().filter_map(|row| {
        let why = row.missing.as_deref()?;
        (width(why) > WHY_CHARS_MAX).then(|| format!("{}: {why}", row.values.join(", ")))
    });
    long.map(|reason| clean(&reason))
}

/// Describes the findings of a sweep, including any missing parts.
pub(crate) fn sentences(view: &SweepView) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some(found) = &view.sweep.found {
        let rate = |rate: f64| format!("{} transactions a second", significant(rate));
        let measured = |point: &Point| point.outcome == Outcome::Measured;
        sentences.push(match (found.holds_at_per_s, found.fails_at_per_s) {
            (Some(holds), Some(fails)) => format!(
                "{} is met at {}, {}, but not at {}.",
                found.limit,
                rate(holds),
                if found.in_steps { "measured once, in a step" } else { "measured twice" },
                significant(fails)
            ),
            (Some(holds), None) if found.in_steps => {
                format!("{} is met at {}, the highest step.", found.limit, rate(holds))
            }
            (Some(holds), None) => {
                format!("{} is met at {}, the highest rate tried.", found.limit, rate(holds))
            }
            (None, Some(fails)) => format!("{} fails even at {}.", found.limit, rate(fails)),
            (None, None) if view.sweep.points.iter().skip(1).any(measured) => format!(
                "{} could not be evaluated: too few transactions. Measure longer.",
                found.limit
            ),
            (None, None) => format!("{} could not be tested.", found.limit),
        });
    }
    if view.is_frontier() {
        sentences.push(format!(
            "Each row is a pair: {} of the sessions, and {} of the streams. For each row below the frontier, \
             another row has more of both.",
            view.metric, QUERIES_PER_HOUR
        ));
    }
    if view.rows.iter().any(|row| row.change.is_some()) {
        let (first, changes) = view.against_the_first();
        let stated = changes.iter().filter(|_| changes.len() <= CLAIMS_MAX);
        sentences
            .extend(stated.map(|(name, row)| {
                claim(row, &format!("with {first}"), &format!("With {name}, "))
            }));
        sentences.push(
            "Changes are relative to the first row; their 95 % confidence intervals come from the spread \
             between repeated runs, and the rows are evaluated as a family at a level of 1 %."
                .into(),
        );
    }
    if let Some(calibration) = &view.calibration {
        sentences.extend(calibration::sentences(calibration, view.repeats()));
    }
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

/// Returns half of the width of a point's confidence interval, such as `±0.8 %`.
pub(crate) fn spread_words(row: &SweepRow) -> String {
    match (row.throughput, row.low, row.high) {
        (Some(value), Some(low), Some(high)) if value > 0.0 => relative(value, low, high),
        _ => ABSENT.into(),
    }
}

fn figure(value: Option<f64>) -> String {
    value.map_or(ABSENT.into(), |value| grouped(value.round() as i64))
}

/// Returns the verdict on a point if its result is not reliable.
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

/// Returns the note for a row. When searching for a rate, a failed threshold is an expected outcome rather than a
/// failure.
fn note(row: &SweepRow, is_search: bool) -> String {
    let mut parts = Vec::new();
    parts.extend(row.missing.as_deref().map(|why| cut(why, WHY_CHARS_MAX)));
    parts.extend(notices::invalid(row).or_else(|| unsettled(row)));
    if !is_search {
        let failed = row.failed_thresholds.iter();
        parts.extend(failed.map(|threshold| format!("threshold failed: {}", clean(threshold))));
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
