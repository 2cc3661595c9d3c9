//! Formats a trend as text: a table of the periods with steady performance, followed by the conditions that changed
//! between them.

use tacho_analysis::{RUNS_MIN, Trend, TrendChange, clean};
use tacho_core::units::{counted, grouped};
use tacho_metrics::{Change, Verdict};
use tacho_store::record::RunVerdict;

use crate::compare::differences;
use crate::document::Block;
use crate::layout::{Text, TextOptions, text};
use crate::table::{Column, Table};
use crate::words::{ABSENT, change, micros, minute, relative};

/// Maximum number of conditions that are listed for each change.
const CONDITIONS_MAX: usize = 12;
/// Maximum number of runs that are named for each verdict.
const RUNS_NAMED: usize = 5;

impl Text for Trend {
    fn text(&self, options: &TextOptions) -> String {
        let runs = counted(self.runs.len() as u64, "run");
        let heading = format!("{} of {} · {runs}", self.metric, clean(&self.name));
        let levels = table(self).filled().map(Block::Table).into_iter();
        let changes = self.changes.iter().flat_map(|one| change_blocks(self, one));
        let said = sentences(self).into_iter().map(Block::text);
        text(&heading, levels.chain(changes).chain(said).collect(), options)
    }
}

fn table(trend: &Trend) -> Table {
    let levels = || trend.levels.iter();
    let changes = || std::iter::once(None).chain(trend.changes.iter().map(Some));
    let interval = |low: Option<f64>, high: Option<f64>, mean: f64| match (low, high) {
        (Some(low), Some(high)) if mean > 0.0 => relative(mean, low, high),
        _ => ABSENT.into(),
    };
    Table::new(vec![
        Column::right("runs", levels().map(|level| grouped(level.runs))),
        Column::left("from", levels().map(|level| named(trend, &level.first))),
        Column::left("to", levels().map(|level| named(trend, &level.last))),
        Column::right(&trend.metric, levels().map(|level| figure(trend, level.mean))),
        Column::right("±95 %", levels().map(|level| interval(level.low, level.high, level.mean))),
        Column::left("change", changes().map(|change| change.map_or(ABSENT.into(), words))),
    ])
}

fn figure(trend: &Trend, value: f64) -> String {
    if trend.unit == "us" { micros(value) } else { grouped(value.round() as i64) }
}

/// Returns the run's ID and its start time to the minute.
fn named(trend: &Trend, id: &str) -> String {
    let run = trend.runs.iter().find(|run| run.id == id);
    run.map_or_else(|| id.into(), |run| format!("{id}, {}", minute(&run.started_at)))
}

/// Describes a change in performance, with the runs before and after it and the conditions in which they differ.
fn change_blocks(trend: &Trend, one: &TrendChange) -> Vec<Block> {
    let place = format!("Between {} and {}", named(trend, &one.before), named(trend, &one.after));
    let (shown, more) = one.conditions.split_at(one.conditions.len().min(CONDITIONS_MAX));
    let Some(table) = differences(shown) else {
        return vec![Block::text(format!("{place} no recorded condition differs."))];
    };
    let more = (!more.is_empty()).then(|| {
        Block::text(format!("and {} more; use -o json to list them", grouped(more.len() as u64)))
    });
    [Block::table(place, table)].into_iter().chain(more).collect()
}

fn sentences(trend: &Trend) -> Vec<String> {
    let mut sentences = Vec::new();
    if !trend.enough {
        sentences.push(format!(
            "Not enough data: at least {RUNS_MIN} runs are needed to find a change."
        ));
    } else if trend.changes.is_empty() {
        sentences.push("No change in level.".into());
    } else {
        sentences.push(
            "A change is the point that best divides the history in two, with 95 % confidence compared to shuffled histories (E-divisive method). Its interval is computed from the spread between runs."
                .into(),
        );
    }
    let unsettled = [RunVerdict::Unstable, RunVerdict::TooShort];
    sentences.extend(unsettled.into_iter().filter_map(|verdict| runs_that_are(trend, verdict)));
    let mut reasons: Vec<(&str, u64)> = Vec::new();
    for run in &trend.left_out {
        match reasons.iter_mut().find(|(reason, _)| *reason == run.reason) {
            Some((_, count)) => *count += 1,
            None => reasons.push((&run.reason, 1)),
        }
    }
    for (reason, count) in reasons {
        sentences.push(format!("{} left out: {}.", counted(count, "run"), clean(reason)));
    }
    sentences
}

/// Counts the runs with this verdict and names the first few, as in `2 runs are UNSTABLE: 7q3f, 9xkm.`
fn runs_that_are(trend: &Trend, verdict: RunVerdict) -> Option<String> {
    let runs = trend.runs.iter().filter(|run| run.verdict == verdict);
    let ids: Vec<&str> = runs.map(|run| run.id.as_str()).collect();
    let more = if ids.len() > RUNS_NAMED { ", …" } else { "" };
    let verb = if ids.len() == 1 { "is" } else { "are" };
    let count = counted(ids.len() as u64, "run");
    let shown = ids[..ids.len().min(RUNS_NAMED)].join(", ");
    (!ids.is_empty()).then(|| format!("{count} {verb} {}: {shown}{more}.", verdict.word()))
}

fn words(one: &TrendChange) -> String {
    let Some(Change { value, low, high, .. }) = one.change else { return ABSENT.into() };
    let word = match one.verdict {
        Verdict::Better => "better",
        Verdict::Worse => "WORSE",
        Verdict::Unclear | Verdict::NoDifference | Verdict::NotEnoughData | Verdict::Unstable => {
            "unclear"
        }
    };
    format!("{} ({} … {}) {word}", change(value), change(low), change(high))
}
