//! Runs of one combination of values, and the combination's rank among the others.
//!
//! Start reading at [`SweepRow`].

use schemars::JsonSchema;
use serde::Serialize;
use tacho_metrics::{
    Change, Direction, Effect, FAMILY_WISE, Mean, Sample, Verdict, holm, moderated,
};
use tacho_store::record::{ResultRecord, RunVerdict, WaitRecord};
use tacho_store::sweep::{Outcome, Point};

use super::{RowNotice, search};
use crate::calibration::Calibration;
use crate::compare::{Observed, Sums, median, rate};
use crate::limit::Limit;
use crate::waits::busiest_of_server;
use crate::words::clean;

/// Fraction of the peak throughput. The first point with at least this throughput is the knee.
const KNEE: f64 = 0.95;

/// All runs of one combination of values.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent flags, each serialized as a JSON field"
)]
pub struct SweepRow {
    /// The values, in the same order as `vary`.
    pub values: Vec<String>,
    /// True if this is the final run of a search, at 60 % of the highest rate that the search found.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub headroom: bool,
    /// IDs of the runs.
    pub runs: Vec<String>,
    /// Throughput of the median run, or of the slower of the two middle runs.
    pub throughput: Option<f64>,
    /// Lower end of the throughput's 95 % confidence interval. It is computed from the spread between runs or, for
    /// a single run, between its parts.
    pub low: Option<f64>,
    /// Upper end of the throughput's 95 % confidence interval.
    pub high: Option<f64>,
    /// Queries per hour of the streams alongside transactions; absent without such streams.
    pub queries_per_hour: Option<f64>,
    /// Geometric mean of these streams' query times in the median run.
    pub queries_mean_s: Option<f64>,
    /// True if another row is better in one kind of throughput and no worse in the other.
    pub below_frontier: bool,
    /// 95th percentile of the latency over all transactions of the median run.
    pub p95_us: Option<f64>,
    /// 99th percentile of the latency over all transactions of the median run.
    pub p99_us: Option<f64>,
    /// Total number of failed transactions in all runs.
    pub failed: u64,
    /// The most frequent wait within the server during the median run.
    pub wait: Option<WaitRecord>,
    /// The resource that limited the median run; absent if there was not enough data.
    pub limit: Option<Limit>,
    /// All waits during the median run, most frequent first.
    pub waits: Vec<WaitRecord>,
    /// True if all runs are valid.
    pub valid: bool,
    /// The most severe of the runs' verdicts.
    pub run_verdict: RunVerdict,
    /// Thresholds that a run did not meet or had no measured value for, without duplicates.
    pub failed_thresholds: Vec<String>,
    /// Reasons for INVALID and warnings from all runs, without duplicates.
    pub notices: Vec<RowNotice>,
    /// The runs of a search. Each has a flag, which is true if the run met the threshold, and the measured value as
    /// text, if there is one.
    pub windows: Vec<(bool, Option<String>)>,
    /// True if this row has the highest throughput.
    pub peak: bool,
    /// True if this is the first row that reaches 95 % of the peak throughput.
    pub knee: bool,
    /// Certainty that this row is the best. Present only in the row with the highest throughput, and only if the
    /// varied values are names rather than numbers.
    pub best: Option<Lead>,
    /// Change in throughput from the first row; absent if there are no repetitions.
    pub change: Option<Change>,
    /// The verdict on the change.
    pub verdict: Option<Verdict>,
    /// Values per transaction that differ from the first row's. Absent if the change is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed: Option<Observed>,
    /// The reason why there is no result.
    pub missing: Option<String>,
    /// Repetition number and throughput of each repetition.
    #[serde(skip)]
    pub(super) by_repetition: Vec<(u32, f64)>,
    /// Throughput of each run and its spread, estimated from parts of the run.
    #[serde(skip)]
    pub(super) within: Vec<Mean>,
    /// The values of each run, from which the median run is chosen.
    #[serde(skip)]
    of_runs: Vec<OneRun>,
    /// The observations of all runs, added up.
    #[serde(skip)]
    sums: Sums,
}

/// The values that a row shows for one of its runs.
#[derive(Clone, Debug, Default)]
struct OneRun {
    rate: f64,
    throughput: f64,
    queries_per_hour: Option<f64>,
    queries_mean_s: Option<f64>,
    p95_us: Option<f64>,
    p99_us: Option<f64>,
    limit: Option<Limit>,
    waits: Vec<WaitRecord>,
}

impl OneRun {
    fn of(result: &ResultRecord, limit: Option<Limit>) -> Self {
        let mut kinds = result.transactions.iter();
        let all = kinds.find(|transaction| transaction.name == "all");
        let analytics = result.analytics.as_ref();
        Self {
            rate: rate(result),
            throughput: throughput(result),
            queries_per_hour: analytics.map(|analytics| analytics.queries_per_hour),
            queries_mean_s: analytics.and_then(|analytics| analytics.geometric_mean_s),
            p95_us: all.and_then(|all| all.latency.p95_us),
            p99_us: all.and_then(|all| all.latency.p99_us),
            limit,
            waits: result.server_load.as_ref().map_or(Vec::new(), |load| load.waits.clone()),
        }
    }
}

/// The certainty with which a row is the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lead {
    /// No other row's confidence interval overlaps the best row's interval.
    Clear,
    /// Another row's confidence interval is unknown or overlaps the best row's interval.
    Overlapping,
}

/// Describes a row's values along the axes, as in `sessions 4, form sql`.
pub fn label(axes: &[String], values: &[String]) -> String {
    if values.is_empty() {
        // The first run of a search has no rate, so it has no values.
        return "closed".into();
    }
    let pairs = axes.iter().zip(values);
    let words = pairs.map(|(axis, value)| format!("{} {}", clean(axis), clean(value)));
    let closed = (values.len() < axes.len()).then(|| "closed".to_owned());
    words.chain(closed).collect::<Vec<_>>().join(", ")
}

impl SweepRow {
    /// Creates a row without runs.
    pub(super) fn new(point: &Point) -> Self {
        let values = point.values.clone();
        Self { values, headroom: point.headroom, valid: true, ..Self::default() }
    }

    /// Adds a run to the row.
    pub(super) fn add(
        &mut self,
        point: &Point,
        result: Option<&ResultRecord>,
        limit: Option<Limit>,
    ) {
        let Some(result) = result else {
            self.missing = Some(match (point.outcome, &point.error) {
                (Outcome::Pending, _) => "not yet measured".into(),
                (Outcome::Skipped, None) => "skipped: past the peak".into(),
                (Outcome::Failed | Outcome::Skipped, Some(error)) => clean(error),
                _ => "its run no longer exists".into(),
            });
            return;
        };
        self.runs.extend(point.run.clone());
        let value = throughput(result);
        self.by_repetition.push((point.repetition, value));
        // The interval is that of the client's own transaction count, so scale it to the throughput that is shown.
        if let Some(interval) = result.interval_95.filter(|interval| interval.value > 0.0) {
            self.within.push(interval.mean());
            self.low = Some(value * interval.low / interval.value);
            self.high = Some(value * interval.high / interval.value);
        }
        self.of_runs.push(OneRun::of(result, limit));
        self.sums.add(result);
        self.failed += result.accounting.failed;
        self.valid &= result.valid;
        self.run_verdict = self.run_verdict.max(result.verdict());
        for threshold in result.thresholds.iter().filter(|threshold| !threshold.passed) {
            if !self.failed_thresholds.contains(&threshold.expression) {
                self.failed_thresholds.push(threshold.expression.clone());
            }
        }
        RowNotice::add(&mut self.notices, &result.notices);
    }

    /// Adds the outcome of one of a search's runs.
    pub(super) fn add_window(&mut self, limit: &str, result: Option<&ResultRecord>) {
        let outcome = |result| (search::holds(result), search::measured(limit, result));
        self.windows.extend(result.map(outcome));
    }

    /// Changes the verdict "better" or "worse" to "unclear" if runs with identical settings differed as much.
    pub(super) fn respect(&mut self, calibration: &Calibration) {
        let is_small = self.change.is_some_and(|change| {
            change.value.abs() < calibration.floor_of_throughput().unwrap_or(0.0)
        });
        if is_small && matches!(self.verdict, Some(Verdict::Better | Verdict::Worse)) {
            self.verdict = Some(Verdict::Unclear);
        }
    }

    /// Returns the sum of squared deviations between the repetitions, on a logarithmic scale, and its degrees of
    /// freedom.
    pub(super) fn deviations(&self) -> Option<(f64, f64)> {
        let positive = self.by_repetition.iter().filter(|repetition| repetition.1 > 0.0);
        let logarithms: Vec<f64> = positive.map(|repetition| repetition.1.ln()).collect();
        let count = logarithms.len() as f64;
        let mean = logarithms.iter().sum::<f64>() / count;
        let squares = logarithms.iter().map(|value| (value - mean).powi(2)).sum();
        (count > 1.0).then_some((squares, count - 1.0))
    }

    /// Takes the values of the median run, and the confidence interval from all runs.
    pub(super) fn spread(&mut self) {
        let Some(run) = median(std::mem::take(&mut self.of_runs), |run| run.rate) else { return };
        let values: Vec<f64> = self.by_repetition.iter().map(|(_, value)| *value).collect();
        self.throughput = Some(run.throughput);
        (self.queries_per_hour, self.queries_mean_s) = (run.queries_per_hour, run.queries_mean_s);
        (self.p95_us, self.p99_us) = (run.p95_us, run.p99_us);
        self.limit = run.limit;
        self.wait = busiest_of_server(&run.waits).cloned();
        self.waits = run.waits;
        if let Some(mean) = Mean::of_repeats(&values) {
            let (low, high) = mean.interval_95();
            (self.low, self.high) = (Some(low), Some(high));
        }
    }
}

/// Returns the throughput value that is used for comparisons.
pub(super) fn throughput(result: &ResultRecord) -> f64 {
    let headline = result.stated_headline();
    headline.map_or(result.throughput_per_s, |headline| headline.per_minute)
}

/// Marks the peak and the knee of each ladder. A ladder is a series of rows that differ only in the last value,
/// which is a number.
pub(super) fn mark(rows: &mut [SweepRow]) {
    let ladder = |row: &SweepRow| row.values.split_last().map(|(_, others)| others.to_vec());
    let number =
        |row: &SweepRow| row.values.last().is_some_and(|value| value.parse::<f64>().is_ok());
    if !rows.iter().all(number) {
        return mark_best(rows);
    }
    let mut rest = rows;
    while let Some(first) = rest.first().map(ladder) {
        // The last value changes fastest, so the rows of a ladder are adjacent.
        let length = rest.iter().take_while(|row| ladder(row) == first).count();
        let (current, others) = rest.split_at_mut(length);
        mark_ladder(current);
        rest = others;
    }
}

/// Marks each dominated row. Another row is better than it in one kind of throughput and no worse in the other.
pub(super) fn mark_frontier(rows: &mut [SweepRow]) {
    let pair = |row: &SweepRow| row.throughput.zip(row.queries_per_hour);
    let pairs: Vec<(f64, f64)> = rows.iter().filter_map(pair).collect();
    for row in rows {
        row.below_frontier = pair(row).is_some_and(|pair| {
            pairs.iter().any(|other| other.0 >= pair.0 && other.1 >= pair.1 && *other != pair)
        });
    }
}

fn mark_best(rows: &mut [SweepRow]) {
    let measured = rows.iter().filter_map(|row| row.throughput);
    let Some(most) = measured.max_by(f64::total_cmp).filter(|most| *most > 0.0) else { return };
    let Some(best) = rows.iter().position(|row| row.throughput == Some(most)) else { return };
    let is_below = |row: &SweepRow| match (row.high, rows[best].low) {
        (Some(high), Some(low)) => high < low,
        _ => row.throughput.is_none(),
    };
    let mut others = rows.iter().enumerate().filter(|(at, _)| *at != best);
    let is_clear = others.all(|(_, row)| is_below(row));
    let is_alone = rows.iter().filter(|row| row.throughput.is_some()).count() < 2;
    rows[best].best = (!is_alone).then_some(if is_clear { Lead::Clear } else { Lead::Overlapping });
}

fn mark_ladder(rows: &mut [SweepRow]) {
    let peak = rows.iter().filter_map(|row| row.throughput).max_by(f64::total_cmp);
    let Some(peak) = peak.filter(|peak| rows.len() > 2 && *peak > 0.0) else { return };
    if let Some(row) = rows.iter_mut().find(|row| row.throughput == Some(peak)) {
        row.peak = true;
    }
    let near =
        |row: &&mut SweepRow| row.throughput.is_some_and(|throughput| throughput >= KNEE * peak);
    if let Some(row) = rows.iter_mut().find(near) {
        row.knee = true;
    }
}

/// Computes each row's change from the first row. All changes are tested together, using a common variance.
pub(super) fn against_the_first(rows: &mut [SweepRow]) {
    let Some((first, others)) = rows.split_first_mut() else { return };
    let values = |row: &SweepRow| {
        row.by_repetition.iter().map(|repetition| repetition.1).collect::<Vec<f64>>()
    };
    let sample = |row: &SweepRow| Sample::of(&values(row), &row.within);
    let Some(baseline) = sample(first) else { return };
    let effects = others.iter_mut().filter_map(|row| {
        let effect = Effect::of(baseline, sample(row)?);
        effect.is_repeated().then_some((row, effect))
    });
    let (rows, effects): (Vec<&mut SweepRow>, Vec<Effect>) = effects.unzip();
    let sums = &first.sums;
    let means = moderated(&effects.iter().collect::<Vec<_>>()).into_iter().flatten();
    let changes: Vec<Change> = means.map(Change::of_logarithm).collect();
    let adjusted = holm(&changes.iter().map(|change| change.p).collect::<Vec<f64>>());
    for ((row, change), p) in rows.into_iter().zip(changes).zip(adjusted) {
        let verdict = Verdict::of(Some(change), Direction::Up);
        let claimed = matches!(verdict, Verdict::Better | Verdict::Worse);
        row.change = Some(change);
        row.observed = Some(Observed::between(sums, &row.sums));
        row.verdict = Some(if claimed && p > FAMILY_WISE { Verdict::Unclear } else { verdict });
    }
}

#[cfg(test)]
mod tests {
    use tacho_store::record::{DistributionRecord, LedgerRecord, TransactionRecord};

    use super::*;

    #[test]
    fn a_row_shows_its_median_run() {
        let result = |rate: u64, p95| {
            let latency = DistributionRecord { p95_us: Some(p95), ..DistributionRecord::default() };
            let all =
                TransactionRecord { name: "all".into(), latency, ..TransactionRecord::default() };
            ResultRecord {
                valid: true,
                measured_s: 1.0,
                throughput_per_s: rate as f64,
                accounting: LedgerRecord { committed: rate, ..LedgerRecord::default() },
                transactions: vec![all],
                ..ResultRecord::default()
            }
        };
        let point = |repetition| Point {
            values: Vec::new(),
            repetition,
            equal_side: None,
            headroom: false,
            outcome: Outcome::Measured,
            run: Some(repetition.to_string()),
            error: None,
        };
        let runs = [(130, 4.0), (90, 50.0), (100, 7.0), (110, 5.0)];
        for (count, expected) in [(4, (100.0, 7.0)), (3, (100.0, 7.0)), (2, (90.0, 50.0))] {
            let mut row = SweepRow::new(&point(1));
            for (repetition, (rate, p95)) in (1..).zip(&runs[..count]) {
                row.add(&point(repetition), Some(&result(*rate, *p95)), None);
            }
            row.spread();
            assert_eq!((row.throughput, row.p95_us), (Some(expected.0), Some(expected.1)));
            assert!(row.low < row.throughput && row.throughput < row.high, "{row:?}");
        }
    }

    #[test]
    fn the_best_of_several_names_is_marked() {
        let row = |name: &str, throughput: f64| SweepRow {
            values: vec![name.into()],
            throughput: Some(throughput),
            low: Some(throughput - 5.0),
            high: Some(throughput + 5.0),
            ..SweepRow::default()
        };
        let best = |rows: &mut [SweepRow]| -> Vec<Option<Lead>> {
            mark(rows);
            rows.iter().map(|row| row.best).collect()
        };
        let mut rows = [row("a", 100.0), row("b", 120.0), row("c", 90.0)];
        assert_eq!(best(&mut rows), [None, Some(Lead::Clear), None]);
        let mut rows = [row("a", 100.0), row("b", 108.0)];
        assert_eq!(best(&mut rows), [None, Some(Lead::Overlapping)]);
        assert_eq!(best(&mut [row("a", 100.0)]), [None]);
        assert_eq!(best(&mut [row("1", 100.0), row("2", 120.0)]), [None, None]);
    }

    #[test]
    fn rows_exceeded_in_both_metrics_are_below_the_frontier() {
        let row = |throughput, queries| SweepRow {
            throughput: Some(throughput),
            queries_per_hour: queries,
            ..SweepRow::default()
        };
        let pairs = [(100.0, 0.0), (90.0, 50.0), (80.0, 40.0), (80.0, 60.0), (79.0, 60.0)];
        let mut rows: Vec<SweepRow> = pairs.iter().map(|pair| row(pair.0, Some(pair.1))).collect();
        rows.push(row(1.0, None));
        mark_frontier(&mut rows);
        let below: Vec<bool> = rows.iter().map(|row| row.below_frontier).collect();
        assert_eq!(below, [false, false, true, false, true, false]);
    }
}
