//! Summary of a search for the highest rate that meets a threshold, including the runs that missed the threshold.
//!
//! Start reading at [`Search::of`].

use schemars::JsonSchema;
use serde::Serialize;
use tacho_store::record::{DisturbanceRecord, Record, ResultRecord};
use tacho_store::sweep::{Found, Point, SweepRecord};

use crate::limit::Limit;

/// Name of the server's checkpoint counter.
const CHECKPOINTS: &str = "checkpoints";

/// The runs of a search for the highest rate.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Search {
    /// The values of the other settings, in the order of `vary`; empty if no other settings vary.
    pub values: Vec<String>,
    /// The highest rate.
    pub found: Found,
    /// The number of sessions, if the search chose it.
    pub sessions: Option<ChosenSessions>,
    /// Throughput of the run without a rate, in transactions per second.
    pub closed_per_s: f64,
    /// Ratio of the highest rate to the throughput without a rate; absent if no rate met the threshold.
    pub share_of_closed: Option<f64>,
    /// Number of windows. Each run with a rate is a window.
    pub windows: u32,
    /// Measured phase of a window, in seconds.
    pub window_s: f64,
    /// Number of windows with a completed checkpoint; absent if the server does not count checkpoints.
    pub with_checkpoint: Option<u32>,
    /// The run with the highest p99 among those that missed the threshold at a rate up to the top of the confidence
    /// interval. If there is none, the run with the lowest rate that missed it.
    pub broken: Option<BrokenWindow>,
    /// The run at 60 % of the highest rate.
    pub headroom: Option<HeadroomWindow>,
}

/// The number of sessions that a search chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChosenSessions {
    /// The number of sessions of all windows.
    pub sessions: u32,
    /// The number of sessions with the highest throughput without a rate.
    pub busiest: u32,
}

/// The run at 60 % of a highest rate.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HeadroomWindow {
    /// Run ID.
    pub run: String,
    /// Rate, in transactions per second.
    pub rate_per_s: f64,
    /// 99th percentile of the latency over all transactions.
    pub p99_us: Option<f64>,
    /// True if the threshold was met.
    pub holds: bool,
}

/// A window that did not meet the threshold.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BrokenWindow {
    /// Run ID.
    pub run: String,
    /// Rate, in transactions per second.
    pub rate_per_s: f64,
    /// The measured value as text; absent if there was not enough data.
    pub measured: Option<String>,
    /// Names of the reasons why the run is INVALID.
    pub invalid: Vec<String>,
    /// 99th percentile of the latency over all transactions.
    pub p99_us: Option<f64>,
    /// The drop in throughput that cost the most transactions, and the server's activity during that drop.
    pub disturbance: Option<DisturbanceRecord>,
    /// The resource that limited the window.
    pub limit: Option<Limit>,
}

/// Returns the value that a search compared with its threshold, as text.
pub(super) fn measured(limit: &str, result: &ResultRecord) -> Option<String> {
    let threshold = result.thresholds.iter().find(|threshold| threshold.expression == limit)?;
    threshold.measured.map(|_| threshold.measured_text.clone())
}

/// Returns true if a run is valid and met all thresholds.
pub(super) fn holds(result: &ResultRecord) -> bool {
    result.valid && result.thresholds.iter().all(|threshold| threshold.passed)
}

impl Search {
    /// Collects the runs of all searches that have measured at least one rate.
    pub(super) fn of(sweep: &SweepRecord, runs: &[(&Point, Record)]) -> Vec<Self> {
        let searches = sweep.searches().filter(|(_, found)| !found.in_steps);
        searches.filter_map(|(values, found)| Self::one(sweep, runs, values, found)).collect()
    }

    fn one(
        sweep: &SweepRecord,
        runs: &[(&Point, Record)],
        values: &[String],
        found: &Found,
    ) -> Option<Self> {
        let of_search = || runs.iter().filter(|(point, _)| point.values.starts_with(values));
        let (headroom, others): (Vec<_>, Vec<_>) = of_search().partition(|run| run.0.headroom);
        let is_closed = |run: &&(&Point, Record)| run.0.values.len() < sweep.vary.len();
        let (closed, windows): (Vec<_>, Vec<_>) = others.into_iter().partition(is_closed);
        let windows: Vec<&Record> = windows.into_iter().map(|(_, record)| record).collect();
        let busiest = busiest(closed.iter().map(|(_, record)| record))?;
        let closed_per_s = busiest.result.as_ref()?.throughput_per_s;
        let results = || windows.iter().filter_map(|record| record.result.as_ref());
        let checkpoints = results().map(checkpoints);
        let with_checkpoint = checkpoints.collect::<Option<Vec<u64>>>();
        let length_s = results().next()?.measured_s;
        let sessions = sweep.chooses_sessions().then(|| ChosenSessions {
            sessions: windows.first().map_or(0, |record| record.plan.load.sessions),
            busiest: busiest.plan.load.sessions,
        });
        Some(Self {
            values: values.to_vec(),
            found: found.clone(),
            sessions,
            closed_per_s,
            share_of_closed: found.holds_at_per_s.map(|rate| rate / closed_per_s),
            windows: results().count() as u32,
            window_s: length_s,
            with_checkpoint: with_checkpoint
                .map(|counts| counts.iter().filter(|count| **count > 0).count() as u32),
            broken: broken(
                &found.limit,
                found.interval.map_or(0.0, |interval| interval.high_per_s),
                &windows,
            ),
            headroom: headroom.last().and_then(|(_, record)| HeadroomWindow::of(record)),
        })
    }
}

impl HeadroomWindow {
    fn of(record: &Record) -> Option<Self> {
        let result = record.result.as_ref()?;
        let all = result.transactions.iter().find(|transaction| transaction.name == "all");
        Some(Self {
            run: record.id.clone(),
            rate_per_s: record.plan.load.arrival.rate?,
            p99_us: all.and_then(|all| all.latency.p99_us),
            holds: holds(result),
        })
    }
}

/// Returns the valid run with the highest throughput. If no run is valid, invalid runs are considered.
fn busiest<'a>(closed: impl Iterator<Item = &'a Record>) -> Option<&'a Record> {
    let key = |record: &&Record| {
        let result = record.result.as_ref();
        result.map_or((false, 0.0), |result| (result.valid, result.throughput_per_s))
    };
    closed.max_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal))
}

/// Returns the number of completed checkpoints, or `None` if it was not counted.
fn checkpoints(result: &ResultRecord) -> Option<u64> {
    result.server_load.as_ref()?.counters.get(CHECKPOINTS).copied()
}

fn broken(limit: &str, high: f64, windows: &[&Record]) -> Option<BrokenWindow> {
    let window = |record: &&Record| {
        let result = record.result.as_ref().filter(|result| !holds(result))?;
        let measured = measured(limit, result);
        if result.valid && measured.is_none() {
            return None;
        }
        let reasons = result.notices.iter().filter(|notice| notice.invalidates);
        let all = result.transactions.iter().find(|transaction| transaction.name == "all");
        Some(BrokenWindow {
            run: record.id.clone(),
            rate_per_s: record.plan.load.arrival.rate?,
            measured,
            invalid: reasons.map(|notice| notice.name.clone()).collect(),
            p99_us: all.and_then(|all| all.latency.p99_us),
            disturbance: result.disturbance.clone(),
            limit: Limit::of(record),
        })
    };
    let broken: Vec<BrokenWindow> = windows.iter().filter_map(window).collect();
    let near = broken.iter().filter(|window| window.rate_per_s <= high);
    let worst =
        near.max_by(|a, b| a.p99_us.partial_cmp(&b.p99_us).unwrap_or(std::cmp::Ordering::Equal));
    let lowest = || broken.iter().min_by(|a, b| a.rate_per_s.total_cmp(&b.rate_per_s));
    worst.or_else(lowest).cloned()
}
