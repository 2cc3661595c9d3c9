//! Compares a replayed log with the replay.

use tacho_engine::Measurement;
use tacho_metrics::Phase;
use tacho_store::record::{
    DistributionRecord, ReplayDifferenceRecord, ReplayKindRecord, ReplayLeftOutRecord, ReplayRecord,
};
use tacho_workload::{ComparedKind, Difference, Instance, LogComparison};

/// Returns the comparison, or `None` if the load was not recorded.
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
    let sent = series.iter().skip(1).map(|own| own.ledger.started).sum();
    let kind = |own: ComparedKind| ReplayKindRecord {
        transaction: name(own.transaction),
        statement: own.text,
        count_then: own.count,
        failed_then: own.failed,
        timed_then: own.timed,
        mean_then_us: own.mean_us,
        p50_then_us: own.p50_us,
        p95_then_us: own.p95_us,
        sent: series[own.transaction].ledger.started,
        now: DistributionRecord::from(&series[own.transaction].service),
        fails_again: own.fails_again,
        fails_otherwise: own.fails_otherwise,
        fails_now: own.fails_now,
        succeeds_now: own.succeeds_now,
        rows_now: (own.counted_now > 0).then_some(own.rows_now),
        counted_now: own.counted_now,
        outcomes_now: format!("{:016x}", own.outcomes_now),
    };
    let difference = |own: Difference| ReplayDifferenceRecord {
        transaction: name(own.transaction),
        line: own.line,
        statement: own.statement,
        then: own.then,
        now: own.now,
    };
    let paced = instance.recorded().is_some_and(|own| own.paced);
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
