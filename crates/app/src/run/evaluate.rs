//! Evaluates a result to determine the notices, the verdict, and the exit code.
//!
//! Start reading at [`evaluate`].

mod ratio;
mod replay;

use std::time::Duration;

use tacho_config::Require;
use tacho_core::units::{self, counted, grouped, percent};
use tacho_engine::Stop;
use tacho_store::record::{
    ClientLimited, HeadlineRecord, HiccupsRecord, NoticeRecord, Record, ResultRecord, RunEnd,
    RunVerdict, SteadinessVerdict, ThresholdRecord,
};

use super::evidence::Evidence;
use super::notices::{FAILURES_MAX, Notice, RATE_TOLERANCE};
use super::opened::Opened;
use super::{acknowledged, addresses, commits, isolation, load_hosts, steps, terminals};
use crate::Exit;
use crate::check::passed;
use ratio::ratio_off;

/// The minimum number of transactions for any metric. With fewer, even a median would be unreliable.
const SAMPLES_MIN: u64 = 20;
/// Minimum number of full intervals for a meaningful confidence interval of the throughput.
const INTERVALS_MIN: u64 = 10;
/// Minimum number of transactions for a p95. Higher percentiles need more transactions and are otherwise shown as
/// a dash.
const P95_SAMPLES_MIN: u64 = 200;
/// Maximum fraction of transactions that may be unfinished at the end. If there are more, the percentiles are too low,
/// because slow transactions are missing from them.
const UNFINISHED_MAX: f64 = 0.05;
/// Maximum growth factor of the data since it was loaded. If it is exceeded, the data is reported as drifted.
const DRIFT_MAX: f64 = 2.0;
/// Maximum 99th percentile of lateness. If it is exceeded, there is a notice.
const LATE_MAX_US: f64 = 10_000.0;
/// Limits for the total length of this process's pauses, in seconds and as a fraction of the measured phase. If both
/// are exceeded, the pauses affect more than just the highest percentiles.
const STOPPED_MIN_S: f64 = 1.0;
const STOPPED_MAX: f64 = 0.01;
/// Length of a single pause that results in a warning, because it shows up in the maximum latency.
const STOPPED_TOLD_S: f64 = 0.25;
/// Maximum difference between the lengths of time that the wall clock and the steady clock measured. A thousandth of
/// the measured time is allowed in addition.
const JUMP_MAX: Duration = Duration::from_millis(500);

/// The evaluation of a result.
pub(super) struct Evaluation {
    pub(super) notices: Vec<NoticeRecord>,
    pub(super) thresholds: Vec<ThresholdRecord>,
    /// The thresholds for each step of a varying load.
    pub(super) of_steps: Vec<Vec<ThresholdRecord>>,
    pub(super) valid: bool,
    pub(super) verdict: RunVerdict,
    /// The reasons for a verdict such as `UNSTABLE`; empty if the verdict is `VALID` or `INVALID`.
    pub(super) unsettled: Vec<String>,
    pub(super) exit: Exit,
}

/// Evaluates a result.
pub(super) fn evaluate(result: &ResultRecord, evidence: &Evidence, opened: &Opened) -> Evaluation {
    let judged = Judged { result, evidence, opened };
    let rules = [
        Judged::bugs,
        Judged::failures,
        Judged::work,
        Judged::replay,
        Judged::ending,
        Judged::steps,
        Judged::rate,
        Judged::data,
        Judged::commits,
        Judged::conditions,
        Judged::precision,
        Judged::server,
        Judged::client,
        Judged::hosts,
        Judged::record,
    ];
    let notices: Vec<NoticeRecord> = rules.iter().flat_map(|rule| rule(&judged)).collect();
    let valid = notices.iter().all(|notice| !notice.invalidates);
    let (stability, unsettled) = result.stability_by(&opened.record.plan);
    let verdict = if valid { stability } else { RunVerdict::Invalid };
    let limits = &opened.thresholds;
    let thresholds: Vec<ThresholdRecord> =
        limits.iter().map(|threshold| threshold.judge(result)).collect();
    let steady = opened.record.plan.judgement.require == Require::Steady;
    let exit = judged.exit(valid, steady && verdict != RunVerdict::Valid, &thresholds);
    let of_steps = steps::thresholds(limits, result);
    Evaluation { notices, thresholds, of_steps, valid, verdict, unsettled, exit }
}

/// A result along with all the data that its evaluation is based on.
struct Judged<'a> {
    result: &'a ResultRecord,
    evidence: &'a Evidence,
    opened: &'a Opened,
}

impl Judged<'_> {
    fn bugs(&self) -> Vec<NoticeRecord> {
        let mut notices = Vec::new();
        if let Some(imbalance) = &self.evidence.imbalance {
            notices.push(Notice::AccountsWrong.found(imbalance.clone()));
        }
        if self.evidence.panics > 0 {
            let count = counted(self.evidence.panics.into(), "session");
            notices.push(Notice::Panicked.found(format!("{count} panicked")));
        }
        notices
    }

    fn ending(&self) -> Vec<NoticeRecord> {
        let result = self.result;
        let mut notices = Vec::new();
        let lost = &self.evidence.lost;
        if let Some(first) = lost.first() {
            let count = counted(lost.len() as u64, "session");
            notices.push(Notice::SessionLost.found(format!("{count} gave up: {first}")));
        } else if self.evidence.missing > 0 {
            let count = counted(self.evidence.missing, "session");
            notices.push(Notice::SessionLost.found(format!(
                "{count} lost the connection and had not reconnected by the end of the load"
            )));
        } else if self.evidence.never_answered {
            let count = counted(self.evidence.abandoned.into(), "session");
            notices.push(Notice::SessionLost.found(format!(
                "{count} got no response, nor did the query for the counters: the \
                    server was unavailable when the load ended"
            )));
        } else if self.evidence.unknown_after_outage {
            let text = "the connection to the server was lost and restored, but the counters \
                could not be read afterwards: it is unknown whether all commits survived";
            notices.push(Notice::SessionLost.found(text));
        }
        if was_stopped(result) {
            let measured = Duration::from_secs_f64(result.measured_s);
            let text = format!("stopped after {} of the measured phase", units::span(measured));
            notices.push(Notice::StoppedEarly.found(text));
        }
        if self.evidence.abandoned > 0 {
            let count = counted(self.evidence.abandoned.into(), "session");
            notices.push(
                Notice::SessionsAbandoned
                    .found(format!("{count} had not finished when Tacho stopped waiting")),
            );
        }
        let good = ended(result).0;
        if good < SAMPLES_MIN {
            let count = counted(good, "transaction");
            notices.push(Notice::NothingMeasured.found(format!("only {count} succeeded")));
        }
        notices
    }

    /// Returns a notice if some steps did not follow the plan.
    fn steps(&self) -> Vec<NoticeRecord> {
        let result = self.result;
        let invalid = result.steps_at(RunVerdict::Invalid);
        if invalid.is_empty() {
            return Vec::new();
        }
        vec![Notice::StepInvalid.found(invalid.join("; "))]
    }

    fn rate(&self) -> Vec<NoticeRecord> {
        let result = self.result;
        let Some(rate) = self.opened.plan.arrival.rate else { return Vec::new() };
        // If the load has steps, each step that did not reach its rate is reported in a notice of its own.
        let is_stepped = !result.steps.is_empty();
        let mut notices = Vec::new();
        let accounting = &result.accounting;
        let arrivals = result.arrivals.unwrap_or_default();
        // Count all transactions that ended in this phase, even if they were due earlier. This includes transactions
        // that had to wait in a backlog.
        let (good, failed) = ended(result);
        // The number of Poisson arrivals is random, so compare with the number of transactions that were actually due.
        let reached = (good + failed) as f64 / accounting.due.max(1) as f64;
        let reached = reached.max(reached_outside_faults(result, rate));
        // In a short run, it is normal for transactions to be in flight at the end.
        let in_flight = accounting.unfinished as f64 / accounting.due.max(1) as f64;
        let tolerance = (RATE_TOLERANCE * accounting.due as f64) as u64;
        let sessions = u64::from(self.opened.plan.sessions);
        if !is_stepped
            && accounting.due > 0
            && reached + in_flight.min(RATE_TOLERANCE) < 1.0 - RATE_TOLERANCE
        {
            let text = format!(
                "reached {}/s of {}/s; at the end, {} waited for a free session, compared to {} at the start",
                units::significant((good + failed) as f64 / result.measured_s.max(1e-9)),
                units::significant(rate),
                counted(arrivals.backlog_end, "arrival"),
                grouped(arrivals.backlog_start)
            );
            notices.push(Notice::RateNotReached.with_hint(text, &rate_hint(result, rate)));
        } else if arrivals.backlog_start > tolerance.max(sessions) {
            notices.push(Notice::BacklogBefore.found(format!(
                "{} waited for a free session when the measured phase began, {} when it ended: \
                    the latencies include this wait",
                counted(arrivals.backlog_start, "arrival"),
                grouped(arrivals.backlog_end)
            )));
        }
        if accounting.skipped > 0 {
            notices.push(Notice::ArrivalsSkipped.found(format!(
                "{} were due but not started",
                counted(accounting.skipped, "arrival")
            )));
        }
        notices
    }

    fn data(&self) -> Vec<NoticeRecord> {
        let result = self.result;
        let mut notices = Vec::new();
        let failed: Vec<&str> = result
            .checks
            .iter()
            .filter(|check| !passed(check))
            .map(|check| check.id.as_str())
            .collect();
        if !failed.is_empty() {
            let text = format!("consistency conditions violated: {}", failed.join(", "));
            notices.push(Notice::CheckFailed.found(text));
        }
        if let Some(growth) = self.evidence.growth
            && growth > DRIFT_MAX
        {
            notices.push(
                Notice::DataDrifted.found(format!(
                    "the data has grown to {growth:.1} times its size after loading"
                )),
            );
        }
        notices
    }

    fn commits(&self) -> Vec<NoticeRecord> {
        let result = self.result;
        let mut notices = Vec::new();
        if let Some(error) = &self.evidence.probe_error {
            notices.push(Notice::CounterUnreadable.found(error.clone()));
        }
        let abandoned = u64::from(self.evidence.abandoned);
        let headline = result.headline.as_ref();
        notices.extend(headline.and_then(|headline| counts_differ(headline, abandoned)));
        if let Some([before, after]) = self.evidence.fallen
            && let Some(lost) =
                notices.iter_mut().find(|notice| notice.id == Notice::CommitsLost.id())
        {
            // If the counter is lower than before the run, the data has been replaced by an older state.
            let (before, after) = (grouped(before), grouped(after));
            let text = format!(
                "; the data is older than the run: its counter fell from {before} to {after}"
            );
            lost.text.push_str(&text);
        }
        let has_others = notices.iter().any(|found| found.id == Notice::OthersWrote.id());
        notices.extend(commits::notices(result, has_others));
        notices.extend(result.acknowledged.iter().flat_map(acknowledged::notices));
        notices.extend(result.isolation.iter().flat_map(isolation::notices));
        notices.extend(result.rollbacks.filter(|found| found.hidden > 0).map(|found| {
            Notice::HiddenRollbacks.found(format!(
                "the server rolled back {} in this database, but the client knows of only {}",
                counted(found.server, "transaction"),
                grouped(found.client)
            ))
        }));
        notices
    }

    fn conditions(&self) -> Vec<NoticeRecord> {
        let result = self.result;
        let mut notices = Vec::new();
        if let Some(reason) = &self.evidence.unwatched {
            notices.push(Notice::ServerUnwatched.found(reason.clone()));
        }
        if let Some(changed) = &self.evidence.changed {
            notices.push(Notice::SettingsChanged.found(changed.clone()));
        }
        if let Some(changed) = &self.evidence.restructured {
            notices.push(Notice::TablesChanged.found(changed.clone()));
        }
        if let Some(error) = &self.evidence.unread {
            notices.push(Notice::SettingsUnread.found(error.clone()));
        }
        notices.extend(self.evidence.clocks.and_then(jumped));
        notices.extend(result.tool.hiccups.and_then(|seen| stopped_tool(&seen, result.measured_s)));
        notices
    }

    fn precision(&self) -> Vec<NoticeRecord> {
        let result = self.result;
        let mut notices = Vec::new();
        let accounting = &result.accounting;
        if accounting.unfinished as f64 > UNFINISHED_MAX * accounting.started as f64 {
            notices.push(Notice::ManyUnfinished.found(format!(
                "{} of {} had not finished when the measured phase ended, including the slowest \
                    ones",
                grouped(accounting.unfinished),
                counted(accounting.started, "transaction")
            )));
        }
        if self.opened.plan.stop == Stop::Done {
            // Each session has a fixed amount of work, and the result covers all of it. The throughput therefore does
            // not have to be steady.
            return notices;
        }
        let samples = self.evidence.intervals;
        let all = result.transactions.last().map_or(0, |all| all.latency.count);
        let mut few = Vec::new();
        if samples < INTERVALS_MIN {
            few.push(format!(
                "{}: the confidence interval is imprecise",
                counted(samples, "full interval")
            ));
        }
        if all < P95_SAMPLES_MIN {
            few.push(format!("{}: too few for a p95", counted(all, "transaction")));
        }
        if !few.is_empty() {
            notices.push(Notice::TooFewSamples.found(few.join("; ")));
        }
        if let Some(half) = result.too_wide(Some(&self.opened.record.plan)) {
            let part = outside_faults(result);
            let interval = format!("the 95 % confidence interval{part} is ±{}", percent(half));
            let text = [Some(interval), tacho_report::coincided(result)];
            let text: Vec<String> = text.into_iter().flatten().collect();
            notices.push(Notice::WideInterval.found(text.join("; ")));
        }
        if result.verdict_steadiness().verdict == Some(SteadinessVerdict::Drifting) {
            notices.push(Notice::NotSteady.found(drifting(result)));
        }
        notices
    }

    /// Returns the driver's advice about the server and the data before the run.
    fn server(&self) -> Vec<NoticeRecord> {
        let advice = self.evidence.advice.iter();
        advice.map(|found| Notice::ServerAdvice.with_hint(&found.text, &found.hint)).collect()
    }

    /// Returns notices if too many transactions failed.
    fn failures(&self) -> Vec<NoticeRecord> {
        let result = self.result;
        let (good, failed) = ended(result);
        let ended = good + failed;
        let share = failed as f64 / ended.max(1) as f64;
        let queries =
            result.analytics.iter().filter(|analytics| analytics.failed > 0).map(|analytics| {
                let (failed, all) =
                    (grouped(analytics.failed), grouped(analytics.good + analytics.failed));
                Notice::TooManyFailures.found(format!("{failed} of {all} queries failed"))
            });
        let mut notices: Vec<NoticeRecord> = queries.collect();
        // In a run of query streams, no query may fail. If a slow query failed, the mean time of the others would
        // look too good.
        let allowed = if result.streams.is_empty() { FAILURES_MAX } else { 0.0 };
        if share > allowed {
            notices.push(Notice::TooManyFailures.found(format!(
                "{} of {} finished transactions failed ({})",
                grouped(failed),
                grouped(ended),
                percent(share)
            )));
        }
        notices
    }

    /// Returns notices if the workload's audit found that the submitted transactions violate its rules, or if
    /// transaction counts contradict each other.
    fn work(&self) -> Vec<NoticeRecord> {
        let result = self.result;
        let mut notices = Vec::new();
        let outside: Vec<&str> = result
            .audit
            .iter()
            .filter(|entry| !entry.passed)
            .map(|entry| entry.name.as_str())
            .collect();
        if !outside.is_empty() {
            let text = format!("outside their bands: {}", outside.join(", "));
            notices.push(Notice::MixOutside.found(text));
        }
        let Opened { plan, instance, record, .. } = self.opened;
        notices.extend(terminals::crowded(plan, &**instance, &record.plan));
        notices.extend(ratio_off(result, self.opened.plan.sessions));
        notices
    }

    /// Returns notices about a replay that performed less work than its log contains.
    fn replay(&self) -> Vec<NoticeRecord> {
        replay::notices(self.result)
    }

    /// Returns notices if the client itself affected the result.
    fn client(&self) -> Vec<NoticeRecord> {
        let result = self.result;
        let mut notices = Vec::new();
        let tool = &result.tool;
        if tool.client_limited == ClientLimited::Yes {
            notices.push(Notice::ClientSaturated.found(format!(
                "client-limited: Tacho used {:.1} of {} cores",
                tool.cpu_cores.unwrap_or(0.0),
                tool.cores
            )));
        }
        let late = tool.lateness.p99_us.unwrap_or(0.0);
        if late > LATE_MAX_US {
            let late = Duration::from_nanos((late * 1e3) as u64);
            let text = format!(
                "transactions started {} late at the 99th percentile",
                units::latency(late)
            );
            notices.push(Notice::LateScheduler.found(text));
        }
        notices
    }

    /// Returns notices about lost hosts, drifting clocks, and excluded addresses.
    fn hosts(&self) -> Vec<NoticeRecord> {
        let mut notices = load_hosts::notices(self.result, self.opened.plan.on_host_loss);
        notices.extend(addresses::notices(self.result));
        notices
    }

    /// Returns a notice if the record could not be written in full.
    fn record(&self) -> Vec<NoticeRecord> {
        let unwritten = self.evidence.unwritten.iter();
        let unwritten = unwritten.map(|error| Notice::RecordIncomplete.found(error.clone()));
        let unlogged = self.evidence.unlogged.iter();
        unwritten.chain(unlogged.map(|what| Notice::LogIncomplete.found(what.clone()))).collect()
    }

    /// Returns the exit code. `unsteady` is true if the user requires a `VALID` verdict, but the run has another one.
    fn exit(&self, valid: bool, unsteady: bool, thresholds: &[ThresholdRecord]) -> Exit {
        let Evidence { imbalance, panics, .. } = self.evidence;
        first_exit([
            (*panics > 0 || imbalance.is_some(), Exit::Internal),
            (was_stopped(self.result), Exit::Interrupted),
            (self.result.checks.iter().any(|check| !passed(check)), Exit::CheckFailed),
            (!valid, Exit::Invalid),
            (unsteady, Exit::NotSteady),
            (thresholds.iter().any(|threshold| !threshold.passed), Exit::Threshold),
        ])
    }
}

/// Returns the numbers of successful and failed transactions that ended in the measured phase. Some of them may have
/// been due earlier.
fn ended(result: &ResultRecord) -> (u64, u64) {
    result.transactions.last().map_or((0, 0), |all| (all.count, all.failed))
}

/// Returns a hint that suggests a sustainable rate. It is based on the database's throughput while a backlog of
/// transactions was waiting to start.
fn rate_hint(result: &ResultRecord, rate: f64) -> String {
    let capacity = result.arrivals.and_then(|arrivals| arrivals.capacity_per_s);
    let capacity = capacity.map(rounded_down).filter(|capacity| *capacity > 0.0);
    match capacity {
        // The throughput was higher than the requested rate while a backlog was processed. The database can therefore
        // sustain the rate, but something interrupted it.
        Some(capacity) if capacity >= rate => {
            format!(
                "the database reached {capacity}/s while arrivals waited, so it can sustain the \
                    rate unless something interrupts it; see tacho show --timeline"
            )
        }
        Some(capacity) => format!(
            "these virtual users can sustain --rate {capacity}, based on the transactions that ended while arrivals waited; more virtual \
             users (--sessions) may reach more; tacho sweep --find-max finds the highest rate"
        ),
        None => "lower --rate, or add virtual users with --sessions".into(),
    }
}

/// Rounds down to three significant digits, so that the result never exceeds the measured value.
fn rounded_down(rate: f64) -> f64 {
    if rate <= 0.0 {
        return 0.0;
    }
    let size = 10_f64.powi(2 - rate.log10().floor() as i32);
    (rate * size).floor() / size
}

/// Returns a notice if the wall clock and the steady clock disagree about the measured phase.
fn jumped([calendar, clock]: [Duration; 2]) -> Option<NoticeRecord> {
    (calendar.abs_diff(clock) > JUMP_MAX + clock / 1000).then(|| {
        Notice::ClockJumped.found(format!(
            "the measured phase took {} by the wall clock and {} by the steady clock",
            units::span(calendar),
            units::span(clock)
        ))
    })
}

/// Returns a notice if this process was paused. Its pauses look like slow responses of the database.
fn stopped_tool(seen: &HiccupsRecord, measured_s: f64) -> Option<NoticeRecord> {
    let share = seen.total_s / measured_s.max(1e-9);
    let long = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or_default();
    let notice = match seen {
        hiccups if hiccups.total_s >= STOPPED_MIN_S && share > STOPPED_MAX => Notice::ToolStopped,
        hiccups if hiccups.longest_s >= STOPPED_TOLD_S => Notice::ToolDelayed,
        _ => return None,
    };
    Some(notice.found(format!(
        "Tacho was suspended for {} of the measured phase, {} ({}, the longest {}): the database \
            did not cause this delay",
        units::latency(long(seen.total_s)),
        percent(share),
        counted(seen.count, "stop"),
        units::latency(long(seen.longest_s))
    )))
}

/// Returns the exit code of a saved run. It is derived from the record, which does not contain every cause of a
/// non-zero exit code.
pub fn exit_of(record: &Record) -> Exit {
    let Some(result) = &record.result else { return Exit::Target };
    let steady = record.plan.judgement.require == Require::Steady;
    first_exit([
        (result.ended_by == RunEnd::Terminate, Exit::Terminated),
        (result.ended_by == RunEnd::Interrupt, Exit::Interrupted),
        (result.checks.iter().any(|check| !passed(check)), Exit::CheckFailed),
        (!result.valid, Exit::Invalid),
        (steady && result.verdict() != RunVerdict::Valid, Exit::NotSteady),
        (result.thresholds.iter().any(|threshold| !threshold.passed), Exit::Threshold),
    ])
}

/// Returns the most severe exit code that applies.
fn first_exit<const N: usize>(found: [(bool, Exit); N]) -> Exit {
    let exits: Vec<Exit> = found.iter().filter(|(is, _)| *is).map(|(_, exit)| *exit).collect();
    Exit::first_of(&exits)
}

/// Returns true if the user stopped the run early.
fn was_stopped(result: &ResultRecord) -> bool {
    matches!(result.ended_by, RunEnd::Interrupt | RunEnd::Terminate)
}

/// Returns the fraction of the requested rate that was reached outside of faults. Arrivals are random, so two
/// standard errors are added in favor of the database.
fn reached_outside_faults(result: &ResultRecord, rate: f64) -> f64 {
    let Some(quiet) = &result.undisturbed else { return 0.0 };
    quiet.throughput_per_s / rate + 2.0 / (rate * quiet.length_s).sqrt()
}

/// Returns an addition to messages if the verdict is based only on the time outside of faults; otherwise an empty
/// string.
fn outside_faults(result: &ResultRecord) -> &'static str {
    if result.undisturbed.is_some() { " outside of the faults" } else { "" }
}

/// Describes how throughput changed from the first to the second half of the measured phase, and how much of the
/// change is due to warm-up.
fn drifting(result: &ResultRecord) -> String {
    let steadiness = result.verdict_steadiness();
    let drift = steadiness.drift.unwrap_or(0.0);
    let sign = if drift < 0.0 { '−' } else { '+' };
    let drift = percent(drift.abs());
    let part = outside_faults(result);
    let drifted =
        format!("throughput{part} changed by {sign}{drift} from the first half to the second");
    let drifted = match tacho_report::coincided(result) {
        Some(coincided) => format!("{drifted}; {coincided}"),
        None => drifted,
    };
    match steadiness.warm_up_s {
        None if result.never_settled() => format!("{drifted}; it had not settled by the end"),
        Some(span) if span > 0.0 => {
            let span = units::span(Duration::from_secs_f64(span));
            format!("{drifted}; the first {span} look like warm-up and belong in --ramp-up")
        }
        _ => drifted,
    }
}

/// Returns a notice if the database and the clients count different numbers of commits. Ignores abandoned sessions.
fn counts_differ(headline: &HeadlineRecord, abandoned: u64) -> Option<NoticeRecord> {
    let schema = headline.whole_run_schema_count?;
    let client = headline.whole_run_client_count;
    let notice = if schema < client {
        Notice::CommitsLost
    } else if schema > client + headline.whole_run_unknown_count + abandoned {
        Notice::OthersWrote
    } else {
        return None;
    };
    let text = format!(
        "the headline counter in the database grew by {}, but the client counted {} commits",
        grouped(schema),
        grouped(client)
    );
    let lost = client.saturating_sub(schema);
    let lost = if lost > 0 { format!(": {} lost", grouped(lost)) } else { String::new() };
    Some(notice.found(text + &lost))
}

#[cfg(test)]
mod tests {
    use tacho_store::record::{Estimate, SteadinessRecord};

    use super::*;

    #[test]
    fn missing_commits_and_those_of_others_are_not_the_same() {
        let name = |schema, unknown, abandoned| {
            let headline = HeadlineRecord {
                whole_run_client_count: 10_000,
                whole_run_schema_count: schema,
                whole_run_unknown_count: unknown,
                ..HeadlineRecord::default()
            };
            counts_differ(&headline, abandoned).map(|notice| notice.name)
        };
        assert_eq!(name(Some(9_999), 5, 5).as_deref(), Some("commits-lost"));
        assert_eq!(name(Some(10_003), 1, 1).as_deref(), Some("others-wrote"));
        for agreed in [name(Some(10_000), 0, 0), name(Some(10_002), 1, 1), name(None, 0, 0)] {
            assert_eq!(agreed, None);
        }
    }

    #[test]
    fn a_drift_says_how_long_the_warm_up_was() {
        let of = |samples, warm_up_s| {
            let steadiness = SteadinessRecord {
                verdict: Some(SteadinessVerdict::Drifting),
                drift: Some(0.051),
                warm_up_s,
            };
            let interval = Estimate { value: 1.0, low: 1.0, high: 1.0, samples, batches: samples };
            let interval_95 = Some(interval);
            drifting(&ResultRecord { steadiness, interval_95, ..ResultRecord::default() })
        };
        assert!(of(60, None).ends_with(
            "+5.1\u{202f}% from the first half to the second; it had not settled by the end"
        ));
        assert!(
            of(10, None).ends_with("from the first half to the second"),
            "too few intervals to find the end of the warm-up"
        );
        let warm = of(60, Some(20.0));
        assert!(warm.ends_with("the first 20s look like warm-up and belong in --ramp-up"));
        assert!(of(60, Some(0.0)).ends_with("from the first half to the second"));
    }
}
