//! Comparison of a run, or of several repeated runs, with a baseline.
//!
//! Random differences are not reported as changes. Differing conditions are always shown, because they may be the
//! real cause of a change.
//!
//! Start reading at [`Comparison::of`].

mod conditions;
mod figures;
mod observed;
mod overall;
mod queries;
mod replayed;
mod turns;

use schemars::JsonSchema;
use serde::Serialize;
use tacho_core::{Error, ErrorKind, Result};
use tacho_metrics::{Change, Direction, Effect, Verdict};
use tacho_store::record::{HostIntervalRecord, Record, ResultRecord, RunVerdict};
use tacho_store::{HistogramEntry, IntervalRecord, ServerIntervalRecord};

use crate::analytics::QUERIES_PER_HOUR;
use crate::condition::GateOutcome;
use crate::limit::Limit;
use figures::Held;

pub use conditions::{Difference, condition_values, differences, may_be_a_cause};
pub(crate) use observed::Sums;
pub use observed::{Observation, Observed};
pub use overall::Overall;
pub use replayed::{Replayed, StatementDifference};
pub(crate) use turns::alternate as in_turns;

/// The value of the `format` field in a comparison's JSON.
pub const COMPARISON_FORMAT: &str = "tacho-comparison";
/// The version of that format.
const VERSION: u32 = 1;

/// A run, along with the contents of its folder.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The record.
    pub record: Record,
    /// The intervals.
    pub intervals: Vec<IntervalRecord>,
    /// The histograms for each part of the measured phase.
    pub histograms: Vec<HistogramEntry>,
    /// Server activity in each interval.
    pub server: Vec<ServerIntervalRecord>,
    /// Load on the observed machines in each interval.
    pub hosts: Vec<HostIntervalRecord>,
    /// Descriptions of the files in the folder that could not be read.
    pub gaps: Vec<String>,
}

impl Measurement {
    /// Creates a measurement from just a record.
    pub fn of(record: Record) -> Self {
        let (intervals, histograms) = (Vec::new(), Vec::new());
        Self {
            record,
            intervals,
            histograms,
            server: Vec::new(),
            hosts: Vec::new(),
            gaps: Vec::new(),
        }
    }
}

/// One side of a comparison: one run, or several repeated runs under the same conditions.
#[derive(Clone, Debug)]
pub struct Side {
    /// Name of the side as specified by the user.
    pub name: String,
    /// The runs, oldest first. There is at least one run, and each run has a result.
    pub runs: Vec<Measurement>,
}

impl Side {
    /// Returns the run if the side consists of a single run.
    pub fn single(&self) -> Option<&Measurement> {
        match &self.runs[..] {
            [run] => Some(run),
            _ => None,
        }
    }
}

/// A comparison, with its sides, the conditions that differ, and the outcome.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Comparison {
    /// Always `tacho-comparison`.
    pub format: &'static str,
    /// Version of the comparison format.
    pub version: u32,
    /// The first side.
    pub baseline: SideFacts,
    /// The second side.
    pub run: SideFacts,
    /// Conditions that differ.
    pub conditions: Vec<Difference>,
    /// Source of the spread, such as `between_runs` or `within_run`.
    pub basis: Basis,
    /// The overall verdict.
    pub overall: Overall,
    /// The sides that consist of a single UNSTABLE run, each with the reasons. If there are any, no change is
    /// reported as significant.
    pub unstable: Vec<String>,
    /// The condition that the user requested as a gate, and whether it was met.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateOutcome>,
    /// One row per metric.
    pub metrics: Vec<MetricRow>,
    /// Notes about results that are missing from the table or need an explanation.
    pub notes: Vec<String>,
    /// Changes in the server's waits and work per transaction.
    pub observed: Observed,
    /// True if both sides have a fixed arrival rate, so that latencies decide the outcome.
    #[serde(skip)]
    pub is_open: bool,
    /// Statements whose row counts or errors differ; present only when two replays are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replayed: Option<Replayed>,
}

/// A short form of one side of a comparison.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SideFacts {
    /// Name of the side as specified by the user.
    pub name: String,
    /// IDs of the runs, oldest first.
    pub runs: Vec<String>,
    /// Start of the first run in RFC 3339 format.
    pub started_at: String,
    /// The server's product and version.
    pub server: String,
    /// True if all runs are valid.
    pub valid: bool,
    /// The most severe of the runs' verdicts.
    pub verdict: RunVerdict,
    /// The resource that limited the run with the median throughput. Absent without enough observations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
}

/// The source of the spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The spread between repeated runs. It includes the variation from run to run.
    BetweenRuns,
    /// Spread between the parts of a single run. It does not include the variation from run to run.
    WithinRun,
    /// No spread is known, because a side consists of a single run in which the query ran only once.
    OneObservation,
}

/// A metric of both sides.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MetricRow {
    /// Metric name, such as `NOPM` or `new_order p95`.
    pub name: String,
    /// `per_minute`, `per_s`, `us` or `count`.
    pub unit: &'static str,
    /// The direction in which the metric improves.
    pub good: Direction,
    /// Value of the baseline's median run.
    pub baseline: Option<f64>,
    /// Value of the other side's median run.
    pub run: Option<f64>,
    /// Relative change, with its confidence interval.
    pub change: Option<Change>,
    /// The verdict on the change.
    pub verdict: Verdict,
    /// The p-value of the change, adjusted for the number of changes tested together; absent if the change was
    /// tested alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjusted_p: Option<f64>,
    /// The measured difference between the two sides. The differences of several rows can be tested together.
    #[serde(skip)]
    pub effect: Option<Effect>,
}

impl Comparison {
    /// Compares two sides.
    ///
    /// # Errors
    ///
    /// Returns an error if a condition that must be equal differs and `force` is false.
    pub fn of(baseline: &Side, run: &Side, force: bool) -> Result<Self> {
        Baseline::of(baseline).against(run, force)
    }

    /// Returns the verdict on the first row, which is the throughput or the workload's main metric.
    pub fn throughput(&self) -> Verdict {
        self.metrics.first().map_or(Verdict::NotEnoughData, |row| row.verdict)
    }

    /// Returns the verdict on the throughput of transactions, and that of the queries that run alongside them.
    pub fn gate(&self) -> impl Iterator<Item = Verdict> {
        std::iter::once(self.throughput()).chain(queries_of_streams(&self.metrics))
    }

    /// Returns the number of rows with this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.metrics.iter().filter(|row| row.verdict == verdict).count()
    }
}

/// The baseline of several comparisons.
pub struct Baseline<'a>(Held<'a>);

impl<'a> Baseline<'a> {
    /// Prepares a side for comparisons.
    pub fn of(side: &'a Side) -> Self {
        Self(Held::of(side))
    }

    /// Compares a side with the baseline.
    ///
    /// # Errors
    ///
    /// Returns an error if a condition that must be equal differs and `force` is false.
    pub fn against(&self, run: &Side, force: bool) -> Result<Comparison> {
        let baseline = self.0.side;
        let conditions = differences(&first(baseline)?.record, &first(run)?.record);
        on_one_side_only(baseline, run)?;
        if !force {
            refuse(&conditions)?;
            [baseline, run].into_iter().try_for_each(within_itself)?;
        }
        let mut outcome = figures::outcome(&self.0, &Held::of(run));
        let is_open = is_open(baseline) && is_open(run);
        let unstable = if force { Vec::new() } else { overall::unstable([baseline, run]) };
        if !unstable.is_empty() {
            overall::take_back(&mut outcome.rows);
        }
        Ok(Comparison {
            format: COMPARISON_FORMAT,
            version: VERSION,
            baseline: SideFacts::of(baseline),
            run: SideFacts::of(run),
            conditions,
            basis: outcome.basis,
            overall: Overall::of(&outcome.rows, is_open),
            is_open,
            unstable,
            gate: None,
            metrics: outcome.rows,
            notes: cut_off(&[baseline, run])
                .chain(overall::uneven([baseline, run]))
                .chain(outcome.notes)
                .collect(),
            observed: Observed::of(baseline, run),
            replayed: Replayed::of(baseline, run),
        })
    }
}

/// Returns true if this side has a fixed arrival rate, which determines its throughput.
fn is_open(side: &Side) -> bool {
    let results = side.runs.iter().filter_map(|run| run.record.result.as_ref());
    side.runs.len() == results.filter(|result| result.arrivals.is_some()).count()
}

/// Returns notes about runs whose histograms are incomplete, because the spread of these runs is computed from
/// incomplete data.
fn cut_off<'a>(sides: &[&'a Side; 2]) -> impl Iterator<Item = String> + use<'a> {
    let runs = sides.map(|side| side.runs.iter()).into_iter().flatten();
    // The histograms of repeated runs have not been read, so skip these runs.
    let read = runs.filter(|run| !run.histograms.is_empty());
    read.filter_map(|run| {
        let missing = crate::timing::missing(&run.record, &run.histograms);
        let why = if missing.truncated { ": the file was truncated" } else { "" };
        let count = tacho_core::units::counted(missing.count, "transaction");
        let id = &run.record.id;
        (missing.count > 0).then(|| format!("The histograms of run {id} are missing {count}{why}."))
    })
}

impl SideFacts {
    fn of(side: &Side) -> Self {
        let records = || side.runs.iter().map(|run| &run.record);
        let first = records().next();
        Self {
            name: side.name.clone(),
            runs: records().map(|record| record.id.clone()).collect(),
            started_at: first.map(|record| record.started_at.clone()).unwrap_or_default(),
            server: first.map(|record| record.server.version.clone()).unwrap_or_default(),
            valid: records()
                .all(|record| record.result.as_ref().is_some_and(|result| result.valid)),
            verdict: records()
                .map(|record| {
                    record.result.as_ref().map_or(RunVerdict::Invalid, ResultRecord::verdict)
                })
                .max()
                .unwrap_or_default(),
            limit: median_run(&side.runs).and_then(|run| Limit::of(&run.record)),
        }
    }
}

/// Returns the run with the median throughput.
pub fn median_run(runs: &[Measurement]) -> Option<&Measurement> {
    median(runs.iter().collect(), |run| run.record.result.as_ref().map_or(0.0, rate))
}

/// Returns the value with the median key. With an even number of values, this is the lower of the two middle keys.
pub(crate) fn median<T>(mut values: Vec<T>, key: impl Fn(&T) -> f64) -> Option<T> {
    values.sort_by(|one, other| key(one).total_cmp(&key(other)));
    let middle = values.len().checked_sub(1)? / 2;
    Some(values.swap_remove(middle))
}

/// Returns the transactions per second, by which the median run is chosen.
pub(crate) fn rate(result: &ResultRecord) -> f64 {
    let ledger = &result.accounting;
    (ledger.committed + ledger.rolled_back) as f64 / result.measured_s.max(f64::MIN_POSITIVE)
}

fn first(side: &Side) -> Result<&Measurement> {
    side.runs.first().ok_or_else(|| Error::new(ErrorKind::Missing, "one side has no runs"))
}

fn on_one_side_only(baseline: &Side, run: &Side) -> Result<()> {
    let ids = |side: &Side| -> Vec<String> {
        side.runs.iter().map(|run| run.record.id.clone()).collect()
    };
    let other = ids(run);
    match ids(baseline).into_iter().find(|id| other.contains(id)) {
        None => Ok(()),
        Some(id) => Err(Error::usage(format!("run {id} is on both sides"))
            .hint("specify each run only once; to list the runs, use tacho runs list")),
    }
}

/// Rejects runs of different workloads or on different machines, because they are not comparable.
fn refuse(differences: &[Difference]) -> Result<()> {
    let hindering: Vec<String> =
        differences.iter().filter(|one| one.hinders).map(Difference::sentence).collect();
    if hindering.is_empty() {
        return Ok(());
    }
    Err(Error::usage(format!("these runs cannot be compared: {}", hindering.join("; ")))
        .hint("use --force to compare them anyway"))
}

/// Returns true if repetitions of the same run may differ in this condition.
pub(crate) fn is_of_repetitions(name: &str) -> bool {
    matches!(name, "plan.seed" | conditions::DATA_BYTES)
}

/// Returns an error unless the repeated runs have the same conditions. Seeds may differ, and so may the amount of
/// data, which grows from run to run.
fn within_itself(side: &Side) -> Result<()> {
    let first = &first(side)?.record;
    for run in &side.runs {
        if let Some(result) = run.record.result.as_ref().filter(|result| !result.valid) {
            let reason = result.notices.iter().find(|notice| notice.invalidates);
            let reason = reason.map_or("no reason is recorded", |notice| notice.text.as_str());
            return Err(Error::usage(format!("run {} is INVALID: {reason}", run.record.id))
                .hint("use --force to compare it anyway"));
        }
        let differing = differences(first, &run.record);
        let differs = |one: &&Difference| {
            one.hinders || !(is_of_repetitions(&one.name) || one.is_unknown_setting())
        };
        if let Some(one) = differing.iter().find(differs) {
            return Err(Error::usage(format!(
                "runs {} and {} cannot be grouped as repeated runs: {}",
                first.id,
                run.record.id,
                one.sentence()
            ))
            .hint("compare these runs with each other, or use --force to group them anyway"));
        }
    }
    Ok(())
}

/// Returns the verdict on the throughput of query streams that run alongside transactions.
pub fn queries_of_streams(metrics: &[MetricRow]) -> impl Iterator<Item = Verdict> {
    metrics.iter().filter(|row| row.name == QUERIES_PER_HOUR).map(|row| row.verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_sees_the_queries_beside_transactions() {
        let row = |name: &str, verdict| MetricRow {
            name: name.into(),
            unit: "per_hour",
            good: Direction::Up,
            baseline: Some(1.0),
            run: Some(1.0),
            change: None,
            verdict,
            adjusted_p: None,
            effect: None,
        };
        let rows = [row("NOPM", Verdict::NoDifference), row(QUERIES_PER_HOUR, Verdict::Worse)];
        assert_eq!(queries_of_streams(&rows).collect::<Vec<Verdict>>(), [Verdict::Worse]);
        assert_eq!(queries_of_streams(&rows[..1]).next(), None);
    }
}
