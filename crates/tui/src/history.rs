//! The intervals over time, in bounded memory, and as the columns of a chart.
//!
//! Where several intervals share a column, its throughput is their mean by length, and its percentiles
//! are the worst of theirs: percentiles cannot be added. Start reading at [`History::columns`].

use std::collections::BTreeMap;

use tacho_analysis::is_for_the_client;
use tacho_report::WaitLook;
use tacho_store::event::HostLoad;
use tacho_store::record::WaitRecord;
use tacho_store::{IntervalRecord, IntervalTransaction, ServerIntervalRecord};

use crate::words::clean;

/// Name of all kinds together.
pub(crate) const ALL: &str = "all";

/// Points that are kept; neighbours are joined when there are more.
const POINTS_MAX: usize = 4_096;

/// p50, p95, p99 and the maximum, in microseconds; absent with too few samples.
pub(crate) type Latency = [Option<f64>; 4];

/// One interval, or several joined.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) from_s: f64,
    pub(crate) to_s: f64,
    /// Not in any figure of the result: ramp-up or ramp-down.
    pub(crate) outside: bool,
    /// The workload's own figure per minute, or transactions per second.
    pub(crate) throughput: f64,
    pub(crate) failed: u64,
    /// Sessions by what they waited for, each by its place in [`History::waits`]; absent where waits were not read.
    pub(crate) waits: Option<Mean<BTreeMap<usize, f64>>>,
    /// What the machine of the client did; absent where it does not say.
    pub(crate) host: Option<Mean<HostLoad>>,
    /// One for each kind, then all together.
    pub(crate) latencies: Vec<Latency>,
}

impl Point {
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

    /// Takes the next one in.
    fn join(&mut self, next: &Self) {
        let (own, other) = (self.to_s - self.from_s, next.to_s - next.from_s);
        if own + other > 0.0 {
            self.throughput = (self.throughput * own + next.throughput * other) / (own + other);
        }
        self.to_s = next.to_s;
        self.failed += next.failed;
        self.waits = Mean::both(self.waits.take(), next.waits.as_ref(), |own, other| {
            for (place, sessions) in other {
                *own.entry(*place).or_default() += sessions;
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

/// A sum with the weight of what is in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Mean<T> {
    sum: T,
    weight: f64,
}

impl<T: Clone> Mean<T> {
    fn both(own: Option<Self>, other: Option<&Self>, add: impl Fn(&mut T, &T)) -> Option<Self> {
        match (own, other) {
            (Some(mut own), Some(other)) => {
                add(&mut own.sum, &other.sum);
                own.weight += other.weight;
                Some(own)
            }
            (own, other) => own.or_else(|| other.cloned()),
        }
    }
}

impl Mean<BTreeMap<usize, f64>> {
    /// Sessions with this wait.
    pub(crate) fn of(&self, place: usize) -> f64 {
        self.sum.get(&place).map_or(0.0, |sum| sum / self.weight.max(f64::MIN_POSITIVE))
    }
}

impl Mean<HostLoad> {
    /// One of its figures.
    pub(crate) fn of(&self, figure: fn(&HostLoad) -> f64) -> f64 {
        figure(&self.sum) / self.weight.max(f64::MIN_POSITIVE)
    }
}

fn add(own: &mut HostLoad, other: &HostLoad) {
    own.busy_cores += other.busy_cores;
    own.own_cores += other.own_cores;
    own.disk_bytes_per_s += other.disk_bytes_per_s;
    own.disk_transfers_per_s += other.disk_transfers_per_s;
}

/// A wait that has been seen, in the order of the first look.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SeenWait {
    pub(crate) name: String,
    pub(crate) look: WaitLook,
    /// Sessions, summed over all looks, to tell the frequent ones.
    pub(crate) sum: f64,
}

/// The workload's own figure per minute; transactions per second of one that has none.
pub(crate) fn throughput(interval: &IntervalRecord) -> f64 {
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
pub(crate) struct History {
    points: Vec<Point>,
    names: Vec<String>,
    waits: Vec<SeenWait>,
    /// Intervals in one point.
    joined: usize,
    /// Intervals in the last point.
    last: usize,
}

impl History {
    /// Takes the next interval in.
    pub(crate) fn push(&mut self, interval: &IntervalRecord) {
        if self.names.is_empty() {
            let names = interval.transactions.iter().map(|one| one.name.clone());
            self.names = names.chain([ALL.to_owned()]).collect();
            self.joined = 1;
        }
        let point = Point::of(interval);
        match self.points.last_mut() {
            Some(last) if self.last < self.joined && last.outside == point.outside => {
                last.join(&point);
                self.last += 1;
            }
            _ => {
                self.points.push(point);
                self.last = 1;
            }
        }
        if self.points.len() >= POINTS_MAX {
            self.points = joined(&self.points, 2);
            self.joined *= 2;
            self.last = self.joined;
        }
    }

    /// Takes in what the server did in the last interval. What waits for the client is no work of it.
    pub(crate) fn server(&mut self, server: &ServerIntervalRecord) {
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
        let own = last.waits.get_or_insert_default();
        own.weight += samples;
        for (place, sessions) in seen {
            *own.sum.entry(place).or_default() += sessions;
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

    /// All waits that have been seen.
    pub(crate) fn waits(&self) -> &[SeenWait] {
        &self.waits
    }

    /// Takes in what the machine of the client did in the last interval.
    pub(crate) fn host(&mut self, host: &HostLoad) {
        let Some(last) = self.points.last_mut() else { return };
        let next = Mean { sum: *host, weight: 1.0 };
        last.host = Mean::both(last.host.take(), Some(&next), add);
    }

    /// Whether anybody looked at the server's sessions and saw one at work.
    pub(crate) fn has_waits(&self) -> bool {
        !self.waits.is_empty()
    }

    /// Whether the machine of the client said what it did.
    pub(crate) fn has_host(&self) -> bool {
        self.points.iter().any(|point| point.host.is_some())
    }

    /// Whether there is more to draw than throughput and latency.
    pub(crate) fn has_more(&self) -> bool {
        self.has_waits() || self.has_host()
    }

    /// Whether any transaction failed.
    pub(crate) fn has_failures(&self) -> bool {
        self.points.iter().any(|point| point.failed > 0)
    }

    /// The place of a kind's percentiles.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// At most `width` points, and how many columns each takes: several, if the run will not fill
    /// the width otherwise.
    pub(crate) fn columns(&self, width: usize, planned_s: Option<f64>) -> (Vec<Point>, usize) {
        if self.points.is_empty() || width == 0 {
            return (Vec::new(), 1);
        }
        // Doubled, so that columns stay where they are for as long as possible.
        let mut share = 1;
        while self.points.len() > width * share {
            share *= 2;
        }
        let mut points = joined(&self.points, share);
        // Phases are not joined, which can leave a column too many.
        while points.len() > width {
            share *= 2;
            points = joined(&self.points, share);
        }
        let length = self.points[0].to_s - self.points[0].from_s;
        let planned = planned_s.filter(|_| share == 1 && length > 0.0);
        let columns =
            planned.map_or(0, |planned| width / ((planned / length).ceil() as usize).max(1));
        let planned = columns.clamp(1, 6);
        // Where the plan leaves most of the width empty, columns are as wide as there is room, halved as
        // seldom as they can be.
        let room = [8, 4, 2].into_iter().find(|wide| points.len() * wide <= width).unwrap_or(1);
        let wide = if columns >= 1 && points.len() * planned <= width { planned } else { 1 };
        (points, if columns < 1 { room } else { wide })
    }
}

/// Neighbours of one phase joined, so many to one.
fn joined(points: &[Point], share: usize) -> Vec<Point> {
    let mut all: Vec<Point> = Vec::with_capacity(points.len() / share + 2);
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
        let mut history = History::default();
        for second in 0..10 {
            let p99 = (second != 3).then_some(f64::from(second) * 10.0);
            history.push(&interval(second, f64::from(second), p99));
        }
        let (columns, wide) = history.columns(6, None);
        // Ramp-up and measured phase are not joined.
        assert_eq!((columns.len(), wide), (5, 1));
        assert_eq!((columns[0].outside, columns[0].throughput), (true, 0.5));
        assert_eq!((columns[1].throughput, columns[1].latencies[0][2]), (2.5, Some(20.0)));
        assert_eq!((columns[1].from_s, columns[1].to_s), (2.0, 4.0));
        let (columns, wide) = history.columns(60, Some(20.0));
        assert_eq!((columns.len(), wide), (10, 3));
    }

    #[test]
    fn memory_is_bounded_and_nothing_is_left_out() {
        let mut history = History::default();
        for second in 0..50_000 {
            history.push(&interval(second, 7.0, None));
        }
        assert!(history.points.len() < POINTS_MAX);
        let (columns, _) = history.columns(80, None);
        assert!(columns.len() <= 80);
        assert!(columns.iter().all(|one| (one.throughput - 7.0).abs() < 1e-9));
        assert!((columns[columns.len() - 1].to_s - 50_000.0).abs() < 1e-9);
        let gaps = columns.windows(2).filter(|two| (two[0].to_s - two[1].from_s).abs() > 1e-9);
        assert_eq!(gaps.count(), 0);
    }
}
