//! Changes in what the server spent its time on, and in its work per transaction, from one side to the other.
//!
//! These differences coincide with a change in performance but do not prove what caused it.
//!
//! Start reading at [`Observed::of`].

use std::cmp::Ordering;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use tacho_store::record::{ResultRecord, WaitRecord};

use super::Side;
use crate::words::clean;

/// Smallest count that is compared, because smaller counts often differ by chance.
const COUNT_MIN: f64 = 30.0;
/// Number of standard errors by which counts must differ to be reported. Events are assumed to be independent.
const ERRORS_MIN: f64 = 4.0;
/// Smallest relative change in a count that is worth reporting.
const CHANGE_MIN: f64 = 0.05;

/// Observations that coincide with a change in performance, the largest change first.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Observed {
    /// Server sessions' wait times by kind, in microseconds per transaction. The largest absolute change comes first.
    pub waits: Vec<Observation>,
    /// Significant changes in server counters, retries and CPU times per transaction. The largest relative change
    /// comes first.
    pub work: Vec<Observation>,
}

/// A value per completed transaction.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Observation {
    /// The wait in the form `class:event`, or the name of the counter.
    pub name: String,
    /// `us` or `count`.
    pub unit: &'static str,
    /// Value in the baseline.
    pub baseline: f64,
    /// Value in the run.
    pub run: f64,
}

impl Observed {
    /// Returns the wait that decreased most if the run is faster, or the wait that increased most if it is slower.
    pub fn largest(&self, is_faster: bool) -> Option<&Observation> {
        // The list is sorted by the size of the change.
        let fits = |wait: &&Observation| match wait.run.total_cmp(&wait.baseline) {
            Ordering::Less => is_faster,
            Ordering::Greater => !is_faster,
            Ordering::Equal => false,
        };
        self.waits.iter().find(fits)
    }

    /// Compares two sides. Waits are compared only if the server was monitored on both sides.
    pub(super) fn of(baseline: &Side, run: &Side) -> Self {
        let [a, b] = [baseline, run].map(Sums::of);
        Self::between(&a, &b)
    }

    /// Compares two sums, like [`Observed::of`].
    pub(crate) fn between(a: &Sums, b: &Sums) -> Self {
        if a.ended == 0.0 || b.ended == 0.0 {
            return Self::default();
        }
        let waits = if a.unwatched || b.unwatched { Vec::new() } else { waits(a, b) };
        Self { waits, work: work(a, b) }
    }
}

/// The counts for a side, over all of its runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sums {
    ended: f64,
    /// True if the server was not monitored in one of the runs.
    unwatched: bool,
    /// Time that the sessions spent in each wait, in seconds.
    waits: BTreeMap<String, f64>,
    counters: BTreeMap<String, f64>,
    /// CPU time in seconds by consumer; `None` if it is unknown in any of the runs.
    cpu_s: BTreeMap<&'static str, Option<f64>>,
}

/// Names of the CPU times.
const TACHO: &str = "CPU used by Tacho";
const SERVER: &str = "CPU used by the server";
const OTHERS: &str = "CPU used by other programs";

impl Sums {
    fn of(side: &Side) -> Self {
        let mut sums = Self::default();
        let results = side.runs.iter().filter_map(|run| run.record.result.as_ref());
        results.for_each(|result| sums.add(result));
        sums
    }

    /// Adds a run.
    pub(crate) fn add(&mut self, result: &ResultRecord) {
        let ledger = &result.accounting;
        self.ended += (ledger.committed + ledger.rolled_back) as f64;
        for (user, cores) in cores_used(result) {
            let sum = self.cpu_s.entry(user).or_insert(Some(0.0));
            *sum = sum.zip(cores).map(|(sum, cores)| sum + cores * result.measured_s);
        }
        *self.counters.entry("retries".into()).or_default() += ledger.retried as f64;
        *self.counters.entry("failed".into()).or_default() += ledger.failed as f64;
        let Some(load) = &result.server_load else {
            self.unwatched = true;
            return;
        };
        self.unwatched |= load.samples == 0;
        for wait in &load.waits {
            *self.waits.entry(name(wait)).or_default() += wait.sessions * result.measured_s;
        }
        for (name, growth) in &load.counters {
            *self.counters.entry(clean(name)).or_default() += *growth as f64;
        }
    }
}

/// Returns the mean number of cores used by Tacho, by a private server, and by other programs.
fn cores_used(result: &ResultRecord) -> [(&'static str, Option<f64>); 3] {
    let host = result.hosts.iter().find(|host| host.source == "client");
    let tacho = result.tool.cpu_cores;
    let server = host.and_then(|host| host.server_cores);
    let busy = host
        .and_then(|host| host.load.as_ref())
        .map(|load| (1.0 - load.cpu.idle - load.cpu.io_wait) * load.cores.len() as f64);
    // If the server's CPU time is unknown, the remaining CPU time may include it and is not attributed to other
    // programs.
    let others = busy.zip(tacho).zip(server).map(|((busy, tacho), server)| busy - tacho - server);
    [(TACHO, tacho), (SERVER, server), (OTHERS, others.map(|cores| cores.max(0.0)))]
}

fn name(wait: &WaitRecord) -> String {
    match wait.event.as_str() {
        "" => clean(&wait.class),
        event => format!("{}:{}", clean(&wait.class), clean(event)),
    }
}

fn waits(a: &Sums, b: &Sums) -> Vec<Observation> {
    let time = |sums: &Sums, name: &str| {
        sums.waits.get(name).copied().unwrap_or_default() * 1e6 / sums.ended
    };
    let mut names: Vec<&String> = a.waits.keys().chain(b.waits.keys()).collect();
    names.sort();
    names.dedup();
    let mut all: Vec<Observation> = names
        .into_iter()
        .map(|name| Observation {
            name: name.clone(),
            unit: "us",
            baseline: time(a, name),
            run: time(b, name),
        })
        .collect();
    let size = |observation: &Observation| (observation.run - observation.baseline).abs();
    all.sort_by(|one, other| size(other).total_cmp(&size(one)));
    all
}

/// Compares only counters that exist on both sides, because each product has its own counters.
fn work(a: &Sums, b: &Sums) -> Vec<Observation> {
    let counted = a.counters.iter().filter_map(|(name, before)| {
        let after = *b.counters.get(name)?;
        differs(*before, after, a.ended, b.ended).then(|| Observation {
            name: name.clone(),
            unit: "count",
            baseline: before / a.ended,
            run: after / b.ended,
        })
    });
    let mut all: Vec<Observation> = counted.collect();
    for (user, before) in &a.cpu_s {
        let times = before.zip(b.cpu_s.get(user).copied().flatten());
        let Some((before, after)) = times else { continue };
        let [baseline, run] = [before * 1e6 / a.ended, after * 1e6 / b.ended];
        if (run - baseline).abs() > CHANGE_MIN * baseline {
            all.push(Observation { name: (*user).into(), unit: "us", baseline, run });
        }
    }
    // The largest change comes first. Any increase from zero is larger than all others.
    let size = |observation: &Observation| {
        (observation.run.max(1e-12) / observation.baseline.max(1e-12)).ln().abs()
    };
    all.sort_by(|one, other| size(other).total_cmp(&size(one)));
    all
}

/// Returns true if two event counts differ by more than chance can explain.
fn differs(before: f64, after: f64, transactions_before: f64, transactions_after: f64) -> bool {
    let (a, b) = (before / transactions_before, after / transactions_after);
    let error = (before / transactions_before.powi(2) + after / transactions_after.powi(2)).sqrt();
    before.max(after) >= COUNT_MIN
        && (b - a).abs() > ERRORS_MIN * error
        && (b - a).abs() > CHANGE_MIN * a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(ended: f64, waits: &[(&str, f64)], counters: &[(&str, f64)]) -> Sums {
        let pairs =
            |all: &[(&str, f64)]| all.iter().map(|(name, n)| ((*name).into(), *n)).collect();
        Sums { ended, waits: pairs(waits), counters: pairs(counters), ..Sums::default() }
    }

    #[test]
    fn the_largest_change_for_each_transaction_comes_first() {
        let a = sums(
            1_000.0,
            &[("CPU", 1.0), ("IO:WALSync", 1.0)],
            &[("wal_bytes", 5e6), ("reads", 4_000.0), ("deadlocks", 0.0), ("rare", 3.0)],
        );
        // The throughput is half as high but the CPU time is the same, so the CPU time per transaction has doubled.
        let b = sums(
            500.0,
            &[("CPU", 1.0), ("IO:WALSync", 4.0)],
            &[("wal_bytes", 2.5e6), ("reads", 8_000.0), ("deadlocks", 40.0), ("rare", 9.0)],
        );
        let waits = waits(&a, &b);
        assert_eq!(waits[0].name, "IO:WALSync");
        assert_eq!((waits[0].baseline, waits[0].run), (1_000.0, 8_000.0));
        assert_eq!((waits[1].baseline, waits[1].run), (1_000.0, 2_000.0));
        let work = work(&a, &b);
        let names: Vec<&str> = work.iter().map(|observation| observation.name.as_str()).collect();
        assert_eq!(
            names,
            ["deadlocks", "reads"],
            "unchanged rows and rows with few events are omitted"
        );
        assert_eq!((work[1].baseline, work[1].run), (4.0, 16.0));
    }
}
