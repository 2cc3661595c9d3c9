//! Mean times of each transaction type in runs that end when all sessions have finished their work, such as query
//! streams.
//!
//! Every mean comes with the number of values that were averaged.
//!
//! Start reading at [`kinds`].

use tacho_metrics::query_mean;
use tacho_store::record::{ExecutionRecord, QueryPlanRecord, ResultRecord, WorkRecord};

/// Name of a transaction type. Names sort in natural order, so `q2` comes before `q14`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name<'a>(pub &'a str);

impl Name<'_> {
    fn key(&self) -> (&str, u64, &str) {
        let word = self.0.trim_end_matches(|c: char| c.is_ascii_digit());
        (word, self.0[word.len()..].parse().unwrap_or(0), self.0)
    }
}

impl Ord for Name<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Name<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl std::fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

/// All executions of a transaction type.
#[derive(Default)]
pub struct Kind<'a> {
    /// Name of the transaction type, such as `q14`.
    pub name: &'a str,
    /// Durations of the successful executions.
    pub times_us: Vec<f64>,
    /// Number of rows returned by each execution.
    pub rows: Vec<u64>,
    /// Times to the first row, for the executions that returned rows.
    pub first_rows_us: Vec<f64>,
    /// Work that the database reported for each execution, such as the bytes read. Failed executions are included.
    pub work: Vec<WorkRecord>,
    /// The reason for each failure.
    pub failed: Vec<&'a str>,
}

impl Kind<'_> {
    /// Returns the shortest time, or `None` if all executions failed.
    pub fn shortest_us(&self) -> Option<f64> {
        self.times_us.iter().copied().reduce(f64::min)
    }

    /// Returns the arithmetic mean of the times.
    pub fn mean_us(&self) -> Option<f64> {
        mean(&self.times_us)
    }

    /// Returns the arithmetic mean of the times to the first row.
    pub fn first_row_us(&self) -> Option<f64> {
        mean(&self.first_rows_us)
    }

    /// Returns the mean of a number that the database reported, such as the bytes read, over the executions with this
    /// number.
    pub fn work(&self, of: fn(&WorkRecord) -> Option<u64>) -> Option<f64> {
        mean(&self.work.iter().filter_map(|work| Some(of(work)? as f64)).collect::<Vec<f64>>())
    }

    /// Returns the longest time, or `None` if all executions failed.
    pub fn longest_us(&self) -> Option<f64> {
        self.times_us.iter().copied().reduce(f64::max)
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Returns the transaction types, in the order in which they first completed.
pub fn kinds(executions: &[ExecutionRecord]) -> Vec<Kind<'_>> {
    let mut kinds: Vec<Kind<'_>> = Vec::new();
    for one in executions {
        let name = one.transaction.as_str();
        let at = kinds.iter().position(|kind| kind.name == name).unwrap_or_else(|| {
            kinds.push(Kind { name, ..Kind::default() });
            kinds.len() - 1
        });
        let kind = &mut kinds[at];
        kind.rows.extend(one.rows);
        kind.work.extend(one.work);
        kind.first_rows_us.extend(one.first_row_s.map(|first| first * 1e6));
        match &one.failed {
            Some(why) => kind.failed.push(why),
            None => kind.times_us.push(one.took_s * 1e6),
        }
    }
    kinds
}

/// Returns the number of successful executions and their geometric mean time in microseconds.
pub fn overall_mean(result: &ResultRecord) -> Option<(f64, u64)> {
    if result.streams.is_empty() {
        return None;
    }
    let good = result.executions.iter().filter(|one| one.failed.is_none());
    let times: Vec<f64> = good.map(|one| one.took_s).collect();
    Some((query_mean(&times)? * 1e6, times.len() as u64))
}

/// Returns the slowest stream's duration from its first query to its last, in microseconds.
pub fn slowest_us(result: &ResultRecord) -> Option<f64> {
    result.streams.iter().map(|one| one.elapsed_s * 1e6).reduce(f64::max)
}

/// Returns the first eight characters of a plan's hash, which suffice to distinguish plans.
pub fn short_hash(plan: &QueryPlanRecord) -> String {
    plan.hash.chars().take(8).collect()
}
