//! Streams of queries next to the transactions.
//!
//! Their figures never mix with those of the transactions. Start reading at [`rounds_us`].

use std::collections::{BTreeMap, BTreeSet};

use tacho_metrics::query_mean;
use tacho_store::record::{AnalyticsRecord, ExecutionRecord};

use crate::streams::Name;

/// The name of their throughput.
pub const QUERIES_PER_HOUR: &str = "queries/h";

/// The geometric mean of each round in microseconds: all queries once, in one stream, and all well. A round
/// that was cut by the ends of the measured phase has part in the figure alone.
pub fn rounds_us(own: &AnalyticsRecord) -> Vec<f64> {
    let kinds: BTreeSet<&str> = own.executions.iter().map(|one| &*one.transaction).collect();
    let mut streams: BTreeMap<u32, Vec<&ExecutionRecord>> = BTreeMap::new();
    for one in &own.executions {
        streams.entry(one.session).or_default().push(one);
    }
    // Of a round that began before the phase only the end is there: rounds begin where all kinds follow one
    // another.
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

/// The queries in the order of their names, whatever the streams began with.
pub fn in_order(own: &AnalyticsRecord) -> Vec<ExecutionRecord> {
    let mut all = own.executions.clone();
    all.sort_by(|a, b| Name(&a.transaction).cmp(&Name(&b.transaction)));
    all
}
