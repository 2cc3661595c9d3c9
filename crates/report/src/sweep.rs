//! A sweep as a table: a row for each combination of values, with peak and knee.
//!
//! Start reading at [`SweepView::of`].

use schemars::JsonSchema;
use serde::Serialize;
use tacho_core::Result;
use tacho_core::units::{counted, grouped, percent, significant};
use tacho_metrics::{Change, Direction, Mean, Verdict, paired_change};
use tacho_store::record::{Record, ResultRecord, State, WaitRecord};
use tacho_store::sweep::{Outcome, Point, SweepRecord};

use crate::analytics;
use crate::calibration::Calibration;
use crate::compare::{MetricRow, claim};
use crate::conditions::busiest_of_server;
use crate::json::pretty;
use crate::layout::{Page, TextOptions, cut, width};
use crate::sweep_notices::{self, RowNotice};
use crate::table::{Column, Table};
use crate::words::{ABSENT, change, clean, maybe_micros, relative};

/// The knee: the first point with this share of the peak's throughput.
const KNEE: f64 = 0.95;
/// Changes that are told in a sentence each; more stand in the table alone.
const CLAIMS_MAX: usize = 3;
/// Characters of the reason why a row has no figure; a longer one, such as a server's log, stands below.
const WHY_CHARS_MAX: usize = 120;
/// The throughput of workloads without a figure of their own.
const PER_SECOND: &str = "transactions/s";

/// A sweep with the figures of its runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SweepView {
    /// The sweep itself.
    pub sweep: SweepRecord,
    /// Name of the throughput, such as `NOPM`.
    pub metric: String,
    /// One row for each combination of values, in the order given.
    pub rows: Vec<SweepRow>,
    /// What equal runs have said before, if they were made.
    pub calibration: Option<Calibration>,
}

/// All runs of one combination of values.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "independent marks, each a field of the JSON")]
pub struct SweepRow {
    /// The values, in the order of `vary`.
    pub values: Vec<String>,
    /// Ids of the runs.
    pub runs: Vec<String>,
    /// The throughput: the mean of the runs.
    pub throughput: Option<f64>,
    /// Its 95 % interval: between the runs if there are several, else within the one.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Queries per hour of the streams beside the transactions, the mean of the runs; absent where the
    /// workload has none.
    pub queries_per_hour: Option<f64>,
    /// Geometric mean of the times of these queries, of the last run.
    pub queries_mean_s: Option<f64>,
    /// Whether another row has more of both throughputs: this one is below their frontier.
    pub below_frontier: bool,
    /// 95th percentile of all transactions, the highest of the runs.
    pub p95_us: Option<f64>,
    /// 99th percentile.
    pub p99_us: Option<f64>,
    /// Failed transactions of all runs.
    pub failed: u64,
    /// The busiest wait of the server in the last run, other than for the client.
    pub wait: Option<WaitRecord>,
    /// All of its waits, most frequent first.
    pub waits: Vec<WaitRecord>,
    /// Whether all runs are valid.
    pub valid: bool,
    /// Reasons for INVALID and warnings of the runs, each once.
    pub notices: Vec<RowNotice>,
    /// Whether this is the highest throughput.
    pub peak: bool,
    /// Whether this is the first with 95 % of the peak's throughput.
    pub knee: bool,
    /// Change of the throughput against the first row, run by run; absent without repetitions.
    pub change: Option<Change>,
    /// What the change says.
    pub verdict: Option<Verdict>,
    /// Why there is no figure.
    pub missing: Option<String>,
    /// The throughput of each repetition, by its number.
    #[serde(skip)]
    by_repetition: Vec<(u32, f64)>,
    /// The queries per hour of each run.
    #[serde(skip)]
    of_queries: Vec<f64>,
}

impl SweepView {
    /// Collects the figures. `find` gives the record of a run by its id.
    pub fn of(sweep: SweepRecord, find: impl Fn(&str) -> Option<Record>) -> Self {
        let mut metric = PER_SECOND.to_owned();
        let mut rows: Vec<SweepRow> = Vec::new();
        let mut equal: Vec<(u32, u32, f64)> = Vec::new();
        for point in &sweep.points {
            let result = point.run.as_deref().and_then(&find).and_then(|record| record.result);
            if let Some(side) = point.equal_side {
                equal.extend(result.map(|own| (point.repetition, side, throughput(&own))));
                continue;
            }
            let at = rows.iter().position(|row| row.values == point.values).unwrap_or_else(|| {
                let values = point.values.clone();
                rows.push(SweepRow { values, valid: true, ..SweepRow::default() });
                rows.len() - 1
            });
            if let Some(headline) = result.as_ref().and_then(|own| own.headline.as_ref()) {
                metric.clone_from(&headline.name);
            }
            rows[at].add(point, result.as_ref());
        }
        rows.iter_mut().for_each(SweepRow::spread);
        if rows.iter().any(|row| row.queries_per_hour.is_some()) {
            mark_frontier(&mut rows);
        } else if sweep.found.is_none() {
            mark(&mut rows);
        }
        against_the_first(&mut rows);
        let calibration = sweep
            .calibration
            .and_then(|own| Calibration::of(&equal_pairs(&equal), repeats(&sweep), own.wanted));
        if let Some(calibration) = &calibration {
            for row in &mut rows {
                row.respect(calibration);
            }
        }
        Self { sweep, metric, rows, calibration }
    }

    /// Repetitions of each combination.
    pub fn repeats(&self) -> u32 {
        repeats(&self.sweep)
    }

    /// As JSON.
    pub fn json(&self) -> Result<String> {
        pretty(self)
    }

    /// As a table for a terminal.
    pub fn text(&self, options: &TextOptions) -> String {
        let mut page = Page::new(options);
        page.text(
            &format!(
                "sweep {} · {} on {} · {}",
                self.sweep.id,
                self.sweep.workload,
                clean(&self.sweep.target_name),
                counted(self.runs(), "run")
            ),
            0,
        );
        page.blank();
        page.lines(self.table().lines());
        page.blank();
        for sentence in self.sentences().into_iter().chain(sweep_notices::sentences(self)) {
            page.text(&sentence, 0);
        }
        page.finish()
    }

    /// Runs that were made.
    pub(crate) fn runs(&self) -> u64 {
        self.sweep.points.iter().filter(|point| point.run.is_some()).count() as u64
    }

    /// The rows as a table.
    pub(crate) fn table(&self) -> Table {
        let cells = |cell: &dyn Fn(&SweepRow) -> String| {
            self.rows.iter().map(cell).collect::<Vec<String>>()
        };
        let mut columns: Vec<Column> = self
            .sweep
            .vary
            .iter()
            .enumerate()
            .map(|(at, varied)| {
                let value =
                    |row: &SweepRow| row.values.get(at).map_or("closed".into(), |v| clean(v));
                Column::right(&varied.key, cells(&value))
            })
            .collect();
        columns.extend([
            Column::right(&self.metric.to_lowercase(), cells(&|row| figure(row.throughput))),
            Column::right("±95 %", cells(&SweepRow::spread_words)),
        ]);
        if self.is_frontier() {
            let mean = |row: &SweepRow| maybe_micros(row.queries_mean_s.map(|own| own * 1e6));
            columns.extend([
                Column::right(analytics::METRIC, cells(&|row| figure(row.queries_per_hour))),
                Column::right("geometric mean", cells(&mean)),
            ]);
        }
        columns.extend([
            Column::right("p95", cells(&|row| maybe_micros(row.p95_us))),
            Column::right("p99", cells(&|row| maybe_micros(row.p99_us))),
            Column::right("failed", cells(&|row| grouped(row.failed))),
        ]);
        if self.rows.iter().any(|row| row.wait.is_some()) {
            columns.push(Column::left("busiest wait", cells(&wait)));
        }
        columns.push(Column::left("note", cells(&note)));
        Table { columns, indent: 2, gap: 2 }
    }

    /// The values of the first combination, and each other one that was measured against it, with its
    /// values.
    pub(crate) fn against_the_first(&self) -> (String, Vec<(String, MetricRow)>) {
        let name = |row: &SweepRow| {
            let pairs = self.sweep.vary.iter().zip(&row.values);
            let words = pairs.map(|(varied, value)| clean(&format!("{} {value}", varied.key)));
            words.collect::<Vec<_>>().join(", ")
        };
        let Some((first, others)) = self.rows.split_first() else { return Default::default() };
        let against_first = |row: &SweepRow| {
            let unit = if self.metric == PER_SECOND { "per_s" } else { "per_minute" };
            Some(MetricRow {
                name: self.metric.trim_end_matches("/s").into(),
                unit,
                good: Direction::Up,
                baseline: first.throughput,
                run: row.throughput,
                change: Some(row.change?),
                verdict: row.verdict?,
                adjusted_p: None,
            })
        };
        let changes = others.iter().filter_map(|row| Some((name(row), against_first(row)?)));
        (name(first), changes.collect())
    }

    /// Whether each row has two throughputs: that of transactions, and that of queries beside them.
    pub(crate) fn is_frontier(&self) -> bool {
        self.rows.iter().any(|row| row.queries_per_hour.is_some())
    }

    /// Reasons that the table has cut short.
    fn reasons_in_full(&self) -> impl Iterator<Item = String> {
        let long = self.rows.iter().filter_map(|row| {
            let why = row.missing.as_deref()?;
            (width(why) > WHY_CHARS_MAX).then(|| format!("{}: {why}", row.values.join(", ")))
        });
        long.map(|own| clean(&own))
    }

    /// What was found, and what is not complete.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if let Some(found) = &self.sweep.found {
            let rate = |rate: f64| format!("{} transactions a second", significant(rate));
            sentences.push(match (found.holds_at_per_s, found.fails_at_per_s) {
                (Some(holds), Some(fails)) => format!(
                    "{} holds at {}, twice measured; at {} it does not.",
                    found.limit,
                    rate(holds),
                    significant(fails)
                ),
                (Some(holds), None) => {
                    format!("{} holds at {}, the most there is.", found.limit, rate(holds))
                }
                (None, Some(fails)) => format!("{} fails even at {}.", found.limit, rate(fails)),
                (None, None) => format!("{} could not be tried.", found.limit),
            });
        }
        if self.is_frontier() {
            sentences.push(format!(
                "Each row is a pair: {} of the sessions, and {} of the streams beside them. Below the \
                 frontier are rows of which another one has more of both.",
                self.metric,
                analytics::METRIC
            ));
        }
        if self.rows.iter().any(|row| row.change.is_some()) {
            let (first, changes) = self.against_the_first();
            let told = changes.iter().filter(|_| changes.len() <= CLAIMS_MAX);
            sentences.extend(told.map(|(name, row)| {
                claim(row, &format!("with {first}"), &format!("With {name}, "))
            }));
            sentences.push(
                "Changes are against the first row, run by run in pairs; intervals are those \
                 between repeated runs."
                    .into(),
            );
        }
        if let Some(calibration) = &self.calibration {
            sentences.extend(calibration.sentences(repeats(&self.sweep)));
        }
        sentences.extend(self.reasons_in_full());
        if self.sweep.state == State::Incomplete {
            let left = self.sweep.points.iter().filter(|own| own.outcome == Outcome::Pending);
            sentences.push(format!("Not complete: {} left.", counted(left.count() as u64, "run")));
        }
        sentences
    }
}

impl SweepRow {
    fn add(&mut self, point: &Point, result: Option<&ResultRecord>) {
        let Some(result) = result else {
            self.missing = Some(match (point.outcome, &point.error) {
                (Outcome::Pending, _) => "not yet measured".into(),
                (Outcome::Skipped, _) => "left out: past the peak".into(),
                (Outcome::Failed, Some(error)) => clean(error),
                _ => "its run is gone".into(),
            });
            return;
        };
        self.runs.extend(point.run.clone());
        let value = throughput(result);
        self.by_repetition.push((point.repetition, value));
        // Relative to the client's own count, on which the interval rests.
        if let Some(own) = result.interval_95.filter(|own| own.value > 0.0) {
            self.low = Some(value * own.low / own.value);
            self.high = Some(value * own.high / own.value);
        }
        if let Some(own) = &result.analytics {
            self.of_queries.push(own.queries_per_hour);
            self.queries_mean_s = own.geometric_mean_s;
        }
        if let Some(all) = result.transactions.iter().find(|own| own.name == "all") {
            self.p95_us = most(self.p95_us, all.latency.p95_us);
            self.p99_us = most(self.p99_us, all.latency.p99_us);
        }
        self.failed += result.accounting.failed;
        self.valid &= result.valid;
        RowNotice::add(&mut self.notices, &result.notices);
        self.waits = result.server_load.as_ref().map_or(Vec::new(), |load| load.waits.clone());
        self.wait = busiest_of_server(&self.waits).cloned();
    }

    /// Half its interval: `±0.8 %`.
    pub(crate) fn spread_words(&self) -> String {
        match (self.throughput, self.low, self.high) {
            (Some(value), Some(low), Some(high)) if value > 0.0 => relative(value, low, high),
            _ => ABSENT.into(),
        }
    }

    /// A change that equal runs show too is none that could be claimed.
    fn respect(&mut self, calibration: &Calibration) {
        let is_small = self.change.is_some_and(|own| own.value.abs() < calibration.floor);
        if is_small && matches!(self.verdict, Some(Verdict::Better | Verdict::Worse)) {
            self.verdict = Some(Verdict::Unclear);
        }
    }

    /// The mean of the repetitions, with the interval between them.
    fn spread(&mut self) {
        let values: Vec<f64> = self.by_repetition.iter().map(|(_, value)| *value).collect();
        if values.is_empty() {
            return;
        }
        self.throughput = Some(values.iter().sum::<f64>() / values.len() as f64);
        let queries = self.of_queries.iter().sum::<f64>() / self.of_queries.len() as f64;
        self.queries_per_hour = Some(queries).filter(|own| own.is_finite());
        if let Some(mean) = Mean::of_repeats(&values) {
            let (low, high) = mean.interval_95();
            (self.low, self.high) = (Some(low), Some(high));
        }
    }
}

/// Repetitions of each combination.
fn repeats(sweep: &SweepRecord) -> u32 {
    let own = sweep.points.iter().filter(|point| point.equal_side.is_none());
    own.map(|point| point.repetition).max().unwrap_or(1)
}

/// The figure that is compared.
fn throughput(result: &ResultRecord) -> f64 {
    let headline = result.headline.as_ref();
    headline.map_or(result.throughput_per_s, |headline| headline.per_minute)
}

/// The two sides of each repetition of which both were measured.
fn equal_pairs(equal: &[(u32, u32, f64)]) -> Vec<(f64, f64)> {
    let firsts = equal.iter().filter(|(_, side, _)| *side == 1);
    firsts
        .filter_map(|(repetition, _, first)| {
            let second = equal.iter().find(|own| own.0 == *repetition && own.1 == 2)?;
            Some((*first, second.2))
        })
        .collect()
}

fn most(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.into_iter().chain(b).max_by(f64::total_cmp)
}

/// Marks peak and knee of each ladder: rows that differ in the last value only, which is a number.
fn mark(rows: &mut [SweepRow]) {
    let ladder = |row: &SweepRow| row.values.split_last().map(|(_, others)| others.to_vec());
    let number = |row: &SweepRow| row.values.last().is_some_and(|own| own.parse::<f64>().is_ok());
    if !rows.iter().all(number) {
        return;
    }
    let mut rest = rows;
    while let Some(first) = rest.first().map(ladder) {
        // The last value changes fastest, so the rows of a ladder follow each other.
        let length = rest.iter().take_while(|row| ladder(row) == first).count();
        let (own, others) = rest.split_at_mut(length);
        mark_ladder(own);
        rest = others;
    }
}

/// Marks the rows of which another one has more of both throughputs, or as much of one and more of the
/// other.
fn mark_frontier(rows: &mut [SweepRow]) {
    let pair = |row: &SweepRow| row.throughput.zip(row.queries_per_hour);
    let pairs: Vec<(f64, f64)> = rows.iter().filter_map(pair).collect();
    for row in rows {
        row.below_frontier = pair(row).is_some_and(|own| {
            pairs.iter().any(|other| other.0 >= own.0 && other.1 >= own.1 && *other != own)
        });
    }
}

fn mark_ladder(rows: &mut [SweepRow]) {
    let peak = rows.iter().filter_map(|row| row.throughput).max_by(f64::total_cmp);
    let Some(peak) = peak.filter(|peak| rows.len() > 2 && *peak > 0.0) else { return };
    if let Some(row) = rows.iter_mut().find(|row| row.throughput == Some(peak)) {
        row.peak = true;
    }
    let near = |row: &&mut SweepRow| row.throughput.is_some_and(|own| own >= KNEE * peak);
    if let Some(row) = rows.iter_mut().find(near) {
        row.knee = true;
    }
}

/// The change of each row against the first, from repetitions of the same number.
fn against_the_first(rows: &mut [SweepRow]) {
    let Some((first, others)) = rows.split_first_mut() else { return };
    for row in others {
        let pairs: Vec<(f64, f64)> = first
            .by_repetition
            .iter()
            .filter_map(|(repetition, before)| {
                let after = row.by_repetition.iter().find(|(own, _)| own == repetition)?;
                Some((*before, after.1))
            })
            .collect();
        row.change = paired_change(&pairs);
        row.verdict = row.change.map(|change| Verdict::of(Some(change), Direction::Up));
    }
}

fn figure(value: Option<f64>) -> String {
    value.map_or(ABSENT.into(), |value| grouped(value.round() as i64))
}

fn wait(row: &SweepRow) -> String {
    row.wait.as_ref().map_or(ABSENT.into(), |wait| {
        let event = if wait.event.is_empty() { &wait.class } else { &wait.event };
        format!("{} {}", clean(event), percent(wait.share))
    })
}

fn note(row: &SweepRow) -> String {
    let mut parts = Vec::new();
    parts.extend(row.missing.as_deref().map(|why| cut(why, WHY_CHARS_MAX)));
    parts.extend(sweep_notices::invalid(row));
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
    if let (Some(own), Some(verdict)) = (row.change, row.verdict) {
        let word = match verdict {
            Verdict::Better => "better",
            Verdict::Worse => "WORSE",
            Verdict::Unclear => "unclear",
            Verdict::NoDifference | Verdict::NotEnoughData => "no difference",
        };
        parts.push(format!(
            "{} ({} … {}) {word}",
            change(own.value),
            change(own.low),
            change(own.high)
        ));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_row_has_more_of_both_is_below_the_frontier() {
        let row = |throughput, queries| SweepRow {
            throughput: Some(throughput),
            queries_per_hour: queries,
            ..SweepRow::default()
        };
        let pairs = [(100.0, 0.0), (90.0, 50.0), (80.0, 40.0), (80.0, 60.0), (79.0, 60.0)];
        let mut rows: Vec<SweepRow> = pairs.iter().map(|own| row(own.0, Some(own.1))).collect();
        rows.push(row(1.0, None));
        mark_frontier(&mut rows);
        let below: Vec<bool> = rows.iter().map(|row| row.below_frontier).collect();
        assert_eq!(below, [false, false, true, false, true, false]);
    }
}
