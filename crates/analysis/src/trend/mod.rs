//! The history of a metric over many runs. The history consists of periods with a constant level and the changes
//! between them.
//!
//! A single run never counts as a change. Runs that are omitted from the history are listed.
//!
//! Start reading at [`Trend::of`].

use schemars::JsonSchema;
use serde::Serialize;
use tacho_core::{Error, Result};
use tacho_metrics::{Change, Direction, Mean, Verdict, change, change_points};
use tacho_store::CHANGED;
use tacho_store::record::{Record, ResultRecord, RunVerdict};

use crate::compare::{Difference, differences};
use crate::metric::Metric;

/// Minimum number of runs needed to find a change. With fewer, there are too few permutations for a permutation test.
pub const RUNS_MIN: usize = 10;

/// A metric over a history of runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Trend {
    /// Always `tacho-trend`.
    pub format: &'static str,
    /// Version of the format.
    pub version: u32,
    /// The selection of runs, as specified by the user.
    pub name: String,
    /// Name of the metric, such as `NOPM` or `new_order p95`.
    pub metric: String,
    /// The unit: `per_minute`, `per_hour`, `per_s` or `us`.
    pub unit: &'static str,
    /// The direction in which the metric improves.
    pub good: Direction,
    /// The runs, oldest first.
    pub runs: Vec<TrendRun>,
    /// Runs that this history omits, each with the reason.
    pub left_out: Vec<LeftOut>,
    /// True if the history has enough runs to find a change.
    pub enough: bool,
    /// The levels, oldest first. There is only one level if nothing changed.
    pub levels: Vec<Level>,
    /// The changes between the levels.
    pub changes: Vec<TrendChange>,
}

/// A run with its value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrendRun {
    /// Run ID.
    pub id: String,
    /// Start in RFC 3339.
    pub started_at: String,
    /// Value of the metric.
    pub value: f64,
    /// The verdict on the run.
    pub verdict: RunVerdict,
}

/// A run that was omitted from the history.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LeftOut {
    /// Run ID.
    pub id: String,
    /// The reason why the run was omitted.
    pub reason: String,
}

/// The runs between two changes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Level {
    /// ID of the first run.
    pub first: String,
    /// ID of the last run.
    pub last: String,
    /// Number of runs.
    pub runs: u64,
    /// Mean value of the runs.
    pub mean: f64,
    /// Lower end of the 95 % confidence interval; absent if there is only one run.
    pub low: Option<f64>,
    /// Upper end of the 95 % confidence interval; absent if there is only one run.
    pub high: Option<f64>,
}

/// A change from one level to the next.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrendChange {
    /// ID of the last run before the change.
    pub before: String,
    /// ID of the first run after the change.
    pub after: String,
    /// Change between the two levels, with its confidence interval.
    pub change: Option<Change>,
    /// The verdict on the change.
    pub verdict: Verdict,
    /// Conditions that differ between the last run before the change and the first run after it.
    pub conditions: Vec<Difference>,
}

impl Trend {
    /// Computes the trend over the runs with the same plan as the newest run. `records` starts with the oldest run.
    /// `metric` is a name such as `nopm` or `new_order.p99`; the default is the main metric.
    pub fn of(name: &str, records: &[Record], metric: Option<&str>) -> Result<Self> {
        let newest = records.iter().rev().find(|record| record.result.is_some());
        let Some(newest) = newest else {
            return Err(Error::usage(format!("{name}: no run has a result"))
                .hint("to list the runs and their tags, use tacho runs list"));
        };
        let metric = Metric::parse(metric, newest)?;
        let (mut kept, mut left_out) = (Vec::new(), Vec::new());
        for record in records {
            match figure(record, newest, &metric) {
                Ok(value) => kept.push((record, value)),
                Err(reason) => left_out.push(LeftOut { id: record.id.clone(), reason }),
            }
        }
        let values: Vec<f64> = kept.iter().map(|(_, value)| *value).collect();
        let enough = values.len() >= RUNS_MIN;
        let cuts = if enough { change_points(&values) } else { Vec::new() };
        let (levels, changes) = levels(&kept, &values, &cuts, metric.good());
        let run = |(record, value): &(&Record, f64)| TrendRun {
            id: record.id.clone(),
            started_at: record.started_at.clone(),
            value: *value,
            verdict: record.result.as_ref().map(ResultRecord::verdict).unwrap_or_default(),
        };
        Ok(Self {
            format: "tacho-trend",
            version: 1,
            name: name.into(),
            metric: metric.name(),
            unit: metric.unit(),
            good: metric.good(),
            runs: kept.iter().map(run).collect(),
            left_out,
            enough,
            levels,
            changes,
        })
    }

    /// Returns the verdict on the latest change in level. Earlier changes do not count.
    pub fn newest(&self) -> Verdict {
        match self.changes.last() {
            _ if !self.enough => Verdict::NotEnoughData,
            Some(change) => change.verdict,
            None => Verdict::NoDifference,
        }
    }
}

/// Returns a run's value, or the reason why the run cannot be compared with the newest one.
fn figure(record: &Record, newest: &Record, metric: &Metric) -> Result<f64, String> {
    let Some(result) = &record.result else { return Err("it has no result".into()) };
    if !result.valid {
        let changed = result.notices.iter().find(|notice| notice.id == CHANGED.0);
        return Err(changed
            .map_or("it is INVALID".into(), |notice| format!("it is INVALID: {}", notice.text)));
    }
    let differs = |one: &Difference| one.hinders || is_of_the_load(&one.name);
    let hindering = differences(newest, record).into_iter().find(differs);
    if let Some(one) = hindering {
        let [newest, other] =
            [&one.baseline, &one.run].map(|value| value.as_deref().unwrap_or("absent"));
        return Err(format!("its {} is {other}, but the newest run has {newest}", one.name));
    }
    metric.figure(result).ok_or_else(|| format!("it has no {}", metric.name()))
}

/// Returns true if this condition is part of the load that the user requested. Runs with another value belong to
/// another series.
fn is_of_the_load(name: &str) -> bool {
    name.starts_with("plan.") && name != "plan.seed"
}

fn levels(
    kept: &[(&Record, f64)],
    values: &[f64],
    cuts: &[usize],
    good: Direction,
) -> (Vec<Level>, Vec<TrendChange>) {
    let starts: Vec<usize> = [0].into_iter().chain(cuts.iter().copied()).collect();
    let ends = cuts.iter().copied().chain([values.len()]);
    let parts: Vec<(usize, usize)> =
        starts.into_iter().zip(ends).filter(|(from, to)| from < to).collect();
    let level = |(from, to): &(usize, usize)| {
        let mean = Mean::of_repeats(&values[*from..*to]);
        let interval = mean.map(Mean::interval_95);
        Level {
            first: kept[*from].0.id.clone(),
            last: kept[to - 1].0.id.clone(),
            runs: (to - from) as u64,
            mean: values[*from..*to].iter().sum::<f64>() / (to - from) as f64,
            low: interval.map(|interval| interval.0),
            high: interval.map(|interval| interval.1),
        }
    };
    let changes = parts.windows(2).map(|pair| {
        let [first, second] = [pair[0], pair[1]];
        let mean = |(from, to): (usize, usize)| Mean::of_repeats(&values[from..to]);
        let change = mean(first).zip(mean(second)).and_then(|(a, b)| change(a, b));
        let (before, after) = (kept[second.0 - 1].0, kept[second.0].0);
        let mut conditions = differences(before, after);
        conditions.retain(|one| one.name != "plan.seed");
        TrendChange {
            before: before.id.clone(),
            after: after.id.clone(),
            change,
            verdict: Verdict::of(change, good),
            conditions,
        }
    });
    (parts.iter().map(level).collect(), changes.collect())
}
