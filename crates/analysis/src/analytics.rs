//! Query streams that run alongside transactions.
//!
//! The results of these queries must not be mixed with those of the transactions that run at the same time. Start
//! reading at [`rounds_us`].

use std::collections::{BTreeMap, BTreeSet};

use tacho_metrics::query_mean;
use tacho_store::record::{AnalyticsRecord, ExecutionRecord};

use crate::streams::Name;

/// Name of the query throughput metric.
pub const QUERIES_PER_HOUR: &str = "queries/h";

/// Returns the geometric mean of the query times for each round, in microseconds. In a round, a stream executes each of
/// its queries once.
pub fn rounds_us(analytics: &AnalyticsRecord) -> Vec<f64> {
    let kinds: BTreeSet<&str> = analytics.executions.iter().map(|one| &*one.transaction).collect();
    let mut streams: BTreeMap<u32, Vec<&ExecutionRecord>> = BTreeMap::new();
    for one in &analytics.executions {
        streams.entry(one.session).or_default().push(one);
    }
    // The start of a round is not recorded, so look for sequences of executions that contain each query exactly once.
    let mut rounds = Vec::new();
    for executions in streams.values() {
        let mut rest = executions.as_slice();
        while rest.len() >= kinds.len() {
            let round = &rest[..kinds.len()];
            let asked: BTreeSet<&str> = round.iter().map(|one| &*one.transaction).collect();
            if asked.len() < kinds.len() {
                rest = &rest[1..];
                continue;
            }
            let times = round.iter().filter(|one| one.failed.is_none());
            let times: Vec<f64> = times.map(|one| one.took_s).collect();
            if times.len() == kinds.len() {
                rounds.extend(query_mean(&times).map(|mean| mean * 1e6));
            }
            rest = &rest[kinds.len()..];
        }
    }
    rounds
}

/// Returns the executions sorted by query name.
pub fn in_order(analytics: &AnalyticsRecord) -> Vec<ExecutionRecord> {
    let mut all = analytics.executions.clone();
    all.sort_by(|a, b| Name(&a.transaction).cmp(&Name(&b.transaction)));
    all
}
