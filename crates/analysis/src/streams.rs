//! Runs whose sessions come to an end by themselves: their kinds of transactions, and the means of these.
//!
//! A mean never stands without the number of what it is of. Start reading at [`kinds`].

use tacho_metrics::query_mean;
use tacho_store::record::{ExecutionRecord, QueryPlanRecord, ResultRecord, WorkRecord};

/// Name of a kind, in the order in which people count: `q2` before `q14`.
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

/// All executions of one kind.
#[derive(Default)]
pub struct Kind<'a> {
    /// Such as `q14`.
    pub name: &'a str,
    /// Times of the good ones.
    pub times_us: Vec<f64>,
    /// Rows that each of them brought back.
    pub rows: Vec<u64>,
    /// Times to the first row of those that brought rows back.
    pub first_rows_us: Vec<f64>,
    /// The database's work for each query for which it reported any, failed ones included.
    pub work: Vec<WorkRecord>,
    /// Why the others failed, one entry each.
    pub failed: Vec<&'a str>,
}

impl Kind<'_> {
    /// `None` if all failed.
    pub fn shortest_us(&self) -> Option<f64> {
        self.times_us.iter().copied().reduce(f64::min)
    }

    /// Their arithmetic mean.
    pub fn mean_us(&self) -> Option<f64> {
        mean(&self.times_us)
    }

    /// The arithmetic mean of the times to the first row.
    pub fn first_row_us(&self) -> Option<f64> {
        mean(&self.first_rows_us)
    }

    /// The arithmetic mean of what the database did; of those that have it.
    pub fn work(&self, of: fn(&WorkRecord) -> Option<u64>) -> Option<f64> {
        mean(&self.work.iter().filter_map(|own| Some(of(own)? as f64)).collect::<Vec<f64>>())
    }

    /// `None` if all failed.
    pub fn longest_us(&self) -> Option<f64> {
        self.times_us.iter().copied().reduce(f64::max)
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The kinds in the order in which they first ended.
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

/// The geometric mean over all good executions of a run in microseconds, and of how many it is;
/// `None` without streams or without a good one.
pub fn overall_mean(result: &ResultRecord) -> Option<(f64, u64)> {
    if result.streams.is_empty() {
        return None;
    }
    let good = result.executions.iter().filter(|one| one.failed.is_none());
    let times: Vec<f64> = good.map(|one| one.took_s).collect();
    Some((query_mean(&times)? * 1e6, times.len() as u64))
}

/// From the first query to the last of the stream that took longest, in microseconds.
pub fn slowest_us(result: &ResultRecord) -> Option<f64> {
    result.streams.iter().map(|one| one.elapsed_s * 1e6).reduce(f64::max)
}

/// As much of a plan's hash as tells it from those of other runs.
pub fn short_hash(plan: &QueryPlanRecord) -> String {
    plan.hash.chars().take(8).collect()
}
