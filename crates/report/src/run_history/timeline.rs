//! Keeps the intervals of a run in a limited amount of memory, and converts them to columns of a
//! chart.
//!
//! When intervals are merged, the throughput is their mean. Each percentile is the highest among
//! them, because percentiles cannot be averaged.
//!
//! Start reading at [`Timeline::columns`].

use std::collections::BTreeMap;

use tacho_analysis::{clean, is_for_the_client};
use tacho_store::event::HostLoad;
use tacho_store::record::WaitRecord;
use tacho_store::{IntervalRecord, IntervalTransaction, Merge, Merged, ServerIntervalRecord};

use crate::WaitLook;

/// Name under which the results of all transactions combined are stored.
pub const ALL: &str = "all";

/// p50, p95, p99 and the maximum, in microseconds. Each is absent if there are too few samples.
pub type Latency = [Option<f64>; 4];

/// A single interval, or several intervals that have been merged.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartPoint {
    /// Start of the interval, relative to the start of the run.
    pub from_s: f64,
    /// End of the interval, relative to the start of the run.
    pub to_s: f64,
    /// True during ramp-up and ramp-down, which do not count towards the results.
    pub outside: bool,
    /// The workload's main metric per minute, or transactions per second.
    pub throughput: f64,
    /// Number of failed transactions.
    pub failed: u64,
    /// Number of sessions in each wait event. The key is the index of the wait event in
    /// [`Timeline::waits`]. Absent if wait events were not read.
    pub waits: Option<Mean<BTreeMap<usize, f64>>>,
    /// Load on Tacho's machine; absent if the system does not report it.
    pub host: Option<Mean<HostLoad>>,
    /// Latencies of each transaction type, followed by those of all transactions.
    pub latencies: Vec<Latency>,
}

impl ChartPoint {
    fn of(interval: &IntervalRecord) -> Self {
        let kinds = interval.transactions.iter().chain([&interval.totals]);
        Self {
            from_s: interval.at_s - interval.length_s,
            to_s: interval.at_s,
            outside: interval.phase != "measure",
            throughput: throughput(interval),
            failed: interval.totals.failed,
            waits: None,
            host: None,
            latencies: kinds.map(latency).collect(),
        }
    }

    /// Merges the next point into this one.
    fn join(&mut self, next: &Self) {
        let (length, other) = (self.to_s - self.from_s, next.to_s - next.from_s);
        if length + other > 0.0 {
            self.throughput =
                (self.throughput * length + next.throughput * other) / (length + other);
        }
        self.to_s = next.to_s;
        self.failed += next.failed;
        self.waits = Mean::both(self.waits.take(), next.waits.as_ref(), |sums, other| {
            for (place, sessions) in other {
                *sums.entry(*place).or_default() += sessions;
            }
        });
        self.host = Mean::both(self.host.take(), next.host.as_ref(), add);
        for (mine, theirs) in self.latencies.iter_mut().zip(&next.latencies) {
            for (a, b) in mine.iter_mut().zip(theirs) {
                *a = worse(*a, *b);
            }
        }
    }
}

impl Merge for ChartPoint {
    fn is_alike(&self, next: &Self) -> bool {
        self.outside == next.outside
    }

    fn merge(&mut self, next: Self) {
        self.join(&next);
    }
}

/// A sum and its weight.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mean<T> {
    sum: T,
    weight: f64,
}

impl<T: Clone> Mean<T> {
    fn both(first: Option<Self>, other: Option<&Self>, add: impl Fn(&mut T, &T)) -> Option<Self> {
        match (first, other) {
            (Some(mut first), Some(other)) => {
                add(&mut first.sum, &other.sum);
                first.weight += other.weight;
                Some(first)
            }
            (first, other) => first.or_else(|| other.cloned()),
        }
    }
}

impl Mean<BTreeMap<usize, f64>> {
    /// Returns the mean number of sessions in the wait with this index.
    pub fn of(&self, place: usize) -> f64 {
        self.sum.get(&place).map_or(0.0, |sum| sum / self.weight.max(f64::MIN_POSITIVE))
    }
}

impl Mean<HostLoad> {
    /// Returns the mean of the given rate.
    pub fn of(&self, figure: fn(&HostLoad) -> f64) -> f64 {
        figure(&self.sum) / self.weight.max(f64::MIN_POSITIVE)
    }
}

fn add(sum: &mut HostLoad, other: &HostLoad) {
    sum.busy_cores += other.busy_cores;
    sum.own_cores += other.own_cores;
    sum.disk_bytes_per_s += other.disk_bytes_per_s;
    sum.disk_transfers_per_s += other.disk_transfers_per_s;
}

/// A wait that has been observed at least once.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenWait {
    /// Class and event of the wait.
    pub name: String,
    /// Appearance of the wait in all charts.
    pub look: WaitLook,
    /// Number of sessions, summed over all samples.
    pub sum: f64,
}

/// Returns the main metric per minute. If the workload has none, returns transactions per second.
pub fn throughput(interval: &IntervalRecord) -> f64 {
    interval.headline_per_minute.unwrap_or(interval.throughput_per_s)
}

fn latency(one: &IntervalTransaction) -> Latency {
    [one.p50_us, one.p95_us, one.p99_us, one.max_us]
}

fn worse(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.into_iter().chain(b).reduce(f64::max)
}

/// All intervals of a run.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    points: Merged<ChartPoint>,
    names: Vec<String>,
    waits: Vec<SeenWait>,
}

impl Timeline {
    /// Adds the next interval.
    pub fn push(&mut self, interval: &IntervalRecord) {
        if self.names.is_empty() {
            let names = interval.transactions.iter().map(|one| one.name.clone());
            self.names = names.chain([ALL.to_owned()]).collect();
        }
        self.points.push(ChartPoint::of(interval));
    }

    /// Adds the server's activity in the latest interval, except sessions that wait for the client.
    pub fn server(&mut self, server: &ServerIntervalRecord) {
        let samples = server.load.samples as f64;
        if samples <= 0.0 {
            return;
        }
        let waits = server.load.waits.iter().filter(|wait| !is_for_the_client(wait));
        let seen: Vec<(usize, f64)> =
            waits.map(|wait| (self.place_of(wait), wait.sessions * samples)).collect();
        for (place, sessions) in &seen {
            self.waits[*place].sum += sessions;
        }
        let Some(last) = self.points.last_mut() else { return };
        let waits = last.waits.get_or_insert_default();
        waits.weight += samples;
        for (place, sessions) in seen {
            *waits.sum.entry(place).or_default() += sessions;
        }
    }

    fn place_of(&mut self, wait: &WaitRecord) -> usize {
        let name = if wait.event.is_empty() {
            clean(&wait.class)
        } else {
            clean(&format!("{}:{}", wait.class, wait.event))
        };
        self.waits.iter().position(|known| known.name == name).unwrap_or_else(|| {
            let look = WaitLook::of(wait);
            self.waits.push(SeenWait { name, look, sum: 0.0 });
            self.waits.len() - 1
        })
    }

    /// Returns all observed waits, in order of first appearance.
    pub fn waits(&self) -> &[SeenWait] {
        &self.waits
    }

    /// Adds the load on Tacho's machine in the most recent interval.
    pub fn host(&mut self, host: &HostLoad) {
        let Some(last) = self.points.last_mut() else { return };
        let next = Mean { sum: *host, weight: 1.0 };
        last.host = Mean::both(last.host.take(), Some(&next), add);
    }

    /// Returns true if any session has been seen working in the server.
    pub fn has_waits(&self) -> bool {
        !self.waits.is_empty()
    }

    /// Returns true if the load on Tacho's machine is known.
    pub fn has_host(&self) -> bool {
        self.points.all().iter().any(|point| point.host.is_some())
    }

    /// Returns true if waits or the load on Tacho's machine can be drawn.
    pub fn has_more(&self) -> bool {
        self.has_waits() || self.has_host()
    }

    /// Returns true if a transaction has failed.
    pub fn has_failures(&self) -> bool {
        self.points.all().iter().any(|point| point.failed > 0)
    }

    /// Returns the index of the transaction type in [`ChartPoint::latencies`].
    pub fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// Returns at most `width` points, and the number of screen columns that each point takes. If
    /// there are only a few points, each takes several columns.
    pub fn columns(&self, width: usize, planned_s: Option<f64>) -> (Vec<ChartPoint>, usize) {
        let all = self.points.all();
        if all.is_empty() || width == 0 {
            return (Vec::new(), 1);
        }
        // If there are too many points, double the number of intervals per point. If that number
        // grew in smaller steps, the points on the screen would move more often.
        let mut share = 1;
        while all.len() > width * share {
            share *= 2;
        }
        let mut points = joined(all, share);
        // Intervals of different phases are not merged, so there may still be too many points for
        // the screen.
        while points.len() > width {
            share *= 2;
            points = joined(all, share);
        }
        let length = all[0].to_s - all[0].from_s;
        let planned = planned_s.filter(|_| share == 1 && length > 0.0);
        let columns =
            planned.map_or(0, |planned| width / ((planned / length).ceil() as usize).max(1));
        let planned = columns.clamp(1, 6);
        // If the whole planned run fits on the screen, it fills the width, with up to 6 columns per
        // point. Otherwise, each point takes 8, 4 or 2 columns if there is room for the current
        // points, or else 1.
        let room = [8, 4, 2].into_iter().find(|wide| points.len() * wide <= width).unwrap_or(1);
        let wide = if columns >= 1 && points.len() * planned <= width { planned } else { 1 };
        (points, if columns < 1 { room } else { wide })
    }
}

/// Merges up to `share` adjacent points into one, provided that they belong to the same phase.
fn joined(points: &[ChartPoint], share: usize) -> Vec<ChartPoint> {
    let mut all: Vec<ChartPoint> = Vec::with_capacity(points.len() / share + 2);
    let mut taken = 0;
    for point in points {
        match all.last_mut() {
            Some(last) if taken < share && last.outside == point.outside => {
                last.join(point);
                taken += 1;
            }
            _ => {
                all.push(point.clone());
                taken = 1;
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use tacho_store::INTERVALS_MAX;

    use super::*;

    fn interval(second: u32, tps: f64, p99: Option<f64>) -> IntervalRecord {
        let totals = IntervalTransaction { p99_us: p99, ..IntervalTransaction::default() };
        IntervalRecord {
            at_s: f64::from(second) + 1.0,
            length_s: 1.0,
            phase: if second < 2 { "ramp-up" } else { "measure" }.into(),
            sessions: 1,
            sessions_planned: 1,
            throughput_per_s: tps,
            headline_per_minute: None,
            queries_per_hour: None,
            transactions: Vec::new(),
            totals,
            skipped: 0,
            late_p99_us: None,
            ..IntervalRecord::default()
        }
    }

    #[test]
    fn a_column_of_several_intervals_has_their_mean_and_their_worst() {
        let mut history = Timeline::default();
        for second in 0..10 {
            let p99 = (second != 3).then_some(f64::from(second) * 10.0);
            history.push(&interval(second, f64::from(second), p99));
        }
        let (columns, wide) = history.columns(6, None);
        // An interval of the ramp-up is never merged with one of the measured phase.
        assert_eq!((columns.len(), wide), (5, 1));
        assert_eq!((columns[0].outside, columns[0].throughput), (true, 0.5));
        assert_eq!((columns[1].throughput, columns[1].latencies[0][2]), (2.5, Some(20.0)));
        assert_eq!((columns[1].from_s, columns[1].to_s), (2.0, 4.0));
        let (columns, wide) = history.columns(60, Some(20.0));
        assert_eq!((columns.len(), wide), (10, 3));
    }

    #[test]
    fn memory_is_bounded_and_nothing_is_left_out() {
        let mut history = Timeline::default();
        for second in 0..50_000 {
            history.push(&interval(second, 7.0, None));
        }
        assert!(history.points.all().len() <= INTERVALS_MAX);
        let (columns, _) = history.columns(80, None);
        assert!(columns.len() <= 80);
        assert!(columns.iter().all(|one| (one.throughput - 7.0).abs() < 1e-9));
        assert!((columns[columns.len() - 1].to_s - 50_000.0).abs() < 1e-9);
        let gaps = columns.windows(2).filter(|two| (two[0].to_s - two[1].from_s).abs() > 1e-9);
        assert_eq!(gaps.count(), 0);
    }
}
