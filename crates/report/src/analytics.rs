//! Throughput of query streams that run alongside transactions.
//!
//! Results of queries and of transactions are never combined. Each mean is shown with the number of
//! queries that it covers.
//!
//! Start reading at [`figures`].

use tacho_analysis::QUERIES_PER_HOUR;
use tacho_core::units::{counted, grouped, significant};
use tacho_store::record::{AnalyticsRecord, PlanRecord};

use crate::words::{ABSENT, micros};

/// Formats query results, such as `1 240 queries/h in 2 streams   812 ms geometric mean of 41 queries`.
pub(crate) fn figures(plan: &PlanRecord, analytics: &AnalyticsRecord) -> String {
    if plan.streams == 0 {
        return "no query streams alongside the sessions".into();
    }
    let streams = counted(plan.streams.into(), "stream");
    let mut parts = vec![
        format!("{} {QUERIES_PER_HOUR} in {streams}", significant(analytics.queries_per_hour)),
        format!("{} geometric mean of {}", mean(analytics), queries(analytics)),
    ];
    if analytics.failed > 0 {
        let penalised = analytics.penalised_mean_s.map_or(ABSENT.into(), |mean| micros(mean * 1e6));
        let failed = grouped(analytics.failed);
        parts.push(format!(
            "{failed} FAILED (excluded from both figures), penalised mean {penalised}"
        ));
    }
    if analytics.unfinished > 0 {
        parts.push(format!("{} not ended", grouped(analytics.unfinished)));
    }
    parts.join("   ")
}

fn mean(analytics: &AnalyticsRecord) -> String {
    analytics.geometric_mean_s.map_or(ABSENT.into(), |mean| micros(mean * 1e6))
}

/// Returns text that states how many queries the mean covers.
pub(crate) fn queries(analytics: &AnalyticsRecord) -> String {
    match (analytics.kept, analytics.good) {
        (1, 1) => "1 query".into(),
        (kept, good) if kept == good => format!("{} queries", grouped(good)),
        (kept, good) => format!("the first {} of {} queries", grouped(kept), grouped(good)),
    }
}
