//! Sessions that go through queries, one after the other: each query, and each session as a whole.

use std::collections::BTreeMap;
use std::time::Duration;

use tacho_core::Instant;
use tacho_engine::Measurement;
use tacho_metrics::{Ending, Execution, Series, geometric_mean};
use tacho_store::record::{AnalyticsRecord, ExecutionRecord, StreamRecord};
use tacho_workload::Instance;

/// Every transaction, in the order of their ends.
pub(super) fn executions(
    measurement: &Measurement,
    instance: &dyn Instance,
) -> Vec<ExecutionRecord> {
    let names: Vec<&str> = instance.transactions().iter().map(|kind| kind.name).collect();
    let all = measurement.total.executions.iter();
    all.map(|one| execution(one, &names, measurement.origin)).collect()
}

/// One transaction of a load that began at `origin`.
pub(super) fn execution(one: &Execution, names: &[&str], origin: Instant) -> ExecutionRecord {
    ExecutionRecord {
        session: one.session,
        transaction: names[one.transaction].into(),
        sent_s: one.sent.since(origin).as_secs_f64(),
        took_s: one.took.as_secs_f64(),
        rows: one.rows,
        first_row_s: one.first_row.map(|first| first.as_secs_f64()),
        failed: match one.ending {
            Ending::Failed(kind) => Some(kind.name().into()),
            Ending::Committed | Ending::RolledBack => None,
        },
    }
}

/// What the streams beside the transactions have done; `queries` are the series of their kinds.
pub(super) fn analytics(
    measurement: &Measurement,
    instance: &dyn Instance,
    queries: &[Series],
) -> AnalyticsRecord {
    let kept = measurement.total.executions.iter().filter(|one| is_good(one));
    let good: u64 = queries.iter().map(|one| one.ledger.committed).sum();
    let hours = measurement.measured.as_secs_f64() / 3_600.0;
    AnalyticsRecord {
        queries_per_hour: if hours > 0.0 { good as f64 / hours } else { 0.0 },
        good,
        geometric_mean_s: geometric_mean(kept.clone().map(|one| one.took)),
        kept: kept.count() as u64,
        failed: queries.iter().map(|one| one.ledger.failures()).sum(),
        unfinished: queries.iter().map(|one| one.ledger.unfinished).sum(),
        streams: streams(measurement),
        executions: executions(measurement, instance),
    }
}

fn is_good(one: &Execution) -> bool {
    !matches!(one.ending, Ending::Failed(_))
}

/// Every session, in the order of their numbers.
pub(super) fn streams(measurement: &Measurement) -> Vec<StreamRecord> {
    let mut sessions: BTreeMap<u32, Vec<&Execution>> = BTreeMap::new();
    for one in &measurement.total.executions {
        sessions.entry(one.session).or_default().push(one);
    }
    sessions.into_iter().map(|(session, all)| stream(session, &all)).collect()
}

fn stream(session: u32, all: &[&Execution]) -> StreamRecord {
    let good = || all.iter().filter(|one| is_good(one));
    let begin = all.iter().map(|one| one.sent).min();
    let end = all.iter().map(|one| one.sent.plus(one.took)).max();
    let elapsed = begin.zip(end).map_or(Duration::ZERO, |(begin, end)| end.since(begin));
    StreamRecord {
        session,
        good: good().count() as u64,
        failed: (all.len() - good().count()) as u64,
        elapsed_s: elapsed.as_secs_f64(),
        geometric_mean_s: geometric_mean(good().map(|one| one.took)),
    }
}
