//! Merges neighbouring intervals, so that a run of any length fits in memory and on a page.
//!
//! Merging keeps the total of every count, and the intervals on disk stay as they are. Start reading at [`Merged`].

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::record::{
    GaugeRecord, HostIntervalRecord, HostLoadRecord, ServerLoadRecord, WaitRecord,
};
use crate::{IntervalRecord, IntervalTransaction, ServerIntervalRecord};

/// Maximum number of a run's intervals in memory: one hour at one interval per second.
pub const INTERVALS_MAX: usize = 3600;

/// A value that is recorded once per interval. The values of adjacent intervals can be merged.
pub trait Merge {
    /// Returns true if the following value can be merged into this one.
    fn is_alike(&self, next: &Self) -> bool;
    /// Merges the following value into this one.
    fn merge(&mut self, next: Self);
}

/// Up to [`INTERVALS_MAX`] intervals. If more are added, neighbouring intervals are merged.
#[derive(Clone, Debug)]
pub struct Merged<T> {
    all: Vec<T>,
    /// Number of original intervals in each merged one. The last merged interval may contain fewer so far.
    each: usize,
    last: usize,
    count: usize,
}

impl<T> Default for Merged<T> {
    fn default() -> Self {
        Self { all: Vec::new(), each: 1, last: 0, count: 0 }
    }
}

impl<T: Merge> Merged<T> {
    /// Adds the next interval.
    pub fn push(&mut self, next: T) {
        self.count += 1;
        match self.all.last_mut() {
            Some(last) if self.last < self.each && last.is_alike(&next) => {
                last.merge(next);
                self.last += 1;
            }
            _ => {
                self.all.push(next);
                self.last = 1;
            }
        }
        if self.all.len() > INTERVALS_MAX {
            self.halve();
        }
    }

    fn halve(&mut self) {
        let mut half: Vec<T> = Vec::with_capacity(INTERVALS_MAX + 1);
        let mut is_pair = true;
        for next in self.all.drain(..) {
            match half.last_mut() {
                Some(last) if !is_pair && last.is_alike(&next) => {
                    last.merge(next);
                    is_pair = true;
                }
                _ => {
                    half.push(next);
                    is_pair = false;
                }
            }
        }
        self.all = half;
        self.each *= 2;
        self.last = if is_pair { self.each } else { self.each / 2 };
    }

    /// Returns the number of intervals that have been added.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the last element, into which earlier intervals may have been merged.
    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.all.last_mut()
    }

    /// Returns the intervals.
    pub fn all(&self) -> &[T] {
        &self.all
    }

    /// Returns the intervals.
    pub fn into_all(self) -> Vec<T> {
        self.all
    }
}

/// Returns the larger of two values, either of which may be absent.
fn highest<T: PartialOrd>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if other > one { other } else { one }),
        (one, other) => one.or(other),
    }
}

/// Returns the weighted mean of two values.
fn mean(one: f64, other: f64, weights: [f64; 2]) -> f64 {
    let sum = weights[0] + weights[1];
    if sum > 0.0 { (one * weights[0] + other * weights[1]) / sum } else { one }
}

/// Returns the weighted mean of two values. An absent value counts as 0.
fn mean_of(one: Option<f64>, other: Option<f64>, weights: [f64; 2]) -> Option<f64> {
    one.or(other)?;
    Some(mean(one.unwrap_or_default(), other.unwrap_or_default(), weights))
}

impl Merge for IntervalRecord {
    fn is_alike(&self, next: &Self) -> bool {
        self.phase == next.phase && self.step == next.step
    }

    fn merge(&mut self, next: Self) {
        let weights = [self.length_s, next.length_s];
        self.merged = Some(self.merged.unwrap_or(1) + next.merged.unwrap_or(1));
        self.at_s = next.at_s;
        self.length_s += next.length_s;
        self.sessions = next.sessions;
        self.sessions_planned = next.sessions_planned;
        self.throughput_per_s = mean(self.throughput_per_s, next.throughput_per_s, weights);
        self.headline_per_minute =
            mean_of(self.headline_per_minute, next.headline_per_minute, weights);
        self.queries_per_hour = mean_of(self.queries_per_hour, next.queries_per_hour, weights);
        for transaction in next.transactions {
            match self.transactions.iter_mut().find(|known| known.name == transaction.name) {
                Some(known) => merge_transaction(known, transaction),
                None => self.transactions.push(transaction),
            }
        }
        merge_transaction(&mut self.totals, next.totals);
        self.skipped += next.skipped;
        self.backlog = next.backlog;
        self.session_wait_max_us = highest(self.session_wait_max_us, next.session_wait_max_us);
        self.late_p99_us = highest(self.late_p99_us, next.late_p99_us);
        self.late_max_us = highest(self.late_max_us, next.late_max_us);
        self.tool_stopped_us = highest(self.tool_stopped_us, next.tool_stopped_us);
    }
}

fn merge_transaction(merged: &mut IntervalTransaction, next: IntervalTransaction) {
    merged.committed += next.committed;
    merged.rolled_back += next.rolled_back;
    merged.failed += next.failed;
    for (kind, count) in next.failed_by_kind {
        *merged.failed_by_kind.entry(kind).or_default() += count;
    }
    merged.p50_us = highest(merged.p50_us, next.p50_us);
    merged.p95_us = highest(merged.p95_us, next.p95_us);
    merged.p99_us = highest(merged.p99_us, next.p99_us);
    merged.max_us = highest(merged.max_us, next.max_us);
}

impl Merge for ServerIntervalRecord {
    fn is_alike(&self, next: &Self) -> bool {
        self.phase == next.phase
    }

    fn merge(&mut self, next: Self) {
        self.at_s = next.at_s;
        merge_server_load(&mut self.load, next.load);
    }
}

fn merge_server_load(merged: &mut ServerLoadRecord, next: ServerLoadRecord) {
    let weights = [merged.samples as f64, next.samples as f64];
    merged.active_sessions = mean(merged.active_sessions, next.active_sessions, weights);
    let same =
        |one: &WaitRecord, other: &WaitRecord| one.class == other.class && one.event == other.event;
    for wait in &mut merged.waits {
        let other = next.waits.iter().find(|other| same(wait, other));
        wait.sessions = mean(wait.sessions, other.map_or(0.0, |other| other.sessions), weights);
    }
    for mut wait in next.waits {
        if !merged.waits.iter().any(|known| same(known, &wait)) {
            wait.sessions = mean(0.0, wait.sessions, weights);
            merged.waits.push(wait);
        }
    }
    let active = merged.active_sessions;
    for wait in &mut merged.waits {
        wait.share = if active > 0.0 { wait.sessions / active } else { 0.0 };
    }
    merged.waits.sort_by(|one, other| other.sessions.total_cmp(&one.sessions));
    for (name, count) in next.counters {
        *merged.counters.entry(name).or_default() += count;
    }
    for (name, gauge) in next.gauges {
        let both = match merged.gauges.get(&name) {
            None => gauge,
            Some(before) => GaugeRecord {
                mean: mean(before.mean, gauge.mean, weights),
                min: before.min.min(gauge.min),
                max: before.max.max(gauge.max),
                last: gauge.last,
            },
        };
        merged.gauges.insert(name, both);
    }
    merged.samples += next.samples;
    for missing in next.missing {
        if !merged.missing.contains(&missing) {
            merged.missing.push(missing);
        }
    }
}

impl Merge for HostIntervalRecord {
    fn is_alike(&self, next: &Self) -> bool {
        self.phase == next.phase && self.host == next.host
    }

    fn merge(&mut self, next: Self) {
        self.at_s = next.at_s;
        let weights = [self.load.length_s, next.load.length_s];
        let length_s = weights[0] + weights[1];
        let cores = |one: Option<f64>, other: Option<f64>| {
            one.zip(other).map(|(one, other)| mean(one, other, weights))
        };
        self.tacho_cores = cores(self.tacho_cores, next.tacho_cores);
        self.server_cores = cores(self.server_cores, next.server_cores);
        let both = mean_of_loads(&self.load, &next.load, weights);
        self.load = HostLoadRecord { length_s, ..both.unwrap_or(next.load) };
    }
}

/// Merges the loads of a machine in two intervals. Takes the mean of each rate. All other values, such as amounts of
/// memory, come from the later interval.
fn mean_of_loads(
    one: &HostLoadRecord,
    other: &HostLoadRecord,
    weights: [f64; 2],
) -> Option<HostLoadRecord> {
    let [mut one, other] = [one, other].map(|load| serde_json::to_value(load).ok());
    merge_values(one.as_mut()?, other?, weights);
    serde_json::from_value(one?).ok()
}

fn merge_values(merged: &mut Value, next: Value, weights: [f64; 2]) {
    match (merged, next) {
        (Value::Object(merged), Value::Object(next)) => merge_objects(merged, next, weights),
        (Value::Array(merged), Value::Array(next)) if merged.len() == next.len() => {
            merged
                .iter_mut()
                .zip(next)
                .for_each(|(merged, next)| merge_values(merged, next, weights));
        }
        (merged, next) => {
            *merged = match (merged.is_f64(), merged.as_f64(), next.as_f64()) {
                (true, Some(one), Some(other)) => mean(one, other, weights).into(),
                _ => next,
            };
        }
    }
}

fn merge_objects(merged: &mut Map<String, Value>, next: Map<String, Value>, weights: [f64; 2]) {
    for (key, value) in next {
        match merged.get_mut(&key) {
            Some(known) => merge_values(known, value, weights),
            None => drop(merged.insert(key, value)),
        }
    }
}

/// Merges each machine's intervals separately and returns all of them in chronological order.
pub(crate) fn by_host(
    each: impl FnOnce(&mut dyn FnMut(HostIntervalRecord)) -> tacho_core::Result<()>,
) -> tacho_core::Result<Vec<HostIntervalRecord>> {
    let mut hosts: BTreeMap<u32, Merged<HostIntervalRecord>> = BTreeMap::new();
    each(&mut |next| hosts.entry(next.host).or_default().push(next))?;
    let mut all: Vec<HostIntervalRecord> = hosts.into_values().flat_map(Merged::into_all).collect();
    all.sort_by(|one, other| one.at_s.total_cmp(&other.at_s));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(second: usize, phase: &str) -> IntervalRecord {
        let totals = IntervalTransaction {
            committed: second as u64,
            p99_us: Some(second as f64),
            ..IntervalTransaction::default()
        };
        IntervalRecord {
            at_s: second as f64,
            length_s: 1.0,
            phase: phase.into(),
            throughput_per_s: second as f64,
            transactions: vec![totals.clone()],
            totals,
            ..IntervalRecord::default()
        }
    }

    #[test]
    fn a_week_is_held_in_an_hour_of_intervals_and_loses_no_count() {
        const WEEK: usize = 7 * 24 * 3600;
        let mut merged = Merged::default();
        for second in 1..=WEEK {
            merged.push(interval(second, if second <= 1000 { "ramp-up" } else { "measure" }));
            assert!(merged.all().len() <= INTERVALS_MAX);
        }
        assert_eq!(merged.count(), WEEK);
        let all = merged.into_all();
        assert!(all.len() > INTERVALS_MAX / 2, "{}", all.len());
        let sum = (WEEK * (WEEK + 1) / 2) as u64;
        assert_eq!(all.iter().map(|interval| interval.totals.committed).sum::<u64>(), sum);
        assert_eq!(all.iter().map(|interval| interval.transactions[0].committed).sum::<u64>(), sum);
        let single =
            all.iter().map(|interval| u64::from(interval.merged.unwrap_or(1))).sum::<u64>();
        assert_eq!(single, WEEK as u64);
        let mut end = 0.0;
        for interval in &all {
            // There must be no gaps between intervals. A merged interval must have the mean rate and the highest
            // percentile of its parts.
            assert!((interval.at_s - interval.length_s - end).abs() < 1e-6, "{interval:?}");
            let rate = interval.totals.committed as f64 / interval.length_s;
            assert!(
                (interval.throughput_per_s - rate).abs() < 1e-6 * rate.max(1.0),
                "{interval:?}"
            );
            assert_eq!(interval.totals.p99_us, Some(interval.at_s));
            end = interval.at_s;
        }
        // Intervals of different phases are not merged.
        assert!(all.iter().any(|interval| interval.phase == "ramp-up" && interval.at_s <= 1000.0));
    }

    #[test]
    fn does_not_merge_the_intervals_of_short_runs() {
        let mut merged = Merged::default();
        let all: Vec<_> = (1..=INTERVALS_MAX).map(|second| interval(second, "measure")).collect();
        all.iter().cloned().for_each(|next| merged.push(next));
        assert_eq!(merged.into_all(), all);
    }

    #[test]
    fn the_work_of_the_server_is_weighted_by_its_samples() {
        let wait = |sessions| WaitRecord {
            class: "IO".into(),
            event: "Sync".into(),
            kind: None,
            sessions,
            share: 1.0,
        };
        let gauge = |mean, min, max, last| GaugeRecord { mean, min, max, last };
        let load = |samples, sessions, gauge: GaugeRecord| ServerLoadRecord {
            samples,
            active_sessions: sessions,
            waits: vec![wait(sessions)],
            counters: [("reads".to_owned(), samples)].into(),
            gauges: [("dirty".to_owned(), gauge)].into(),
            missing: Vec::new(),
        };
        let mut merged = load(1, 4.0, gauge(4.0, 3, 5, 5));
        merge_server_load(&mut merged, load(3, 8.0, gauge(8.0, 1, 9, 2)));
        let expected = ServerLoadRecord { samples: 4, ..load(4, 7.0, gauge(7.0, 1, 9, 2)) };
        assert_eq!(merged, expected);
    }

    #[test]
    fn machines_are_merged_by_themselves_with_the_last_levels() -> tacho_core::Result<()> {
        let of = |host, second: usize| {
            let mut load =
                HostLoadRecord { length_s: 1.0, running: second as u64, ..Default::default() };
            load.cpu.user = if second.is_multiple_of(2) { 0.25 } else { 0.75 };
            HostIntervalRecord {
                at_s: second as f64,
                phase: "measure".into(),
                host,
                load,
                tacho_cores: Some(0.5),
                server_cores: None,
            }
        };
        let all = by_host(|push| {
            (1..=2 * INTERVALS_MAX)
                .for_each(|second| [0, 1].map(|host| push(of(host, second))).into_iter().collect());
            Ok(())
        })?;
        assert_eq!(all.len(), 2 * INTERVALS_MAX);
        let last = all.last().expect("intervals");
        assert_eq!((last.load.length_s, last.load.running), (2.0, 2 * INTERVALS_MAX as u64));
        assert!((last.load.cpu.user - 0.5).abs() < 1e-9, "{last:?}");
        Ok(())
    }
}
