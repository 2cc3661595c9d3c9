//! Streams of queries beside the transactions: their throughput, and a line for each query.
//!
//! Their figures never mix with those of the transactions, and a mean never stands without the number of
//! what it is of. Start reading at [`figures`].

use std::collections::{BTreeMap, BTreeSet};

use tacho_core::units::{counted, grouped, significant};
use tacho_metrics::query_mean;
use tacho_store::record::{AnalyticsRecord, ExecutionRecord, PlanRecord, QueryPlanRecord};

use crate::layout::Page;
use crate::streams::{Name, table};
use crate::words::{ABSENT, micros};

/// The name of their throughput.
pub(crate) const METRIC: &str = "queries/h";

/// The figures in a line: `1 240 queries/h in 2 streams   812 ms geometric mean of 41 queries`.
pub(crate) fn figures(page: &mut Page, plan: &PlanRecord, own: &AnalyticsRecord) {
    page.text(&format!("  {}", figures_line(plan, own)), 4);
}

/// The same without a page.
pub(crate) fn figures_line(plan: &PlanRecord, own: &AnalyticsRecord) -> String {
    if plan.streams == 0 {
        return "no streams of queries next to the sessions".into();
    }
    let streams = counted(plan.streams.into(), "stream");
    let mut parts = vec![
        format!("{} {METRIC} in {streams}", significant(own.queries_per_hour)),
        format!("{} geometric mean of {}", mean(own), queries(own)),
    ];
    if own.failed > 0 {
        let penalised = own.penalised_mean_s.map_or(ABSENT.into(), |mean| micros(mean * 1e6));
        let failed = grouped(own.failed);
        parts.push(format!("{failed} FAILED and in neither, penalised mean {penalised}"));
    }
    if own.unfinished > 0 {
        parts.push(format!("{} not ended", grouped(own.unfinished)));
    }
    parts.join("   ")
}

fn mean(own: &AnalyticsRecord) -> String {
    own.geometric_mean_s.map_or(ABSENT.into(), |mean| micros(mean * 1e6))
}

/// The geometric mean of each round in microseconds: all queries once, in one stream, and all well. A round
/// that was cut by the ends of the measured phase has part in the figure alone.
pub(crate) fn rounds_us(own: &AnalyticsRecord) -> Vec<f64> {
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

/// What the mean is of.
pub(crate) fn queries(own: &AnalyticsRecord) -> String {
    match (own.kept, own.good) {
        (1, 1) => "1 query".into(),
        (kept, good) if kept == good => format!("{} queries", grouped(good)),
        (kept, good) => format!("the first {} of {} queries", grouped(kept), grouped(good)),
    }
}

/// The queries in the order of their names, whatever the streams began with.
pub(crate) fn in_order(own: &AnalyticsRecord) -> Vec<ExecutionRecord> {
    let mut all = own.executions.clone();
    all.sort_by(|a, b| Name(&a.transaction).cmp(&Name(&b.transaction)));
    all
}

/// A line for each query.
pub(crate) fn queries_table(page: &mut Page, own: &AnalyticsRecord, plans: &[QueryPlanRecord]) {
    if !own.executions.is_empty() {
        page.blank();
        page.lines(table(&in_order(own), plans).lines());
    }
}
