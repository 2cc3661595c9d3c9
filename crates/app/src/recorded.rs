//! Loads that were recorded: sessions, form and times are those of the log, and what was found is recorded.

use tacho_config::RetryInput;
use tacho_core::{Error, Result};
use tacho_engine::Measurement;
use tacho_metrics::Phase;
use tacho_store::record::{
    DistributionRecord, ReplayDifferenceRecord, ReplayKindRecord, ReplayLeftOutRecord, ReplayRecord,
};
use tacho_workload::{ComparedKind, Difference, Instance, LogComparison, Recorded};

use crate::{Context, Job};

/// Gives a job of a recorded load what the log says, having read it.
///
/// # Errors
/// Usage, if something else is asked for.
pub(crate) fn fit(job: &mut Job, context: &Context) -> Result<()> {
    let Some(form) = job.workload.only_form() else { return Ok(()) };
    let plan = &mut job.resolved.plan;
    if plan.data.form != form && job.resolved.is_given("form") {
        let text = format!(
            "the workload {} runs in form {} only",
            job.workload.manifest().id,
            form.word()
        );
        return Err(Error::usage(text).hint("leave --form out"));
    }
    job.resolved.plan.data.form = form;
    let mut read = |read, all| {
        (context.reading)(read, all);
        !context.interrupted()
    };
    let Some(recorded) = job.workload.read_log(&job.choices(None)?, &mut read)? else {
        return Ok(());
    };
    require_as_recorded(job, recorded)?;
    job.resolved.plan.load.sessions = recorded.sessions;
    Ok(())
}

/// Refuses what would make another load of it.
fn require_as_recorded(job: &Job, recorded: Recorded) -> Result<()> {
    let (plan, given) = (&job.resolved.plan, |key: &str| job.resolved.is_given(key));
    let sessions = recorded.sessions;
    let refused = [
        (
            given("sessions") && plan.load.sessions != sessions,
            "a number of sessions",
            "leave --sessions out",
        ),
        (
            plan.load.arrival.rate.is_some(),
            "a rate",
            "leave --rate out; --set speed=2 replays faster",
        ),
        (plan.load.pacing > 0.0, "a pacing", "leave --pacing out; --set speed=2 replays faster"),
        (plan.steps.is_some(), "a load with steps", "leave --load out"),
        (
            plan.load.retry.input != RetryInput::None,
            "a retry",
            "leave --retry out: each statement is sent once",
        ),
        (
            !plan.data.routes.is_empty(),
            "a route",
            "leave --route out: a session has one connection",
        ),
        (plan.data.sets > 1, "a number of sets", "leave --sets out"),
    ];
    for (is_given, what, hint) in refused {
        if is_given {
            let text = format!(
                "{what} is given, and a replay has the sessions ({sessions}) and the times of its log"
            );
            return Err(Error::usage(text).hint(hint));
        }
    }
    Ok(())
}

/// What became of a log; `None` if the load was not recorded.
pub(crate) fn record(instance: &dyn Instance, measurement: &Measurement) -> Option<ReplayRecord> {
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
