//! Compares a recorded log with its replay.

use tacho_engine::Measurement;
use tacho_metrics::Phase;
use tacho_store::record::{
    DistributionRecord, ReplayDifferenceRecord, ReplayKindRecord, ReplayLeftOutRecord, ReplayRecord,
};
use tacho_workload::{ComparedKind, Difference, Instance, LogComparison};

/// Returns a comparison of the replayed load with its log, or `None` if the load is not a replay.
pub(super) fn record(instance: &dyn Instance, measurement: &Measurement) -> Option<ReplayRecord> {
    let LogComparison {
        log,
        format,
        sessions,
        idle_sessions,
        length,
        statements,
        timed,
        failed,
        missed,
        left_out,
        lines_before,
        broken,
        lost,
        unclosed,
        kinds,
        examples,
    } = instance.compare_with_log()?;
    let names = instance.transactions();
    let name = |at: usize| names[at].name.to_owned();
    let series = measurement.total.series(Phase::Measure);
    let sent = series.iter().skip(1).map(|kind| kind.ledger.started).sum();
    let kind = |compared: ComparedKind| ReplayKindRecord {
        transaction: name(compared.transaction),
        statement: compared.text,
        count_then: compared.count,
        failed_then: compared.failed,
        timed_then: compared.timed,
        mean_then_us: compared.mean_us,
        p50_then_us: compared.p50_us,
        p95_then_us: compared.p95_us,
        sent: series[compared.transaction].ledger.started,
        now: DistributionRecord::from(&series[compared.transaction].service),
        fails_again: compared.fails_again,
        fails_otherwise: compared.fails_otherwise,
        fails_now: compared.fails_now,
        succeeds_now: compared.succeeds_now,
        rows_then: (compared.counted > 0).then_some(compared.rows),
        counted_then: compared.counted,
        rows_now: (compared.counted_now > 0).then_some(compared.rows_now),
        counted_now: compared.counted_now,
        outcomes_now: format!("{:016x}", compared.outcomes_now),
    };
    let difference = |difference: Difference| ReplayDifferenceRecord {
        transaction: name(difference.transaction),
        line: difference.line,
        statement: difference.statement,
        then: difference.then,
        now: difference.now,
    };
    let paced = instance.recorded().is_some_and(|recorded| recorded.paced);
    let wait = measurement.total.session_wait(Phase::Measure);
    Some(ReplayRecord {
        log,
        log_format: format.into(),
        sessions,
        idle_sessions,
        length_s: length.as_secs_f64(),
        statements,
        sent,
        lost,
        timed,
        failed_then: failed,
        unclosed,
        missed,
        left_out: left_out
            .into_iter()
            .map(|(reason, count, line)| ReplayLeftOutRecord { reason: reason.into(), count, line })
            .collect(),
        lines_before,
        broken: broken.0,
        broken_line: broken.1,
        session_wait: paced.then(|| DistributionRecord::from(wait)),
        kinds: kinds.into_iter().map(kind).collect(),
        differences: examples.into_iter().map(difference).collect(),
    })
}
