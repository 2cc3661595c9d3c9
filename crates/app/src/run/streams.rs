//! Sessions that execute queries one after another, with results by query and by session.

use std::collections::BTreeMap;
use std::time::Duration;

use tacho_core::Instant;
use tacho_engine::{LoadPlan, Measurement};
use tacho_metrics::{Ending, Execution, Series, penalised_mean, query_mean};
use tacho_store::record::{AnalyticsRecord, ExecutionRecord, StreamRecord, WorkRecord};
use tacho_workload::Instance;

/// Returns all transactions in the order in which they completed.
pub(super) fn executions(
    measurement: &Measurement,
    instance: &dyn Instance,
) -> Vec<ExecutionRecord> {
    let names: Vec<&str> = instance.transactions().iter().map(|kind| kind.name).collect();
    let all = measurement.total.executions.iter();
    all.map(|one| execution(one, &names, measurement.origin)).collect()
}

/// Returns the record of a transaction in a load that started at `origin`.
pub(super) fn execution(one: &Execution, names: &[&str], origin: Instant) -> ExecutionRecord {
    ExecutionRecord {
        session: one.session,
        transaction: names[one.transaction].into(),
        sent_s: one.sent.since(origin).as_secs_f64(),
        took_s: one.took.as_secs_f64(),
        rows: one.rows,
        first_row_s: one.first_row.map(|first| first.as_secs_f64()),
        work: one.work.map(WorkRecord::from),
        failed: match one.ending {
            Ending::Failed(kind) => Some(kind.name().into()),
            Ending::Committed | Ending::RolledBack => None,
        },
    }
}

/// Returns a message that lists the query statistics that the database did not report. The last argument is the name of
/// the database product.
pub(super) fn unreported_work(
    executions: &[ExecutionRecord],
    analytics: Option<&AnalyticsRecord>,
    measurement: &Measurement,
    plan: &LoadPlan,
    title: &str,
) -> Option<String> {
    let alone = plan.sessions == 1 && !plan.shared;
    let of_streams = analytics.map_or(&[][..], |analytics| &analytics.executions);
    if !of_streams.is_empty() {
        return Some("temporary space and reads of queries that run alongside transactions".into());
    }
    let all = executions.len();
    let reported = executions.iter().filter(|one| one.work.is_some()).count();
    let text = match (reported, alone) {
        _ if all == 0 => return None,
        (0, true) => format!("{title} does not report temporary space and reads per query"),
        (reported, true) => {
            measurement.query_stats_error.as_ref()?;
            format!("temporary space and reads for {} of {all} queries", all - reported)
        }
        (_, false) => {
            format!(
                "the counters of {title} cover all sessions together, so numbers per query are not available \
                    with several sessions"
            )
        }
    };
    let cause = measurement.query_stats_error.as_ref().map(|error| format!(": {error}"));
    Some(text + &cause.unwrap_or_default())
}

/// Returns the results of query streams that ran alongside transactions. `queries` contains the time series of the
/// streams' queries.
pub(super) fn analytics(
    measurement: &Measurement,
    instance: &dyn Instance,
    queries: &[Series],
) -> AnalyticsRecord {
    let all: Vec<&Execution> = measurement.total.executions.iter().collect();
    let Times { good_s, failed_s } = times(&all);
    let good: u64 = queries.iter().map(|one| one.ledger.committed).sum();
    let hours = measurement.measured.as_secs_f64() / 3_600.0;
    AnalyticsRecord {
        queries_per_hour: if hours > 0.0 { good as f64 / hours } else { 0.0 },
        good,
        geometric_mean_s: query_mean(&good_s),
        penalised_mean_s: penalised(&good_s, &failed_s),
        kept: good_s.len() as u64,
        failed: queries.iter().map(|one| one.ledger.failures()).sum(),
        unfinished: queries.iter().map(|one| one.ledger.unfinished).sum(),
        streams: streams(measurement),
        executions: executions(measurement, instance),
    }
}

/// Execution times in seconds.
#[derive(Default)]
struct Times {
    good_s: Vec<f64>,
    failed_s: Vec<f64>,
}

fn times(all: &[&Execution]) -> Times {
    let mut times = Times::default();
    for one in all {
        match one.ending {
            Ending::Failed(_) => times.failed_s.push(one.took.as_secs_f64()),
            Ending::Committed | Ending::RolledBack => times.good_s.push(one.took.as_secs_f64()),
        }
    }
    times
}

/// Returns the mean query time with a penalty for each failed query. Returns `None` if no query failed, because the
/// ordinary mean needs no penalty.
fn penalised(good_s: &[f64], failed_s: &[f64]) -> Option<f64> {
    if failed_s.is_empty() { None } else { penalised_mean(good_s, failed_s) }
}

/// Returns all sessions in the order of their numbers.
pub(super) fn streams(measurement: &Measurement) -> Vec<StreamRecord> {
    let mut sessions: BTreeMap<u32, Vec<&Execution>> = BTreeMap::new();
    for one in &measurement.total.executions {
        sessions.entry(one.session).or_default().push(one);
    }
    sessions.into_iter().map(|(session, all)| stream(session, &all)).collect()
}

fn stream(session: u32, all: &[&Execution]) -> StreamRecord {
    let Times { good_s, failed_s } = times(all);
    let begin = all.iter().map(|one| one.sent).min();
    let end = all.iter().map(|one| one.sent.plus(one.took)).max();
    let elapsed = begin.zip(end).map_or(Duration::ZERO, |(begin, end)| end.since(begin));
    StreamRecord {
        session,
        good: good_s.len() as u64,
        failed: failed_s.len() as u64,
        elapsed_s: elapsed.as_secs_f64(),
        geometric_mean_s: query_mean(&good_s),
        penalised_mean_s: penalised(&good_s, &failed_s),
    }
}
